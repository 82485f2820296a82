"""Which session is meant: an id, a unique prefix of one, a name, or the latest of a folder."""

from pathlib import Path

from longwatch.commands.failure import CommandFailed
from longwatch.engine.storing import Readable, Summary


def chosen(store: Readable, name: str) -> str:
    """The one session of that name; says what there is if it is none or several."""
    found = store.find(name)
    if len(found) == 1:
        return found[0]
    if found:
        listed = "\n".join(f"  {_described(store, session)}" for session in found[:20])
        raise CommandFailed(f"{name!r} names {len(found)} sessions; use an id:\n{listed}")
    raise CommandFailed(f"There is no session {name!r}. `longwatch sessions` lists them.")


def latest_of(store: Readable, folder: Path) -> str:
    """The session of a folder whose newest event is the latest; no child, none archived."""
    here = [
        summary
        for summary in store.summaries()
        if summary.cwd == str(folder) and summary.parent is None and not summary.archived
    ]
    if not here:
        raise CommandFailed(f"No session was started in {folder}. `longwatch run TASK` starts one.")
    return max(here, key=lambda summary: summary.updated).session


def _described(store: Readable, session: str) -> str:
    summary = store.summary(session) or Summary(session=session)
    return f"{session}  {summary.title}  ({summary.state})"
