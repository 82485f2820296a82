"""Every event as JSON: the documented type, the documented names, and the way back."""

from typing import Any, get_args

import msgspec
import pytest
from msgspec.structs import replace

from longwatch.checklist import Entry, Kept, Rule
from longwatch.session import AnyEvent, KnownEvent, decode, encode
from longwatch.session.events import (
    AgentChanged,
    ApprovalGiven,
    ApprovalRequested,
    Archived,
    AssistantMessage,
    AutoContinuing,
    ChecklistChanged,
    ChecklistRefused,
    ChildFinished,
    ChildStarted,
    Compacted,
    Failure,
    Finish,
    Injected,
    InjectedSource,
    MessageSent,
    MessageSource,
    ModelStarted,
    Origin,
    Progress,
    ProviderFault,
    Renamed,
    Retrying,
    Rewound,
    RoleChanged,
    SessionStarted,
    SettingsChanged,
    State,
    StateChanged,
    ToolCall,
    ToolFinished,
    ToolStarted,
    Usage,
    UserMessage,
)

AT = "2026-11-18T08:32:01.123Z"

TABLE: list[tuple[KnownEvent, dict[str, Any]]] = [
    (
        SessionStarted(
            title="Release",
            cwd="/src",
            model="rehearsal:demo",
            dialect="loki",
            agent="coder",
            role="terse",
            parent="s0",
            attended=True,
            forked_from=Origin("s9", 40),
        ),
        {
            "type": "session_started",
            "title": "Release",
            "cwd": "/src",
            "model": "rehearsal:demo",
            "dialect": "loki",
            "agent": "coder",
            "role": "terse",
            "parent": "s0",
            "attended": True,
            "forked_from": {"session": "s9", "seq": 40},
        },
    ),
    (
        SettingsChanged(key="max_todos", value=[1, {"a": None}], by="system"),
        {"type": "settings_changed", "key": "max_todos", "value": [1, {"a": None}], "by": "system"},
    ),
    (AgentChanged(name="coder"), {"type": "agent_changed", "name": "coder"}),
    (RoleChanged(name=None), {"type": "role_changed", "name": None}),
    (
        UserMessage(text="Hello", source="peer", sender="s7"),
        {"type": "user_message", "text": "Hello", "source": "peer", "from": "s7"},
    ),
    (
        Injected(source="nag", text="Update"),
        {"type": "injected", "source": "nag", "text": "Update"},
    ),
    (
        ModelStarted(model="rehearsal:demo", attempt=2),
        {"type": "model_started", "model": "rehearsal:demo", "attempt": 2},
    ),
    (
        AssistantMessage(
            text="On it",
            reasoning="Hm",
            tool_calls=(ToolCall("c1", "read", {"path": "a"}), ToolCall("c2", "read", "{oops")),
            finish="tool_calls",
            usage=Usage(10, 5, 2, 0.25, estimated=True),
            partial=True,
            provider_data={"signature": "x"},
        ),
        {
            "type": "assistant_message",
            "text": "On it",
            "reasoning": "Hm",
            "tool_calls": [
                {"id": "c1", "name": "read", "arguments": {"path": "a"}},
                {"id": "c2", "name": "read", "arguments": "{oops"},
            ],
            "finish": "tool_calls",
            "usage": {"input": 10, "output": 5, "cached": 2, "cost": 0.25, "estimated": True},
            "partial": True,
            "provider_data": {"signature": "x"},
        },
    ),
    (
        ToolStarted(call="c1", name="read", arguments={"path": "a"}, todo="2.1", kind="todo"),
        {
            "type": "tool_started",
            "call": "c1",
            "name": "read",
            "arguments": {"path": "a"},
            "todo": "2.1",
            "kind": "todo",
        },
    ),
    (
        ToolFinished(call="c1", ok=True, output="text", truncated=True, seconds=1.5),
        {
            "type": "tool_finished",
            "call": "c1",
            "ok": True,
            "output": "text",
            "truncated": True,
            "seconds": 1.5,
        },
    ),
    (
        ChecklistChanged(
            by="model",
            action="todo_block",
            goal="Ship",
            items=(Entry("2.1", 1, "Read", "blocked", "ops"), Entry("2.2", "x", "Write")),
            done=0,
            total=2,
            note="stuck",
            kept=(Kept("2.1", "status"),),
        ),
        {
            "type": "checklist_changed",
            "by": "model",
            "action": "todo_block",
            "goal": "Ship",
            "items": [
                {"uid": "2.1", "id": 1, "text": "Read", "status": "blocked", "reason": "ops"},
                {"uid": "2.2", "id": "x", "text": "Write", "status": "pending", "reason": ""},
            ],
            "done": 0,
            "total": 2,
            "note": "stuck",
            "kept": [{"uid": "2.1", "field": "status"}],
        },
    ),
    (
        ChecklistRefused(rule="too_many", message="Max 20 todos allowed", call="c1"),
        {
            "type": "checklist_refused",
            "rule": "too_many",
            "message": "Max 20 todos allowed",
            "call": "c1",
        },
    ),
    (
        AutoContinuing(
            n=3, max=10, remaining=2, text="Auto-continuing", progress=Progress(1, 4, 2)
        ),
        {
            "type": "auto_continuing",
            "n": 3,
            "max": 10,
            "remaining": 2,
            "text": "Auto-continuing",
            "progress": {"items": 1, "tools": 4, "files": 2},
        },
    ),
    (
        StateChanged(state="idle", reason="done"),
        {"type": "state_changed", "state": "idle", "reason": "done"},
    ),
    (
        ApprovalRequested(call="c1", question="Run rm?", fingerprint="f0"),
        {
            "type": "approval_requested",
            "call": "c1",
            "question": "Run rm?",
            "fingerprint": "f0",
        },
    ),
    (
        ApprovalGiven(call="c1", answer="allow", by="human", scope="session"),
        {
            "type": "approval_given",
            "call": "c1",
            "answer": "allow",
            "by": "human",
            "scope": "session",
        },
    ),
    (
        Retrying(attempt=2, max=8, seconds=4.0, reason="overloaded"),
        {"type": "retrying", "attempt": 2, "max": 8, "seconds": 4.0, "reason": "overloaded"},
    ),
    (
        ProviderFault(kind="overloaded", status=529, attempt=1, message="busy"),
        {
            "type": "provider_fault",
            "kind": "overloaded",
            "status": 529,
            "attempt": 1,
            "message": "busy",
        },
    ),
    (
        ChildStarted(child="s2", title="Part"),
        {"type": "child_started", "child": "s2", "title": "Part"},
    ),
    (
        ChildFinished(child="s2", title="Part", outcome="done"),
        {"type": "child_finished", "child": "s2", "title": "Part", "outcome": "done"},
    ),
    (
        MessageSent(to="s3", text="Ready?", expects_reply=True),
        {"type": "message_sent", "to": "s3", "text": "Ready?", "expects_reply": True},
    ),
    (
        Compacted(before=90_000, after=2_000, summary="So far"),
        {"type": "compacted", "before": 90_000, "after": 2_000, "summary": "So far"},
    ),
    (Renamed(title="New name"), {"type": "renamed", "title": "New name"}),
    (Archived(), {"type": "archived"}),
    (Rewound(to=12), {"type": "rewound", "to": 12}),
    (
        Failure(kind="store", message="disk full"),
        {"type": "error", "kind": "store", "message": "disk full"},
    ),
]

