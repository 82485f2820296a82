"""The sandbox for commands that nobody looks at: bubblewrap, with the root as the only way out."""

import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from longwatch.adapters.tools.environment import SYSTEM_PATH
from longwatch.adapters.tools.paths import is_under
from longwatch.engine.ports import Place
from longwatch.engine.visible import visible_line

PROGRAM = "bwrap"
TRYING = 10.0

# Run by the next shell, editor or login: what is written here acts outside the sandbox.
START_FILES = (
    ".profile",
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".cshrc",
    ".tcshrc",
    ".login",
    ".inputrc",
    ".tmux.conf",
    ".vimrc",
    ".gitconfig",
    ".config/git",
    ".config/fish",
    ".config/nvim",
    ".config/autostart",
    ".config/systemd",
    ".local/bin",
)
# Read by nobody in there.
KEYS = (
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".config/gcloud",
    ".config/gh",
    ".config/op",
    ".password-store",
    ".local/share/keyrings",
    ".mozilla",
    ".config/google-chrome",
    ".config/chromium",
    ".netrc",
    ".git-credentials",
    ".pgpass",
    ".npmrc",
    ".pypirc",
    ".vault-token",
)
# Sockets of other programs live there, and a socket on a read-only disk still answers.
RUNTIME = "/run"
SCRATCH = ("/tmp", "/var/tmp")  # noqa: S108 - each command gets its own
RUNTIME_NEEDED = ("/run/current-system",)
RESOLVER = ("/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager")


class Sandbox(msgspec.Struct, frozen=True):
    """A sandbox that works here."""

    program: str


class NoSandbox(msgspec.Struct, frozen=True):
    """Why there is none, in words for the status line."""

    reason: str


def find_sandbox(path: str = SYSTEM_PATH) -> Sandbox | NoSandbox:
    """Look for bubblewrap and really try it once: it may be installed and forbidden."""
    program = shutil.which(PROGRAM, path=path)
    if program is None:
        return NoSandbox("bubblewrap (bwrap) is not installed")
    trial = Place(root=Path("/"))
    command = [*_namespaces(trial), "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    try:
        done = subprocess.run(  # noqa: S603 - fixed arguments
            [program, *command, "--", "/bin/sh", "-c", ":"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TRYING,
            check=False,
            env={"PATH": SYSTEM_PATH},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return NoSandbox(f"bubblewrap is installed but does not run: {error}")
    if done.returncode != 0:
        return NoSandbox(_why(done.stderr.decode(errors="replace")))
    return Sandbox(program)


def _why(said: str) -> str:
    line = visible_line(said.strip().split("\n")[-1], 200) or "it gave no reason"
    if "namespace" in said or "uid map" in said or "Operation not permitted" in said:
        return f"bubblewrap is installed, but this system forbids user namespaces ({line})"
    return f"bubblewrap is installed but fails: {line}"


def wrapped(program: str, command: Sequence[str], place: Place, home: str) -> list[str]:
    """The command line that runs the command inside; later mounts lie over earlier ones."""
    root = os.path.realpath(place.root)
    keys = (f"{home}/{name}" for name in KEYS)
    hidden = [real for real in _existing((*place.protected, *keys)) if real != root]
    starts = (f"{home}/{name}" for name in START_FILES)
    locked = list(_existing((*starts, *_git(root), f"{root}/.longwatch")))
    return [
        program,
        *_namespaces(place),
        *("--bind" if root == "/" else "--ro-bind", "/", "/"),
        *("--dev", "/dev"),
        *("--proc", "/proc"),
        *_masks(_existing((RUNTIME, *SCRATCH))),
        *_locks(filter(os.path.exists, RUNTIME_NEEDED)),
        *(_locks(filter(os.path.exists, RESOLVER)) if place.sandbox_network else ()),
        *_masks(path for path in hidden if not is_under(path, root)),
        *(() if root == "/" else ("--bind", root, root)),
        *_pins((*hidden, *locked), root),
        *_locks(path for path in locked if is_under(path, root)),
        *_no_hooks(f"{root}/.git"),
        *_masks(path for path in hidden if is_under(path, root)),
        *("--chdir", root),
        *("--", *command),
    ]


def _namespaces(place: Place) -> Iterator[str]:
    yield from ("--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts")
    yield "--unshare-cgroup-try"
    if not place.sandbox_network:
        yield "--unshare-net"
    # Without this a command of root could mount the disk writable again.
    yield from ("--cap-drop", "ALL")
    yield from ("--die-with-parent", "--new-session")


def _existing(paths: Iterable[str | Path]) -> Iterator[str]:
    """Where the paths really are: a mount goes onto a file or a folder, not onto a link."""
    return (os.path.realpath(path) for path in paths if Path(path).exists())


def _git(root: str) -> Iterator[str]:
    """What makes git run programs, or look for its repository elsewhere."""
    git = f"{root}/.git"
    inner = [f"{git}/hooks", f"{git}/config", f"{git}/config.worktree"]
    if Path(git).is_file() or any(Path(one).is_symlink() for one in inner):
        # A link inside could be replaced, so that nothing short of all of it is safe.
        yield git
    else:
        yield from inner


def _no_hooks(git: str) -> Iterator[str]:
    """A repository without a hooks folder must not get one."""
    hooks = f"{git}/hooks"
    if Path(git).is_dir() and not os.path.lexists(hooks):
        real = os.path.realpath(hooks)
        yield from ("--tmpfs", real, "--remount-ro", real)


def _pins(paths: Iterable[str], root: str) -> Iterator[str]:
    """Mount the folders on the way onto themselves: what is a mount cannot be moved aside."""
    pinned = {root}
    for path in paths:
        folders = [str(folder) for folder in Path(path).parents]
        for folder in reversed(folders):
            if is_under(folder, root) and folder not in pinned:
                pinned.add(folder)
                yield from ("--bind", folder, folder)


def _locks(paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        yield from ("--ro-bind", path, path)


def _masks(paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        if Path(path).is_dir():
            yield from ("--tmpfs", path)
        else:
            yield from ("--ro-bind", os.devnull, path)
