"""Who serves and who watches the store as a whole."""

from longwatch.adapters.store.part import Part
from longwatch.adapters.store.process import is_gone
from longwatch.engine.storing import Owner, WorkerInfo

_WORKER = """
SELECT pid, started, boot, host, version, fingerprint, began, heartbeat, stopping FROM worker
"""
_WATCHED_SECONDS = 86400.0


class Workers(Part):
    def register_worker(self, info: WorkerInfo) -> bool:
        """Registering again is the worker's heartbeat; it takes back no request to stop.

        Of a worker on another host only its heartbeat tells; it is compared with the new one's.
        """
        owner = info.owner
        with self._database.in_passing() as cursor:
            present = _worker(list(cursor.execute(_WORKER)))
            stopping = info.stopping
            if present is not None and present.owner == owner:
                stopping = stopping or present.stopping
            elif present is not None and self._serves(present, owner, info.heartbeat):
                return False
            cursor.execute(
                "INSERT OR REPLACE INTO worker VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    *(owner.pid, owner.started, owner.boot, owner.host),
                    *(info.version, info.fingerprint, info.started, info.heartbeat, stopping),
                ),
            )
        return True

    def _serves(self, present: WorkerInfo, newcomer: Owner, now: float) -> bool:
        if present.owner.host != newcomer.host:
            return now - present.heartbeat <= self._lease_seconds
        return not is_gone(present.owner)

    def worker(self) -> WorkerInfo | None:
        """The registered worker, unless its process is known to be gone."""
        present = _worker(self._database.rows(_WORKER))
        return None if present is None or is_gone(present.owner) else present

    def stop_worker(self) -> None:
        with self._database.in_passing() as cursor:
            cursor.execute("UPDATE worker SET stopping = 1")

    def unregister_worker(self, owner: Owner) -> None:
        with self._database.in_passing() as cursor:
            present = _worker(list(cursor.execute(_WORKER)))
            if present is not None and present.owner == owner:
                cursor.execute("DELETE FROM worker")

    def seen(self, watcher: str, now: float) -> None:
        with self._database.in_passing() as cursor:
            cursor.execute("INSERT OR REPLACE INTO watchers VALUES (?, ?)", (watcher, now))
            cursor.execute("DELETE FROM watchers WHERE at < ?", (now - _WATCHED_SECONDS,))

    def last_seen(self) -> float:
        """0 if nobody ever looked."""
        latest: float | None = self._database.rows("SELECT max(at) FROM watchers")[0][0]
        return latest or 0.0


def _worker(rows: list[tuple[int, str, str, str, str, str, str, float, int]]) -> WorkerInfo | None:
    for pid, started, boot, host, version, fingerprint, began, heartbeat, stopping in rows:
        return WorkerInfo(
            owner=Owner(pid=pid, started=started, boot=boot, host=host),
            version=version,
            fingerprint=fingerprint,
            started=began,
            heartbeat=heartbeat,
            stopping=bool(stopping),
        )
    return None
