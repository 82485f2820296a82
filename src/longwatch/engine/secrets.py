"""Keeping known key values out of everything that is written."""

from collections.abc import Iterable

import msgspec

MASK = "***"


class Redactor:
    """Replaces known secrets in texts and in encoded events."""

    def __init__(self, secrets: Iterable[str]) -> None:
        known = sorted({secret for secret in secrets if len(secret) >= 4}, key=len, reverse=True)
        self._texts = known
        self._encoded = [msgspec.json.encode(secret)[1:-1] for secret in known]

    def text(self, text: str) -> str:
        for secret in self._texts:
            if secret in text:
                text = text.replace(secret, MASK)
        return text

    def encoded(self, body: bytes) -> bytes:
        for secret in self._encoded:
            if secret in body:
                body = body.replace(secret, MASK.encode())
        return body