DOCUMENTED = """
    session_started settings_changed agent_changed role_changed user_message injected model_started
    assistant_message tool_started tool_finished checklist_changed checklist_refused
    auto_continuing state_changed approval_requested approval_given retrying provider_fault
    child_started child_finished message_sent compacted renamed archived rewound error
"""


def tag(event: type[msgspec.Struct]) -> str:
    return str(event.__struct_config__.tag)


def test_the_events_are_the_documented_ones_and_all_are_in_the_table() -> None:
    assert sorted(tag(event) for event in get_args(KnownEvent)) == sorted(DOCUMENTED.split())
    assert sorted(fields["type"] for _, fields in TABLE) == sorted(DOCUMENTED.split())


@pytest.mark.parametrize(("event", "fields"), TABLE, ids=lambda part: str(type(part).__name__))
def test_an_event_is_written_with_the_documented_names(
    event: KnownEvent, fields: dict[str, Any]
) -> None:
    numbered = replace(event, seq=17, at=AT, session="s1")
    envelope = {"seq": 17, "at": AT, "session": "s1"}
    assert msgspec.json.decode(encode(numbered)) == envelope | fields


@pytest.mark.parametrize(("event", "fields"), TABLE, ids=lambda part: str(type(part).__name__))
def test_an_event_is_read_from_the_documented_names(
    event: KnownEvent, fields: dict[str, Any]
) -> None:
    line = msgspec.json.encode({"seq": 17, "at": AT, "session": "s1"} | fields)
    assert decode(line) == replace(event, seq=17, at=AT, session="s1")


@pytest.mark.parametrize("event", [event for event, _ in TABLE], ids=lambda e: tag(type(e)))
def test_an_intent_is_named_only_where_one_is_answered(event: KnownEvent) -> None:
    plain = replace(event, seq=1, at=AT, session="s1")
    assert "intent" not in msgspec.json.decode(encode(plain))
    answering = replace(plain, intent="i1")
    assert msgspec.json.decode(encode(answering))["intent"] == "i1"
    assert decode(encode(answering)) == answering


def test_fields_for_few_events_are_left_out_where_they_do_not_apply() -> None:
    finished = ToolFinished(seq=1, at=AT, session="s1", call="c1", ok=True, output="")
    assert {"files", "kept"}.isdisjoint(msgspec.json.decode(encode(finished)))
    full = replace(finished, files=("a.py",), kept=(Kept("2.1", "text"),))
    said = msgspec.json.decode(encode(full))
    assert said["files"] == ["a.py"]
    assert said["kept"] == [{"uid": "2.1", "field": "text"}]
    assert decode(encode(full)) == full


@pytest.mark.parametrize("struct", [*get_args(AnyEvent), ToolCall, Usage, Origin, Progress])
def test_a_fact_cannot_be_changed_in_place(struct: type[msgspec.Struct]) -> None:
    assert struct.__struct_config__.frozen


def test_a_cost_that_is_unknown_is_not_zero() -> None:
    assert msgspec.to_builtins(Usage(1, 2))["cost"] is None


SETS: list[tuple[object, str]] = [
    (MessageSource, "human peer cron answer"),
    (
        InjectedSource,
        """continuation plan_nudge nag stale finalization guard_blocked human_edit repeat_warning
        reply_nudge subagent resume interrupted length reformulate""",
    ),
    (Finish, "stop tool_calls length refusal cancelled"),
    (
        State,
        """running waiting awaiting_approval awaiting_human awaiting_peer paused idle dormant
        failed""",
    ),
    (
        Rule,
        """not_a_list bad_arguments blank_text bad_status missing_reason unknown_id too_many
        two_in_progress not_one_in_progress empty_list parallel_calls plan_unfinished
        blocked_by_person""",
    ),
]


@pytest.mark.parametrize(("literal", "documented"), SETS)
def test_words_of_a_closed_set_are_the_documented_ones(literal: object, documented: str) -> None:
    assert sorted(get_args(literal)) == sorted(documented.split())
