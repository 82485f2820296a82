"""Where a path really leads, and opening it without ever leaving the session's folder.

A path is resolved first, and opened after that part by part without following links: what was
a plain folder when it was resolved and has become a link since is refused, not followed.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from pathlib import Path

import msgspec

from longwatch.engine.ports import Place, ToolRefused
from longwatch.engine.visible import visible_line

LONGEST_NAME = 255
LONGEST_PATH = 4095
SHOWN = 200

# What is in there is made up by the kernel: reading it can block, and links in it lead anywhere.
KERNEL_FOLDERS = ("/proc", "/sys", "/dev")

# Writing here makes somebody else's program run, or changes what Longwatch itself may do.
GUARDED_NAMES = {
    ".git": "Git's own files are not written by this tool; use git commands.",
    ".longwatch": "Longwatch's own settings are not written by tools.",
}

FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class Spot(msgspec.Struct, frozen=True):
    """A place under the root; no part of it was a link when it was resolved."""

    root: str
    parts: tuple[str, ...]

    @property
    def path(self) -> str:
        return str(Path(self.root, *self.parts))

    @property
    def parent(self) -> "Spot":
        return Spot(self.root, self.parts[:-1])

    @property
    def name(self) -> str:
        return self.parts[-1] if self.parts else "."

    @property
    def relative(self) -> str:
        return "/".join(self.parts) or "."

    @property
    def shown(self) -> str:
        return visible_line(self.relative, SHOWN)


def root_of(place: Place) -> str:
    """The real path of the session's folder."""
    root = os.path.realpath(place.root)
    if not Path(root).is_dir():
        raise ToolRefused(f"The session's folder {visible_line(root)} is not there.")
    return root


def resolve(raw: str, place: Place) -> Spot:
    """Where the path leads; refused if that is not under the session's folder."""
    _check_spelling(raw)
    root = root_of(place)
    try:
        real = os.path.realpath(Path(root, raw))
    except OSError as error:
        raise ToolRefused(f"{_said(raw)} cannot be followed: {_words(error)}.") from error
    if not is_under(real, root):
        raise ToolRefused(_why_outside(raw, root))
    for folder in KERNEL_FOLDERS:
        if is_under(real, folder) and not is_under(root, folder):
            raise ToolRefused(f"{_said(raw)} leads into {folder}, where tools do not look.")
    inside = real[len(root) :].strip("/")
    return Spot(root, tuple(inside.split("/")) if inside else ())


def resolve_file(raw: str, place: Place) -> Spot:
    """The same for a path that must name a file."""
    spot = resolve(raw, place)
    if not spot.parts or raw.endswith(("/", "/.", "/..")):
        raise ToolRefused(f"{_said(raw)} names a folder; give the path of a file.")
    return spot


