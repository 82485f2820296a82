"""From files, flags and a session's own settings to what governs its steps."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from longwatch.adapters.models.provider import KeySource, ProviderProblem, Surroundings
from longwatch.adapters.models.registry import (
    TYPES,
    Models,
    default_selection,
    usual_providers,
)
from longwatch.adapters.settings.declared import check, setting_named
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
    from_environment,
    from_record,
    resolve,
)
from longwatch.adapters.settings.places import Places
from longwatch.adapters.settings.problems import Problems
from longwatch.adapters.settings.setting import BadSetting, Layer
from longwatch.adapters.settings.shipped import Shipped
from longwatch.adapters.settings.trust import Trust
from longwatch.adapters.tools.files import ReadMemory
from longwatch.adapters.tools.registry import make_tools
from longwatch.adapters.tools.sandbox import NoSandbox, Sandbox, find_sandbox
from longwatch.dialects import DIALECTS
from longwatch.discipline import Rules
from longwatch.engine.approval import Permissions
from longwatch.engine.conduct import Conduct, Misconfigured, Sampling, SettingRefused
from longwatch.engine.ports import Place, Tool
from longwatch.session import SessionState
from longwatch.session.state import Profile

BASE_PROMPT = """\
You carry out a task in the folder {cwd}, by yourself and to the end.
Use the tools to look before you change anything, and check what you have done.
Paths are relative to that folder; you cannot leave it. Keep what you say short."""


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

    # --- the governor's protocol ------------------------------------------------------------

    def conduct(self, state: SessionState) -> Conduct:
        try:
            setup = self.setup(state.profile)
            return self._conduct(state, setup)
        except (Problems, ProviderProblem) as problem:
            raise Misconfigured(str(problem)) from problem

    def accept(self, key: str, value: Any) -> Any:
        try:
            setting = setting_named(key)
            if "session" not in setting.layers:
                raise SettingRefused(f"{setting.name} cannot be set for a session")
            return None if value is None else check(key, value)
        except BadSetting as bad:
            raise SettingRefused(str(bad)) from bad

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

    # --- resolving --------------------------------------------------------------------------

    def setup(self, profile: Profile) -> Setup:
        """Everything that is configured for such a session; raises Problems."""
        outside, root = self.outside, Path(profile.cwd)
        configuration = load_global(outside.places, TYPES)
        trusted = bool(profile.cwd) and (outside.trusts or Trust.at(outside.places).covers(root))
        library = Library(outside.places, outside.shipped, root if trusted else None)
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

    async def close(self) -> None:
        await self._models.aclose()

    @cached_property
    def sandbox(self) -> Sandbox | NoSandbox:
        return find_sandbox()

    @property
    def _usual(self) -> Any:
        return usual_providers(self.outside.environ)

    def _conduct(self, state: SessionState, setup: Setup) -> Conduct:
        resolved, outside = setup.resolved, self.outside
        selection = self.model_of(setup)
        self._models.reconfigure(
            setup.configuration.all_providers(self._usual),
            Surroundings(
                environ=outside.environ,
                insecure_http=tuple(resolved["insecure_http"]),
                rehearsals=(
                    outside.places.config / "rehearsals",
                    outside.shipped.config / "rehearsals",
                ),
                speed=outside.speed,
            ),
        )
        tools = self._enabled(resolved["enabled_tools"])
        rules = Rules(
            DIALECTS[resolved["dialect"]],
            resolved.loop_settings(),
            tuple(tool.spec for tool in tools.values()),
            _prompt(state.profile, setup),
        )
        permissions = self._permissions(resolved)
        return Conduct(
            rules=rules,
            model=self._models.get(selection),
            model_name=selection,
            place=self._place(state, resolved, permissions),
            tools=tools,
            permissions=permissions,
            sampling=Sampling(
                temperature=resolved["temperature"],
                top_p=resolved["top_p"],
                max_output_tokens=resolved["max_output_tokens"],
                reasoning_effort=resolved["reasoning_effort"],
                stream=resolved["stream"],
            ),
            approver=outside.approver,
            compression_threshold=resolved["compression_threshold"],
            summarization_prompt=resolved["summarization_prompt"],
            summary_context_prompt=resolved["summary_context_prompt"],
            dry_run=resolved["dry_run"],
            temporary=resolved["save_session"] is False,
        )

    def _enabled(self, chosen: str | tuple[str, ...]) -> dict[str, Tool]:
        if chosen == "all":
            return dict(self._tools)
        names = () if chosen == "none" else chosen
        return {name: tool for name, tool in self._tools.items() if name in names}

    def _permissions(self, resolved: Resolved) -> Permissions:
        mode = resolved["approval"]
        wanted = mode == "auto" and resolved["sandbox"] != "off"
        return Permissions(
            mode=mode,
            sandboxed=wanted and isinstance(self.sandbox, Sandbox),
            sandbox_required=resolved["sandbox"] == "required",
            unsandboxed=resolved.origin("approval").layer == "flag",
        )

    def _place(self, state: SessionState, resolved: Resolved, permissions: Permissions) -> Place:
        places = self.outside.places
        return Place(
            root=Path(state.profile.cwd),
            session=state.session,
            sandbox="bubblewrap" if permissions.sandboxed else "none",
            sandbox_network=resolved["sandbox_network"],
            protected=(places.config, places.data),
        )


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
    if setup.role is not None:
        parts.append(setup.role.prompt)
    if setup.agent is not None:
        parts.append(setup.agent.instructions)
    parts.extend(f"From {name} in the folder:\n{text}" for name, text in setup.instructions.items())
    return "\n\n".join(part.strip() for part in parts if part.strip())
