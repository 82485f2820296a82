"""What most dialects have in common, so that each module says only what is its own."""

from longwatch.dialects.loop import LoopSettings
from longwatch.dialects.protocol import TodoCall


class Plain:
    """A dialect without peculiarities; every one of these may be overridden."""

    reading_tools: frozenset[str] = frozenset()
    needs_auto_continue = False
    same_list_to_be_identical = False
    instructions_text = ""

    def store_ids_wanted(self, call: TodoCall) -> int:
        del call
        return 0

    def with_kept(self, result: str, line: str) -> str:
        return f"{result}\n{line}"

    def instructions(self, settings: LoopSettings) -> str:
        del settings
        return self.instructions_text
