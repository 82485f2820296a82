"""Before anything else: how to begin where nothing is configured, and whether to trust a folder."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from longwatch.ui.configuring import Server
from longwatch.ui.screens.dialogs import AskText, Choice, Confirm
from longwatch.ui.services import Refused

if TYPE_CHECKING:
    from longwatch.ui.app import Dashboard

Found = TypeVar("Found")

MOST_MODELS = 9
"""Models that are offered by a digit; others are typed."""
MOST_LISTED = 8
"""Files of a folder that are named when its trust is asked for."""
WELCOME = """\
Nothing is configured yet. How do you want to begin?
Nothing is written before you have chosen; esc decides later."""
TRUST = """\
This folder brings its own instructions and settings for agents. They are read only if you trust \
it, and even then they cannot set approval, providers, addresses, keys or environment.

{folder}

{brings}"""


def _nothing() -> None:
    pass


class Welcome:
    """The questions of one dashboard's start."""

    def __init__(self, app: "Dashboard") -> None:
        self._app = app
        self._welcoming = app.services.welcoming

    def ask(self) -> None:
        """What is due now; mostly nothing is."""
        if self._welcoming.is_new():
            self.ask_how_to_begin()
        else:
            self.ask_for_trust()

    # --- how to begin -----------------------------------------------------------------------

    def ask_how_to_begin(self) -> None:
        keys = self._welcoming.keys()
        choices = [
            Choice("demo", "d", "Play the demo: no key, no network"),
            *(
                Choice(f"key:{key}", str(n), f"Use the key in {key}")
                for n, key in enumerate(keys, 1)
            ),
            Choice("server", "s", "Point to a local server, such as Ollama"),
        ]
        note = "" if keys else "\nNo key was found: export ANTHROPIC_API_KEY or OPENAI_API_KEY."
        self._app.push_screen(Confirm(WELCOME + note, choices, title="Welcome"), self._begun)

    def _begun(self, answer: str | None) -> None:
        if answer == "demo":
            self._app.wants_demo = True
            self._app.exit()
        elif answer == "server":
            self._app.notify("Looking for servers …", timeout=2, markup=False)
            self._in_background(self._welcoming.servers, self._ask_for_server)
        elif answer is not None:
            self._write(partial(self._welcoming.use_key, answer.removeprefix("key:")))
        else:
            self.ask_for_trust()

    def _ask_for_server(self, found: Sequence[Server]) -> None:
        choices = [
            Choice(str(place), str(place + 1), f"{one.name} at {one.address} ({_count(one)})")
            for place, one in enumerate(found)
        ]
        choices.append(Choice("other", "a", "Type an address"))
        question = "These answer here:" if found else "None answers on the usual ports."

        def chosen(answer: str | None) -> None:
            if answer == "other":
                self._ask_for_address("")
            elif answer is not None:
                self._ask_for_model(found[int(answer)])
            else:
                self.ask_how_to_begin()

        self._app.push_screen(Confirm(question, choices, title="Local server"), chosen)

    def _ask_for_address(self, complaint: str) -> None:
        def typed(address: str | None) -> None:
            if address is None:
                self.ask_how_to_begin()
                return
            find = partial(self._welcoming.server_at, address)
            self._in_background(find, self._ask_for_model, self._ask_for_address)

        detail = complaint or "Of a server that speaks the OpenAI protocol."
        dialog = AskText("Its address", detail=detail, placeholder="http://127.0.0.1:11434")
        self._app.push_screen(dialog, typed)

    def _ask_for_model(self, server: Server) -> None:
        def chosen(model: str | None) -> None:
            if model is None:
                self.ask_how_to_begin()
            else:
                self._write(partial(self._welcoming.use_server, server, model))

        models = server.models
        if not 0 < len(models) <= MOST_MODELS:
            first = models[0] if models else ""
            detail = f"{server.address} has {_count(server)}."
            self._app.push_screen(AskText("Which model?", first, detail=detail), chosen)
            return
        choices = [Choice(model, str(n), model) for n, model in enumerate(models, 1)]
        self._app.push_screen(Confirm("Which model?", choices, title=server.name), chosen)

    def _write(self, write: Callable[[], str]) -> None:
        try:
            self._app.notify(write(), timeout=15, markup=False)
        except Refused as refused:
            self._app.notify(str(refused), severity="error", timeout=15, markup=False)
        self.ask_for_trust()

    def _in_background(
        self,
        find: Callable[[], Found],
        then: Callable[[Found], None],
        otherwise: Callable[[str], None] | None = None,
    ) -> None:
        """Look in a thread, so that the screen goes on; then ask on."""

        def work() -> None:
            try:
                found = find()
            except Refused as refused:
                if otherwise is not None:
                    self._app.call_from_thread(otherwise, str(refused))
            else:
                self._app.call_from_thread(then, found)

        self._app.run_worker(work, thread=True)

    # --- whether to trust -------------------------------------------------------------------

    def ask_for_trust(
        self, folder: str = "", then: Callable[[], None] = _nothing, *, again: bool = False
    ) -> None:
        """Ask once for a folder that brings something; ``then`` follows whatever the answer."""
        root = folder or self._app.services.folder
        brings = self._welcoming.brings(root) if again else self._welcoming.untrusted(root)
        if not brings:
            if again:
                self._app.notify("This folder brings nothing of its own.", markup=False)
            then()
            return

        def answered(answer: str | None) -> None:
            if answer is not None:
                self._keep(root, trusted=answer == "trust")
            then()

        choices = (
            Choice("ignore", "n", "No, leave them unread"),
            Choice("trust", "t", "Trust this folder from now on"),
        )
        question = TRUST.format(folder=root, brings=_listed(brings))
        self._app.push_screen(Confirm(question, choices, title="Trust this folder?"), answered)

    def _keep(self, folder: str, *, trusted: bool) -> None:
        try:
            self._welcoming.trust(folder, trusted=trusted)
        except Refused as refused:
            self._app.notify(str(refused), severity="error", markup=False)


def _listed(brings: Sequence[str]) -> str:
    """As many as a small screen can hold; the rest is counted."""
    left = len(brings) - MOST_LISTED
    more = [f"and {left} more"] if left > 0 else []
    return "\n".join(f"  {one}" for one in (*brings[:MOST_LISTED], *more))


def _count(server: Server) -> str:
    many = len(server.models)
    return f"{many} model{'' if many == 1 else 's'}" if many else "no model listed"
