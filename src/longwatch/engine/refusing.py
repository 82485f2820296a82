"""What cannot be as it is set up, or as somebody wants it."""


class Misconfigured(Exception):
    """The session cannot be worked on as it is set up; the message says what to change."""


class ChangeRefused(Exception):
    """A setting, agent or role is not accepted; the message says what is."""
