"""What a server's complaint or a broken connection means, in words that say what to change."""

import difflib
import json
import re
import socket
import ssl
from collections.abc import Iterable, Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any

import msgspec

from longwatch.engine.ports import FaultKind, ModelFault

SHOWN = 300
"""How many characters of a server's own words are shown."""
HEAD = 200
"""How many bytes of a response that makes no sense are shown."""
LONGEST_WAIT = 24 * 3600.0

_URL = re.compile(r"https?://\S+")
_CONTEXT = re.compile(
    r"context_length_exceeded|exceed_context_size|model_context_window_exceeded"
    r"|prompt is too long|input is too long|maximum context|maximum prompt length"
    r"|context[ _](?:length|window|size)|exceed\w* (?:the )?(?:available |model'?s? )?context"
    r"|input length and .?max_tokens.? exceed|reduce the length of the (?:messages|prompt|input)"
    r"|exceeds the maximum number of tokens|input token count",
    re.IGNORECASE,
)
_QUOTA = re.compile(
    r"insufficient[_ ](?:quota|balance|credits?|funds)|exceeded your current quota"
    r"|credit balance|spend(?:ing)?[_ ]limit|usage limits?\b|billing[_ ](?:hard[_ ])?limit"
    r"|payment required|out of credits|billing_error|billing_not_active",
    re.IGNORECASE,
)
_BILLING = re.compile(r"billing", re.IGNORECASE)
_RATE = re.compile(r"rate[_ ]?limit|too_many_requests", re.IGNORECASE)
_UNKNOWN_MODEL = re.compile(
    r"model_not_found|invalid_model|\b(?:invalid|unknown|no such|not a valid) model\b"
    r"|\bmodel\b.{0,150}?(?:not found|not exist|n't exist|not a valid|is not available)",
    re.IGNORECASE | re.DOTALL,
)
_NAMED_KINDS: tuple[tuple[re.Pattern[str], FaultKind], ...] = (
    (
        re.compile(r"overloaded|server_error|api_error|unavailable|internal", re.IGNORECASE),
        "server",
    ),
    (_RATE, "rate_limited"),
    (re.compile(r"timeout", re.IGNORECASE), "timeout"),
    (re.compile(r"authentication|permission|api_key|unauthorized", re.IGNORECASE), "auth"),
    (re.compile(r"invalid_request|not_found|too_large|unsupported", re.IGNORECASE), "bad_request"),
)
_STATUS_KINDS: Mapping[int, FaultKind] = {
    401: "auth",
    402: "quota",
    403: "auth",
    408: "timeout",
    409: "conflict",
    425: "server",
    429: "rate_limited",
}
_ADVICE: Mapping[FaultKind, str] = {
    "quota": "Check the plan and the billing of this account, then resume.",
    "bad_request": "Change what it names, or choose another model.",
    "context": "The conversation is too long for this model.",
    "rate_limited": "It is tried again.",
    "timeout": "It is tried again.",
    "conflict": "It is tried again.",
    "server": "It is tried again.",
}


class Complaint(msgspec.Struct, frozen=True):
    """What a server says went wrong."""

    message: str = ""
    type: str = ""
    code: str = ""

    @property
    def all(self) -> str:
        return f"{self.code} {self.type} {self.message}"

    @property
    def status(self) -> int | None:
        """Some servers send the status they mean as the code of an error inside a response."""
        return int(self.code) if self.code.isdecimal() and len(self.code) == 3 else None


