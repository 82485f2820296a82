"""Every setting there is, declared once: checks, documentation and schema are made from this."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from longwatch.adapters.settings.declared_loop import LIMITS, LOOP, REMINDERS
from longwatch.adapters.settings.kinds import (
    MODEL,
    Amount,
    Choice,
    Count,
    Cron,
    Hosts,
    NotAccepted,
    Selection,
    Several,
    Switch,
    Text,
    describe,
    nearest,
)
from longwatch.adapters.settings.problems import BadSetting, UnknownKey
from longwatch.adapters.settings.quoting import cut
from longwatch.adapters.settings.setting import LAYERS, Layer, Setting
from longwatch.dialects import DIALECTS, LoopSettings

APPROVALS = ("ask", "edits", "auto", "readonly")
NOTIFIED = ("done", "blocked", "approval", "idle", "failed")
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")

_OWN: tuple[Layer, ...] = tuple(layer for layer in LAYERS if layer != "project")

_MODEL = (
    Setting(
        name="model",
        group="model",
        kind=MODEL,
        default=None,
        sentence="The model; without one, a key found in the environment chooses its provider's, "
        "else the rehearsal model plays.",
    ),
    Setting(
        name="dialect",
        group="model",
        kind=Choice(tuple(DIALECTS)),
        default="longwatch",
        sentence="Which todo tools the model is given, and the defaults of the wake loop.",
    ),
    Setting(
        name="strict_agents",
        group="model",
        kind=Switch(),
        default=False,
        layers=("flag", "global"),
        sentence="An active agent hides what session, role, project and global say of how it "
        "works: loop, reminders, tools, sampling and compaction.",
    ),
)

_TOOLS = (
    Setting(
        name="enabled_tools",
        group="tools",
        kind=Selection(),
        default="all",
        sentence="Which tools the model is given; the todo tools come on top.",
    ),
    Setting(
        name="enabled_mcp_servers",
        group="tools",
        kind=Selection(),
        default="all",
        sentence="Which MCP servers are used. None can be declared yet, so nothing follows from "
        "it.",
    ),
    Setting(
        name="function_calling_support",
        group="tools",
        kind=Switch(),
        default=LoopSettings().function_calling_support,
        sentence="Whether the model is given tools at all; without them there are no todos.",
    ),
    Setting(
        name="mcp_server_support",
        group="tools",
        kind=Switch(),
        default=True,
        sentence="Whether MCP servers are used. None can be declared yet, so nothing follows "
        "from it.",
    ),
)

_SAFETY = (
    Setting(
        name="approval",
        group="safety",
        kind=Choice(APPROVALS),
        default="ask",
        layers=_OWN,
        sentence="Which tool calls wait for a person: writes and commands, only commands, none, "
        "or nothing may be changed at all.",
    ),
    Setting(
        name="sandbox",
        group="safety",
        kind=Choice(("auto", "off", "required")),
        default="auto",
        layers=_OWN,
        sentence="Run commands in a sandbox where there is one, never, or not without one.",
    ),
    Setting(
        name="sandbox_network",
        group="safety",
        kind=Switch(),
        default=False,
        layers=_OWN,
        sentence="Whether commands in the sandbox reach the network.",
    ),
    Setting(
        name="insecure_http",
        group="safety",
        kind=Hosts(),
        default=(),
        layers=_OWN,
        sentence="Hosts that may be spoken to over plain http, such as a model server nearby.",
    ),
)

_CONVERSATION = (
    Setting(
        name="temperature",
        group="conversation",
        kind=Amount(most=2),
        default=None,
        sentence="How freely the model picks its words; null is the provider's own.",
    ),
    Setting(
        name="top_p",
        group="conversation",
        kind=Amount(most=1),
        default=None,
        sentence="From how much of the likely words it picks; null is the provider's own.",
    ),
    Setting(
        name="max_output_tokens",
        group="conversation",
        kind=Count(least=1),
        default=None,
        sentence="How long a reply may be; null is the provider's own.",
    ),
    Setting(
        name="reasoning_effort",
        group="conversation",
        kind=Choice(EFFORTS),
        default=None,
        sentence="How much the model thinks first; null is the provider's own.",
    ),
    Setting(
        name="compression_threshold",
        group="conversation",
        kind=Count(),
        default=None,
        sentence="From how many tokens on older turns are summed up; null is 80 % of what the "
        "model can read, 0 is never.",
    ),
    Setting(
        name="summarization_prompt",
        group="conversation",
        kind=Text(),
        default=None,
        sentence="The text that asks for such a summary.",
    ),
    Setting(
        name="summary_context_prompt",
        group="conversation",
        kind=Text(),
        default=None,
        sentence="The text that introduces the summary to the model.",
    ),
)

_PROGRAM = (
    Setting(
        name="stream",
        group="program",
        kind=Switch(),
        default=True,
        sentence="Show replies as they come, instead of each as a whole.",
    ),
    Setting(
        name="save_session",
        group="program",
        kind=Switch(),
        default=True,
        sentence="Keep the session; false deletes it when it rests and nobody watches.",
    ),
    Setting(
        name="schedule",
        group="program",
        kind=Cron(),
        default=None,
        layers=("flag", "agent", "session"),
        sentence="When a resting session is woken with a message.",
    ),
    Setting(
        name="dry_run",
        group="program",
        kind=Switch(),
        default=False,
        sentence="Print the request with its keys masked, and send nothing.",
    ),
    Setting(
        name="save",
        group="program",
        kind=Switch(),
        default=False,
        sentence="Also append each reply to `messages.md` in the data folder.",
    ),
    Setting(
        name="highlight",
        group="program",
        kind=Switch(),
        default=True,
        sentence="Highlight the syntax of code.",
    ),
    Setting(
        name="notify",
        group="program",
        kind=Several(NOTIFIED),
        default=NOTIFIED,
        sentence="What is announced by a toast, a bell and a desktop notification.",
    ),
)

SETTINGS: Mapping[str, Setting] = MappingProxyType(
    {
        setting.name: setting
        for group in (
            _MODEL,
            LOOP,
            REMINDERS,
            LIMITS,
            _TOOLS,
            _SAFETY,
            _CONVERSATION,
            _PROGRAM,
        )
        for setting in group
    }
)
ALIASES: Mapping[str, str] = MappingProxyType(
    {alias: setting.name for setting in SETTINGS.values() for alias in setting.aliases}
)


def setting_named(name: str, others: Iterable[str] = ()) -> Setting:
    """The setting of that name or alias; raises UnknownKey with the nearest name.

    ``others`` are keys that are known where the name stands, without being settings.
    """
    found = SETTINGS.get(ALIASES.get(name, name))
    if found is None:
        raise UnknownKey(name, cut(name), nearest(name, (*SETTINGS, *ALIASES, *others)))
    return found


def check(name: str, value: Any) -> Any:
    """A value in its canonical form; null is accepted everywhere and sets nothing."""
    setting = setting_named(name)
    if value is None:
        return None
    try:
        return setting.kind.admit(value)
    except NotAccepted:
        raise _bad(setting, describe(value), value) from None


def parse(name: str, text: str) -> Any:
    """The value that a text on a command line or in the environment stands for."""
    setting = setting_named(name)
    if text == "null":
        return None
    try:
        return setting.kind.read(text)
    except NotAccepted:
        raise _bad(setting, cut(text), text) from None


def _bad(setting: Setting, found: str, value: Any) -> BadSetting:
    options = getattr(setting.kind, "options", ())
    close = nearest(value, options) if isinstance(value, str) else ""
    accepted = f"{setting.kind.accepted} (or null)"
    return BadSetting(setting.name, found=found, accepted=accepted, nearest=close)
