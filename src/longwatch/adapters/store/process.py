"""Telling one process from every other: who this one is, and whether another still runs."""

import os
import socket
import subprocess
from pathlib import Path

from longwatch.engine.storing import Owner

_PROC = Path("/proc")
_FIRST_PID_NAMESPACE = "pid:[4026531836]"


def this_process() -> Owner:
    pid = os.getpid()
    return Owner(pid=pid, started=_started(pid) or "", boot=_boot(), host=_host())


def is_gone(owner: Owner) -> bool:
    """Whether that process certainly runs no more. Of another host, nothing is certain."""
    if owner.host != _host():
        return False
    return owner.boot != _boot() or _started(owner.pid) != owner.started


def _host() -> str:
    """The host's name; in a container also its pid namespace, as pids mean nothing outside."""
    name = socket.gethostname()
    try:
        namespace = str((_PROC / "self/ns/pid").readlink())
    except OSError:
        return name
    return name if namespace == _FIRST_PID_NAMESPACE else f"{name}/{namespace}"


def _boot() -> str:
    try:
        return (_PROC / "sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return _said("/usr/sbin/sysctl", "-n", "kern.bootsessionuuid")


def _started(pid: int) -> str | None:
    """When a process began, in words that compare equal; None if there is none that runs."""
    if (_PROC / "self/stat").exists():
        return _started_by_proc(pid)
    return _started_by_ps(pid)


def _started_by_proc(pid: int) -> str | None:
    try:
        return _start_in((_PROC / str(pid) / "stat").read_text(errors="replace"))
    except OSError:
        return None


def _start_in(line: str) -> str | None:
    """Field 22 of a process's status line, unless it is dead and only not collected yet."""
    # The second field is the program's name in brackets and may hold anything, also brackets.
    state, *fields = line.rpartition(")")[2].split()
    return None if state in {"Z", "X"} else fields[18]


def _started_by_ps(pid: int) -> str | None:
    state, _, began = _said("/bin/ps", "-o", "stat=,lstart=", "-p", str(pid)).partition(" ")
    return None if state[:1] in {"", "Z"} else " ".join(began.split())


def _said(*command: str) -> str:
    """What a program of the system prints; nothing if it fails or is missing."""
    try:
        done = subprocess.run(  # noqa: S603 - the commands are constants
            command, capture_output=True, text=True, check=False, env={"LC_ALL": "C", "TZ": "UTC"}
        )
    except OSError:
        return ""
    return done.stdout.strip()
