"""Every dialect there is. A new one is a module beside this one and a line here."""

from collections.abc import Iterable, Iterator, Mapping

from longwatch.dialects.cubepi import Cubepi
from longwatch.dialects.loki import Loki
from longwatch.dialects.longwatch import Longwatch
from longwatch.dialects.parley import Parley
from longwatch.dialects.protocol import Dialect
from longwatch.dialects.todowrite import TodoWrite


class Registry(Mapping[str, Dialect]):
    """Dialects by name, in the order they were given."""

    def __init__(self, dialects: Iterable[Dialect]) -> None:
        self._dialects = {dialect.name: dialect for dialect in dialects}

    def __getitem__(self, name: str) -> Dialect:
        return self._dialects[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._dialects)

    def __len__(self) -> int:
        return len(self._dialects)


DIALECTS = Registry(
    (
        Longwatch(),
        Parley(),
        Loki(),
        TodoWrite(),
        Cubepi(),
    )
)
