"""Settings that change what becomes of a request or a reply: dry_run, and replies kept apart."""

from collections.abc import Callable
from dataclasses import dataclass, field

from workshop import Workshop, said

from longwatch.engine.asking import post
from longwatch.session.intents import Say

Opened = Callable[..., Workshop]
PLAN = ("todo_plan", {"goal": "g", "items": ["one"]})
KEY = "sk-canary-0123456789"


@dataclass
class Drawer:
    kept: list[tuple[str, str, str]] = field(default_factory=list)

    def keep(self, session: str, title: str, at: str, text: str) -> None:
        assert at
        self.kept.append((session, title, text))


async def test_in_a_dry_run_nothing_is_sent_and_nothing_is_recorded(workshop: Opened) -> None:
    shop = workshop(said("never"))
    shop.amend(dry_run=True)
    await shop.run()
    assert shop.model.requests == []
    assert shop.types() == ["session_started", "user_message"]


async def test_a_session_under_way_waits_until_it_is_over(workshop: Opened) -> None:
    shop = workshop(said("", PLAN), said("", ("todo_done", {"id": 1})), said("Done."))
    shop.amend(dry_run=True)
    await shop.run()
    post(shop.store, shop.clock, shop.ids, "s1", Say(text="Now?"))
    state = await shop.go_on()
    assert (state.state, shop.model.requests) == ("paused", [])
    assert state.reason.startswith("dry_run is on")
    shop.amend(dry_run=False)
    post(shop.store, shop.clock, shop.ids, "s1", Say(text="Now!"))
    assert (await shop.go_on()).reason == "done"


async def test_replies_with_words_are_kept_once_and_without_keys(workshop: Opened) -> None:
    shop = workshop(
        said("Planning.", PLAN),
        said("", ("todo_done", {"id": 1})),
        said(f"The key is {KEY}."),
        secrets=frozenset({KEY}),
    )
    drawer = Drawer()
    shop.amend(keepsake=drawer)
    await shop.run()
    assert drawer.kept == [("s1", "t", "Planning."), ("s1", "t", "The key is ***.")]
