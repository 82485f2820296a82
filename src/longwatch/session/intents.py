"""What a person or a script asks of a session, each answered exactly once with events."""

from typing import Any, Literal

import msgspec


class IntentBase(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", omit_defaults=True):
    id: str = ""
    at: str = ""


class Say(IntentBase, frozen=True, tag="say"):
    text: str


class Answer(IntentBase, frozen=True, tag="answer"):
    text: str


class Approve(IntentBase, frozen=True, tag="approve"):
    call: str
    scope: Literal["once", "session", "rule"] = "once"


class Deny(IntentBase, frozen=True, tag="deny"):
    call: str


class Pause(IntentBase, frozen=True, tag="pause"):
    """Stop at once. With ``parent``: only because the parent was, and only if it is at work."""

    parent: bool = False


class Resume(IntentBase, frozen=True, tag="resume"):
    """Go on. With ``parent``: only if it was the parent's pause that stopped it."""

    parent: bool = False


class SetSetting(IntentBase, frozen=True, tag="set"):
    """Another value for a setting; ``agent`` and ``role`` are keys too, null leaves them."""

    key: str
    value: Any


class AddTodo(IntentBase, frozen=True, tag="todo_add"):
    text: str
    after: str | None = None


class CompleteTodo(IntentBase, frozen=True, tag="todo_done"):
    uid: str


class BlockTodo(IntentBase, frozen=True, tag="todo_block"):
    uid: str
    reason: str


class ReopenTodo(IntentBase, frozen=True, tag="todo_reopen"):
    uid: str


class StartTodo(IntentBase, frozen=True, tag="todo_start"):
    uid: str


class EditTodo(IntentBase, frozen=True, tag="todo_edit"):
    uid: str
    text: str


class MoveTodo(IntentBase, frozen=True, tag="todo_move"):
    """Up for a negative ``by``, down for a positive one."""

    uid: str
    by: int


class DeleteTodo(IntentBase, frozen=True, tag="todo_delete"):
    uid: str


class ClearTodos(IntentBase, frozen=True, tag="todo_clear"):
    pass


class SetGoal(IntentBase, frozen=True, tag="todo_goal"):
    goal: str


class Rename(IntentBase, frozen=True, tag="rename"):
    title: str


class Fork(IntentBase, frozen=True, tag="fork"):
    seq: int | None = None


class Compact(IntentBase, frozen=True, tag="compact"):
    pass


class Undo(IntentBase, frozen=True, tag="undo"):
    retry: bool = False


class Archive(IntentBase, frozen=True, tag="archive"):
    pass


class Tell(IntentBase, frozen=True, tag="tell"):
    """A message from another session. It carries no authority."""

    text: str
    sender: str
    name: str = ""
    expects_reply: bool = False


class ChildEnded(IntentBase, frozen=True, tag="child_ended"):
    """A child came to rest, or is no more."""

    child: str
    title: str
    outcome: str
    text: str = ""
    tokens: int = 0
    cost: float = 0.0


class Kick(IntentBase, frozen=True, tag="kick"):
    """The session's schedule says that it is time."""

    text: str


TodoIntent = (
    AddTodo
    | CompleteTodo
    | BlockTodo
    | ReopenTodo
    | StartTodo
    | EditTodo
    | MoveTodo
    | DeleteTodo
    | ClearTodos
    | SetGoal
)
Letter = Tell | ChildEnded | Kick
"""What is not asked by a person: another session or the clock has something to say."""
Intent = (
    Say
    | Answer
    | Approve
    | Deny
    | Pause
    | Resume
    | SetSetting
    | TodoIntent
    | Letter
    | Rename
    | Fork
    | Compact
    | Undo
    | Archive
)
