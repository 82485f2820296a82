"""Rehearsals on the stage: real loop, real files, misbehaviour on purpose, and no waiting."""

import json
from pathlib import Path
from typing import Any

import pytest
from adapters.models.asking import ask, fault_of, request
from adapters.models.rehearsed import Rehearsed, never

from longwatch.adapters.models.provider import ProviderConfig, Surroundings
from longwatch.adapters.models.rehearsal import RehearsalModel, build, shipped_rehearsals
from longwatch.discipline import CallModel
from longwatch.engine.ports import ModelFault, ModelReply, ModelRequest
from longwatch.session.events import (
    AssistantMessage,
    ChecklistRefused,
    Compacted,
    ToolCall,
    ToolFinished,
    Usage,
)
from longwatch.session.intents import AddTodo, BlockTodo
from longwatch.session.transcript import AssistantText, Message, ToolResult, UserText


def shipped(name: str) -> RehearsalModel:
    return RehearsalModel(name, (shipped_rehearsals(),), speed=0, sleep=never)


def written(folder: Path, content: str, **more: Any) -> RehearsalModel:
    path = folder / "mine.yaml"
    path.write_text(content)
    return RehearsalModel(str(path), (), **{"speed": 0, "sleep": never, **more})


def folder(parent: Path, name: str) -> Path:
    (parent / name).mkdir()
    return parent / name


def names(parent: Path) -> set[str]:
    return {path.name for path in parent.iterdir()}


def said(stage: Rehearsed) -> list[tuple[str, tuple[ToolCall, ...]]]:
    events = stage.log.events
    return [(e.text, e.tool_calls) for e in events if isinstance(e, AssistantMessage)]


async def test_the_tour(tmp_path: Path) -> None:
    stage = Rehearsed(tmp_path, shipped("tour"))
    await stage.play()
    assert stage.rest[0] == "dormant"
    assert "Publish the package (needs an account" in stage.rest[1]
    assert stage.sources() == ["nag", "continuation"]
    assert stage.continuations() == ["Auto-continuing (1/25): 4 incomplete todo(s) remain"]
    [refused] = [event for event in stage.log.events if isinstance(event, ChecklistRefused)]
    assert refused.rule == "missing_reason"
    assert names(tmp_path) >= {"todo.py", "test_todo.py", "README.md"}
    outputs = [event.output for event in stage.log.events if isinstance(event, ToolFinished)]
    assert any("Ran 3 tests" in output and "OK" in output for output in outputs)
    replies = [event for event in stage.log.events if isinstance(event, AssistantMessage)]
    called = {call.name for reply in replies for call in reply.tool_calls}
    tools = {"shell", "read_file", "write_file", "edit_file", "list_files", "search"}
    assert tools <= called
    assert any(reply.reasoning for reply in replies)
    assert "```python" in replies[-1].text
    assert "| file | for |" in replies[-1].text


async def test_the_tour_goes_on_when_the_shell_is_not_allowed(tmp_path: Path) -> None:
    stage = Rehearsed(tmp_path, shipped("tour"), allow_shell=False)
    await stage.play()
    assert stage.rest[0] == "dormant"
    assert "Run the tests (running commands was not allowed)" in stage.rest[1]


async def test_the_tour_heeds_a_persons_edits(tmp_path: Path) -> None:
    stage = Rehearsed(tmp_path, shipped("tour"))
    stage.say("Go.")
    await stage.go_on(5)
    stage.edit(AddTodo(text="Water the plants", after=None))
    uid = next(item.uid for item in stage.log.state.checklist if item.text == "Write the README")
    stage.edit(BlockTodo(uid=uid, reason="I write it myself"))
    await stage.go_on()
    assert "human_edit" in stage.sources()
    items = {item.text: item for item in stage.log.state.checklist}
    assert items["Water the plants"].status == "completed"
    assert items["Write the README"].reason == "I write it myself"
    assert stage.rest[0] == "dormant"


@pytest.mark.parametrize(
    ("name", "settings", "sources", "refused", "rest"),
    [
        ("longwatch", {}, ["continuation"], ["plan_unfinished"], "only blocked todos left"),
        ("parley", {}, ["continuation"], ["bad_status"], "done"),
        ("loki", {"auto_continue": True}, ["continuation"], ["blank_text"], "done"),
        ("todowrite", {}, ["nag"], ["two_in_progress"], "done"),
        (
            "cubepi",
            {},
            ["finalization"],
            ["not_one_in_progress", "parallel_calls", "parallel_calls"],
            "done",
        ),
    ],
)
async def test_the_dialects(
    tmp_path: Path,
    name: str,
    settings: dict[str, Any],
    sources: list[str],
    refused: list[str],
    rest: str,
) -> None:
    stage = Rehearsed(tmp_path, shipped(name), **settings)
    stage.store_ids = 1841
    await stage.play()
    assert stage.sources() == sources
    rules = [event.rule for event in stage.log.events if isinstance(event, ChecklistRefused)]
    assert rules == refused
    assert stage.rest[0] == "dormant"
    assert stage.rest[1].startswith(rest)
    replies = [event for event in stage.log.events if isinstance(event, AssistantMessage)]
    called = {call.name for reply in replies for call in reply.tool_calls}
    assert {tool.name for tool in stage.rules.dialect.tools(stage.rules.loop)} <= called


