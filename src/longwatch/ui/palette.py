"""The command palette: every action that can run now, every session, every theme."""

from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, cast

import msgspec
from rich.cells import cell_len
from textual.binding import Binding
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.dom import DOMNode
from textual.widget import Widget

from longwatch.ui.actions import Action, bindings_of, collect, shown_key
from longwatch.ui.dots.table import COMMANDS as DOTS
from longwatch.ui.dots.table import DotCommand
from longwatch.ui.places import ANYWHERE, places
from longwatch.ui.screens.foot import Foot
from longwatch.ui.screens.main import MainScreen
from longwatch.ui.welcome import Welcome
from longwatch.ui.words import NEEDS_PERSON, STATE_MARKS, cut, one_line, standing

if TYPE_CHECKING:
    from longwatch.ui.app import Dashboard

LONGEST = 100
"""Cells of a name that are shown and searched."""
KEY_COLUMN = 12
TRUST = "Read its own instructions and settings for agents, or no longer"
BY_WHAT_IT_DOES = 0.1
"""The score of a command that has what was typed only in its description."""


class Command(msgspec.Struct, frozen=True):
    """One line of the palette."""

    name: str
    about: str
    key: str
    run: Callable[[], Awaitable[object] | None]
    common: bool = True
    """Whether it is offered before anything was typed."""


class Everything(Provider):
    """What the dashboard can do, as it stands now."""

    @property
    def dashboard(self) -> "Dashboard":
        return cast("Dashboard", self.app)

    async def discover(self) -> Hits:
        for command in self.commands():
            if command.common:
                yield DiscoveryHit(drawn(command, ()), command.run, text=command.name)

    async def search(self, query: str) -> Hits:
        for command in self.commands():
            score, offsets = match(query, command.name)
            if not score and query.lower() in command.about.lower():
                score = BY_WHAT_IT_DOES
            if score:
                yield Hit(score, drawn(command, offsets), command.run, text=command.name)

    def commands(self) -> Iterator[Command]:
        """What waits for a person comes first."""
        yield from self._sessions(waiting=True)
        yield from self._actions()
        yield from self._sessions(waiting=False)
        yield from self._dots()
        yield Command("Trust this folder …", TRUST, "", self._ask_for_trust, common=False)
        yield from self._themes()

    def _sessions(self, *, waiting: bool) -> Iterator[Command]:
        main = self.dashboard.main
        for summary in main.summaries if main is not None else ():
            if main is None or summary.session == main.watched.session or summary.archived:
                continue
            if (summary.state in NEEDS_PERSON) != waiting:
                continue
            title = cut(one_line(summary.title) or summary.session, LONGEST)
            about = f"{STATE_MARKS[summary.state]} {standing(summary.state, summary.reason)}"
            run = partial(self._open, main, summary.session)
            yield Command(f"Go to {title}", one_line(about), "", run)

    def _open(self, main: MainScreen, session: str) -> None:
        self.dashboard.back_to_main()
        main.open(session)

    def _actions(self) -> Iterator[Command]:
        """Of the app, of the screen below the palette, and of what is to be seen on it."""
        known = places(type(self.dashboard))
        told = {action.id: action for action in collect(known, self.dashboard.keymap)}
        ours = frozenset(node for place in known for node in place.classes)
        seen: set[str] = set()
        for node in self._nodes():
            for binding in bindings_of(type(node)) if type(node) in ours else ():
                name = binding.id or ""
                if name in told and name not in seen and _can_run(node, binding):
                    seen.add(name)
                    yield self._action(told[name], node, binding)

    def _nodes(self) -> Iterator[DOMNode]:
        yield self.dashboard
        yield self.screen
        for widget in self.screen.walk_children():
            if isinstance(widget, Widget) and widget.region:
                yield widget

    def _action(self, action: Action, node: DOMNode, binding: Binding) -> Command:
        prefix = "" if action.where == ANYWHERE else f"{action.where}: "
        return Command(
            f"{prefix}{action.description}",
            action.tooltip,
            shown_key(action.keys[0]) if action.keys else "",
            partial(self.dashboard.run_action, binding.action, node),
            common=not prefix,
        )

    def _dots(self) -> Iterator[Command]:
        """The dot commands; what needs words after it is put into the message box."""
        main = self.dashboard.main
        if main is None:
            return
        for dot in DOTS:
            run = partial(self._take_dot, main, dot)
            yield Command(dot.usage, dot.sentence, "", run, common=False)

    def _take_dot(self, main: MainScreen, dot: DotCommand) -> None:
        self.dashboard.back_to_main()
        if not dot.least:
            main.query_one(Foot).dots.run(f".{dot.name}")
            return
        main.box.text = f".{dot.name} "
        main.box.focus()

    def _ask_for_trust(self) -> None:
        """Also where a person said no before."""
        self.dashboard.back_to_main()
        Welcome(self.dashboard).ask_for_trust(again=True)

    def _themes(self) -> Iterator[Command]:
        for name in self.dashboard.theme_names:
            shown = "in use" if name == self.app.theme else "Change the colours"
            yield Command(
                f"Theme: {one_line(name)}", shown, "", partial(self._take_theme, name), common=False
            )

    def _take_theme(self, name: str) -> None:
        self.app.theme = name


def _can_run(node: DOMNode, binding: Binding) -> bool:
    """As the node says; the palette itself needs no line in the palette."""
    action = binding.action.partition("(")[0].rpartition(".")[2]
    return action != "command_palette" and bool(node.check_action(action, ()))


def match(query: str, text: str) -> tuple[float, tuple[int, ...]]:
    """How well a text fits, from 0 to 1, and which of its characters fit.

    Each word of the query is looked for as it is, best where a word begins; failing that, the
    query's letters in their order.
    """
    low, words = text.lower(), query.lower().split()
    if not words:
        return 0.0, ()
    found: list[tuple[float, int, str]] = []
    for word in words:
        at = low.find(word)
        begins = next((n for n in _finds(low, word) if not n or not low[n - 1].isalnum()), None)
        if begins is not None:
            found.append((0.9 if begins else 1.0, begins, word))
        elif at >= 0:
            found.append((0.6, at, word))
        else:
            return _scattered("".join(words), low)
    score = sum(one for one, _, _ in found) / len(found)
    offsets = {at + n for _, at, word in found for n in range(len(word))}
    return score, tuple(sorted(offsets))


def _finds(text: str, word: str) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + 1)


def _scattered(letters: str, text: str) -> tuple[float, tuple[int, ...]]:
    offsets: list[int] = []
    for letter in letters:
        at = text.find(letter, offsets[-1] + 1 if offsets else 0)
        if at < 0:
            return 0.0, ()
        offsets.append(at)
    spread = offsets[-1] - offsets[0] + 1
    return 0.3 * len(offsets) / spread, tuple(offsets)


def drawn(command: Command, offsets: tuple[int, ...]) -> Content:
    """A line: key, name with what fits underlined, what it does."""
    name = Content(command.name)
    for offset in offsets:
        name = name.stylize("underline", offset, offset + 1)
    pad = " " * max(1, KEY_COLUMN - cell_len(command.key))
    return Content.assemble(
        (command.key, "not bold $text-accent"),
        pad,
        name,
        "  ",
        (command.about, "not bold $foreground 80%"),
    )
