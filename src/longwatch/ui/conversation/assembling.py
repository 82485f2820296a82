"""From events to blocks: what happened, put where a person looks for it."""

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec.structs import replace

from longwatch.session import AnyEvent
from longwatch.session.events import (
    ApprovalGiven,
    ApprovalRequested,
    AssistantMessage,
    AutoContinuing,
    ChecklistRefused,
    Injected,
    ProviderFault,
    Retrying,
    ToolCall,
    ToolFinished,
    ToolStarted,
    UserMessage,
)
from longwatch.ui.conversation.blocks import SUBS, Block, Note, Prose, Said, Thought, Told, Tool
from longwatch.ui.conversation.noting import noted

CALLS_REMEMBERED = 512
"""Calls whose names are known although they have not begun."""


class Earlier(msgspec.Struct, frozen=True):
    """What older events bring, and what they change of the blocks after them."""

    blocks: list[Block]
    renewed: list[Block]
    gone: list[int]


class Assembler:
    """Takes events in order; gives back the blocks that are new or look different now."""

    def __init__(self) -> None:
        self._named: dict[str, ToolCall] = {}
        self._running: dict[str, Tool] = {}
        self._woke: Note | None = None
        self._fault = ""
        self.orphans: dict[str, Tool] = {}
        """Results whose calls lie before what was taken."""

    def take(self, events: Iterable[AnyEvent]) -> list[Block]:
        """Blocks in order; a later one of the same key replaces an earlier one."""
        blocks: list[Block] = []
        for event in events:
            blocks.extend(self._taken(event))
        return blocks

    def before(self, events: Iterable[AnyEvent]) -> "Earlier":
        """Blocks of older events; results that were homeless until now find their calls."""
        earlier = Assembler()
        blocks: dict[int, Block] = {block.key: block for block in earlier.take(events)}
        renewed: list[Block] = []
        gone: list[int] = []
        for call, orphan in list(self.orphans.items()):
            home, named = earlier._running.get(call), earlier._named.get(call)
            if home is not None:
                joined = _joined(home, orphan)
                blocks[home.key] = joined
                gone.append(orphan.key)
                if call in self._running:
                    self._running[call] = joined
            elif named is not None:
                # It never started: only its name was missing.
                renewed.append(replace(orphan, name=named.name, arguments=named.arguments))
            else:
                continue
            del self.orphans[call]
        self.orphans.update(earlier.orphans)
        return Earlier(list(blocks.values()), renewed, gone)

    def _taken(self, event: AnyEvent) -> list[Block]:
        key = event.seq * SUBS
        woke, self._woke = self._woke, None
        match event:
            case UserMessage():
                return [Said(key=key, text=event.text, source=event.source, sender=_sender(event))]
            case AssistantMessage():
                return self._replied(event)
            case Injected(source="continuation") if woke is not None:
                return [replace(woke, more=event.text)]
            case Injected():
                return [Told(key=key, source=event.source, text=event.text)]
            case AutoContinuing():
                self._woke = Note(key=key, mark="⟳", text=event.text, tone="notice", loop=True)
                return [self._woke]
            case ToolStarted():
                return [self._started(event)]
            case ApprovalRequested():
                return [self._changed(event, asked=True, question=event.question)]
            case ApprovalGiven():
                return [self._answered(event)]
            case ChecklistRefused():
                return [self._changed(event, rule=event.rule)]
            case ToolFinished():
                return [self._finished(event)]
            case ProviderFault() | Retrying():
                return self._troubled(event)
            case _:
                return noted(event)

    def _replied(self, event: AssistantMessage) -> list[Block]:
        key = event.seq * SUBS
        for call in event.tool_calls:
            self._named[call.id] = call
        while len(self._named) > CALLS_REMEMBERED:
            del self._named[next(iter(self._named))]
        blocks: list[Block] = []
        if event.reasoning.strip():
            blocks.append(Thought(key=key, text=event.reasoning))
        if event.text.strip():
            blocks.append(Prose(key=key + 1, text=event.text))
        if words := _ending(event):
            blocks.append(Note(key=key + 2, mark="…", text=words, tone="notice"))
        return blocks

    def _troubled(self, event: ProviderFault | Retrying) -> list[Block]:
        """A fault, and that it is tried again: why is said once."""
        if isinstance(event, ProviderFault):
            self._fault = event.message
        elif event.reason == self._fault:
            return noted(replace(event, reason=""))
        return noted(event)

    def _started(self, event: ToolStarted) -> Tool:
        known = self._running.get(event.call)
        if known is None or known.name not in ("", event.name):
            known = Tool(key=event.seq * SUBS, call=event.call)
        tool = replace(
            known,
            name=event.name,
            arguments=event.arguments,
            todo=event.kind != "tool",
            asked=False,
        )
        self._running[event.call] = tool
        self.orphans.pop(event.call, None)
        return tool

    def _changed(self, event: Any, **changes: Any) -> Tool:
        known = self._running.get(event.call)
        if known is None:
            call = self._named.get(event.call)
            known = Tool(key=event.seq * SUBS, call=event.call)
            if call is not None:
                known = replace(known, name=call.name, arguments=call.arguments)
        tool = replace(known, **changes)
        self._running[event.call] = tool
        if not tool.name:
            self.orphans[event.call] = tool
        return tool

    def _answered(self, event: ApprovalGiven) -> Tool:
        denied = event.answer == "deny"
        who = "you" if event.by == "human" else event.by
        scope = "" if denied or event.scope == "once" else f" ({event.scope})"
        words = f"{'denied' if denied else 'allowed'} by {who}{scope}"
        return self._changed(event, asked=False, answer=words, denied=denied)

    def _finished(self, event: ToolFinished) -> Tool:
        tool = self._changed(
            event,
            done=True,
            ok=event.ok,
            output=event.output,
            truncated=event.truncated,
            seconds=event.seconds,
        )
        # An id may come again: what it names next is another call.
        self._running.pop(event.call, None)
        return tool


def _joined(home: Tool, orphan: Tool) -> Tool:
    """A call with what was learned of it later."""
    learned = {
        field: value
        for field in msgspec.structs.asdict(orphan)
        if field not in ("key", "name", "arguments", "todo")
        and (value := getattr(orphan, field)) not in ("", False, 0.0)
    }
    return replace(home, asked=False, **learned)


def _ending(event: AssistantMessage) -> str:
    match event.finish:
        case "cancelled":
            return "interrupted"
        case "length":
            return "cut off by the output limit"
        case "refusal":
            return "the model refused to answer"
        case "stop" | "tool_calls":
            return "cut off" if event.partial else ""


def _sender(event: UserMessage) -> str | None:
    """Which session said it, by its name where that is known."""
    return event.name if isinstance(event.name, str) else event.sender
