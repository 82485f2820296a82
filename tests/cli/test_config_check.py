"""`config check` and every other command on files that are wrong: told, exit code 2, untouched."""

import os
from pathlib import Path

import pytest
from command_line import Home, Ran
from malformed_configs import AGENT, CASES, ROLE, Malformed

SAMPLE = CASES[:: len(CASES) // 12]


def picture(folder: Path) -> list[tuple[str, int, int, int]]:
    """Everything in a folder: names, modes, sizes and times."""
    return [
        (str(path.relative_to(folder)), seen.st_mode, seen.st_size, seen.st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        for seen in (path.lstat(),)
    ]


def run_words(case: Malformed) -> list[str]:
    return ["run", "x", *{ROLE: ["--role", "bad"], AGENT: ["--agent", "bad"]}.get(case.path, [])]


def demand_told(ran: Ran, path: Path, line: int | None) -> None:
    assert ran.code == 2
    assert ran.out == ""
    place = str(path) if line is None else f"{path}:{line}: "
    assert place in ran.err
    assert "Traceback" not in ran.err
    assert all(told.isprintable() and len(told) < 600 for told in ran.err.splitlines())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_malformed_file_is_told_by_check_and_by_run(case: Malformed, home: Home) -> None:
    path = case.put(home.config)
    before = picture(home.base)
    demand_told(home.inside("config", "check"), path, case.line)
    demand_told(home.inside(*run_words(case)), path, case.line)
    assert picture(home.base) == before


@pytest.mark.parametrize("case", SAMPLE, ids=lambda case: case.name)
def test_a_malformed_file_in_a_process_of_its_own(case: Malformed, home: Home) -> None:
    path = case.put(home.config)
    before = picture(home.base)
    demand_told(home.command(*run_words(case)), path, case.line)
    demand_told(home.command("config", "check"), path, case.line)
    assert picture(home.base) == before


def test_the_other_commands_that_read_it_refuse_it_too(home: Home) -> None:
    (home.config / "config.yaml").write_text("temprature: 1\n")
    for words in (["config", "show"], ["run", "x", "--json"]):
        ran = home.inside(*words)
        assert (ran.code, ran.out) == (2, "")
        assert "config.yaml:1: temprature: Unknown key 'temprature'" in ran.err


OTHERS = {
    "keymap": ("config/keymap.toml", '[app]\nquit = "ctrl+nosuch"\n', ":2: app.quit: found"),
    "keymap-action": ("config/keymap.toml", '[app]\nquitt = "x"\n', "did you mean 'app.quit'?"),
    "keymap-toml": ("config/keymap.toml", "[app\n", ":1: found no TOML"),
    "theme": ("config/themes/mine.toml", 'primary = "nocolour"\n', "found 'nocolour'"),
    "theme-key": ("config/themes/mine.toml", 'primery = "red"\n', "did you mean 'primary'?"),
    "ui": ("config/ui.toml", "theme = \n", ":1: found no TOML"),
    "rehearsal": ("config/rehearsals/mine.yaml", "turns:\n  - txt: hi\n", ":2: unknown key 'txt'"),
    "role-name": ("config/roles/my role.md", "You are.\n", "found the name 'my role'"),
    "agent-name": ("config/agents/my agent/config.yaml", "", "found the name 'my agent'"),
    "trust": ("data/trusted.json", "[]\n", "remove the file to be asked again"),
    "provider": ("config/config.yaml", "model: opnai:m\n", "did you mean 'openai'?"),
    "role-provider": ("config/roles/a.md", "---\nmodel: nobody:m\n---\n", "the provider 'nobody'"),
    "project": ("work/.longwatch/config.yaml", "\napproval: auto\n", ":2: approval: found it in"),
    "project-role": ("work/.longwatch/roles/a.md", "---\nsandbox: off\n---\n", ":2: sandbox:"),
    "project-agent": ("work/.longwatch/agents/a/config.yaml", "providers: {}\n", ":1: providers:"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_every_sort_of_file_is_checked(home: Home, name: str) -> None:
    place, text, said = OTHERS[name]
    path = home.base / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    ran = home.inside("config", "check", "--trust")
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert name == "agent-name" or str(path) in ran.err
    assert path.read_text() == text


def test_everything_that_is_wrong_is_told_at_once(home: Home) -> None:
    for place, text, _ in OTHERS.values():
        (home.base / place).parent.mkdir(parents=True, exist_ok=True)
        (home.base / place).write_text(text)
    (home.data / "trusted.json").unlink()
    wrong = home.having(LONGWATCH_TEMPERATURE="warm")
    ran = wrong.command("config", "check", "--trust")
    assert ran.code == 2
    for file in ("keymap.toml", "mine.toml", "ui.toml", "mine.yaml", "my role.md", "a.md"):
        assert file in ran.err
    assert "LONGWATCH_TEMPERATURE: temperature: found 'warm'" in ran.err
    assert len(ran.err.splitlines()) >= 12


def test_a_fifo_in_any_place_is_told_and_not_waited_for(home: Home) -> None:
    places = ("keymap.toml", "ui.toml", "themes/t.toml", "rehearsals/r.yaml", "roles/r.md")
    for place in places:
        (home.config / place).parent.mkdir(exist_ok=True)
        os.mkfifo(home.config / place)
    ran = home.inside("config", "check")
    assert ran.code == 2
    assert ran.err.count("found a FIFO") == len(places)


def test_without_problems_it_says_so(home: Home) -> None:
    home.configure(temperature=0.5)
    ran = home.command("config", "check")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == "All is well: 1 file checked, and the environment.\n"


def test_what_is_not_trusted_is_named_and_not_read(home: Home) -> None:
    (home.work / ".longwatch").mkdir()
    (home.work / ".longwatch" / "config.yaml").write_text("approval: auto\n")
    ran = home.inside("config", "check")
    assert ran.code == 0
    assert f"Not checked, as {home.work} is not trusted: .longwatch/config.yaml" in ran.out


def test_a_bad_key_never_stands_in_a_message(home: Home) -> None:
    (home.config / "config.yaml").write_text(
        "providers:\n  p:\n    type: openai\n    api_key_env: sk-live-0123456789\n"
    )
    ran = home.inside("config", "check")
    assert ran.code == 2
    assert "sk-live" not in ran.err
