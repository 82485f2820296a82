"""`.info`: what there is to know of a session, as lines of text."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from longwatch.adapters.settings.kinds import spell
from longwatch.adapters.settings.layers import Given, Row
from longwatch.governing import House, Setup
from longwatch.headless import checklist_lines
from longwatch.session import SessionState

Told = Iterator[str]


def info(house: House, state: SessionState, topic: str | None) -> list[str]:
    """The lines of one topic; raises Problems or Misconfigured where the files are wrong."""
    return list(TOPICS[topic or "session"](house, state))


def _todo(house: House, state: SessionState) -> Told:
    rules = house.conduct(state).rules
    if not rules.todo_on:
        yield "The todo system is off."
    lines = checklist_lines(state.checklist)
    yield from lines if state.checklist.items else ["No todos."]
    if rules.loop.auto_continue:
        yield f"wake {state.activation.wakes}/{rules.loop.max_auto_continues}"
    else:
        yield "auto-continue is off"


def _session(house: House, state: SessionState) -> Told:
    profile, spent = state.profile, state.spent
    setup = house.setup(profile)
    reason = f": {state.reason}" if state.reason else ""
    facts: dict[str, Any] = {
        "title": profile.title,
        "id": state.session or "none is open: these are the next session's",
        "state": f"{state.state}{reason}" if state.session else "",
        "folder": profile.cwd,
        "model": setup.model,
        "dialect": setup.resolved["dialect"],
        "agent": profile.agent or "",
        "role": profile.role or "",
        "tokens": f"{spent.input} in, {spent.output} out" if state.session else "",
        "events": state.seq or "",
    }
    yield from _table(facts)
    yield from _own(profile.settings, "set for this session")


def _agent(house: House, state: SessionState) -> Told:
    agent = house.setup(state.profile).agent
    if agent is None:
        known = ", ".join(house.library_for(state.profile).agents())
        yield f"No agent is active; .agent NAME takes one: {known}"
        return
    yield from _table({"agent": agent.name, "title": agent.title, "about": agent.description})
    yield from _given(agent.given)
    yield from _block("instructions", agent.instructions)
    for number, starter in enumerate(agent.conversation_starters, 1):
        yield f"starter {number}  {starter}"


def _role(house: House, state: SessionState) -> Told:
    role = house.setup(state.profile).role
    if role is None:
        known = ", ".join(house.library_for(state.profile).roles())
        yield f"No role is active; .role NAME takes one: {known}"
        return
    yield from _table({"role": role.name, "title": role.title})
    yield from _given(role.given)
    yield from _block("prompt", role.prompt)


def _tools(house: House, state: SessionState) -> Told:
    conduct = house.conduct(state)
    offered = conduct.rules.offered
    if not offered:
        yield "The model is given no tools (function_calling_support is false)."
    width = max((len(tool.name) for tool in offered), default=0)
    for tool in offered:
        mark = "todo" if tool.name in conduct.rules.todo_tools else ""
        said = tool.description.strip().splitlines()[0] if tool.description.strip() else ""
        yield f"{tool.name:{width}}  {mark:4}  {said}".rstrip()
    yield f"approval: {conduct.permissions.mode}"


def _settings(house: House, state: SessionState) -> Told:
    setup: Setup = house.setup(state.profile)
    for row in setup.resolved.as_rows():
        value = spell(row.value).replace("\n", " ")
        yield f"{row.key:26}  {value[:40]:40}  {origin_of(row)}".rstrip()


def origin_of(row: Row) -> str:
    """Where a value comes from, in one line."""
    return " ".join(part for part in (row.layer, row.name, row.file) if part)


TOPICS: Mapping[str, Callable[[House, SessionState], Told]] = {
    "todo": _todo,
    "session": _session,
    "agent": _agent,
    "role": _role,
    "tools": _tools,
    "settings": _settings,
}


def _table(facts: Mapping[str, Any]) -> Told:
    for label, value in facts.items():
        if value != "":
            yield f"{label:9} {value}"


def _given(given: Given) -> Told:
    yield f"{'file':9} {given.file}"
    yield from _own(given.values, "sets")


def _own(values: Mapping[str, Any], heading: str) -> Told:
    if values:
        yield f"{heading}:"
    for key, value in values.items():
        yield f"  {key}: {spell(value)}"


def _block(heading: str, text: str) -> Told:
    if text.strip():
        yield f"{heading}:"
        yield from (f"  {line}".rstrip() for line in text.strip().splitlines())