class Complained(ModelFault):
    """A fault that the server explained."""

    def __init__(
        self,
        kind: FaultKind,
        message: str,
        *,
        complaint: Complaint,
        status: int | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(kind, message, status=status, retry_after=retry_after)
        self.complaint = complaint


def printable(data: bytes | str, limit: int = SHOWN) -> str:
    """Text from outside in one line: cut, with everything that is not seen made visible."""
    cut = len(data) > limit
    text = data[:limit]
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return shown + "…" if cut else shown


def read_complaint(body: bytes) -> Complaint:
    """The complaint in a body, in whichever of the usual shapes it comes."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return Complaint(message=printable(body.strip()))
    return complaint_of(value)


def complaint_of(value: Any) -> Complaint:
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, Mapping):
        return Complaint(message=_words(value))
    inner = value.get("error")
    if isinstance(inner, Mapping):
        # A router wraps what its own server said; the innermost words are the useful ones.
        metadata = inner.get("metadata")
        raw = _words(metadata.get("raw")) if isinstance(metadata, Mapping) else ""
        message = _words(inner.get("message"))
        return Complaint(
            message=f"{message}: {raw}" if raw else message,
            type=_words(inner.get("type") or inner.get("status")),
            code=_words(inner.get("code")),
        )
    message = _words(inner or value.get("message") or value.get("detail"))
    kind = value.get("type") if value.get("type") != "error" else ""
    return Complaint(message=message, type=_words(kind), code=_words(value.get("code")))


def is_complaint(value: Any) -> bool:
    """Whether a JSON object in place of a reply is an error report."""
    if not isinstance(value, Mapping):
        return False
    return bool(value.get("error") or value.get("detail")) or "error" in (
        value.get("object"),
        value.get("type"),
    )


def kind_of(complaint: Complaint, status: int) -> FaultKind:
    """The body is read before the status: it knows better what is wrong."""
    if _CONTEXT.search(complaint.all):
        return "context"
    if _QUOTA.search(complaint.all) or _means_billing(complaint):
        return "quota"
    if status < 500 and _means_unknown_model(complaint, status):
        return "unknown_model"
    named = f"{complaint.code} {complaint.type}"
    if status in _STATUS_KINDS and "overloaded" not in named:
        return _STATUS_KINDS[status]
    if status >= 500:
        return "server"
    if status < 400:
        return next((kind for names, kind in _NAMED_KINDS if names.search(named)), "server")
    return "server" if "overloaded" in named else "bad_request"


def _means_billing(complaint: Complaint) -> bool:
    """The link to a billing page in a plain rate limit does not mean that the quota is used up."""
    if _RATE.search(f"{complaint.code} {complaint.type}"):
        return False
    return bool(_BILLING.search(_URL.sub("", complaint.all)))


def _means_unknown_model(complaint: Complaint, status: int) -> bool:
    if status == 404 and re.search(r"\bmodel\b", complaint.all, re.IGNORECASE):
        return True
    return status >= 400 and bool(_UNKNOWN_MODEL.search(complaint.all))


def explain(kind: FaultKind, status: int, complaint: Complaint, key_place: str) -> str:
    """One or two sentences: what happened, and what a person can do."""
    words = printable(complaint.message or complaint.type or complaint.code)
    said = f": {words}" if words else ""
    answer = f"the server answered {status}" if status >= 300 else "the server reported an error"
    if kind == "auth":
        advice = f"Check the key in {key_place}."
    elif kind == "unknown_model":
        advice = "Choose another model."
    elif kind == "bad_request" and status == 404:
        advice = "Check the provider's base_url."
    else:
        advice = _ADVICE.get(kind, "")
    return f"{answer}{said.rstrip('.')}. {advice}".rstrip()


def nearest(name: str, names: Iterable[str]) -> str:
    """A sentence with the names most like the one that is unknown; empty if none is."""
    close = difflib.get_close_matches(name, list(names), n=3, cutoff=0.4)
    return f" Did you mean {' or '.join(close)}?" if close else ""


def of_transport(error: Exception, *, answered: bool) -> tuple[FaultKind, str]:
    """What a failed connection means. ``answered``: the server had begun to answer."""
    name, words = type(error).__name__, printable(str(error))
    cause = _cause(error, (ssl.SSLError, socket.gaierror))
    if isinstance(cause, ssl.SSLCertVerificationError):
        return "tls", (
            f"its certificate is not trusted ({printable(cause.verify_message)}). Check base_url, "
            "or name the right certificates with SSL_CERT_FILE."
        )
    if isinstance(cause, ssl.SSLError) and not isinstance(cause, ssl.SSLEOFError) and not answered:
        reason = getattr(cause, "reason", None) or str(cause)
        return "tls", (
            f"no secure connection could be made ({printable(reason)}). "
            "Check that base_url is an https address."
        )
    if isinstance(cause, socket.gaierror):
        return "unreachable", "its host name is not known here. Check base_url and the network."
    if name in ("ReadTimeout", "WriteTimeout", "PoolTimeout"):
        return "stalled", "nothing came for too long."
    if name == "ConnectTimeout":
        return "unreachable", "no connection could be made in time."
    if name == "ProxyError":
        return "unreachable", f"the proxy refused the connection ({words})."
    if name == "DecodingError":
        return "malformed", f"the response could not be decompressed ({words})."
    if name == "RemoteProtocolError" and not re.search(r"closed|disconnected", words):
        return "malformed", f"the response is not HTTP ({words})."
    if answered or name == "RemoteProtocolError":
        return "broken", f"the connection was lost before the reply was whole ({words or name})."
    return "unreachable", f"no connection could be made ({words or name})."


def _cause(error: BaseException, kinds: tuple[type[BaseException], ...]) -> BaseException | None:
    """The first exception of these kinds that led to this one."""
    seen: BaseException | None = error
    for _ in range(10):
        if seen is None or isinstance(seen, kinds):
            return seen
        seen = seen.__cause__ or seen.__context__
    return None


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds until the server wants to be asked again, if it says."""
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        text = headers.get(name, "").strip()
        if re.fullmatch(r"\d{1,15}(\.\d*)?|\.\d+", text):
            return min(float(text) * scale, LONGEST_WAIT)
    try:
        date = parsedate_to_datetime(headers.get("retry-after", ""))
        date = date if date.tzinfo else date.replace(tzinfo=UTC)
        return min(max(date.timestamp() - now, 0.0), LONGEST_WAIT)
    except (ValueError, OverflowError, TypeError):
        return None


def _words(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, default=str)[: 4 * SHOWN]
