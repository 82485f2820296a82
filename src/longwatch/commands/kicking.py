"""Schedules: a session at rest is woken when its time has come."""

from datetime import datetime

from longwatch.adapters.schedules import local_zone
from longwatch.engine.storing import PostedIntent
from longwatch.session import encode_intent
from longwatch.session.intents import Kick
from longwatch.wiring import Wiring


def kick(wiring: Wiring, session: str, due: str) -> None:
    """Wake it for that time. The wish is named for the time, so it counts once.

    A time that came while nobody worked is made up for, and only the first one: the next is
    reckoned from when the session rests again.
    """
    number, now = f"{session}.kick.{due}", wiring.clock.now()
    at = datetime.fromisoformat(due).astimezone(local_zone(wiring.environ))
    words = (
        f"Your schedule wakes you; this was due on {at:%A, %Y-%m-%d at %H:%M}. "
        "Do what is to be done each time."
    )
    body = encode_intent(Kick(id=number, at=now, text=words))
    wiring.store.post(PostedIntent(number, session, now, body))
