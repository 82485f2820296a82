"""What is said when the dashboard itself fails: what was kept, where to look, what to do."""

import logging
import traceback
from pathlib import PurePath

from rich.text import Text

from longwatch.engine.visible import visible_line

LONGEST = 200

log = logging.getLogger(__name__)


def crash_text(error: BaseException, log_file: str) -> Text:
    """A few lines for a terminal; never a local variable, which may hold a key."""
    said = visible_line(str(error), LONGEST)
    what = type(error).__name__ + (f": {said}" if said else "")
    text = Text()
    text.append("The dashboard has stopped because of an error in it.\n", "bold")
    text.append(f"  {what}\n")
    if place := where(error):
        text.append(f"  at {place}\n")
    text.append("Nothing is lost: the sessions are in the store, and those that run go on.\n")
    text.append("To go on:        longwatch\n")
    text.append(f"To look into it: {visible_line(log_file) or 'longwatch doctor'}\n")
    return text


def where(error: BaseException) -> str:
    """The last line of ours that the error came through."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "longwatch" in PurePath(frame.filename).parts]
    last = (ours or frames)[-1:]
    return "".join(f"{PurePath(one.filename).name}:{one.lineno} in {one.name}" for one in last)


def record(error: BaseException) -> None:
    """The whole traceback goes to the log, without local variables."""
    log.error("the dashboard failed", exc_info=error)
