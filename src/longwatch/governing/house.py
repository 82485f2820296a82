"""Governs every session of a process, by what is configured for it."""

from collections.abc import Mapping, Sequence
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
from longwatch.adapters.settings.files import Library, load_global, load_project
from longwatch.adapters.settings.layers import (
    Given,
    Resolved,
    from_environment,
    from_record,
    resolve,
)
from longwatch.adapters.settings.problems import BadSetting, Problems
from longwatch.adapters.settings.setting import Layer
from longwatch.adapters.settings.trust import Trust
from longwatch.adapters.tools.files import ReadMemory
from longwatch.adapters.tools.registry import make_session_tools, make_tools
from longwatch.dialects import DIALECTS
from longwatch.discipline import Rules, compact_at
from longwatch.engine.conduct import Changed, Conduct, Sampling
from longwatch.engine.deeds import SessionTool
from longwatch.engine.ports import Tool
from longwatch.engine.refusing import ChangeRefused, Misconfigured
from longwatch.engine.summary import Schedule
from longwatch.governing.bounds import Bounds
from longwatch.governing.changing import changed
from longwatch.governing.children import child_of
from longwatch.governing.prompts import system_prompt
from longwatch.governing.setups import Outside, Setup
from longwatch.session import KnownEvent, SessionState, advance
from longwatch.session.events import SessionStarted
from longwatch.session.intents import SetSetting
from longwatch.session.state import Profile


class House:
    """The governor of every session of this process."""

    def __init__(self, outside: Outside) -> None:
        self.outside = outside
        self.bounds = Bounds(outside.places)
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
            event = changed(state.profile, wish, self.setup)
            self.conduct(advance(state, structs.replace(event, at=state.at)))
        except (BadSetting, Problems, Misconfigured) as bad:
            raise ChangeRefused(str(bad)) from bad
        return event

    def child(
        self, parent: SessionState, agent: str | None
    ) -> tuple[SessionStarted, Sequence[KnownEvent]]:
        return child_of(parent, agent, self.conduct)

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
        resolved = resolve(given)
        model = resolved["model"] or default_selection(outside.environ)
        return Setup(resolved, configuration, model, role, agent, instructions)

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

    @property
    def _usual(self) -> Any:
        return usual_providers(self.outside.environ)

    def _conduct(self, state: SessionState, setup: Setup) -> Conduct:
        resolved, outside = setup.resolved, self.outside
        self._models.reconfigure(
            setup.configuration.all_providers(self._usual), self.surroundings(resolved)
        )
        tools = _enabled(self._tools, resolved["enabled_tools"])
        session_tools = _enabled(self._session_tools, resolved["enabled_tools"])
        model = self._models.get(setup.model)
        rules = Rules(
            DIALECTS[resolved["dialect"]],
            resolved.loop_settings(),
            (
                *(tool.spec for tool in tools.values()),
                *(tool.spec for tool in session_tools.values()),
            ),
            system_prompt(state.profile, setup),
            compact_at(resolved["compression_threshold"], model.context),
        )
        messages = MessagesFile(outside.places.data / MESSAGES_FILE)
        permissions = self.bounds.permissions(resolved, Path(state.profile.cwd))
        return Conduct(
            rules=rules,
            model=model,
            model_name=setup.model,
            place=self.bounds.place(state, resolved, permissions),
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
            keepsake=messages if resolved["save"] else None,
            temporary=resolved["save_session"] is False,
            schedule=_schedule(resolved, outside.environ) if state.profile.parent is None else None,
        )


AnyTool = TypeVar("AnyTool", Tool, SessionTool)


def _enabled(tools: Mapping[str, AnyTool], chosen: str | tuple[str, ...]) -> dict[str, AnyTool]:
    if chosen == "all":
        return dict(tools)
    names = () if chosen == "none" else chosen
    return {name: tool for name, tool in tools.items() if name in names}


def _recorded(profile: Profile) -> dict[str, Any]:
    """A session's own settings; its model and dialect stay what it was started with."""
    own = dict(profile.settings)
    if profile.model:
        own.setdefault("model", profile.model)
    if profile.dialect:
        own.setdefault("dialect", profile.dialect)
    return own


def _schedule(resolved: Resolved, environ: Mapping[str, str]) -> Schedule | None:
    words, zone = resolved["schedule"], local_zone(environ)
    return Schedule(words, lambda at: next_kick(words, at, zone)) if words else None
