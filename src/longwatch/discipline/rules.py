"""All that governs a session's next step besides its state, as one value."""

from dataclasses import dataclass
from functools import cached_property

from longwatch.dialects import Dialect, LoopSettings, ToolSpec


@dataclass(frozen=True)
class Rules:
    """The dialect, the loop's settings and the tools on offer; where they come from is not told.

    The request's tool list and system prompt are made here, so they change only with the rules.
    """

    dialect: Dialect
    loop: LoopSettings
    tools: tuple[ToolSpec, ...] = ()
    prompt: str = ""
    compact_at: int | None = None
    """From how many tokens on older turns are summed up; None is never."""

    @cached_property
    def todo_on(self) -> bool:
        """Whether the todo system is there at all."""
        if not self.loop.function_calling_support:
            return False
        return self.loop.auto_continue or not self.dialect.needs_auto_continue

    @cached_property
    def todo_tools(self) -> frozenset[str]:
        if not self.todo_on:
            return frozenset()
        return frozenset(tool.name for tool in self.dialect.tools(self.loop))

    @cached_property
    def offered(self) -> tuple[ToolSpec, ...]:
        """The tools of a request, in a fixed order."""
        if not self.loop.function_calling_support:
            return ()
        return (*(self.dialect.tools(self.loop) if self.todo_on else ()), *self.tools)

    @cached_property
    def by_name(self) -> dict[str, ToolSpec]:
        return {tool.name: tool for tool in self.offered}

    @cached_property
    def system_prompt(self) -> str:
        """The prompt with the dialect's instructions appended once, after a blank line."""
        if not (self.todo_on and self.loop.inject_todo_instructions):
            return self.prompt
        instructions = self.dialect.instructions(self.loop)
        return f"{self.prompt}\n\n{instructions}" if self.prompt else instructions
