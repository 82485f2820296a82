"""The person's own editor in place of the dashboard, until it is closed."""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported

from longwatch.ui.configuring import Draft
from longwatch.ui.screens.dialogs import Choice, Confirm
from longwatch.ui.services import Refused

if TYPE_CHECKING:
    from longwatch.ui.app import Dashboard

LONGEST = 1_000_000
"""Characters of an edited text that are taken."""


class Editor:
    """Edits one draft until it is right or given up. What was written is kept until then."""

    def __init__(self, app: "Dashboard", session: str | None, draft: Draft) -> None:
        self._app = app
        self._session = session
        self._draft = draft
        self._file = Path(app.services.configuring.scratch(draft))

    def open(self) -> None:
        """Raises Refused if there is no editor to open it in."""
        try:
            self._edit(self._app.services.configuring.editor())
            written = self._file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError, SuspendNotSupported) as error:
            raise Refused(f"It cannot be edited here: {error}") from error
        if written == self._draft.text:
            self._file.unlink(missing_ok=True)
            self._app.notify("Nothing was changed.", markup=False)
        elif len(written) > LONGEST:
            self._ask_again(f"more than {LONGEST} characters")
        else:
            self._apply(written)

    def _edit(self, command: Sequence[str]) -> None:
        with self._app.suspend():
            ended = subprocess.run([*command, str(self._file)], check=False)  # noqa: S603
        self._app.refresh(layout=True)
        if ended.returncode:
            raise Refused(
                f"{command[0]} ended with code {ended.returncode}, so nothing was applied; "
                f"the text is in {self._file}"
            )

    def _apply(self, written: str) -> None:
        try:
            told = self._app.services.configuring.apply(self._session, self._draft, written)
        except Refused as refused:
            self._ask_again(str(refused))
            return
        self._file.unlink(missing_ok=True)
        self._app.notify(told, markup=False)

    def _ask_again(self, problem: str) -> None:
        choices = (
            Choice("edit", "e", "Edit it again"),
            Choice("drop", "d", "Drop what was written"),
        )
        question = f"Nothing was applied:\n{problem}"
        self._app.push_screen(Confirm(question, choices, title=self._draft.file), self._answered)

    def _answered(self, answer: str | None) -> None:
        if answer == "edit":
            self._app.call_later(self._again)
        elif answer == "drop":
            self._file.unlink(missing_ok=True)
        else:
            self._app.notify(f"What was written is in {self._file}", markup=False)

    def _again(self) -> None:
        try:
            self.open()
        except Refused as refused:
            self._app.notify(str(refused), severity="error", markup=False)
