"""Paths that try to leave the session's folder, through the real command."""

import json
from pathlib import Path

import pytest
from command_line import Home
from fault_server import FaultServer
from model_replies import Call, Said, stream
from path_escapes import CANARY, ESCAPES, Escape, arguments, grow, guarded


@pytest.mark.parametrize("escape", ESCAPES, ids=lambda escape: escape.name)
def test_no_tool_follows_a_path_outside(escape: Escape, tmp_path: Path) -> None:
    tree = grow(tmp_path / "tree")
    escape.build(tree)
    calls = tuple(
        Call(f"c{k}", tool, json.dumps(arguments(tool, escape.path(tree))))
        for k, tool in enumerate(escape.tools)
    )
    # The tree's own folder is the program's: its configuration lies in there.
    own = {"TEST_KEY": "k" * 8, "LONGWATCH_CONFIG_DIR": str(tree.own)}
    home = Home(tmp_path / "home", own).made()
    with FaultServer(stream("openai", Said(calls=calls)), stream("openai", Said("ok"))) as server:
        home.serve_from(server.url)
        (home.config / "config.yaml").rename(tree.own / "config.yaml")
        before = guarded(tree)
        ran = home.run("x", "--cwd", str(tree.root), "--approval", "auto")
        heard = json.dumps(server.asked[-1]["messages"][3:])
    results = {event["call"]: event for event in ran.of_type("tool_finished")}
    assert len(results) == len(calls)
    assert not any(event["ok"] for event in results.values())
    assert guarded(tree) == before
    assert CANARY not in heard


def test_there_are_at_least_sixty_cases() -> None:
    assert len(ESCAPES) >= 60
