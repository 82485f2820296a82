"""From files, flags and a session's own settings to what governs its steps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from msgspec import structs

from longwatch.adapters.messages import MESSAGES_FILE, MessagesFile
from longwatch.adapters.models.provider import KeySource, ProviderProblem, Surroundings
from longwatch.adapters.models.registry import (
    TYPES,
    Models,
    default_selection,
    usual_providers,
)
from longwatch.adapters.schedules import local_zone, next_kick
from longwatch.adapters.settings.declared import setting_named
from longwatch.adapters.settings.files import (
    Agent,
    Global,
    Library,
    Role,
    load_global,
    load_project,
)
from longwatch.adapters.settings.layers import (
    Given,
    Resolved,
    accept,
    from_environment,
    from_record,
    resolve,
)
from longwatch.adapters.settings.places import Places
from longwatch.adapters.settings.problems import BadSetting, Problems
from longwatch.adapters.settings.setting import Layer
from longwatch.adapters.settings.shipped import Shipped
from longwatch.adapters.settings.trust import Trust
from longwatch.adapters.tools.files import ReadMemory
from longwatch.adapters.tools.registry import make_session_tools, make_tools
from longwatch.adapters.tools.sandbox import NoSandbox, Sandbox, find_sandbox
from longwatch.dialects import DIALECTS
from longwatch.discipline import Rules, compact_at
from longwatch.engine.approval import Permissions, within
from longwatch.engine.conduct import Changed, ChangeRefused, Conduct, Misconfigured, Sampling
from longwatch.engine.deeds import SessionTool
from longwatch.engine.ports import Place, Tool
from longwatch.engine.summary import Schedule
from longwatch.session import KnownEvent, SessionState, advance
from longwatch.session.events import AgentChanged, RoleChanged, SessionStarted, SettingsChanged
from longwatch.session.intents import SetSetting
from longwatch.session.state import Profile

BASE_PROMPT = """\
You carry out a task in the folder {cwd}, by yourself and to the end.
Use the tools to look before you change anything, and check what you have done.
Paths are relative to that folder; you cannot leave it. Keep what you say short."""

CHILD_PROMPT = """\
You are a subagent of session {parent}: it gave you the task and reads nothing but what you say
last, so put your result there."""


@dataclass(frozen=True)
class Outside:
    """What of the world the configuration depends on."""

    places: Places
    shipped: Shipped
    environ: Mapping[str, str]
    flags: Given = field(default_factory=Given)
    approver: bool = False
    trusts: bool = False
    """The person said on the command line that the folder is trusted."""
    speed: float = 1.0


@dataclass(frozen=True)
class Setup:
    """One session's configuration, resolved."""

    resolved: Resolved
    configuration: Global
    role: Role | None = None
    agent: Agent | None = None
    instructions: Mapping[str, str] = field(default_factory=dict)


