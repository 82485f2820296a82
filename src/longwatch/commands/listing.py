"""`sessions` and `show`: what there is, and one of it whole."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from longwatch.commands.choosing import chosen
from longwatch.discipline import extra
from longwatch.engine.opening import state_of
from longwatch.engine.storing import Hit, Readable, Store, Summary
from longwatch.engine.visible import printable
from longwatch.headless import STATE_MARKS, checklist_lines
from longwatch.session import SessionState

NO_SESSIONS = "No sessions yet: `longwatch run TASK` starts one."


def sessions(store: Store, *, as_json: bool, search: str | None) -> Iterator[str]:
    """The lines of `longwatch sessions`."""
    hits = store.search_each(search) if search else None
    listed = [
        s for s in store.summaries() if not s.temporary and (hits is None or s.session in hits)
    ]
    if as_json:
        yield json.dumps([_as_json(summary, hits) for summary in listed], ensure_ascii=False)
        return
    if not listed:
        yield "Nothing found." if search else NO_SESSIONS
    for summary in listed:
        yield _line(summary)
        for hit in hits[summary.session] if hits is not None else ():
            yield f"      {hit.at[:16].replace('T', ' ')}  {_snippet(hit)}"


def show(store: Readable, name: str, *, as_json: bool) -> Iterator[str]:
    """The lines of `longwatch show`."""
    session = chosen(store, name)
    state, summary = state_of(store, session), store.summary(session)
    assert summary is not None
    if as_json:
        yield json.dumps(_details(state, summary), ensure_ascii=False)
        return
    yield _line(summary)
    profile = state.profile
    spent = f"{state.spent.input} in, {state.spent.output} out, {cost_text(summary)}"
    facts = {
        "folder": profile.cwd,
        "model": profile.model,
        "dialect": profile.dialect,
        "agent": profile.agent,
        "role": profile.role,
        "wakes": state.activation.wakes,
        "tokens": spent,
        "events": state.seq,
    }
    for label, value in facts.items():
        if value is not None:
            yield printable(f"  {label:8} {value}")
    yield from checklist_lines(state.checklist)


def _details(state: SessionState, summary: Summary) -> dict[str, Any]:
    details: dict[str, Any] = msgspec.to_builtins(summary)
    checklist = state.checklist
    details["checklist"] = {
        "goal": checklist.goal,
        "items": [msgspec.to_builtins(item) for item in checklist],
        "revision": checklist.revision,
    }
    details["settings"] = state.profile.settings
    details["wakes"] = state.activation.wakes
    details["extra"] = extra(state)
    return details


def _as_json(summary: Summary, hits: Mapping[str, Sequence[Hit]] | None) -> dict[str, Any]:
    row: dict[str, Any] = msgspec.to_builtins(summary)
    if hits is not None:
        row["found"] = [
            {"seq": hit.seq, "at": hit.at, "snippet": _snippet(hit)}
            for hit in hits[summary.session]
        ]
    return row


def _snippet(hit: Hit) -> str:
    return printable(hit.snippet.replace("\x02", "").replace("\x03", "").replace("\n", " "))


def _line(summary: Summary) -> str:
    mark = STATE_MARKS[summary.state]
    count = f"{summary.done}/{summary.total}" if summary.total else ""
    reason = f"  {summary.reason}" if summary.reason else ""
    folder = Path(summary.cwd).name or "/"
    text = (
        f"{mark} {summary.session}  {summary.title[:40]:40}  {count:>6}  "
        f"{summary.state:17}  {age(summary.updated):>4}  {folder}{reason}"
    )
    return printable(text).rstrip()


def age(at: str) -> str:
    """How long ago, in one short word."""
    seconds = max(0, int((datetime.now(UTC) - datetime.fromisoformat(at)).total_seconds()))
    for size, unit in ((86400, "d"), (3600, "h"), (60, "m")):
        if seconds >= size:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


def cost_text(summary: Summary) -> str:
    """Money, honest about what is unknown."""
    if summary.unpriced and not summary.cost:
        return "?"
    return f"${summary.cost:.2f}" + ("+?" if summary.unpriced else "")
