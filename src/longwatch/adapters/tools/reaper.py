"""Runs one command and ends all that it started; a program of its own, run by its path.

It imports little, because every call of the shell waits for it to start. Its arguments: the control
socket, the folder's descriptor, ``tree`` or ``group``, seconds of grace, and the command. On the
socket it says ``started PID`` and then ``ended CODE SIGNAL LEFT STUCK``, or ``failed ERRNO``. When
the other end of the socket closes, for whatever reason, the command is ended.
"""

import os
import select
import signal
import sys
import time
from collections.abc import Callable

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36

# What a command leaves behind may finish by itself this long, then end by itself when told to.
LINGER = 0.2
LEAVE = 0.5
# Killing takes no time; what is still there after this belongs to somebody else.
KILLING = 2.5


class Brood:
    """The command and everything that came of it."""

    def __init__(self, leader: int, control: int, wake: int, whole_tree: bool) -> None:
        self.leader = leader
        self.control = control
        self.wake = wake
        self.whole_tree = whole_tree
        self.status: int | None = None
        self.childless = False
        self.killed = False

    def watch(self) -> bool:
        """Wait until the command ends or is to be ended; whether it ended by itself."""
        poll = select.poll()
        poll.register(self.control, select.POLLIN)
        poll.register(self.wake, select.POLLIN)
        while True:
            self.reap()
            if self.status is not None:
                return True
            for fd, _ in poll.poll():
                if fd == self.control:
                    return False
                os.read(self.wake, 512)

    def reap(self) -> None:
        """Collect whoever has ended, adopted ones too."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                self.childless = True
                return
            if pid == 0:
                return
            if pid == self.leader:
                self.status = status

    def gone(self) -> bool:
        """Whether nobody is left.

        A subreaper without a child has no descendant either. A group that was killed may still be
        seen, until somebody else collects its members.
        """
        self.reap()
        return self.childless and (self.whole_tree or self.killed or not self._group_alive())

    def count(self) -> int:
        return len(descendants(os.getpid())) if self.whole_tree else int(self._group_alive())

    def send(self, number: int) -> None:
        if self.whole_tree:
            for pid in descendants(os.getpid()):
                _send(os.kill, pid, number)
        else:
            _send(os.killpg, self.leader, number)

    def wait(self, seconds: float) -> bool:
        """Wait for all to go; whether they have."""
        deadline = time.monotonic() + seconds
        while not self.gone():
            rest = deadline - time.monotonic()
            if rest <= 0:
                return False
            # Only a child's end wakes us, and members of a group need not be our children.
            self._sleep(rest if self.whole_tree else min(rest, 0.02))
        return True

    def kill(self) -> int:
        """Kill until nobody is left; how many would not go."""
        deadline = time.monotonic() + KILLING
        while not self.gone():
            if time.monotonic() > deadline:
                return max(1, self.count())
            self.send(signal.SIGKILL)
            self.killed = True
            self._sleep(0.02)
        return 0

    def _sleep(self, seconds: float) -> None:
        if select.select([self.wake], [], [], seconds)[0]:
            os.read(self.wake, 512)

    def _group_alive(self) -> bool:
        try:
            os.killpg(self.leader, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            return True
        return True


def _send(how: Callable[[int, int], None], pid: int, number: int) -> None:
    try:
        how(pid, number)
    except (ProcessLookupError, PermissionError):
        return


def descendants(ancestor: int) -> list[int]:
    """Everyone below a process, from one look at the process table."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):  # noqa: PTH208 - pathlib is slow to import
        if name.isdigit():
            children.setdefault(_parent_of(name), []).append(int(name))
    found = list(children.get(ancestor, ()))
    for pid in found:
        found.extend(children.get(pid, ()))
    return found


def _parent_of(pid: str) -> int:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123 - pathlib is slow to import
            stat = file.read()
    except OSError:
        return 0
    # The name in parentheses may itself hold parentheses and spaces.
    state, parent = stat[stat.rindex(b")") + 2 :].split()[:2]
    return 0 if state == b"Z" else int(parent)


def _prctl(option: int, value: int) -> None:
    import ctypes  # noqa: PLC0415 - not there, and not needed, on every system

    ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _become(command: list[str], folder: int, control: int, whole_tree: bool) -> None:
    """In the child: turn into the command, or say why not."""
    parent = os.getppid()
    try:
        os.setsid()
        if whole_tree:
            _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != parent:
                os._exit(127)
        os.fchdir(folder)
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        os.execv(command[0], command)  # noqa: S606 - running what it is given is its purpose
    except OSError as error:
        os.write(control, b"failed %d\n" % (error.errno or 0))
    finally:
        os._exit(127)


def _start(command: list[str], folder: int, control: int, whole_tree: bool) -> Brood:
    wake, woken = os.pipe()
    for end in (wake, woken):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    for fd in (folder, control):
        os.set_inheritable(fd, False)
    if whole_tree:
        _prctl(PR_SET_CHILD_SUBREAPER, 1)
    leader = os.fork()
    if leader == 0:
        _become(command, folder, control, whole_tree)
    # The output must reach its end when the command's last process has closed it.
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in (1, 2):
        os.dup2(nothing, fd)
    _say(control, b"started %d\n" % leader)
    return Brood(leader, control, wake, whole_tree)


def _say(control: int, line: bytes) -> None:
    try:
        os.write(control, line)
    except OSError:  # Nobody listens any more; the work is the same.
        return


def main(arguments: list[str]) -> None:
    """Run, watch, clear up, report."""
    control, folder = int(arguments[0]), int(arguments[1])
    brood = _start(arguments[4:], folder, control, arguments[2] == "tree")
    left = 0
    if brood.watch():
        if not brood.wait(LINGER):
            left = brood.count()
            brood.send(signal.SIGTERM)
            brood.wait(LEAVE)
    else:
        brood.send(signal.SIGTERM)
        brood.wait(float(arguments[3]))
    stuck = brood.kill()
    status = brood.status or 0
    code = os.waitstatus_to_exitcode(status)
    _say(control, b"ended %d %d %d %d\n" % (max(code, 0), max(-code, 0), left, stuck))


if __name__ == "__main__":
    main(sys.argv[1:])
    os._exit(0)