class House:
    """The governor of every session of this process."""

    def __init__(self, outside: Outside) -> None:
        self.outside = outside
        self._models = Models({}, Surroundings())
        self._tools: Mapping[str, Tool] = make_tools(ReadMemory(), outside.environ)
        self._session_tools: Mapping[str, SessionTool] = make_session_tools()

    # --- the governor's protocol ------------------------------------------------------------

    def conduct(self, state: SessionState) -> Conduct:
        try:
            setup = self.setup(state.profile)
            return self._conduct(state, setup)
        except (Problems, ProviderProblem) as problem:
            raise Misconfigured(str(problem)) from problem

    def change(self, state: SessionState, wish: SetSetting) -> Changed:
        try:
            event = self._changed(state.profile, wish)
            self.conduct(advance(state, structs.replace(event, at=state.at)))
        except (BadSetting, Problems, Misconfigured) as bad:
            raise ChangeRefused(str(bad)) from bad
        return event

    def child(
        self, parent: SessionState, agent: str | None
    ) -> tuple[SessionStarted, Sequence[KnownEvent]]:
        """As its parent is set up, or as an agent that may do no more."""
        profile = parent.profile
        kept = {key: value for key, value in profile.settings.items() if key != "schedule"}
        wanted = structs.replace(
            profile, agent=agent or profile.agent, settings=kept, parent=parent.session
        )
        theirs = self.conduct(SessionState(profile=wanted))
        mine = self.conduct(parent)
        if not within(theirs.permissions, mine.permissions) or (
            theirs.place.sandbox_network and not mine.place.sandbox_network
        ):
            raise Misconfigured(
                f"agent {wanted.agent!r} is allowed more than this session is "
                f"(approval mode: {mine.permissions.mode})."
            )
        started = SessionStarted(
            cwd=profile.cwd,
            model=theirs.model_name,
            dialect=theirs.rules.dialect.name,
            agent=wanted.agent,
            role=profile.role,
            parent=parent.session,
        )
        settings = (SettingsChanged(key=k, value=v, by="system") for k, v in kept.items())
        return started, tuple(settings)

    @property
    def secrets(self) -> frozenset[str]:
        """The keys that are there now, so that none is ever written."""
        try:
            providers = load_global(self.outside.places, TYPES).all_providers(self._usual)
        except Problems:
            providers = self._usual
        found: set[str] = set()
        for config in providers.values():
            found.update(value for value in config.headers.values() if len(value) >= 8)
            try:
                secret = KeySource(config, self.outside.environ).read()
            except ProviderProblem:
                continue
            if secret is not None:
                found.add(secret.reveal())
        return frozenset(found)

    def _changed(self, profile: Profile, wish: SetSetting) -> Changed:
        if wish.key in ("agent", "role"):
            kind = AgentChanged if wish.key == "agent" else RoleChanged
            return kind(name=None if wish.value is None else str(wish.value))
        key = setting_named(wish.key).name
        value = accept(wish.key, wish.value)
        if value is None and key in ("model", "dialect"):
            value = self._without(profile, key)
        if key == "auto_continue" and value:
            _demand_function_calling(self.setup(profile).resolved)
        return SettingsChanged(key=key, value=value, by="human")

    def _without(self, profile: Profile, key: str) -> Any:
        """What holds where a session, which always has a model and a dialect, has none."""
        setup = self.setup(structs.replace(profile, **{key: ""}))
        return self.model_of(setup) if key == "model" else setup.resolved[key]

    # --- resolving --------------------------------------------------------------------------

    def setup(self, profile: Profile) -> Setup:
        """Everything that is configured for such a session; raises Problems."""
        outside, root = self.outside, Path(profile.cwd)
        configuration = load_global(outside.places, TYPES)
        trusted = self._trusts(profile)
        library = self.library(root if trusted else None)
        environment = from_environment(outside.environ)
        given: dict[Layer, Given] = {
            "flag": outside.flags,
            "session": from_record(_recorded(profile)),
            "global": configuration.given.under(environment),
        }
        role = agent = None
        instructions: Mapping[str, str] = {}
        if profile.role is not None:
            role = library.load_role(profile.role)
            given["role"] = role.given
        if profile.agent is not None:
            agent = library.load_agent(profile.agent)
            given["agent"] = agent.given
        if trusted:
            project = load_project(root)
            given["project"], instructions = project.given, project.instructions
        return Setup(resolve(given), configuration, role, agent, instructions)

    def model_of(self, setup: Setup) -> str:
        """The model in use: the configured one, else that of a key found, else the rehearsal."""
        return setup.resolved["model"] or default_selection(self.outside.environ)

    def library(self, root: Path | None = None) -> Library:
        return Library(self.outside.places, self.outside.shipped, root)

    def library_for(self, profile: Profile) -> Library:
        """Roles and agents that a session can have: its folder's too, if that is trusted."""
        return self.library(Path(profile.cwd) if self._trusts(profile) else None)

    @property
    def tool_names(self) -> tuple[str, ...]:
        return (*self._tools, *self._session_tools)

    def _trusts(self, profile: Profile) -> bool:
        outside = self.outside
        if not profile.cwd:
            return False
        return outside.trusts or Trust.at(outside.places).covers(Path(profile.cwd))

    def surroundings(self, resolved: Resolved | None = None) -> Surroundings:
        """What models are given of the world; without settings, nothing that one must allow."""
        outside = self.outside
        return Surroundings(
            environ=outside.environ,
            insecure_http=tuple(resolved["insecure_http"]) if resolved is not None else (),
            rehearsals=(
                outside.places.config / "rehearsals",
                outside.shipped.config / "rehearsals",
            ),
            speed=outside.speed,
        )

    async def close(self) -> None:
        await self._models.aclose()

    @cached_property
    def sandbox(self) -> Sandbox | NoSandbox:
        return find_sandbox()

    @property
    def _messages(self) -> MessagesFile:
        return MessagesFile(self.outside.places.data / MESSAGES_FILE)

    @property
    def _usual(self) -> Any:
        return usual_providers(self.outside.environ)

    def _conduct(self, state: SessionState, setup: Setup) -> Conduct:
        resolved, outside = setup.resolved, self.outside
        selection = self.model_of(setup)
        self._models.reconfigure(
            setup.configuration.all_providers(self._usual), self.surroundings(resolved)
        )
        tools = _enabled(self._tools, resolved["enabled_tools"])
        session_tools = _enabled(self._session_tools, resolved["enabled_tools"])
        model = self._models.get(selection)
        rules = Rules(
            DIALECTS[resolved["dialect"]],
            resolved.loop_settings(),
            (
                *(tool.spec for tool in tools.values()),
                *(tool.spec for tool in session_tools.values()),
            ),
            _prompt(state.profile, setup),
            compact_at(resolved["compression_threshold"], model.context),
        )
        permissions = self._permissions(resolved, Path(state.profile.cwd))
        return Conduct(
            rules=rules,
            model=model,
            model_name=selection,
            place=self._place(state, resolved, permissions),
            tools=tools,
            session_tools=session_tools,
            permissions=permissions,
            sampling=Sampling(
                temperature=resolved["temperature"],
                top_p=resolved["top_p"],
                max_output_tokens=resolved["max_output_tokens"],
                reasoning_effort=resolved["reasoning_effort"],
                stream=resolved["stream"],
            ),
            approver=outside.approver,
            summarization_prompt=resolved["summarization_prompt"],
            summary_context_prompt=resolved["summary_context_prompt"],
            dry_run=resolved["dry_run"],
            keepsake=self._messages if resolved["save"] else None,
            temporary=resolved["save_session"] is False,
            schedule=self._schedule(resolved) if state.profile.parent is None else None,
        )

    def auto_risk(self, resolved: Resolved, root: Path) -> str:
        """Why commands would have no sandbox in a folder that nobody gave their word for."""
        if resolved["sandbox"] == "required" or Trust.unsandboxed(self.outside.places).covers(root):
            return ""
        if resolved["sandbox"] == "off":
            return "it is turned off (sandbox: off)"
        return self.sandbox.reason if isinstance(self.sandbox, NoSandbox) else ""

    def _permissions(self, resolved: Resolved, root: Path) -> Permissions:
        mode = resolved["approval"]
        wanted = mode == "auto" and resolved["sandbox"] != "off"
        return Permissions(
            mode=mode,
            sandboxed=wanted and isinstance(self.sandbox, Sandbox),
            sandbox_required=resolved["sandbox"] == "required",
            unsandboxed=resolved.origin("approval").layer == "flag"
            or (mode == "auto" and Trust.unsandboxed(self.outside.places).covers(root)),
        )

    def _schedule(self, resolved: Resolved) -> Schedule | None:
        words, zone = resolved["schedule"], local_zone(self.outside.environ)
        return Schedule(words, lambda at: next_kick(words, at, zone)) if words else None

    def _place(self, state: SessionState, resolved: Resolved, permissions: Permissions) -> Place:
        places = self.outside.places
        return Place(
            root=Path(state.profile.cwd),
            session=state.session,
            sandbox="bubblewrap" if permissions.sandboxed else "none",
            sandbox_network=resolved["sandbox_network"],
            protected=(places.config, places.data),
        )