def is_under(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def is_protected(spot: Spot, place: Place) -> bool:
    """Whether it lies in one of the folders that the place protects."""
    guarded = [os.path.realpath(path) for path in place.protected]
    if any(is_under(spot.path, path) for path in guarded):
        return True
    # The same folder may have a second spelling (case, composition, a bind mount).
    identities = {_identity(path) for path in guarded} - {None}
    ancestors = (Spot(spot.root, spot.parts[:n]) for n in range(len(spot.parts) + 1))
    return bool(identities) and any(_identity(one.path) in identities for one in ancestors)


def check_writable(spot: Spot, place: Place) -> None:
    """Refuse what no write tool may touch, whoever approves it."""
    for part in spot.parts:
        # Some file systems ignore case and invisible characters in names.
        plain = "".join(filter(str.isprintable, part)).casefold()
        if plain in GUARDED_NAMES:
            raise ToolRefused(f"{spot.shown} is protected. {GUARDED_NAMES[plain]}")
    if is_protected(spot, place):
        raise ToolRefused(f"{spot.shown} is protected: it belongs to Longwatch itself.")


@contextmanager
def told(spot: Spot) -> Iterator[None]:
    """Turn what the system answers into a refusal that a model can act on."""
    try:
        yield
    except FileNotFoundError as error:
        raise ToolRefused(f"There is no {spot.shown}.{_nearest(spot)}") from error
    except OSError as error:
        raise ToolRefused(f"{spot.shown}: {_words(error)}.") from error


def open_folder(spot: Spot, *, make: bool = False) -> int:
    """A descriptor of the folder, reached part by part without following links."""
    fd = os.open(spot.root, FOLDER_FLAGS)
    try:
        for part in spot.parts:
            below = _enter(fd, part, make)
            os.close(fd)
            fd = below
    except BaseException:
        os.close(fd)
        raise
    return fd


def open_file(spot: Spot) -> int:
    """A descriptor of a regular file, for reading; anything else is refused unopened."""
    folder = open_folder(spot.parent)
    try:
        return open_file_in(folder, spot)
    finally:
        os.close(folder)


def open_file_in(folder: int, spot: Spot) -> int:
    """The same with the spot's folder already open."""
    _check_regular(os.stat(spot.name, dir_fd=folder, follow_symlinks=False), spot)
    fd = os.open(spot.name, FILE_FLAGS, dir_fd=folder)
    try:
        _check_regular(os.fstat(fd), spot)
    except BaseException:
        os.close(fd)
        raise
    return fd


def sync_folder(folder: int) -> None:
    """Make its names durable. They are there already, and not every file system can do this."""
    with suppress(OSError):
        os.fsync(folder)


def kind_of(status: os.stat_result) -> str:
    """What it is, in a word, if it is not a regular file."""
    kinds = {
        stat.S_IFDIR: "a folder",
        stat.S_IFLNK: "a symbolic link",
        stat.S_IFIFO: "a named pipe",
        stat.S_IFSOCK: "a socket",
        stat.S_IFCHR: "a device",
        stat.S_IFBLK: "a device",
    }
    return kinds.get(stat.S_IFMT(status.st_mode), "no regular file")


def _check_spelling(raw: str) -> None:
    if not raw or raw.isspace():
        raise ToolRefused("The path is empty; give one relative to the session's folder.")
    if "\0" in raw:
        raise ToolRefused(f"{_said(raw)} holds a NUL character, which no path can.")
    try:
        encoded = raw.encode()
    except UnicodeEncodeError:
        raise ToolRefused(f"{_said(raw)} is not valid Unicode.") from None
    if raw.startswith("~"):
        raise ToolRefused(
            f"{_said(raw)}: ~ is not expanded, and homes are outside the session's folder. "
            "A name that begins with ~ can be given as ./~name."
        )
    if len(encoded) > LONGEST_PATH or any(len(part) > LONGEST_NAME for part in encoded.split(b"/")):
        raise ToolRefused(f"{_said(raw)} is too long for a path.")


def _said(raw: str) -> str:
    return f"'{visible_line(raw, SHOWN)}'"


def _why_outside(raw: str, root: str) -> str:
    spelled = os.path.normpath(Path(root, raw))
    through = " through a symbolic link" if is_under(spelled, root) else ""
    return (
        f"{_said(raw)} leads{through} outside the session's folder {visible_line(root)}. "
        "Only paths inside it can be used."
    )


def _identity(path: str) -> tuple[int, int] | None:
    try:
        status = Path(path).lstat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _enter(folder: int, part: str, make: bool) -> int:
    flags = FOLDER_FLAGS | os.O_NOFOLLOW
    try:
        return os.open(part, flags, dir_fd=folder)
    except FileNotFoundError:
        if not make:
            raise
    with suppress(FileExistsError):
        os.mkdir(part, dir_fd=folder)
    sync_folder(folder)
    return os.open(part, flags, dir_fd=folder)


def _check_regular(status: os.stat_result, spot: Spot) -> None:
    if not stat.S_ISREG(status.st_mode):
        hint = " Use list_files for it." if stat.S_ISDIR(status.st_mode) else ""
        raise ToolRefused(f"{spot.shown} is {kind_of(status)}, not a file.{hint}")


def _words(error: OSError) -> str:
    if error.errno == errno.ELOOP:
        return "a symbolic link in it runs in a circle, or was put there just now"
    if error.errno == errno.ENOTDIR:
        return "a part of the path is not a folder"
    return error.strerror or str(error)


def _nearest(spot: Spot) -> str:
    """A name like the missing one, from the same folder."""
    try:
        folder = open_folder(spot.parent)
    except OSError:
        return " Its folder does not exist either." if spot.parts else ""
    try:
        names = os.listdir(folder)[:5000]  # noqa: PTH208 - of a descriptor
    except OSError:
        return ""
    finally:
        os.close(folder)
    close = get_close_matches(spot.name, names, n=1)
    if not close:
        return ""
    near = Spot(spot.root, (*spot.parent.parts, close[0]))
    return f" Did you mean {near.shown}?"
