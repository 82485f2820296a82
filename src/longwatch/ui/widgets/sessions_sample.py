"""Sessions in every state, for the widgets that open alone."""

from longwatch.engine.storing import Summary
from longwatch.session.events import State

NOW = "2026-11-18T12:00:00.000Z"


def _sample(
    title: str, state: State, reason: str, done: tuple[int, int], since: str, parent: str = ""
) -> Summary:
    return Summary(
        session=title,
        title=title,
        state=state,
        reason=reason,
        done=done[0],
        total=done[1],
        created="2026-11-18T05:00:00.000Z",
        updated=since,
        since=since,
        parent=parent or None,
        input=120_000,
        cost=0.31,
    )


SAMPLE: tuple[Summary, ...] = (
    _sample("refactor-auth", "running", "", (3, 7), "2026-11-18T11:46:00.000Z"),
    _sample(
        "payments", "awaiting_approval", "approve: git push", (1, 4), "2026-11-18T11:58:00.000Z"
    ),
    _sample("docs", "idle", "blocked: token", (2, 3), "2026-11-18T11:00:00.000Z"),
    _sample("changelog", "dormant", "done", (5, 5), "2026-11-18T09:00:00.000Z"),
    _sample(
        "invoices",
        "waiting",
        "rate limited (next try at 12:01:10 UTC)",
        (0, 6),
        "2026-11-18T11:59:20.000Z",
    ),
    _sample("ask-me", "awaiting_human", "Which region?", (2, 9), "2026-11-18T11:51:00.000Z"),
    _sample("tests", "running", "", (8, 11), "2026-11-18T11:31:00.000Z", "refactor-auth"),
    _sample(
        "review", "awaiting_peer", "tests is at work", (0, 0), "2026-11-18T11:40:00.000Z", "tests"
    ),
    _sample(
        "migrate",
        "paused",
        "paused: resume or write to go on",
        (4, 12),
        "2026-11-17T20:00:00.000Z",
    ),
    _sample("nightly", "failed", "the key was refused (401)", (0, 3), "2026-11-18T06:00:00.000Z"),
    _sample("翻訳 リリースノート 🚀", "running", "", (12, 20), "2026-11-18T11:59:57.000Z"),
)
