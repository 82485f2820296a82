"""What governs one session, kept for as long as it holds."""

from longwatch.engine.conduct import Conduct, Governor
from longwatch.engine.ledger import Ledger


class Governed:
    """A session's conduct, read anew for each activation and after every change of its profile."""

    def __init__(self, ledger: Ledger, governor: Governor) -> None:
        self._ledger = ledger
        self._governor = governor
        self._conduct: Conduct | None = None
        self._read_for: tuple[object, str] | None = None

    def conduct(self) -> Conduct:
        """What holds now; raises Misconfigured."""
        state = self._ledger.state
        present = (state.profile, state.activation.began)
        if self._conduct is None or present != self._read_for:
            self._conduct = self._governor.conduct(state)
            self._read_for = present
            self._ledger.temporary = self._conduct.temporary
            self._ledger.schedule = self._conduct.schedule
        return self._conduct

    def forget(self) -> None:
        """Read it anew the next time: the files may have been mended."""
        self._read_for = None