@pytest.mark.parametrize("name", ["tour", "longwatch", "parley", "loki", "todowrite", "cubepi"])
async def test_another_instance_goes_on_at_the_same_place(tmp_path: Path, name: str) -> None:
    """There is no hidden state: a model made anew for every request plays the same session."""
    once = Rehearsed(folder(tmp_path, "once"), shipped(name), auto_continue=True)
    await once.play()
    again = Rehearsed(folder(tmp_path, "again"), shipped(name), auto_continue=True)
    again.say("Go.")
    while isinstance(step := again.perform(), CallModel):
        again.model = shipped(name)
        await again.turn(step)
    assert said(again) == said(once)


PLAN = """
turns:
  - calls:
      - name: todo_plan
        arguments: {goal: g, items: [One, Two, Three]}
"""


async def test_after_the_script_what_is_open_is_worked_off(tmp_path: Path) -> None:
    stage = Rehearsed(tmp_path, written(tmp_path, PLAN))
    await stage.play()
    assert stage.rest == ("dormant", "done")
    texts = [event.text for event in stage.log.events if isinstance(event, AssistantMessage)]
    assert texts[1:] == [
        "Next is what is left: One.",
        "Next is what is left: Two.",
        "Next is what is left: Three.",
        "Everything on the list is done.",
    ]
    stage.say("And now?")
    await stage.go_on()
    last = stage.log.events[-2]
    assert isinstance(last, AssistantMessage)
    assert last.text.startswith("This rehearsal is over")


PLANS: dict[str, str] = {
    "parley": "{name: todo_write, arguments: {items: [One, Two]}}",
    "loki": "{name: todo__add, arguments: {task: One}}",
    "todowrite": "{name: todo, arguments: {items: [{text: One}, {text: Two}]}}",
    "cubepi": "{name: write_todos, arguments: {todos: "
    "[{content: One, status: in_progress}, {content: Two, status: pending}]}}",
}


@pytest.mark.parametrize("dialect", PLANS)
async def test_every_dialect_is_worked_off(tmp_path: Path, dialect: str) -> None:
    content = f"dialect: {dialect}\nclosing: Bye.\nturns:\n  - calls: [{PLANS[dialect]}]\n"
    stage = Rehearsed(tmp_path, written(tmp_path, content), auto_continue=True)
    await stage.play()
    assert stage.rest == ("dormant", "done")
    last = stage.log.events[-2]
    assert isinstance(last, AssistantMessage)
    assert last.text == "Bye."


async def test_a_persons_edit_after_the_script_is_read(tmp_path: Path) -> None:
    stage = Rehearsed(tmp_path, written(tmp_path, PLAN))
    stage.say("Go.")
    await stage.go_on(2)
    stage.edit(AddTodo(text="Four", after=None))
    uid = stage.log.state.checklist.items[2].uid
    stage.edit(BlockTodo(uid=uid, reason="later"))
    await stage.go_on()
    assert stage.rest == ("dormant", "only blocked todos left: Three (later)")
    last = stage.log.events[-2]
    assert isinstance(last, AssistantMessage)
    assert "- Three: later" in last.text


async def test_a_compacted_session_is_worked_off(tmp_path: Path) -> None:
    stage = Rehearsed(tmp_path, written(tmp_path, PLAN))
    stage.say("Go.")
    await stage.go_on(1)
    shown = stage.last_output()
    stage.log.add(Compacted(before=9, after=1, summary=f"[ACTIVE TODO LIST]\n{shown}"))
    await stage.go_on()
    assert stage.rest == ("dormant", "done")


async def test_asked_for_a_summary_it_gives_one_and_stays_where_it_is(tmp_path: Path) -> None:
    model = written(tmp_path, PLAN)
    asked = request(UserText("Go.", "human"), UserText("Sum up.", "summarize"))
    heard = await ask(model, asked)
    assert "Go." in heard.reply.text
    assert heard.reply.tool_calls == ()


async def test_without_tools_it_only_talks(tmp_path: Path) -> None:
    model = written(tmp_path, PLAN)
    heard = await ask(model, request(tool_choice="none"))
    assert heard.reply.tool_calls == ()
    shown = ToolResult("c", "todo_list", "[ ] #1: One", ok=True)
    call = ToolCall("c", "todo_plan", {})
    asked = request(UserText("x", "human"), AssistantText("", (call,)), shown, tools=())
    heard = await ask(model, asked)
    assert heard.reply.text == "I cannot go on by myself.\n\nStill open:\n- One"


