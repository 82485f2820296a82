"""Six tools, each with a schema that says no to what it does not know."""

import json

from longwatch.adapters.tools.files import ReadMemory
from longwatch.adapters.tools.registry import make_session_tools, make_tools
from longwatch.discipline.schema import misfit

EXPECTED = {
    "shell": ({"command", "timeout"}, {"command"}),
    "read_file": ({"path", "offset", "limit"}, {"path"}),
    "write_file": ({"path", "content"}, {"path", "content"}),
    "edit_file": ({"path", "old", "new", "all"}, {"path", "old", "new"}),
    "list_files": ({"path", "pattern"}, set()),
    "search": ({"pattern", "path"}, {"pattern"}),
}


def test_the_tools_and_their_arguments() -> None:
    tools = make_tools(ReadMemory())
    assert list(tools) == list(EXPECTED)
    for name, (known, required) in EXPECTED.items():
        parameters = tools[name].spec.parameters
        assert set(parameters["properties"]) == known
        assert set(parameters["required"]) == required
        assert misfit({**dict.fromkeys(required, "x"), "other": 1}, parameters)
        assert misfit(dict.fromkeys(required, "x"), parameters) is None
        json.dumps(parameters)
        assert len(tools[name].spec.description) < 500


SESSION_TOOLS: dict[str, tuple[set[str], set[str]]] = {
    "ask_user": ({"question"}, {"question"}),
    "spawn_agent": ({"task", "agent"}, {"task"}),
    "send_message": ({"session", "text", "expects_reply"}, {"session", "text"}),
}


def test_the_tools_that_act_on_sessions_and_their_arguments() -> None:
    tools = make_session_tools()
    assert list(tools) == list(SESSION_TOOLS)
    for name, (known, required) in SESSION_TOOLS.items():
        parameters = tools[name].spec.parameters
        assert set(parameters["properties"]) == known
        assert set(parameters["required"]) == required
        assert misfit({**dict.fromkeys(required, "x"), "other": 1}, parameters)
        assert misfit(dict.fromkeys(required, "x"), parameters) is None
        assert len(tools[name].spec.description) < 500


def test_bounds_are_in_the_schema() -> None:
    tools = make_tools(ReadMemory())
    assert misfit({"command": "x", "timeout": 0}, tools["shell"].spec.parameters)
    assert misfit({"command": "x", "timeout": 99999}, tools["shell"].spec.parameters)
    assert misfit({"path": "x", "offset": 0}, tools["read_file"].spec.parameters)
    assert misfit({"path": "x", "limit": 0}, tools["read_file"].spec.parameters)
