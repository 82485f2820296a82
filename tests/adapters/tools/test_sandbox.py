"""The sandbox: what its command line says, and what it does where it works."""

import os
import socket
from pathlib import Path

import pytest
from adapters.tools.tool_stage import call

from longwatch.adapters.tools.sandbox import NoSandbox, Sandbox, find_sandbox, wrapped
from longwatch.adapters.tools.shell import Shell
from longwatch.engine.ports import Place, ToolOutput, ToolRefused

HERE = find_sandbox()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    for folder in (".ssh", ".config/gh", "project/.git/hooks", "project/own", "data"):
        (home / folder).mkdir(parents=True)
    for file in (".bashrc", ".netrc", ".ssh/id_rsa", "data/store.db", "project/own/key"):
        (home / file).write_text("canary\n")
    (home / "project/.git/config").write_text("[core]\n")
    (home / "project/.git/hooks/pre-commit").write_text("original\n")
    (home / "project/file.txt").write_text("inside\n")
    return home


def place_of(home: Path, *, network: bool = False, root: str = "project") -> Place:
    return Place(
        root=home / root,
        sandbox="bubblewrap",
        sandbox_network=network,
        protected=(home / "data", home / "project" / "own", home / "nothing"),
    )


def line(home: Path, place: Place) -> list[str]:
    return wrapped("/usr/bin/bwrap", ["/bin/sh", "-c", "x"], place, str(home))


def steps(home: Path, place: Place) -> list[tuple[str, ...]]:
    """The options with their values, in order."""
    found: list[list[str]] = []
    for word in line(home, place)[1:-4]:
        if word.startswith("--"):
            found.append([word])
        else:
            found[-1].append(word)
    return [tuple(step) for step in found]


def test_the_command_comes_last(home: Path) -> None:
    made = line(home, place_of(home))
    assert made[0] == "/usr/bin/bwrap"
    assert made[-4:] == ["--", "/bin/sh", "-c", "x"]


def test_everything_is_read_only_but_the_root(home: Path) -> None:
    made = steps(home, place_of(home))
    project = str(home / "project")
    assert made.index(("--ro-bind", "/", "/")) < made.index(("--bind", project, project))
    writable = {step[2] for step in made if step[0] == "--bind"}
    assert writable == {project, f"{project}/.git"}
    assert ("--tmpfs", "/tmp") in made
    assert ("--chdir", project) in made
    assert {("--dev", "/dev"), ("--proc", "/proc"), ("--tmpfs", "/run")} <= set(made)


def test_it_dies_with_us_and_has_no_rights(home: Path) -> None:
    flags = set(steps(home, place_of(home)))
    assert {("--die-with-parent",), ("--new-session",), ("--unshare-pid",)} <= flags
    assert {("--unshare-user",), ("--unshare-ipc",), ("--cap-drop", "ALL")} <= flags


def test_the_network_is_off_unless_asked_for(home: Path) -> None:
    assert ("--unshare-net",) in steps(home, place_of(home))
    assert ("--unshare-net",) not in steps(home, place_of(home, network=True))


def test_keys_and_our_own_folders_are_hidden(home: Path) -> None:
    made = steps(home, place_of(home))
    hidden = {step[1] for step in made if step[0] == "--tmpfs"}
    hidden |= {step[2] for step in made if step[:2] == ("--ro-bind", "/dev/null")}
    expected = (".ssh", ".config/gh", ".netrc", "data", "project/own")
    assert {str(home / name) for name in expected} <= hidden
    assert not any("nothing" in word for step in made for word in step)


def test_what_lies_inside_is_hidden_after_the_root_is_there(home: Path) -> None:
    made = steps(home, place_of(home, root="."))
    root = made.index(("--bind", str(home), str(home)))
    for name in (".ssh", "data", "project/own"):
        assert made.index(("--tmpfs", str(home / name))) > root
    bashrc = str(home / ".bashrc")
    assert made.index(("--ro-bind", bashrc, bashrc)) > root


def test_hooks_and_git_configuration_are_locked_and_cannot_be_moved(home: Path) -> None:
    made = steps(home, place_of(home))
    git = str(home / "project" / ".git")
    pinned = made.index(("--bind", git, git))
    for name in ("hooks", "config"):
        assert made.index(("--ro-bind", f"{git}/{name}", f"{git}/{name}")) > pinned


def test_a_repository_without_hooks_gets_none(home: Path) -> None:
    hooks = home / "project/.git/hooks"
    (hooks / "pre-commit").unlink()
    hooks.rmdir()
    made = steps(home, place_of(home))
    assert made.index(("--remount-ro", str(hooks))) == made.index(("--tmpfs", str(hooks))) + 1


def test_where_git_is_a_file_or_has_links_all_of_it_is_locked(home: Path) -> None:
    git = home / "project/.git"
    (git / "hooks").rename(git / "elsewhere")
    (git / "hooks").symlink_to("elsewhere")
    assert ("--ro-bind", str(git), str(git)) in steps(home, place_of(home))
    git.rename(home / "project/real")
    git.write_text("gitdir: real\n")
    assert ("--ro-bind", str(git), str(git)) in steps(home, place_of(home))


