"""What a command says when it cannot go on."""

from longwatch.engine.outcome import USAGE


class CommandFailed(Exception):
    """Told on standard error in one or more lines; the code is the process's."""

    def __init__(self, message: str, code: int = USAGE) -> None:
        super().__init__(message)
        self.code = code
