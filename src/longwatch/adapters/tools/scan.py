"""Searches files for a pattern where ripgrep is absent; a program of its own, run by its path.

It runs apart so that a pattern that takes for ever can be ended. Its arguments: the largest size of
a file, the names to skip separated by slashes, the pattern, and a file's name or nothing for all
below the current folder. Each match is written as ripgrep does: PATH NUL LINE : TEXT.
"""

import os
import re
import stat
import sys
from collections.abc import Iterator

FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
INVALID = 2
DEEPEST = 200


def walk(folder: int, above: str, skipped: frozenset[str]) -> Iterator[tuple[int, str, str]]:
    """Regular files below: their folder, name and path, by name in each folder; links are left."""
    for name in sorted(set(os.listdir(folder)) - skipped, key=os.fsencode):
        try:
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if stat.S_ISREG(status.st_mode):
                yield folder, name, above + name
            elif stat.S_ISDIR(status.st_mode) and above.count("/") < DEEPEST:
                below = os.open(name, FLAGS | os.O_DIRECTORY, dir_fd=folder)
                try:
                    yield from walk(below, f"{above}{name}/", skipped)
                finally:
                    os.close(below)
        except OSError:
            # Gone meanwhile, or not for us to read: the rest is still worth searching.
            continue


def search(folder: int, name: str, path: str, pattern: re.Pattern[str], largest: int) -> None:
    """Write the lines of a file that match, unless it is binary or too large."""
    fd = os.open(name, FLAGS, dir_fd=folder)
    with open(fd, "rb") as file:  # noqa: PTH123 - pathlib is slow to import
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode) or status.st_size > largest:
            return
        data = file.read(largest)
    if b"\0" in data:
        return
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    out = sys.stdout.buffer
    for number, line in enumerate(lines, 1):
        if pattern.search(line.decode(errors="replace")):
            out.write(b"%s\0%d:%s\n" % (os.fsencode(path), number, line))
    out.flush()


def main(arguments: list[str]) -> int:
    largest, skipped, expression, only = arguments
    try:
        pattern = re.compile(expression)
    except (re.error, OverflowError, RecursionError) as error:
        sys.stderr.write(f"{error}\n")
        return INVALID
    here = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
    found = [(here, only, only)] if only else walk(here, "", frozenset(skipped.split("/")))
    for folder, name, path in found:
        try:
            search(folder, name, path, pattern, int(largest))
        except OSError:
            continue
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
