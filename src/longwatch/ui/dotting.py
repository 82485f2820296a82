"""What a dot command does in the dashboard."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from longwatch.session.intents import Rename, SetSetting
from longwatch.ui.complaint import nearest
from longwatch.ui.dots.completing import Completion, complete
from longwatch.ui.dots.parsing import INTENTS, Dot, NotUnderstood, help_lines, parse, switch
from longwatch.ui.services import Refused
from longwatch.ui.words import one_line

if TYPE_CHECKING:
    from longwatch.ui.app import Dashboard
    from longwatch.ui.configuring import Configuring
    from longwatch.ui.screens.foot import Foot
    from longwatch.ui.screens.main import MainScreen

# Dialogs and pages are loaded when a command needs one.
# ruff: noqa: PLC0415

LONG_ENOUGH = 8
"""Seconds that a refusal is shown: it says what to do instead."""


class Dotting:
    """The dot commands of one dashboard, about the session that it shows."""

    def __init__(self, app: "Dashboard", main: "MainScreen", foot: "Foot") -> None:
        self._app = app
        self._main = main
        self._foot = foot
        self._commands: Mapping[str, Callable[[Dot], None]] = {
            "set": self._set,
            "info": self._info,
            "agent": self._switch,
            "role": self._switch,
            "session": self._go_to,
            "exit": self._exit,
            "starter": self._starter,
            "edit": self._edit,
            "rename": self._rename,
            "export": self._export,
            "help": self._help,
        }

    def run(self, text: str) -> None:
        """Do it, or say why not; then what was typed is in the box again."""
        try:
            self._run(parse(text))
        except (NotUnderstood, Refused) as wrong:
            self._app.notify(str(wrong), severity="error", timeout=LONG_ENOUGH, markup=False)
            if not self._main.box.text:
                self._main.box.text = text

    def completions(self, text: str) -> list[Completion]:
        """For the message box."""
        return complete(text, lambda kind, given: self._setup.words(self._session, kind, given))

    def _run(self, dot: Dot) -> None:
        if dot.command.needs_session and self._session is None:
            raise Refused(f"No session is open, and .{dot.command.name} is about one.")
        wish = INTENTS.get(dot.command.name)
        if wish is not None:
            self._main.wish(wish)
        else:
            self._commands[dot.command.name](dot)

    @property
    def _setup(self) -> "Configuring":
        return self._app.services.configuring

    @property
    def _session(self) -> str | None:
        return self._main.watched.session

    def _tell(self, text: str) -> None:
        self._app.notify(text, markup=False)

    def _change(self, wish: SetSetting) -> None:
        self._tell(self._setup.change(self._session, wish))

    def _set(self, dot: Dot) -> None:
        key, value = dot.words
        self._change(SetSetting(key=key, value=value))

    def _switch(self, dot: Dot) -> None:
        self._change(switch(dot.command.name, dot.word or ""))

    def _info(self, dot: Dot) -> None:
        from longwatch.ui.screens.page import Page

        if dot.word == "settings":
            self._app.action_settings()
            return
        title = dot.word or "session"
        self._app.push_screen(Page(title.capitalize(), self._setup.info(self._session, dot.word)))

    def _go_to(self, dot: Dot) -> None:
        name = dot.word or ""
        found = self._app.services.store.find(name)
        if len(found) > 1:
            raise Refused(f"'{name}' names {len(found)} sessions; use an id.")
        if not found:
            near = nearest(name, [summary.title for summary in self._main.summaries])
            raise Refused(f"There is no session '{name}'" + (f"; '{near}'?" if near else "."))
        self._main.open(found[0])

    def _exit(self, dot: Dot) -> None:
        match dot.word:
            case None:
                self._app.action_leave()
            case "session":
                self._main.open(None)
            case _:
                self._switch(dot)

    def _starter(self, dot: Dot) -> None:
        starters = self._setup.starters(self._session)
        if dot.word is None:
            self._ask_for_starter(starters)
            return
        number = int(dot.word)
        if not 1 <= number <= len(starters):
            raise Refused(f"There is no starter {number}; there are {len(starters)}.")
        self._foot.send(starters[number - 1])

    def _ask_for_starter(self, starters: Sequence[str]) -> None:
        from longwatch.ui.screens.dialogs import Choice, Confirm

        def chosen(answer: str | None) -> None:
            if answer is not None:
                self._foot.send(starters[int(answer)])

        choices = [
            Choice(str(place), str(place + 1), one_line(text))
            for place, text in enumerate(starters)
        ]
        self._app.push_screen(Confirm("Begin with:", choices, title="Starters"), chosen)

    def _edit(self, dot: Dot) -> None:
        from longwatch.ui.editor import Editor

        what, *name = dot.words
        draft = self._setup.draft(self._session, what, name[0] if name else None)
        Editor(self._app, self._session, draft).open()

    def _rename(self, dot: Dot) -> None:
        from longwatch.ui.screens.dialogs import AskText

        def renamed(title: str | None) -> None:
            if title:
                self._main.wish(Rename(title=title))

        if dot.word is not None:
            renamed(dot.word)
            return
        now = self._main.watched.state.profile.title
        self._app.push_screen(AskText("Rename the session", now), renamed)

    def _export(self, dot: Dot) -> None:
        form, file = dot.words
        self._tell(self._setup.export(self._session or "", form, file))

    def _help(self, dot: Dot) -> None:
        from longwatch.ui.screens.page import Page

        lines = help_lines(dot.word)
        self._app.push_screen(Page("Dot commands, / for . is the same", "\n".join(lines)))
