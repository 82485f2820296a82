"""Any order of uses, against a model of dictionaries: what any store must agree with."""

from collections.abc import Callable

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from store_made import ME, batch, intent

from longwatch.engine.storing import (
    Draft,
    Lease,
    LeaseHeld,
    LeaseLost,
    NoSuchSession,
    OutOfOrder,
    Record,
    Store,
)

SESSIONS = st.sampled_from(["s1", "s2", "s3"])
INTENTS = st.sampled_from(["i1", "i2", "i3", "i4"])


class StoreMachine(RuleBasedStateMachine):
    """Subclasses say how the same store is opened again, and how it is removed at the end."""

    def open(self) -> Store:
        raise NotImplementedError

    def __init__(self) -> None:
        super().__init__()
        self.working = self.open()
        self.watching = self.open()
        self.events: dict[str, list[Record]] = {}
        self.drafts: dict[str, Draft] = {}
        self.intents: dict[str, tuple[str, bool]] = {}
        """Of each intent in the order of posting, its session and whether it is open."""
        self.leases: dict[str, Lease] = {}
        self.void: list[Lease] = []
        self.ids = 0

    @rule(session=SESSIONS)
    def acquire(self, session: str) -> None:
        if session in self.leases:
            assert refuses(LeaseHeld, lambda: self.working.acquire(session, ME, 0.0))
            return
        lease = self.working.acquire(session, ME, 0.0)
        assert all(lease.epoch > former.epoch for former in self.void)
        self.leases[session] = lease

    @precondition(lambda self: self.leases)
    @rule(data=st.data())
    def release(self, data: st.DataObject) -> None:
        session = data.draw(st.sampled_from(sorted(self.leases)))
        lease = self.leases.pop(session)
        self.working.release(lease)
        self.void.append(lease)

    @precondition(lambda self: self.leases)
    @rule(data=st.data())
    def append(self, data: st.DataObject) -> None:
        """To some sessions in one commit; some of it answers what it may not."""
        held = st.sampled_from(sorted(self.leases))
        made, accepted = [], []
        for session in data.draw(st.lists(held, min_size=1, max_size=3, unique=True)):
            last = len(self.events.get(session, ()))
            one = batch(
                self.leases[session],
                last + 1,
                last + data.draw(st.integers(1, 3)),
                answered=data.draw(st.lists(INTENTS, max_size=2)),
                closes_draft=data.draw(st.booleans()),
            )
            fits = len(set(one.answered)) == len(one.answered) and all(
                self.intents.get(name) == (session, True) for name in one.answered
            )
            made.append(one)
            accepted.append(fits)
        outcomes = self.working.append(made)
        for one, fits, outcome in zip(made, accepted, outcomes, strict=True):
            assert outcome is None if fits else isinstance(outcome, OutOfOrder)
            if fits:
                session = one.lease.session
                self.events.setdefault(session, []).extend(one.records)
                self.intents |= dict.fromkeys(one.answered, (session, False))
                if one.closes_draft:
                    self.drafts.pop(session, None)

    @precondition(lambda self: self.leases)
    @rule(data=st.data(), skew=st.sampled_from([-1, 1, 2]))
    def append_out_of_order(self, data: st.DataObject, skew: int) -> None:
        session = data.draw(st.sampled_from(sorted(self.leases)))
        first = len(self.events.get(session, ())) + 1 + skew
        [outcome] = self.working.append([batch(self.leases[session], first, first)])
        assert isinstance(outcome, OutOfOrder)

    @precondition(lambda self: self.void)
    @rule(data=st.data())
    def append_with_a_void_lease(self, data: st.DataObject) -> None:
        lease = data.draw(st.sampled_from(self.void))
        following = len(self.events.get(lease.session, ())) + 1
        [outcome] = self.working.append([batch(lease, following, following)])
        assert isinstance(outcome, LeaseLost)
        assert refuses(LeaseLost, lambda: self.working.put_draft(lease, Draft("", "", "")))

    @precondition(lambda self: self.leases)
    @rule(data=st.data(), text=st.text(st.characters(codec="utf-8"), max_size=20))
    def write_a_draft(self, data: st.DataObject, text: str) -> None:
        session = data.draw(st.sampled_from(sorted(self.leases)))
        self.drafts[session] = Draft(text, text[::-1], "now")
        self.working.put_draft(self.leases[session], self.drafts[session])

    @rule(session=SESSIONS, name=INTENTS)
    def post(self, session: str, name: str) -> None:
        if session not in self.events:
            assert refuses(NoSuchSession, lambda: self.watching.post(intent(name, session)))
            return
        self.watching.post(intent(name, session))
        self.intents.setdefault(name, (session, True))

    @rule(name=INTENTS)
    def withdraw(self, name: str) -> None:
        session, is_open = self.intents.get(name, ("", False))
        assert self.watching.withdraw(name) == is_open
        if is_open:
            self.intents[name] = (session, False)

    @rule(session=SESSIONS)
    def delete(self, session: str) -> None:
        self.watching.delete(session)
        self.events.pop(session, None)
        self.drafts.pop(session, None)
        if lease := self.leases.pop(session, None):
            self.void.append(lease)
        self.intents = {name: of for name, of in self.intents.items() if of[0] != session}

    @rule(count=st.integers(1, 5))
    def take_ids(self, count: int) -> None:
        assert self.working.take_ids(count) == self.ids + 1
        self.ids += count

    @rule()
    def heartbeat(self) -> None:
        leases = [*self.leases.values(), *self.void]
        kept = [lease in self.leases.values() for lease in leases]
        assert self.working.renew(leases, 0.0) == kept

    @rule()
    def close_and_open(self) -> None:
        self.working.close()
        self.working = self.open()

    @invariant()
    def agree(self) -> None:
        kept = {one.session: one.last_seq for one in self.watching.summaries()}
        assert kept == {session: len(events) for session, events in self.events.items()}
        for session, events in self.events.items():
            assert list(self.watching.records(session)) == events
            assert list(self.watching.records_before(session, len(events), 2)) == events[:-1][-2:]
        for session in ("s1", "s2", "s3"):
            assert self.watching.draft(session) == self.drafts.get(session)
        waiting = [intent(name, of) for name, (of, is_open) in self.intents.items() if is_open]
        assert self.watching.unanswered() == waiting

    @invariant()
    def find(self) -> None:
        found = {(hit.session, hit.seq) for hit in self.watching.search("message", 1000)}
        assert found == {
            (session, event.seq) for session, events in self.events.items() for event in events
        }

    def teardown(self) -> None:
        # A draft may have come before its session's first event; that is no damage.
        if set(self.drafts) <= set(self.events):
            assert self.watching.problems() == []
        self.working.close()
        self.watching.close()


def refuses(kind: type[Exception], use: Callable[[], object]) -> bool:
    try:
        use()
    except kind:
        return True
    return False