MISBEHAVIOUR = """
turns:
  - text: "Half of this is heard."
    fault: {after: 7}
  - fault: {kind: rate_limited, retry_after: 2, times: 2, message: slow down.}
    text: Here.
  - text: Odd.
    calls:
      - {name: shell, arguments: '{"command": '}
      - {name: no_such_tool, arguments: {n: 1}}
  - text: Cut
    finish: length
    usage: {input: 1, output: 2, cached: 1, cost: 0.5}
  - empty: true
"""


async def cut_short(model: RehearsalModel, asked: ModelRequest) -> tuple[str, str]:
    """What is heard before the fault, and its kind."""
    heard = ""
    try:
        async for part in model.stream(asked):
            heard += part.text
    except ModelFault as fault:
        return heard, fault.kind
    return heard, "none"


async def test_misbehaviour(tmp_path: Path) -> None:
    model = written(tmp_path, MISBEHAVIOUR)
    task = UserText("Go.", "human")
    assert await cut_short(model, request(task)) == ("Half of", "broken")
    first = (await ask(model, request(task))).reply
    assert first.text == "Half of this is heard."
    history: list[Message] = [task, AssistantText(first.text), UserText("on", "continuation")]
    for _ in range(2):
        fault = await fault_of(model, request(*history))
        assert (fault.kind, fault.retry_after) == ("rate_limited", 2.0)
        assert fault.message == "rehearsal: slow down."
    assert (await ask(model, request(*history))).reply.text == "Here."
    history += [AssistantText("Here."), UserText("on", "continuation")]
    odd = (await ask(model, request(*history))).reply
    assert [call.arguments for call in odd.tool_calls] == ['{"command": ', {"n": 1}]
    assert len({call.id for call in odd.tool_calls}) == 2
    history += [AssistantText("Odd.", odd.tool_calls)]
    history += [ToolResult(call.id, call.name, "Error: no", ok=False) for call in odd.tool_calls]
    cut = (await ask(model, request(*history))).reply
    assert (cut.finish, cut.usage) == ("length", Usage(1, 2, 1, 0.5))
    history += [AssistantText("Cut"), UserText("on", "length")]
    empty = (await ask(model, request(*history))).reply
    assert (empty.text, empty.tool_calls, empty.finish) == ("", (), "stop")


async def test_pace_and_speed(tmp_path: Path) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    content = 'pace: 10\nturns:\n  - {pause: 1, reasoning: "a b", text: "one two  three\\n"}\n'
    model = written(tmp_path, content, speed=2.0, sleep=sleep)
    heard = await ask(model)
    assert heard.reasons == ["a ", "b"]
    assert heard.texts == ["one ", "two  ", "three\n"]
    assert slept == pytest.approx([0.5, *[0.05] * 5])
    assert heard.reply.usage is not None
    assert heard.reply.usage.cost == 0.0


async def test_templates(tmp_path: Path) -> None:
    content = """
turns:
  - text: "{{task}} is {{ id: One }} and {{id:None}}"
    calls:
      - {name: x, arguments: {a: "{{id:One}}", b: ["#{{id:One}}", 2], c: "{{id:gone}}"}}
      - {name: y, arguments: '{"id": {{id:One}}}'}
"""
    model = written(tmp_path, content)
    listed = ToolResult("c", "todo_list", "[7] One (open)", ok=True)
    reply = (await ask(model, request(UserText("It", "human"), listed))).reply
    assert reply.text == "It is 7 and {{id:None}}"
    assert reply.tool_calls[0].arguments == {"a": 7, "b": ["#7", 2], "c": "{{id:gone}}"}
    assert reply.tool_calls[1].arguments == {"id": 7}


async def test_scenarios_that_cannot_be_played(tmp_path: Path) -> None:
    around = Surroundings(rehearsals=(tmp_path,), speed=0)
    unknown = build("rehearsal", "tuor", ProviderConfig(type="rehearsal"), around)
    fault = await fault_of(unknown)
    assert fault.kind == "unknown_model"
    assert "Did you mean tour?" in fault.message
    (tmp_path / "bad.yaml").write_text("turns:\n  - txt: x\n")
    bad = build("rehearsal", "bad", ProviderConfig(type="rehearsal", context=99), around)
    fault = await fault_of(bad)
    assert fault.kind == "bad_request"
    assert "bad.yaml:2: unknown key 'txt'" in fault.message
    assert (bad.provider, bad.context) == ("rehearsal", 99)
    await bad.aclose()


def test_a_preview_shows_what_is_played() -> None:
    shown = shipped("tour").preview(request())
    assert shown["plays"]["calls"][0]["name"] == "todo_plan"
    json.dumps(shown)


async def test_texts_that_cannot_be_encoded_do_no_harm(tmp_path: Path) -> None:
    model = written(tmp_path, PLAN)
    reply = (await ask(model, request(UserText("\ud800", "human")))).reply
    assert isinstance(reply, ModelReply)
    assert reply.tool_calls
