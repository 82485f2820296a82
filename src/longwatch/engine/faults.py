"""What to do about a model's fault, and how long to wait: pure, with the randomness passed in."""

from typing import Literal, assert_never

import msgspec

from longwatch.engine.ports import FaultKind

Treatment = Literal["fail", "retry", "thrice", "shorten"]
"""Give up at once, retry as long as it takes, three tries in all, or make the request smaller."""

MAX_ATTEMPTS = 8
MALFORMED_ATTEMPTS = 3
EMPTY_RETRIES = 2
FIRST_DELAY = 1.0
LONGEST_DELAY = 60.0
FIRST_PROBE = 60.0
LONGEST_PROBE = 300.0
MAX_OUTAGE = 24 * 3600.0


def treatment(kind: FaultKind) -> Treatment:
    match kind:
        case "auth" | "quota" | "tls" | "unknown_model" | "bad_request" | "redirect" | "insecure":
            return "fail"
        case (
            "rate_limited"
            | "timeout"
            | "conflict"
            | "server"
            | "unreachable"
            | "broken"
            | "stalled"
        ):
            return "retry"
        case "malformed":
            return "thrice"
        case "context":
            return "shorten"
        case _:
            assert_never(kind)


class Patience(msgspec.Struct, frozen=True):
    """How often and how long a request is tried again. Tests make it short."""

    attempts: int = MAX_ATTEMPTS
    first_delay: float = FIRST_DELAY
    longest_delay: float = LONGEST_DELAY
    first_probe: float = FIRST_PROBE
    longest_probe: float = LONGEST_PROBE
    max_outage: float = MAX_OUTAGE


def request_delay(
    patience: Patience, attempt: int, retry_after: float | None, jitter: float
) -> float:
    """Seconds before the next attempt: exponential with full jitter, never before we were told.

    ``attempt`` is the one that failed, from 1; ``jitter`` is drawn from [0, 1).
    """
    ceiling = min(patience.longest_delay, patience.first_delay * 2.0 ** min(attempt - 1, 30))
    return max(ceiling * jitter, retry_after or 0.0)


def probe_delay(patience: Patience, probes: int, retry_after: float | None) -> float:
    """Seconds before the next probe of an outage: one a minute, rising to five."""
    rising = min(patience.longest_probe, patience.first_probe * (probes + 1))
    return max(rising, retry_after or 0.0)
