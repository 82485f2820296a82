"""Setting things up, for tests of the dashboard: what is asked is kept, answers are as told."""

from collections.abc import Sequence
from pathlib import Path

from longwatch.session.intents import SetSetting
from longwatch.ui.configuring import Draft, Server
from longwatch.ui.dots.completing import Word
from longwatch.ui.dots.table import Kind
from longwatch.ui.services import Refused

WORDS: dict[Kind, tuple[Word, ...]] = {
    "key": (
        Word("auto_continue", "Go on by itself."),
        Word("max_auto_continues", "How many times."),
        Word("max_todos"),
    ),
    "value": (Word("true"), Word("false"), Word("null")),
    "agent": (Word("coder"), Word("researcher"), Word("reviewer")),
    "role": (Word("coder"), Word("writer")),
    "session": (Word("fix the tests", "idle"), Word("fix the docs", "running")),
}


class FakeConfiguring:
    """Grants everything but what a test says it refuses."""

    def __init__(self) -> None:
        self.changed: list[tuple[str | None, SetSetting]] = []
        self.exported: list[tuple[str, str, str]] = []
        self.applied: list[str] = []
        self.refuses = ""
        self.wrong = ""
        """Why an edited text is not accepted, if so; told once."""
        self.said = "Set for this session"
        self.begin_with: tuple[str, ...] = ("Find the bug.", "Write the tests.")
        self.command: tuple[str, ...] = ("true",)
        self.folder = Path()

    def _demand(self) -> None:
        if self.refuses:
            raise Refused(self.refuses)

    def change(self, session: str | None, wish: SetSetting) -> str:
        self._demand()
        self.changed.append((session, wish))
        return self.said

    def words(self, session: str | None, kind: Kind, given: Sequence[str]) -> Sequence[Word]:
        del session, given
        return WORDS.get(kind, ())

    def info(self, session: str | None, topic: str | None) -> str:
        self._demand()
        return f"[red]{topic} of {session}\x1b"

    def starters(self, session: str | None) -> Sequence[str]:
        del session
        self._demand()
        return self.begin_with

    def export(self, session: str, form: str, file: str) -> str:
        self.exported.append((session, form, file))
        return f"Exported to {file}"

    def draft(self, session: str | None, what: str, name: str | None) -> Draft:
        del session
        self._demand()
        return Draft("config", f"{what}.yaml", "before\n", ".yaml", name or "")

    def apply(self, session: str | None, draft: Draft, written: str) -> str:
        del session, draft
        if self.wrong:
            wrong, self.wrong = self.wrong, ""
            raise Refused(wrong)
        self.applied.append(written)
        return "Saved."

    def scratch(self, draft: Draft) -> str:
        path = self.folder / f"scratch{draft.suffix}"
        path.write_text(draft.text)
        return str(path)

    def editor(self) -> Sequence[str]:
        return self.command


class FakeWelcoming:
    """A machine with what a test puts on it."""

    def __init__(self) -> None:
        self.new = False
        self.variables: tuple[str, ...] = ()
        self.answering: tuple[Server, ...] = ()
        self.bringing: tuple[str, ...] = ()
        self.used: list[str] = []
        self.trusted: list[tuple[str, bool]] = []

    def is_new(self) -> bool:
        return self.new

    def keys(self) -> Sequence[str]:
        return self.variables

    def servers(self) -> Sequence[Server]:
        return self.answering

    def server_at(self, address: str) -> Server:
        for server in self.answering:
            if server.address == address:
                return server
        raise Refused(f"{address} does not answer.")

    def use_key(self, variable: str) -> str:
        self.used.append(variable)
        return f"Using {variable}. Written to config.yaml"

    def use_server(self, server: Server, model: str) -> str:
        self.used.append(f"{model} at {server.address}")
        return f"Using {model}. Written to config.yaml"

    def untrusted(self, folder: str) -> Sequence[str]:
        answered = [known for known, _ in self.trusted]
        return () if folder in answered else self.bringing

    def brings(self, folder: str) -> Sequence[str]:
        del folder
        return self.bringing

    def trust(self, folder: str, *, trusted: bool) -> None:
        self.trusted.append((folder, trusted))
