"""A session and all that descend from it: who they are, and which of them have something to do."""

from collections.abc import Collection, Sequence

from longwatch.engine.storing import Readable, Summary


def descent(root: str, summaries: Sequence[Summary]) -> list[Summary]:
    """The session and its descendants, each after its parent."""
    children: dict[str | None, list[Summary]] = {}
    for summary in summaries:
        children.setdefault(summary.parent, []).append(summary)
    found = [summary for summary in summaries if summary.session == root]
    for member in found:
        found.extend(children.get(member.session, ()))
    return found


def wanting(store: Readable, root: str, put_off: Collection[str]) -> list[str]:
    """Who was asked something, and which child was left in the middle of something."""
    asked = {posted.session for posted in store.unanswered() if posted.id not in put_off}
    return [
        one.session
        for one in descent(root, store.summaries())
        if one.session in asked or (one.session != root and one.state in ("running", "waiting"))
    ]
