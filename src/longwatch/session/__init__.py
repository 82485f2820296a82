"""What has happened: events, their codec, the fold to a state, and the transcript."""

from longwatch.session.codec import NotAnEvent, decode, decode_intent, encode, encode_intent
from longwatch.session.events import AnyEvent, KnownEvent, UnknownEvent
from longwatch.session.fold import EMPTY, VERSION, NoHistory, advance, fold
from longwatch.session.intents import Intent, TodoIntent
from longwatch.session.state import SessionState
from longwatch.session.transcript import Message, Transcript, transcribe

__all__ = [
    "EMPTY",
    "VERSION",
    "AnyEvent",
    "Intent",
    "KnownEvent",
    "Message",
    "NoHistory",
    "NotAnEvent",
    "SessionState",
    "TodoIntent",
    "Transcript",
    "UnknownEvent",
    "advance",
    "decode",
    "decode_intent",
    "encode",
    "encode_intent",
    "fold",
    "transcribe",
]
