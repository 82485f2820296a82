"""A dashboard and its worker at work, in folders of their own, and whether they really worked."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from command_line import Home

from bench import processes
from bench.bench_conversation import markdown
from bench.kept_sessions import opened
from bench.stream_server import TOKEN
from bench.terminal_run import Terminal, longwatch
from longwatch.engine.storing import Store
from longwatch.session import decode
from longwatch.session.events import AssistantMessage
from longwatch.session.state import RESTING

READY = ("palette", "help")


@contextmanager
def home(url: str = "http://127.0.0.1:9") -> Iterator[Home]:
    """A person's folders with a provider on loopback, gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        made = Home(Path(folder), environ={"TEST_KEY": "a-key-for-nothing"}).made()
        made.serve_from(url, max_turns=100_000)
        yield made


def dashboard(where: Home, *words: str) -> Terminal:
    return Terminal(longwatch(*words), where.env, str(where.work))


class NothingMeasured(Exception):
    """The reply that was to be measured did not come whole."""


@dataclass
class Talk:
    """A dashboard with a session whose worker has said a few words already."""

    terminal: Terminal
    store: Store

    def say(self, tokens: int, seconds: float) -> None:
        """Ask for so many tokens, wait until the session rests again, and see that they came."""
        before = self._seq()
        self.terminal.send(f"{tokens}\r")
        self.terminal.until(lambda: self._seq() > before + 1 and self._rests(), seconds)
        self.terminal.rest(0.5)
        self._demand(markdown(tokens))

    def demand_streaming(self, least: int) -> None:
        """See that a reply is coming in and is that long already: else nothing was measured."""
        draft = self.store.draft(self._session())
        if draft is None or len(draft.text) < least * TOKEN:
            raise NothingMeasured(self.terminal.screen())

    def _demand(self, text: str) -> None:
        last = [decode(r.body) for r in self.store.records_before(self._session(), 2**62, 5)]
        if not any(isinstance(e, AssistantMessage) and e.text == text for e in last):
            raise NothingMeasured(f"{last}\n{self.terminal.screen()}")

    def _session(self) -> str:
        return self.store.summaries()[0].session

    def cost(self) -> tuple[float, float]:
        """CPU seconds so far: the dashboard's, its worker's."""
        pid = self.terminal.pid
        return processes.cpu(pid), sum(map(processes.cpu, processes.children(pid)))

    def _seq(self) -> int:
        return max((s.last_seq for s in self.store.summaries()), default=0)

    def _rests(self) -> bool:
        return all(s.state in RESTING for s in self.store.summaries())


@contextmanager
def talking(where: Home) -> Iterator[Talk]:
    with dashboard(where) as terminal:
        terminal.wait_for(*READY)
        talk = Talk(terminal, opened(where.data))
        talk.say(20, 20)
        terminal.rest(0.5)
        yield talk
        talk.store.close()
