"""How the dashboard says small things: ages, durations, tokens, costs, states, calls."""

from datetime import datetime, timedelta, tzinfo
from pathlib import PurePath

from rich.cells import cell_len, chop_cells, set_cell_size

from longwatch.engine.visible import printable
from longwatch.session.events import Arguments, State

STATE_MARKS: dict[State, str] = {
    "running": "▶",
    "waiting": "⏳",
    "awaiting_approval": "?",
    "awaiting_human": "?",
    "awaiting_peer": "⇄",
    "paused": "‖",
    "idle": "◐",
    "dormant": "○",
    "failed": "✗",
}
NEEDS_PERSON: frozenset[State] = frozenset({"awaiting_approval", "awaiting_human", "failed"})
"""States that last until a person does something."""

LONGEST_LINE = 4_096
"""Characters of a line that are shown."""

_STANDING: dict[State, tuple[str, str]] = {
    "running": ("", "running"),
    "waiting": ("", "waiting for the provider"),
    "awaiting_approval": ("approve", "needs your approval"),
    "awaiting_human": ("asks", "asks you"),
    "awaiting_peer": ("", "waits for another session"),
    "paused": ("paused", "paused"),
    "idle": ("", "stopped"),
    "dormant": ("", "at rest"),
    "failed": ("failed", "failed"),
}
"""By state: the word that its reason must begin with, and what is said without a reason."""


# --- time -----------------------------------------------------------------------------------


def seconds_between(since: str, now: str) -> float:
    """From one event's time to another; 0 where either is missing or they run backwards."""
    if not since or not now:
        return 0.0
    elapsed = datetime.fromisoformat(now) - datetime.fromisoformat(since)
    return max(0.0, elapsed.total_seconds())


def later(at: str, seconds: float) -> str:
    """The event time that many seconds after another."""
    moment = datetime.fromisoformat(at) + timedelta(seconds=seconds)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def kick_time(due: str, now: str, zone: tzinfo | None = None) -> str:
    """When a schedule wakes a session, in the person's own time: ◷ 09:00, ◷ Mon 09:00."""
    then = datetime.fromisoformat(due).astimezone(zone)
    seconds = seconds_between(now, due)
    if seconds < 86_400:
        return f"◷ {then:%H:%M}"
    return f"◷ {then:%a %H:%M}" if seconds < 7 * 86_400 else f"◷ {then:%Y-%m-%d}"


def age(seconds: float) -> str:
    """How long ago, in the one unit that matters: 40s, 14m, 3h, 2d, 5w."""
    for size, unit in ((604_800, "w"), (86_400, "d"), (3_600, "h"), (60, "m")):
        # Up to two weeks are counted in days: "9d" says more than "1w".
        if seconds >= (2 * size if unit == "w" else size):
            return f"{int(seconds // size)}{unit}"
    return f"{int(seconds)}s"


def duration(seconds: float) -> str:
    """A running clock: 0:03, 14:02, 1:14:02."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


# --- amounts --------------------------------------------------------------------------------


def tokens(count: int) -> str:
    """A count in at most four characters: 950, 1.2k, 312k, 1.4M."""
    for size, unit in ((1_000_000, "M"), (1_000, "k")):
        # What would round to 1000 of a unit is said in the next one.
        if count >= size * 0.9995:
            amount = count / size
            return f"{amount:.1f}{unit}" if round(amount, 1) < 10 else f"{round(amount)}{unit}"
    return str(count)


def cost(amount: float, unpriced: int = 0) -> str:
    """Dollars; what is unknown is ``?``, never zero."""
    if unpriced and not amount:
        return "?"
    small = 0 < amount < 0.005
    return ("<$0.01" if small else f"${amount:,.2f}") + ("+?" if unpriced else "")


def share(part: int, whole: int) -> str:
    """A percentage, never above 100."""
    return f"{min(100, round(100 * part / whole))}%"


# --- states and calls -----------------------------------------------------------------------


def standing(state: State, reason: str) -> str:
    """Why a session rests or waits, with the word that says what it is."""
    word, without = _STANDING[state]
    if not reason:
        return without
    return reason if reason.startswith(word) else f"{word}: {reason}"


def subject(arguments: Arguments) -> str:
    """What a call is about, in one line."""
    if isinstance(arguments, str):
        return one_line(arguments)
    for name in ("command", "path", "pattern", "query", "question", "task", "title", "text"):
        value = arguments.get(name)
        if isinstance(value, str) and value.strip():
            return one_line(value)
    return ""


def homely(folder: str, home: str) -> str:
    """A folder as a person writes it, with ~ for home."""
    path = PurePath(folder)
    if home and path.is_relative_to(home):
        inside = path.relative_to(home).as_posix()
        return "~" if inside == "." else f"~/{inside}"
    return folder


# --- lines ----------------------------------------------------------------------------------


def one_line(text: str) -> str:
    """The first line that says anything, safe for a screen."""
    start = text.lstrip()[: LONGEST_LINE + 1]
    line = start.split("\n", 1)[0].rstrip().replace("\t", " ")
    return printable(line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE] + "…")


def cut(text: str, width: int) -> str:
    """At most this many cells, an ellipsis for what is left out."""
    if cell_len(text) <= width:
        return text
    if width <= 1:
        return "…"[:width]
    return chop_cells(text, width - 1)[0].rstrip() + "…"


def cut_start(text: str, width: int) -> str:
    """At most this many cells, of the end: a path's last part says most."""
    if cell_len(text) <= width:
        return text
    while text and cell_len(text) > width - 1:
        text = text[1:]
    return ("…" + text)[: max(0, width)]


def fill(text: str, width: int) -> str:
    """Exactly this many cells."""
    return set_cell_size(cut(text, width), max(0, width))
