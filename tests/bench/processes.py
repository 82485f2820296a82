"""What processes cost: CPU seconds and resident memory of a tree, from /proc."""

import os
from pathlib import Path

PROC = Path("/proc")
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


def children(pid: int) -> list[int]:
    """The processes that one started and that still live, theirs too."""
    found: list[int] = []
    try:
        for listed in (PROC / str(pid) / "task").glob("*/children"):
            for child in map(int, listed.read_text().split()):
                found.extend([child, *children(child)])
    except OSError:
        return found
    return found


def cpu(pid: int) -> float:
    """User and system seconds of one process and of its children that have ended."""
    try:
        text = (PROC / str(pid) / "stat").read_text()
    except OSError:
        return 0.0
    fields = text.rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / TICKS


def tree_cpu(pid: int) -> float:
    return sum(map(cpu, [pid, *children(pid)]))


def resident(pid: int) -> float:
    """Megabytes of one process."""
    try:
        return int((PROC / str(pid) / "statm").read_text().split()[1]) * PAGE / 1e6
    except OSError:
        return 0.0


def shape() -> str:
    """The machine in a few words."""
    names = (PROC / "cpuinfo").read_text().splitlines()
    model = next((n.partition(":")[2].strip() for n in names if n.startswith("model name")), "?")
    total = (PROC / "meminfo").read_text().split()[1]
    return (
        f"{os.cpu_count()} cores ({model}), {int(total) / 1e6:.0f} GB, Linux {os.uname().release}"
    )
