"""What must hold after any number of kills: nothing lost, nothing done twice, the same end."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Literal

from longwatch.adapters.store.sqlite import SqliteStore
from longwatch.engine.fsck import check
from longwatch.session import AnyEvent, UnknownEvent, decode, fold
from longwatch.session.events import (
    AssistantMessage,
    AutoContinuing,
    ChecklistChanged,
    ChildFinished,
    ChildStarted,
    Injected,
    MessageSent,
    ToolFinished,
    ToolStarted,
    UserMessage,
)
from torture.cast import SESSION, UNKNOWN
from torture.scripts import Script
from torture.stage import MARKS, STORE
from torture.traps import Point

Fate = Literal["lost", "doubled", "broken"]


@dataclass
class Run:
    """One process as it was seen from outside."""

    kill_at: Point | None = None
    acknowledged: list[bytes] = field(default_factory=list)
    heard: set[str] = field(default_factory=set)
    """Calls of which the model read that their outcome is unknown."""
    drafts: set[tuple[str, str]] = field(default_factory=set)
    """The replies, text and reasoning, that a process before it was in the middle of."""
    counts: Mapping[str, int] = field(default_factory=dict)
    code: int | None = None
    killed: bool = False
    complaint: str = ""


@dataclass(frozen=True)
class Ending:
    """What a session comes to."""

    state: str
    reason: str
    checklist: tuple[tuple[str, str, str], ...]
    goal: str
    story: tuple[str, ...]


Endings = Mapping[str, Ending]
"""By session: the run's own, and those of its subagents."""


@dataclass(frozen=True)
class Finding:
    """Something that must not be."""

    fate: Fate
    words: str


@dataclass(frozen=True)
class Scene:
    """What is left in the folder after the last process of a run; events by session."""

    events: Mapping[str, Sequence[AnyEvent]]
    bodies: Mapping[str, Sequence[bytes]]
    marks: Sequence[str]
    unanswered: Sequence[str]
    leftovers: Sequence[str]
    problems: Sequence[str]

    @classmethod
    def of(cls, folder: Path) -> "Scene":
        store = SqliteStore.open(folder / STORE)
        try:
            names = [one.session for one in store.summaries()]
            bodies = {name: [record.body for record in store.records(name)] for name in names}
            leftovers = [f"a draft of {name} is left" for name in names if store.draft(name)]
            leftovers += [f"{name} is still held" for name in names if store.holder(name, 0.0)]
            if store.worker() is not None:
                leftovers.append("a worker is still registered")
            return cls(
                events={name: [decode(body) for body in kept] for name, kept in bodies.items()},
                bodies=bodies,
                marks=_lines(folder / MARKS),
                unanswered=[posted.id for posted in store.unanswered()],
                leftovers=leftovers,
                problems=check(store),
            )
        finally:
            store.close()

    @property
    def happened(self) -> Iterator[AnyEvent]:
        """What happened in any of the sessions."""
        return chain.from_iterable(self.events.values())


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def endings(scene: Scene) -> Endings:
    return {name: _ending(events) for name, events in scene.events.items()}


def _ending(events: Sequence[AnyEvent]) -> Ending:
    state = fold(events)
    return Ending(
        state=state.state,
        reason=state.reason,
        checklist=tuple((item.text, item.status, item.reason) for item in state.checklist),
        goal=state.checklist.goal,
        story=tuple(_story(events)),
    )


def _story(events: Sequence[AnyEvent]) -> Iterator[str]:
    """What the model and the person would tell of it, without what a crash may add."""
    for event in events:
        match event:
            case AssistantMessage(partial=False):
                yield f"reply {event.text}"
            case ToolFinished():
                yield f"result {event.call}"
            case ChecklistChanged():
                items = [(item.text, item.status, item.reason) for item in event.items]
                yield f"list by {event.by}: {event.goal} {items}"
            case AutoContinuing():
                yield event.text
            case Injected():
                yield f"told {event.source}"
            case UserMessage():
                yield f"said by {event.source}: {event.text}"
            case ChildStarted(child=other) | ChildFinished(child=other) | MessageSent(to=other):
                yield f"{type(event).__name__} {other}"
            case _:
                pass


def findings(script: Script, expected: Endings, runs: Sequence[Run], scene: Scene) -> list[Finding]:
    """All that is wrong with a disturbed run."""
    return [
        *_ended(runs, scene),
        *_kept(runs, scene),
        *_drafts_kept(runs, scene),
        *_struck(scene),
        *_told(runs, scene),
        *_answered(script, scene),
        *_same_ends(script, expected, endings(scene)),
        *(Finding("broken", words) for words in (*scene.problems, *scene.leftovers)),
    ]


def _ended(runs: Sequence[Run], scene: Scene) -> Iterator[Finding]:
    last = runs[-1]
    if last.code is None or last.complaint:
        yield Finding("broken", f"the last process did not end well: {last.complaint}")
    for name, events in scene.events.items():
        if [event.seq for event in events] != list(range(1, len(events) + 1)):
            yield Finding("broken", f"the numbers of the events of {name} have a gap")


