"""Who works on a session: one process at a time, known by an epoch that only grows."""

from collections.abc import Sequence

from longwatch.adapters.store.part import Part
from longwatch.adapters.store.process import is_gone
from longwatch.adapters.store.search import catch_up
from longwatch.engine.storing import Lease, LeaseHeld, Owner

_HOLDER = "SELECT heartbeat, pid, started, boot, host FROM leases WHERE session = ? AND held"
_LAST = "SELECT pid, started, boot, host FROM leases WHERE session = ?"


class Leases(Part):
    def acquire(self, session: str, owner: Owner, now: float) -> Lease:
        with self._database.durably() as cursor:
            holder = self._living(list(cursor.execute(_HOLDER, (session,))), now)
            if holder is not None:
                where = "" if holder.host == owner.host else f" on {holder.host}"
                raise LeaseHeld(
                    f"Process {holder.pid}{where} is working on session {session}.", holder
                )
            # One counter serves all sessions, so that an epoch never comes back, not even
            # when a session is deleted and its name given again.
            epoch = cursor.execute(
                "UPDATE counters SET value = value + 1 WHERE name = 'epoch' RETURNING value"
            ).get
            cursor.execute(
                "INSERT OR REPLACE INTO leases VALUES (?, ?, 1, ?, ?, ?, ?, ?)",
                (session, epoch, now, owner.pid, owner.started, owner.boot, owner.host),
            )
        return Lease(session=session, epoch=epoch, owner=owner)

    def renew(self, leases: Sequence[Lease], now: float) -> Sequence[bool]:
        """Heartbeats; they also bring the search index up to date."""
        with self._database.in_passing() as cursor:
            kept = [
                cursor.execute(
                    "UPDATE leases SET heartbeat = ? WHERE session = ? AND epoch = ? AND held "
                    "RETURNING 1",
                    (now, lease.session, lease.epoch),
                ).get
                is not None
                for lease in leases
            ]
        catch_up(self._database)
        return kept

    def release(self, lease: Lease) -> None:
        with self._database.in_passing() as cursor:
            cursor.execute(
                "UPDATE leases SET held = 0 WHERE session = ? AND epoch = ?",
                (lease.session, lease.epoch),
            )
        catch_up(self._database, lease.session)

    def holder(self, session: str, now: float) -> Owner | None:
        return self._living(self._database.rows(_HOLDER, (session,)), now)

    def last_owner(self, session: str) -> Owner | None:
        rows = self._database.rows(_LAST, (session,))
        return next((Owner(*row) for row in rows), None)

    def _living(self, rows: Sequence[tuple[float, int, str, str, str]], now: float) -> Owner | None:
        """Whose lease it is, unless its time is over or its process is gone."""
        for heartbeat, pid, started, boot, host in rows:
            owner = Owner(pid=pid, started=started, boot=boot, host=host)
            if now - heartbeat <= self._lease_seconds and not is_gone(owner):
                return owner
        return None
