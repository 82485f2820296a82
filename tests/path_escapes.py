"""Paths that try to leave a session's folder: how each is built, what is asked, who must refuse."""

import hashlib
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

CANARY = "OUTSIDE-CANARY"
ALL = ("read_file", "write_file", "edit_file", "list_files", "search")
FILES = ("read_file", "write_file", "edit_file")
READS = ("read_file", "list_files", "search")
WRITES = ("write_file", "edit_file")


class Tree(msgspec.Struct, frozen=True):
    """A session's folder with something beside it that nobody may see or change."""

    base: Path

    @property
    def root(self) -> Path:
        return self.base / "root"

    @property
    def outside(self) -> Path:
        return self.base / "outside"

    @property
    def sibling(self) -> Path:
        return self.base / "root-evil"

    @property
    def own(self) -> Path:
        """A folder of the program's own that happens to lie inside."""
        return self.root / "own"

    def link(self, name: str, target: str | Path) -> None:
        (self.root / name).symlink_to(target)


class Escape(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt. The argument may name {root}, {outside} and {base}."""

    name: str
    argument: str
    build: Callable[[Tree], object] = lambda _: None
    tools: tuple[str, ...] = ALL

    def path(self, tree: Tree) -> str:
        filled = self.argument
        for key in ("root", "outside", "base"):
            filled = filled.replace(f"{{{key}}}", str(getattr(tree, key)))
        return filled


def grow(base: Path) -> Tree:
    """The tree that every attempt starts from."""
    tree = Tree(base)
    for folder in (tree.root / "sub" / "deep", tree.outside / "folder", tree.sibling, tree.own):
        folder.mkdir(parents=True)
    for folder in (tree.outside, tree.outside / "folder", tree.sibling, tree.own):
        (folder / "secret.txt").write_text(f"{CANARY}\n")
    (tree.root / "inside.txt").write_text("inside\n")
    (tree.root / ".git" / "hooks").mkdir(parents=True)
    (tree.root / ".git" / "config").write_text(f"[core] {CANARY}\n")
    (tree.root / ".git" / "hooks" / "pre-commit").write_text(f"#!/bin/sh\n# {CANARY}\n")
    return tree


def guarded(tree: Tree) -> dict[str, str]:
    """Everything that must stay as it is, with what it is."""
    found: dict[str, str] = {}
    for top in (tree.outside, tree.sibling, tree.own, tree.root / ".git"):
        for path in sorted(top.rglob("*")):
            status = path.lstat()
            content = path.read_bytes() if path.is_file() else b""
            digest = hashlib.sha256(content).hexdigest()
            found[str(path)] = f"{status.st_mode:o} {status.st_mtime_ns} {digest}"
    found["base"] = " ".join(sorted(path.name for path in tree.base.iterdir()))
    return found


def arguments(tool: str, path: str) -> dict[str, Any]:
    """A call of the tool that would do harm if the path were followed."""
    more: dict[str, dict[str, Any]] = {
        "write_file": {"content": "CHANGED\n"},
        "edit_file": {"old": CANARY, "new": "CHANGED"},
        "search": {"pattern": "."},
    }
    return {"path": path, **more.get(tool, {})}


def _chain(tree: Tree) -> None:
    tree.link("one", "two")
    tree.link("two", "sub/three")
    tree.link("sub/three", tree.outside / "secret.txt")


def _circle(tree: Tree) -> None:
    tree.link("ping", "pong")
    tree.link("pong", "ping")


def _long_chain(tree: Tree) -> None:
    for n in range(60):
        tree.link(f"hop{n}", f"hop{n + 1}")
    tree.link("hop60", tree.outside / "folder")


def _pipe(tree: Tree) -> None:
    os.mkfifo(tree.root / "pipe")


def _linked_pipe(tree: Tree) -> None:
    _pipe(tree)
    tree.link("link", "pipe")


def _socket(tree: Tree) -> None:
    # The path of a socket may be no longer than 107 bytes; a descriptor's is short.
    folder = os.open(tree.root, os.O_RDONLY)
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(f"/proc/self/fd/{folder}/sock")
    finally:
        os.close(folder)


def _through(name: str, target: str) -> Callable[[Tree], object]:
    """A link of that name; the target may name {root}, {outside} and {base}."""
    return lambda tree: tree.link(name, Escape(name="", argument=target).path(tree))


ESCAPES: tuple[Escape, ...] = (
    # Absolute paths to elsewhere.
    Escape(name="absolute file", argument="{outside}/secret.txt"),
    Escape(name="absolute folder", argument="{outside}"),
    Escape(name="system file", argument="/etc/passwd"),
    Escape(name="two slashes", argument="//etc/passwd"),
    Escape(name="the top", argument="/"),
    Escape(name="the root's parent", argument="{base}"),
    Escape(name="a sibling with the same beginning", argument="{root}-evil/secret.txt"),
    Escape(name="absolute with dots", argument="{root}/../outside/secret.txt"),
    Escape(name="absolute, down and up", argument="{root}/sub/../../outside/secret.txt"),
    # Dots.
    Escape(name="parent", argument=".."),
    Escape(name="parent, slash", argument="../"),
    Escape(name="parent's file", argument="../outside/secret.txt"),
    Escape(name="down and up", argument="sub/../../outside/secret.txt"),
    Escape(name="dots between", argument="./.././outside/./secret.txt"),
    Escape(name="far up", argument="../" * 40 + "etc/passwd"),
    Escape(name="slashes between", argument="sub//..//..//outside//secret.txt"),
    Escape(name="up from what is not there", argument="nowhere/../../outside/secret.txt"),
    Escape(name="up from a file", argument="inside.txt/../../outside/secret.txt"),
    Escape(name="sibling by dots", argument="../root-evil/secret.txt"),
    # The kernel's folders.
    Escape(name="proc root", argument="/proc/self/root/etc/passwd"),
    Escape(name="proc root to outside", argument="/proc/self/root{outside}/secret.txt"),
    Escape(name="proc root to inside", argument="/proc/self/root/proc/self/environ"),
    Escape(name="proc of init", argument="/proc/1/root/etc/passwd"),
    Escape(name="proc cwd", argument="/proc/self/cwd/pyproject.toml"),
    Escape(name="proc environ", argument="/proc/self/environ"),
    Escape(name="proc descriptor", argument="/proc/self/fd/0"),
    Escape(name="proc memory", argument="/proc/self/mem"),
    Escape(name="null device", argument="/dev/null"),
    Escape(name="zero device", argument="/dev/zero"),
    Escape(name="terminal", argument="/dev/tty"),
    Escape(name="standard input", argument="/dev/stdin"),
    Escape(name="sys", argument="/sys/kernel/notes"),
    # Homes.
    Escape(name="home", argument="~"),
    Escape(name="file at home", argument="~/.ssh/id_rsa"),
    Escape(name="root's home", argument="~root/.bashrc"),
    Escape(name="somebody's home", argument="~nobody/x"),
    Escape(name="old folder", argument="~-/x"),
    # Spellings that are no path.
    Escape(name="empty", argument=""),
    Escape(name="blank", argument="  "),
    Escape(name="line feed", argument="\n"),
    Escape(name="NUL alone", argument="\0"),
    Escape(name="NUL after a good name", argument="inside.txt\0.png"),
    Escape(name="NUL before dots", argument="sub\0/../../outside/secret.txt"),
    Escape(name="long name", argument="a" * 256),
    Escape(name="long name in bytes", argument="é" * 200),
    Escape(name="long path", argument="a/" * 3000 + "b"),
    Escape(name="lone surrogate", argument="a\ud800b"),
    Escape(name="escaped byte", argument="a\udcffb"),
    # Links.
    Escape(name="link to a file", argument="out", build=_through("out", "{outside}/secret.txt")),
    Escape(name="relative link", argument="out", build=_through("out", "../outside/secret.txt")),
    Escape(name="link to a folder", argument="out", build=_through("out", "{outside}")),
    Escape(
        name="file behind a link", argument="out/secret.txt", build=_through("out", "{outside}")
    ),
    Escape(
        name="new file behind a link", argument="out/new.txt", build=_through("out", "{outside}")
    ),
    Escape(
        name="new folder behind a link", argument="out/a/b/c", build=_through("out", "{outside}")
    ),
    Escape(
        name="link deep down",
        argument="sub/deep/out/secret.txt",
        build=_through("sub/deep/out", "../../../outside"),
    ),
    Escape(
        name="up behind a link",
        argument="out/../secret.txt",
        build=_through("out", "{outside}/folder"),
    ),
    Escape(name="dangling link", argument="out", build=_through("out", "{outside}/nothing")),
    Escape(name="dangling folder", argument="out/x", build=_through("out", "{outside}/nothing")),
    Escape(name="chain of links", argument="one", build=_chain),
    Escape(name="long chain of links", argument="hop0/secret.txt", build=_long_chain),
    Escape(name="link to itself", argument="self", build=_through("self", "self")),
    Escape(name="below a link to itself", argument="self/x", build=_through("self", "self")),
    Escape(
        name="up from a link to itself",
        argument="self/../../outside/secret.txt",
        build=_through("self", "self"),
    ),
    Escape(name="links in a circle", argument="ping", build=_circle),
    Escape(name="below links in a circle", argument="ping/x/y", build=_circle),
    Escape(name="link to the parent", argument="up/outside/secret.txt", build=_through("up", "..")),
    Escape(name="link to the top", argument="top/etc/passwd", build=_through("top", "/")),
    Escape(
        name="link to proc root",
        argument="top/etc/passwd",
        build=_through("top", "/proc/self/root"),
    ),
    Escape(name="link to a device", argument="zero", build=_through("zero", "/dev/zero")),
    Escape(name="link to a descriptor", argument="fd", build=_through("fd", "/proc/self/fd/0")),
    Escape(name="link to the sibling", argument="s/secret.txt", build=_through("s", "{root}-evil")),
    Escape(
        name="link by a roundabout way",
        argument="round",
        build=_through("round", "{root}/sub/../../outside/secret.txt"),
    ),
    Escape(
        name="link with a hidden name",
        argument="a\u202eb\u200b/secret.txt",
        build=_through("a\u202eb\u200b", "{outside}"),
    ),
    Escape(
        name="link with a line feed",
        argument="a\nb",
        build=_through("a\nb", "{outside}/secret.txt"),
    ),
    # What is inside and is no file.
    Escape(name="named pipe", argument="pipe", build=_pipe),
    Escape(
        name="link to a named pipe",
        argument="link",
        build=_linked_pipe,
    ),
    Escape(name="socket", argument="sock", build=_socket),
    Escape(name="the folder itself", argument=".", tools=FILES),
    Escape(name="the folder by its path", argument="{root}", tools=FILES),
    Escape(name="a folder", argument="sub", tools=FILES),
    Escape(name="a folder with a slash", argument="sub/", tools=FILES),
    Escape(name="a new folder with a slash", argument="new/", tools=FILES),
    Escape(name="below a file", argument="inside.txt/x"),
    # What is inside and is not to be written.
    Escape(name="hook", argument=".git/hooks/pre-commit", tools=WRITES),
    Escape(name="new hook", argument=".git/hooks/post-merge", tools=WRITES),
    Escape(name="git's configuration", argument=".git/config", tools=WRITES),
    Escape(name="git's configuration by dots", argument="sub/../.git/./config", tools=WRITES),
    Escape(name="hook in capitals", argument=".GIT/hooks/pre-commit", tools=WRITES),
    Escape(name="hook with a joiner", argument=".g\u200cit/hooks/pre-commit", tools=WRITES),
    Escape(name="hook of a repository below", argument="sub/.git/hooks/x", tools=WRITES),
    Escape(name="a file in git's place", argument="sub/.git", tools=WRITES),
    Escape(
        name="hook behind a link",
        argument="h/pre-commit",
        build=_through("h", ".git/hooks"),
        tools=WRITES,
    ),
    Escape(name="our settings", argument=".longwatch/config.yaml", tools=WRITES),
    Escape(name="our own folder", argument="own/secret.txt", tools=WRITES),
    Escape(name="new in our own folder", argument="own/a/b", tools=WRITES),
    Escape(
        name="our own folder behind a link",
        argument="mine/secret.txt",
        build=_through("mine", "own"),
        tools=WRITES,
    ),
)
