"""The environment that a command gets: what programs need to work, and no secrets."""

from collections.abc import Mapping

KEPT = (
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_ADDRESS",
    "LC_COLLATE",
    "LC_CTYPE",
    "LC_IDENTIFICATION",
    "LC_MEASUREMENT",
    "LC_MESSAGES",
    "LC_MONETARY",
    "LC_NAME",
    "LC_NUMERIC",
    "LC_PAPER",
    "LC_TELEPHONE",
    "LC_TIME",
    "TZ",
    "TMPDIR",
)
SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# Nobody is there to page or to look at colours.
FIXED = {"TERM": "dumb", "PAGER": "cat", "NO_COLOR": "1"}


def minimal(environ: Mapping[str, str]) -> dict[str, str]:
    """What a command may know of the environment; names are listed, so that a new one is out."""
    kept = {name: environ[name] for name in KEPT if name in environ}
    return {"PATH": SYSTEM_PATH, "LANG": "C.UTF-8", **kept, **FIXED}
