"""From a wish to a session: the form, a confirmation where one is due, and the first look."""

from typing import TYPE_CHECKING

from longwatch.ui.services import NewSession, Refused

if TYPE_CHECKING:
    from longwatch.ui.app import Dashboard

# The form and the question are loaded when somebody wants a session.
# ruff: noqa: PLC0415

AUTO = """\
Commands would run in this folder without asking you, and without a sandbox: {reason}.
They could do whatever you can do on this machine.

{folder}"""


class Starting:
    """Starts a session for one person; whatever is in the way, nothing that was written is lost."""

    def __init__(self, app: "Dashboard") -> None:
        self._app = app

    def ask(self, filled: NewSession | None = None, complaint: str = "") -> None:
        """Open the form, with what was chosen before and why it could not be started."""
        from longwatch.ui.screens.new_session import NewSessionScreen

        self._app.push_screen(
            NewSessionScreen(self._app.services, filled, complaint), self._answered
        )

    def start(self, wanted: NewSession) -> None:
        """Start it and show it, after a person's word where that is needed."""
        from longwatch.ui.welcome import Welcome

        Welcome(self._app).ask_for_trust(wanted.cwd, lambda: self._weigh(wanted))

    def _weigh(self, wanted: NewSession) -> None:
        try:
            risk = self._app.services.auto_risk(wanted)
        except Refused as refused:
            self.ask(wanted, str(refused))
            return
        if risk:
            self._confirm(wanted, risk)
        else:
            self._begin(wanted)

    def _answered(self, wanted: NewSession | None) -> None:
        if wanted is not None:
            self.start(wanted)

    def _confirm(self, wanted: NewSession, risk: str) -> None:
        from longwatch.ui.screens.dialogs import Choice, Confirm

        def chosen(answer: str | None) -> None:
            if answer is None:
                self.ask(wanted)
            else:
                self._begin(wanted, allow_auto=answer == "allow")

        choices = (
            Choice("ask", "a", "Ask me before each command"),
            Choice("allow", "y", "Yes, in this folder, from now on"),
        )
        question = AUTO.format(reason=risk, folder=wanted.cwd)
        self._app.push_screen(Confirm(question, choices, title="No sandbox"), chosen)

    def _begin(self, wanted: NewSession, *, allow_auto: bool = False) -> None:
        main, services = self._app.main, self._app.services
        if main is None:
            return
        try:
            if allow_auto:
                services.allow_auto(wanted.cwd)
            session = services.start(wanted)
        except Refused as refused:
            self.ask(wanted, str(refused))
            return
        main.look()
        main.open(session)
