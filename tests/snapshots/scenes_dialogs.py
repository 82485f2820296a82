"""What opens over the panes."""

from ui_services import FakeServices

from longwatch.session.intents import Say
from longwatch.ui.app import Dashboard
from longwatch.ui.services import SettingRow
from snapshots.cast import lively
from snapshots.scene import scene

DIALECT, DEFAULT = "dialect longwatch", "default"
SETTINGS = (
    ("model", "openai:gpt-4o", "session", "Which model works, as provider:name."),
    ("dialect", "longwatch", DEFAULT, "How the model speaks of its list."),
    ("auto_continue", "true", DIALECT, "Whether open todos drive the agent on."),
    ("max_auto_continues", "40", "agent coder", "How many wakes an activation has."),
    ("max_idle_continues", "3", DIALECT, "Continuations without progress before it rests."),
    ("nag_after", "3", DIALECT, "Turns without a todo tool before a reminder; 0: never."),
    ("max_todos", "20", DIALECT, "How many items a list holds; 0: any number."),
    ("approval", "ask", "project .longwatch/config.yaml", "Which calls wait for a person."),
    ("sandbox", "bubblewrap", "global ~/.config/longwatch/config.yaml", "What wraps commands."),
    ("temperature", "null", DEFAULT, "How freely the model writes; null: as it is made."),
    ("max_cost_per_run", "2.5", "environment LONGWATCH_MAX_COST_PER_RUN", "Dollars it may cost."),
    ("continuation_prompt", "null", DEFAULT, "What is said in place of the dialect's words."),
)


def _has_commands(app: Dashboard) -> bool:
    options = app.screen.query("CommandList")
    return bool(options) and getattr(options.first(), "option_count", 0) > 0


@scene(keys=("ctrl+p",), ready=_has_commands)
def palette(services: FakeServices) -> str:
    """The palette before anything is typed."""
    return lively(services.store)


@scene(keys=("ctrl+p", *"check"), ready=_has_commands)
def palette_searched(services: FakeServices) -> str:
    """The palette with a word in it: what fits is underlined."""
    return lively(services.store)


@scene(size=(60, 16), keys=("ctrl+p",), ready=_has_commands)
def palette_smallest(services: FakeServices) -> str:
    """The palette in the smallest terminal."""
    return lively(services.store)


@scene(size=(160, 48), keys=("f1",))
def help_keys(services: FakeServices) -> str:
    """Every key, place by place."""
    return lively(services.store)


@scene(size=(80, 24), keys=("f1",))
def help_small(services: FakeServices) -> str:
    """The keys in a small terminal."""
    return lively(services.store)


@scene(keys=("f2", "down", "down", "down"))
def settings(services: FakeServices) -> str:
    """Every setting, where it comes from and what it means."""
    services.rows = [SettingRow(*row) for row in SETTINGS]
    return lively(services.store)


@scene(size=(80, 24), keys=("f2",))
def settings_small(services: FakeServices) -> str:
    """The settings in a small terminal."""
    services.rows = [SettingRow(*row) for row in SETTINGS]
    return lively(services.store)


@scene(keys=("ctrl+n", *"Fix the flaky test."))
def new_session(services: FakeServices) -> str:
    """A new session: the task, and the rest as it usually is."""
    return lively(services.store)


@scene(size=(80, 24), keys=("ctrl+n",))
def new_session_small(services: FakeServices) -> str:
    """The same in a small terminal, before anything is written."""
    return lively(services.store)


@scene(keys=("ctrl+q",))
def quitting(services: FakeServices) -> str:
    """Leaving while sessions run."""
    return lively(services.store)


@scene(keys=("shift+tab", "down", "down", "b", *"waiting for design"))
def block(services: FakeServices) -> str:
    """Blocking an item asks why."""
    return lively(services.store)


@scene(keys=("shift+tab", "c"))
def clear(services: FakeServices) -> str:
    """Clearing the list asks first."""
    return lively(services.store)


@scene(keys=("shift+tab", "down"))
def checklist_focused(services: FakeServices) -> str:
    """The checklist has the focus; the mark is one below the current item."""
    return lively(services.store)


@scene(keys=("shift+tab", "shift+tab", "shift+tab", "slash", *"pay"))
def filtered(services: FakeServices) -> str:
    """The sidebar filtered by a word."""
    return lively(services.store)


@scene(keys=(*"Use twelve characters,", "ctrl+j", *"not eight."))
def writing(services: FakeServices) -> str:
    """A message of two lines, and one that is queued."""
    session = lively(services.store)
    services.post(session, Say(text="Also update the changelog."))
    return session
