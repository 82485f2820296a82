"""Every intent as JSON: the documented type, its fields, and the way back."""

from typing import Any, get_args

import msgspec
import pytest
from msgspec.structs import replace

from longwatch.session import Intent, TodoIntent, decode_intent, encode_intent
from longwatch.session.codec import is_letter
from longwatch.session.intents import (
    AddTodo,
    Answer,
    Approve,
    Archive,
    BlockTodo,
    ChildEnded,
    ClearTodos,
    Compact,
    CompleteTodo,
    DeleteTodo,
    Deny,
    EditTodo,
    Fork,
    Kick,
    Letter,
    MoveTodo,
    Pause,
    Rename,
    ReopenTodo,
    Resume,
    Say,
    SetGoal,
    SetSetting,
    StartTodo,
    Tell,
    Undo,
)

AT = "2026-11-18T08:32:01.123Z"

TABLE: list[tuple[Intent, dict[str, Any]]] = [
    (Say(text="Hello"), {"type": "say", "text": "Hello"}),
    (Answer(text="Yes"), {"type": "answer", "text": "Yes"}),
    (Approve(call="c1"), {"type": "approve", "call": "c1"}),
    (
        Approve(call="c1", scope="session"),
        {"type": "approve", "call": "c1", "scope": "session"},
    ),
    (Deny(call="c1"), {"type": "deny", "call": "c1"}),
    (Pause(), {"type": "pause"}),
    (Resume(), {"type": "resume"}),
    (
        SetSetting(key="max_todos", value={"a": [1]}),
        {"type": "set", "key": "max_todos", "value": {"a": [1]}},
    ),
    (SetSetting(key="max_todos", value=None), {"type": "set", "key": "max_todos", "value": None}),
    (AddTodo(text="Read"), {"type": "todo_add", "text": "Read"}),
    (AddTodo(text="Read", after="2.1"), {"type": "todo_add", "text": "Read", "after": "2.1"}),
    (CompleteTodo(uid="2.1"), {"type": "todo_done", "uid": "2.1"}),
    (BlockTodo(uid="2.1", reason="ops"), {"type": "todo_block", "uid": "2.1", "reason": "ops"}),
    (ReopenTodo(uid="2.1"), {"type": "todo_reopen", "uid": "2.1"}),
    (StartTodo(uid="2.1"), {"type": "todo_start", "uid": "2.1"}),
    (EditTodo(uid="2.1", text="Read all"), {"type": "todo_edit", "uid": "2.1", "text": "Read all"}),
    (MoveTodo(uid="2.1", by=-1), {"type": "todo_move", "uid": "2.1", "by": -1}),
    (DeleteTodo(uid="2.1"), {"type": "todo_delete", "uid": "2.1"}),
    (ClearTodos(), {"type": "todo_clear"}),
    (SetGoal(goal="Ship"), {"type": "todo_goal", "goal": "Ship"}),
    (Rename(title="New name"), {"type": "rename", "title": "New name"}),
    (Fork(), {"type": "fork"}),
    (Fork(seq=12), {"type": "fork", "seq": 12}),
    (Compact(), {"type": "compact"}),
    (Undo(), {"type": "undo"}),
    (Undo(retry=True), {"type": "undo", "retry": True}),
    (Archive(), {"type": "archive"}),
    (Pause(parent=True), {"type": "pause", "parent": True}),
    (Resume(parent=True), {"type": "resume", "parent": True}),
    (
        Tell(text="Hi", sender="s2", expects_reply=True),
        {"type": "tell", "text": "Hi", "sender": "s2", "expects_reply": True},
    ),
    (
        ChildEnded(child="s2", title="Part", outcome="done", tokens=5),
        {"type": "child_ended", "child": "s2", "title": "Part", "outcome": "done", "tokens": 5},
    ),
    (Kick(text="Now"), {"type": "kick", "text": "Now"}),
]

DOCUMENTED = """
    say answer approve deny pause resume set todo_add todo_done todo_block todo_reopen todo_start
    todo_edit todo_move todo_delete todo_clear todo_goal rename fork compact undo archive
"""


def tags(union: object) -> list[str]:
    return sorted(str(intent.__struct_config__.tag) for intent in get_args(union))


def test_the_intents_are_the_documented_ones_and_all_are_in_the_table() -> None:
    assert tags(Intent) == sorted((*DOCUMENTED.split(), *tags(Letter)))
    assert {fields["type"] for _, fields in TABLE} == set(tags(Intent))


def test_what_no_person_asks_for_is_a_letter() -> None:
    assert tags(Letter) == ["child_ended", "kick", "tell"]
    assert [is_letter(encode_intent(one)) for one in (Say(text="x"), Kick(text="x"))] == [
        False,
        True,
    ]
    assert not is_letter(b"{")


def test_the_list_intents_are_those_named_for_todos() -> None:
    assert tags(TodoIntent) == sorted(
        name for name in DOCUMENTED.split() if name.startswith("todo_")
    )


@pytest.mark.parametrize(("intent", "fields"), TABLE)
def test_an_intent_is_written_and_read_with_its_names(
    intent: Intent, fields: dict[str, Any]
) -> None:
    posted = replace(intent, id="i1", at=AT)
    said = fields | {"id": "i1", "at": AT}
    assert msgspec.json.decode(encode_intent(posted)) == said
    assert decode_intent(msgspec.json.encode(said)) == posted


def test_fields_that_this_version_does_not_know_are_ignored() -> None:
    line = b'{"type":"say","id":"i1","at":"","text":"Hello","mood":{"new":[1]}}'
    assert decode_intent(line) == Say(id="i1", text="Hello")


@pytest.mark.parametrize(
    "line",
    [
        b'{"type":"sing","id":"i1"}',
        b'{"type":"say","id":"i1"}',
        b'{"type":"approve","id":"i1","call":"c1","scope":"forever"}',
        b'{"id":"i1"}',
        b"[]",
        b"{",
    ],
)
def test_an_intent_that_cannot_be_read_is_not_guessed(line: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        decode_intent(line)
