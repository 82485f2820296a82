"""From events to blocks: calls find their results, also across pages."""

import msgspec

from longwatch.session import AnyEvent, UnknownEvent
from longwatch.session.events import (
    ApprovalGiven,
    ApprovalRequested,
    AssistantMessage,
    AutoContinuing,
    ChecklistChanged,
    ChecklistRefused,
    Injected,
    Progress,
    ProviderFault,
    Retrying,
    StateChanged,
    ToolCall,
    ToolFinished,
    ToolStarted,
)
from longwatch.ui.conversation.assembling import Assembler
from longwatch.ui.conversation.blocks import Block, Note, Prose, Thought, Told, Tool, can_open
from longwatch.ui.conversation.sample import sample


def blocks_of(*events: AnyEvent) -> list[Block]:
    """The last look of every block."""
    return list({block.key: block for block in Assembler().take(events)}.values())


def texts_of(*events: AnyEvent) -> list[str]:
    return [block.text for block in blocks_of(*events) if isinstance(block, Note)]


def started(seq: int, call: str = "c", name: str = "shell") -> ToolStarted:
    return ToolStarted(seq=seq, call=call, name=name, arguments={"command": "ls"})


def finished(seq: int, call: str = "c", output: str = "out") -> ToolFinished:
    return ToolFinished(seq=seq, call=call, ok=True, output=output, seconds=1)


def test_a_call_is_one_block() -> None:
    (tool,) = blocks_of(started(1), finished(2))
    assert isinstance(tool, Tool)
    assert (tool.seq, tool.name, tool.done, tool.output) == (1, "shell", True, "out")


def test_an_id_that_comes_again_is_another_call() -> None:
    one, other = blocks_of(started(1), finished(2, output="a"), started(3), finished(4, output="b"))
    assert isinstance(one, Tool)
    assert isinstance(other, Tool)
    assert (one.output, other.output) == ("a", "b")


def test_a_denied_call_never_started_and_has_its_name() -> None:
    reply = AssistantMessage(
        seq=1, text="", finish="tool_calls", tool_calls=(ToolCall("c", "shell", {"command": "x"}),)
    )
    (tool,) = blocks_of(
        reply,
        ApprovalRequested(seq=2, call="c", question="$ x"),
        ApprovalGiven(seq=3, call="c", answer="deny", by="human", scope="once"),
        ToolFinished(seq=4, call="c", ok=False, output="Error: denied"),
    )
    assert isinstance(tool, Tool)
    assert (tool.name, tool.denied, tool.answer, tool.asked) == (
        "shell",
        True,
        "denied by you",
        False,
    )


def test_a_refused_call_carries_its_rule() -> None:
    (tool,) = blocks_of(
        started(1, name="todo_done"),
        ChecklistRefused(seq=2, rule="unknown_id", message="no item", call="c"),
        ToolFinished(seq=3, call="c", ok=False, output="no item"),
    )
    assert isinstance(tool, Tool)
    assert tool.rule == "unknown_id"


def test_a_continuation_is_folded_into_its_status_line() -> None:
    words = "Auto-continuing (1/25): 4 incomplete todo(s) remain"
    woke = AutoContinuing(seq=1, n=1, max=25, remaining=4, text=words, progress=Progress())
    note, nag = blocks_of(
        woke,
        Injected(seq=2, source="continuation", text="Go on."),
        Injected(seq=3, source="nag", text="Update."),
    )
    assert isinstance(note, Note)
    assert (note.text, note.more) == (words, "Go on.")
    assert nag == Told(key=12, source="nag", text="Update.")


def test_a_result_finds_its_call_on_an_older_page() -> None:
    later = Assembler()
    (orphan,) = later.take([finished(3)])
    found = later.before([started(2)])
    assert found.gone == [orphan.key]
    (tool,) = found.blocks
    assert isinstance(tool, Tool)
    assert (tool.seq, tool.name, tool.output) == (2, "shell", "out")
    assert later.orphans == {}


def test_a_call_that_never_started_finds_its_name_on_an_older_page() -> None:
    later = Assembler()
    (orphan,) = later.take([ToolFinished(seq=3, call="c", ok=False, output="Refused")])
    calls = (ToolCall("c", "shell", {}),)
    found = later.before([AssistantMessage(seq=2, text="", finish="tool_calls", tool_calls=calls)])
    (renewed,) = found.renewed
    assert isinstance(renewed, Tool)
    assert (renewed.key, renewed.name) == (orphan.key, "shell")


def test_the_models_own_list_changes_are_told_by_its_call() -> None:
    change = ChecklistChanged(
        seq=1, by="model", action="todo_done", goal="", items=(), done=1, total=2
    )
    assert blocks_of(change) == []
    (note,) = blocks_of(msgspec.structs.replace(change, by="human"))
    assert isinstance(note, Note)
    assert note.text == "you changed the list: done · 1/2"


def test_every_rest_says_why() -> None:
    (note,) = blocks_of(StateChanged(seq=1, state="idle", reason="no progress in 3 continuations"))
    assert isinstance(note, Note)
    assert (note.mark, note.text) == ("◐", "no progress in 3 continuations")
    assert blocks_of(StateChanged(seq=1, state="running")) == []


def test_why_it_is_tried_again_is_said_once() -> None:
    fault = ProviderFault(seq=1, kind="server", message="openai is down (503)", attempt=1)
    again = Retrying(seq=2, attempt=2, max=8, seconds=4, reason="openai is down (503)")
    assert texts_of(fault, again) == ["server: openai is down (503)", "retry 2/8 in 4 s"]
    empty = Retrying(seq=3, attempt=3, max=3, seconds=4, reason="the reply was empty")
    assert texts_of(fault, again, empty)[-1] == "retry 3/3 in 4 s: the reply was empty"


def test_a_fault_names_its_status_unless_its_words_do() -> None:
    said = ProviderFault(seq=1, kind="server", message="down (503)", attempt=1, status=503)
    unsaid = ProviderFault(seq=1, kind="server", message="down", attempt=1, status=503)
    assert texts_of(said) == ["server: down (503)"]
    assert texts_of(unsaid) == ["server 503: down"]


def test_a_failure_says_what_is_kept_and_what_to_do() -> None:
    failed = StateChanged(seq=1, state="failed", reason="the key was refused")
    assert texts_of(failed) == [
        "failed: the key was refused",
        "all until here is kept: resume or write to go on",
    ]


def test_an_unknown_event_is_one_line() -> None:
    raw = msgspec.Raw(b'{"type": "dreamt"}')
    (note,) = blocks_of(UnknownEvent(seq=1, at="", session="s", type="dreamt", raw=raw))
    assert isinstance(note, Note)
    assert note.text == "unknown event: dreamt"
    assert can_open(note)


def test_reasoning_comes_before_the_text() -> None:
    reply = AssistantMessage(
        seq=1, text="Yes.", finish="stop", tool_calls=(), reasoning="Hm.", partial=True
    )
    thought, prose, cut = blocks_of(reply)
    assert isinstance(thought, Thought)
    assert isinstance(prose, Prose)
    assert isinstance(cut, Note)
    assert cut.text == "cut off"


def test_keys_are_in_order_for_every_kind_of_event() -> None:
    keys = [block.key for block in blocks_of(*sample())]
    assert keys == sorted(keys)