AnyTool = TypeVar("AnyTool", Tool, SessionTool)


def _enabled(tools: Mapping[str, AnyTool], chosen: str | tuple[str, ...]) -> dict[str, AnyTool]:
    if chosen == "all":
        return dict(tools)
    names = () if chosen == "none" else chosen
    return {name: tool for name, tool in tools.items() if name in names}


def _demand_function_calling(resolved: Resolved) -> None:
    """Continuing means todo tools, and those are function calls."""
    key = "function_calling_support"
    if resolved[key]:
        return
    origin = resolved.origin(key)
    if origin.layer in ("agent", "flag"):
        who = f"agent '{origin.name}'" if origin.layer == "agent" else "a flag"
        first = f"{who} sets {key} to false; change it there first"
    else:
        first = f"first: .set {key} true"
    raise ChangeRefused(f"auto_continue needs function calling, which is off; {first}")


def _recorded(profile: Profile) -> dict[str, Any]:
    """A session's own settings; its model and dialect stay what it was started with."""
    own = dict(profile.settings)
    if profile.model:
        own.setdefault("model", profile.model)
    if profile.dialect:
        own.setdefault("dialect", profile.dialect)
    return own


def _prompt(profile: Profile, setup: Setup) -> str:
    parts = [BASE_PROMPT.format(cwd=profile.cwd)]
    if profile.parent is not None:
        parts.append(CHILD_PROMPT.format(parent=profile.parent))
    if setup.role is not None:
        parts.append(setup.role.prompt)
    if setup.agent is not None:
        parts.append(setup.agent.instructions)
    parts.extend(f"From {name} in the folder:\n{text}" for name, text in setup.instructions.items())
    return "\n\n".join(part.strip() for part in parts if part.strip())
