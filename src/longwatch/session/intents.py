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
    pass


class Resume(IntentBase, frozen=True, tag="resume"):
    pass


class SetSetting(IntentBase, frozen=True, tag="set"):
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
Intent = (
    Say
    | Answer
    | Approve
    | Deny
    | Pause
    | Resume
    | SetSetting
    | TodoIntent
    | Rename
    | Fork
    | Compact
    | Undo
    | Archive
)