def _kept(runs: Sequence[Run], scene: Scene) -> Iterator[Finding]:
    """Every acknowledged event is there, byte for byte."""
    kept = set(chain.from_iterable(scene.bodies.values()))
    for number, run in enumerate(runs, start=1):
        for body in run.acknowledged:
            if body not in kept:
                yield Finding("lost", f"an event, acknowledged by process {number}: {body!r}")


def _drafts_kept(runs: Sequence[Run], scene: Scene) -> Iterator[Finding]:
    """A reply that a kill cut off is there as far as it came."""
    partial = {
        (event.text, event.reasoning)
        for event in scene.happened
        if isinstance(event, AssistantMessage) and event.partial
    }
    for draft in set().union(*(run.drafts for run in runs)) - partial:
        yield Finding("lost", f"the reply that was cut off after {draft!r}")


def _struck(scene: Scene) -> Iterator[Finding]:
    """No mark is begun twice, and one that is reported done was done."""
    strokes = Counter(scene.marks)
    for stroke, count in strokes.items():
        if count > 1:
            yield Finding("doubled", f"the mark {stroke!r} was left {count} times")
    for mark, finished in _results(scene).items():
        done = strokes[f"{mark} begun"] == strokes[f"{mark} done"] == 1
        if finished is None:
            yield Finding("lost", f"the call for the mark {mark} has no result")
        elif finished.ok and not done:
            yield Finding("lost", f"the mark {mark} is reported and not there")
    for stroke in strokes:
        if stroke.split()[0] not in _results(scene):
            yield Finding("broken", f"{stroke!r} without a tool_started")


def _results(scene: Scene) -> dict[str, ToolFinished | None]:
    """By mark: the result of each call that was started."""
    finished = {
        (event.session, event.call): event
        for event in scene.happened
        if isinstance(event, ToolFinished)
    }
    return {
        str(event.arguments["mark"]): finished.get((event.session, event.call))
        for event in scene.happened
        if isinstance(event, ToolStarted)
        and isinstance(event.arguments, Mapping)
        and "mark" in event.arguments
    }


def _told(runs: Sequence[Run], scene: Scene) -> Iterator[Finding]:
    """A tool that a kill cut off is reported to the model as of unknown outcome."""
    unknown = {
        event.call
        for event in scene.happened
        if isinstance(event, ToolFinished) and UNKNOWN in event.output
    }
    heard: set[str] = set().union(*(run.heard for run in runs))
    if unknown - heard:
        yield Finding("lost", f"the model never read that {unknown - heard} were cut off")
    cut = [run for run in runs if run.killed and run.kill_at and _in_a_tool(run.kill_at)]
    if len(unknown) < len(cut):
        yield Finding("lost", f"a kill {cut[0].kill_at} was not reported to the model")
    if not any(run.killed for run in runs) and unknown:
        yield Finding("broken", f"nothing was killed, and {unknown} are of unknown outcome")


def _in_a_tool(point: Point) -> bool:
    return point.kind in ("tool: not begun", "tool: half done", "tool: not recorded")


def _answered(script: Script, scene: Scene) -> Iterator[Finding]:
    """Each wish has one answer: events side by side, no two of a kind."""
    for wish in script.wishes:
        answers = [
            event
            for event in scene.events[SESSION]
            if not isinstance(event, UnknownEvent) and event.intent == wish.id
        ]
        if not answers:
            yield Finding("lost", f"the wish {wish.id!r} has no answer")
            continue
        kinds = [type(event) for event in answers]
        apart = answers[-1].seq - answers[0].seq + 1 != len(answers)
        if apart or len(set(kinds)) != len(kinds):
            yield Finding("doubled", f"the wish {wish.id!r} was answered more than once")
    for intent in scene.unanswered:
        yield Finding("lost", f"the wish {intent!r} is still unanswered")


def _same_ends(script: Script, expected: Endings, actual: Endings) -> Iterator[Finding]:
    for name in expected.keys() - actual.keys():
        yield Finding("lost", f"the session {name} is not there")
    for name in actual.keys() - expected.keys():
        yield Finding("doubled", f"there is a session too many: {name}")
    for name in expected.keys() & actual.keys():
        yield from _same_end(script, expected[name], actual[name])


def _same_end(script: Script, expected: Ending, actual: Ending) -> Iterator[Finding]:
    for name in ("state", "reason", "checklist", "goal"):
        wanted, found = getattr(expected, name), getattr(actual, name)
        if wanted != found:
            yield Finding("lost", f"the {name} is {found!r} instead of {wanted!r}")
    before, after = list(expected.story), list(actual.story)
    if not script.ordered:
        before, after = sorted(before), sorted(after)
    if before != after:
        missing = list((Counter(before) - Counter(after)).elements())
        surplus = list((Counter(after) - Counter(before)).elements())
        fate: Fate = "doubled" if surplus and not missing else "lost"
        yield Finding(fate, f"the story differs: missing {missing}, too much {surplus}")
