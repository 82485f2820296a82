"""`longwatch demo`: the dashboard on a scratch folder and store, with rehearsals at work."""

import os
import tempfile
import time
from pathlib import Path

from longwatch.adapters.store.process import is_gone
from longwatch.dashboard import Desk, open_dashboard
from longwatch.ui.services import NewSession
from longwatch.wiring import Wiring

SESSIONS = (
    ("notes", "Sort my notes into topics and write an index.", "todowrite"),
    ("release", "Write the release notes for 1.2 and publish them.", "longwatch"),
    ("tour", "Build a small to-do program with tests and a README.", "longwatch"),
)
"""Rehearsals, tasks and dialects; the last one is shown first."""
PACE = 0.25
"""How fast a rehearsal is played so that a person can follow."""
LONGEST_WAIT = 5.0
"""Seconds that a worker has for what it is in the middle of."""
CONFIGURATION = """\
# Writes are allowed and commands ask, so that the demo comes to one question.
approval: edits
"""


def play(speed: float) -> int:
    """Everything happens in a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="longwatch-demo-") as scratch:
        wiring = _wiring(Path(scratch), speed)
        wiring.places.config.mkdir()
        wiring.places.config_file.write_text(CONFIGURATION)
        shown = ""
        for rehearsal, task, dialect in SESSIONS:
            folder = Path(scratch) / rehearsal
            folder.mkdir()
            desk = Desk(wiring, str(folder))
            model = f"rehearsal:{rehearsal}"
            shown = desk.start(NewSession(task=task, cwd=str(folder), model=model, dialect=dialect))
        try:
            return open_dashboard(wiring, Path(scratch) / SESSIONS[-1][0], shown)
        finally:
            _end_worker(wiring)


def _wiring(scratch: Path, speed: float) -> Wiring:
    own = {
        "LONGWATCH_CONFIG_DIR": str(scratch / "config"),
        "LONGWATCH_DATA_DIR": str(scratch / "data"),
        "LONGWATCH_SPEED": str(speed * PACE),
        "LONGWATCH_LINGER": "10",
    }
    environ = {name: value for name, value in os.environ.items() if not _is_ours(name)}
    return Wiring(environ={**environ, **own})


def _is_ours(name: str) -> bool:
    """A person's own settings and keys have no place in a demo."""
    return name.startswith("LONGWATCH_") or name.endswith("_API_KEY")


def _end_worker(wiring: Wiring) -> None:
    """Ask the worker to stop and wait for it: what it still writes must not outlive the folder."""
    store = Wiring(environ=wiring.environ).store
    worker, end = store.worker(), wiring.clock.monotonic() + LONGEST_WAIT
    store.stop_worker()
    store.close()
    while worker is not None and not is_gone(worker.owner) and wiring.clock.monotonic() < end:
        time.sleep(0.02)
