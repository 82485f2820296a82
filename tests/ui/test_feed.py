"""What a dashboard sees of the store: the state that the events fold to, whoever else is there."""

from events_made import Log
from ui_services import FakeServices, begun, running

from longwatch.session import KnownEvent
from longwatch.session.events import Rewound, StateChanged, UserMessage
from longwatch.ui.feed import Feed

TAKEN_BACK: list[KnownEvent] = [
    begun("auth"),
    UserMessage(text="One.", source="human"),
    StateChanged(state="running"),
    StateChanged(state="dormant", reason="done"),
    UserMessage(text="Two.", source="human"),
    Rewound(to=4),
]


def test_a_session_that_went_back_is_opened_as_it_stands(services: FakeServices) -> None:
    running(services, "s1", "shown before")
    services.keep("s2", *TAKEN_BACK)
    log = Log("s2")
    log.add(*TAKEN_BACK)
    feed = Feed(services.store)
    for _ in range(2):
        opened = feed.open("s2")
        assert opened.state == log.state
        assert (opened.state.session, opened.state.state) == ("s2", "dormant")
        feed.open("s1")


def test_a_session_goes_back_while_one_looks(services: FakeServices) -> None:
    services.keep("s2", *TAKEN_BACK[:5])
    feed = Feed(services.store)
    feed.open("s2")
    services.keep("s2", TAKEN_BACK[5])
    news = feed.look()
    assert news is not None
    assert news.state is not None
    assert (news.state.session, news.state.state) == ("s2", "dormant")


def test_nothing_new_is_no_news(services: FakeServices) -> None:
    running(services, "s1", "auth")
    feed = Feed(services.store)
    feed.open("s1")
    assert feed.look() is not None
    assert feed.look() is None
