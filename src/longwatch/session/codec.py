"""Events and intents as JSON: strict where we write, tolerant where we read."""

import msgspec

from longwatch.session.events import AnyEvent, KnownEvent, UnknownEvent
from longwatch.session.intents import Intent, Letter

_EVENTS = msgspec.json.Decoder(KnownEvent)
_INTENTS = msgspec.json.Decoder(Intent)


class NotAnEvent(ValueError):
    """The bytes are no JSON object with a seq, a time, a session and a type."""


class _Envelope(msgspec.Struct):
    seq: int
    at: str
    session: str
    type: str


_ENVELOPES = msgspec.json.Decoder(_Envelope)
_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def encode(event: KnownEvent) -> bytes:
    return msgspec.json.encode(event)


def decode(line: bytes) -> AnyEvent:
    """The event; one that this version cannot read comes back whole as an UnknownEvent."""
    try:
        event: KnownEvent = _EVENTS.decode(line)
    except msgspec.ValidationError:
        return _unknown(line)
    except _UNREADABLE as error:
        raise NotAnEvent(str(error)) from error
    if not (event.seq and event.at and event.session):
        raise NotAnEvent("it has no seq, no time or no session")
    return event


def _unknown(line: bytes) -> UnknownEvent:
    try:
        envelope = _ENVELOPES.decode(line)
    except _UNREADABLE as error:
        raise NotAnEvent(str(error)) from error
    return UnknownEvent(
        seq=envelope.seq,
        at=envelope.at,
        session=envelope.session,
        type=envelope.type,
        raw=msgspec.Raw(line),
    )


def encode_intent(intent: Intent) -> bytes:
    return msgspec.json.encode(intent)


def decode_intent(line: bytes) -> Intent:
    intent: Intent = _INTENTS.decode(line)
    return intent


def is_letter(line: bytes) -> bool:
    """Whether a wish comes from another session or the clock, and not from a person."""
    try:
        return isinstance(decode_intent(line), Letter)
    except msgspec.DecodeError:
        return False