def test_the_top_as_root(home: Path) -> None:
    place = Place(root=Path("/"), sandbox="bubblewrap")
    made = steps(home, place)
    assert made.count(("--bind", "/", "/")) == 1
    assert made.index(("--bind", "/", "/")) < made.index(("--proc", "/proc"))
    assert ("--ro-bind", "/", "/") not in made


def test_not_installed_is_said(tmp_path: Path) -> None:
    assert find_sandbox(str(tmp_path)) == NoSandbox("bubblewrap (bwrap) is not installed")


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("bwrap: setting up uid map: Permission denied", "forbids user namespaces"),
        ("bwrap: No permissions to create new namespace", "forbids user namespaces"),
        ("bwrap: Unknown option", r"fails: bwrap: Unknown option"),
        ("", "it gave no reason"),
    ],
)
def test_installed_and_forbidden_is_said(tmp_path: Path, said: str, reason: str) -> None:
    program = tmp_path / "bwrap"
    program.write_text(f"#!/bin/sh\necho '{said}' >&2\nexit 1\n")
    program.chmod(0o755)
    found = find_sandbox(str(tmp_path))
    assert isinstance(found, NoSandbox)
    assert reason in found.reason


def test_installed_and_broken_is_said(tmp_path: Path) -> None:
    (tmp_path / "bwrap").write_text("#!/nowhere\n")
    (tmp_path / "bwrap").chmod(0o755)
    found = find_sandbox(str(tmp_path))
    assert isinstance(found, NoSandbox)
    assert "does not run" in found.reason


async def run(
    home: Path, command: str, root: str = "project", *, network: bool = False
) -> ToolOutput | None:
    """The output where the sandbox works; where it does not, it must have said why."""
    if isinstance(HERE, NoSandbox):
        assert HERE.reason.startswith("bubblewrap")
        return None
    tool = Shell({**os.environ, "HOME": str(home)})
    return await call(tool, place_of(home, root=root, network=network), command=command)


ATTEMPTS = {
    "write elsewhere": ("echo x > /etc/canary; echo x > ~/x", "x"),
    "read a key": ("cat ~/.ssh/id_rsa ~/.netrc", "canary"),
    "read our data": ("cat ~/data/* own/*", "canary"),
    "replace a hook": ("echo evil > .git/hooks/pre-commit && echo done", "done"),
    "new hook": ("echo evil > .git/hooks/new && echo done", "done"),
    "move hooks": ("mv .git/hooks .git/old && echo done", "done"),
    "move git": ("mv .git old && echo done", "done"),
    "remove git's configuration": ("rm -f .git/config && echo done", "done"),
    "mount it writable": ("mount -o remount,rw / && echo done", "done"),
    "unmount the guard": ("umount .git/hooks && echo done", "done"),
    "others' processes": ("ls -d /proc/[0-9]* | wc -l | grep -q '^[0-9]$' || echo done", "done"),
}


@pytest.mark.parametrize(("command", "sign"), ATTEMPTS.values(), ids=ATTEMPTS)
async def test_what_does_not_work_in_there(home: Path, command: str, sign: str) -> None:
    output = await run(home, command)
    if output is not None:
        assert sign not in output.output.split()
    assert (home / "project/.git/hooks/pre-commit").read_text() == "original\n"
    assert (home / "project/.git/config").exists()
    assert (home / ".bashrc").read_text() == "canary\n"
    assert not (home / "x").exists()


async def test_keys_stay_hidden_even_if_home_is_the_root(home: Path) -> None:
    output = await run(home, "cat .ssh/* .netrc data/* project/own/*; ls .ssh/id_rsa", ".")
    if output is not None:
        assert "canary" not in output.output
        assert not output.ok


async def test_start_files_at_home_stay_even_if_home_is_the_root(home: Path) -> None:
    output = await run(home, "echo evil >> .bashrc; mv .bashrc b; rm -f .bashrc; echo x > y", ".")
    if output is not None:
        assert (home / "y").read_text() == "x\n"
    assert (home / ".bashrc").read_text() == "canary\n"


@pytest.mark.parametrize("network", [True, False])
async def test_the_network_is_there_only_if_asked_for(home: Path, network: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        command = f"exec 3<>/dev/tcp/127.0.0.1/{port} && echo connected"
        output = await run(home, command, network=network)
    if output is not None:
        assert ("connected" in output.output) is network


async def test_without_the_sandbox_it_does_not_run_unprotected(home: Path, tmp_path: Path) -> None:
    tool = Shell(os.environ, sandbox_path=str(tmp_path))
    with pytest.raises(ToolRefused, match="must run in the sandbox"):
        await call(tool, place_of(home), command="echo x > made")
    assert not (home / "project" / "made").exists()


async def test_what_works_in_there(home: Path) -> None:
    command = "cat file.txt && echo new > new.txt && echo t > /tmp/t && cat /tmp/t && echo $TMPDIR"
    output = await run(home, command)
    if output is not None:
        assert output == ToolOutput(ok=True, output="inside\nt\n/tmp\n")
        assert (home / "project/new.txt").read_text() == "new\n"
        assert isinstance(HERE, Sandbox)


async def test_background_processes_end_in_there_too(home: Path) -> None:
    output = await run(home, "setsid sleep 1000 & sleep 1000 & echo started")
    if output is not None:
        assert output.ok
        assert output.output.startswith("started\n")
