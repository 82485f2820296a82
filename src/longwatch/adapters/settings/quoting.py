"""What a person wrote, as it is shown to them again."""

SHOWN_LENGTH = 60


def cut(text: str) -> str:
    """A text in quotes, with what cannot be seen escaped, and not too long."""
    return repr(text if len(text) <= SHOWN_LENGTH else text[: SHOWN_LENGTH - 1] + "…")
