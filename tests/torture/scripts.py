"""The runs that are disturbed: what the model says, what the person wants, and through what."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from longwatch.adapters.tools.spawn_agent import child_id
from longwatch.session.events import (
    ApprovalRequested,
    AssistantMessage,
    ChecklistChanged,
    ModelStarted,
    StateChanged,
    ToolStarted,
)
from longwatch.session.intents import (
    AddTodo,
    Answer,
    Approve,
    BlockTodo,
    Deny,
    EditTodo,
    Pause,
    Rename,
    ReopenTodo,
    Resume,
    Say,
    SetGoal,
    SetSetting,
)
from torture.cast import SESSION, Events, Failing, Line, Wish

TASK = "Carve what the list says."


@dataclass(frozen=True)
class Script:
    """One run. ``ordered``: a disturbed one tells the same story in the same order.

    ``parts`` is what its subagents say, by the task that they are given.
    """

    name: str
    lines: tuple[Line, ...]
    wishes: tuple[Wish, ...] = ()
    dialect: str = "longwatch"
    settings: tuple[str, ...] = ()
    approval: str = "auto"
    through: Literal["run", "worker"] = "run"
    ordered: bool = True
    parts: Mapping[str, tuple[Line, ...]] = field(default_factory=dict)


# --- what the person waits for --------------------------------------------------------------


def from_the_start(events: Events) -> bool:
    return bool(events)


def speaking(replies: int) -> Callable[[Events], bool]:
    """The model was asked again after so many whole replies."""

    def due(events: Events) -> bool:
        whole = [e.seq for e in events if isinstance(e, AssistantMessage) and not e.partial]
        if len(whole) < replies:
            return False
        asked = [e.seq for e in events if isinstance(e, ModelStarted)]
        return bool(asked) and asked[-1] > (whole[replies - 1] if replies else 0)

    return due


def carving(mark: str) -> Callable[[Events], bool]:
    """The tool was started with this mark."""
    return lambda events: any(
        isinstance(e, ToolStarted)
        and isinstance(e.arguments, Mapping)
        and e.arguments.get("mark") == mark
        for e in events
    )


def paused(times: int) -> Callable[[Events], bool]:
    return lambda events: (
        times <= sum(isinstance(e, StateChanged) and e.state == "paused" for e in events)
    )


def questioned(events: Events) -> bool:
    return any(isinstance(e, StateChanged) and e.state == "awaiting_human" for e in events)


def done(events: Events) -> bool:
    return any(isinstance(e, StateChanged) and e.state == "dormant" for e in events)


def asked(times: int) -> Callable[[Events], bool]:
    return lambda events: times <= len(_questions(events))


def _questions(events: Events) -> list[str]:
    calls = [e.call for e in events if isinstance(e, ApprovalRequested)]
    return list(dict.fromkeys(calls))


def uid(events: Events, text: str) -> str:
    """The item that was ever called so."""
    lists = [e.items for e in events if isinstance(e, ChecklistChanged)]
    return next(item.uid for items in lists for item in items if item.text == text)


# --- what the model says --------------------------------------------------------------------


def carve(*marks: str, **more: str) -> tuple[tuple[str, Mapping[str, Any]], ...]:
    return tuple(("chisel", {"mark": mark, **more}) for mark in marks)


def call(name: str, **arguments: Any) -> tuple[tuple[str, Mapping[str, Any]], ...]:
    return ((name, arguments),)


def plan(*items: str) -> Line:
    return Line("A plan.", call("todo_plan", goal="a relief", items=list(items)))


def tick(number: int) -> Line:
    return Line(f"Ticking {number}.", call("todo_done", id=number))


TOOLS = Script(
    "tools",
    (
        plan("sketch", "carve", "polish"),
        Line("Two at once.", carve("a", "b")),
        Line("Both kinds.", (*carve("c"), *call("todo_done", id=1), *carve("d"))),
        tick(2),
        Line("An error.", (*call("todo_done", id=9), *call("hammer"), *call("todo_list"))),
        Line("The last one.", (*carve("e"), *call("todo_done", id=3))),
        Line("All is carved."),
    ),
)

CONTINUED = Script(
    "continued",
    (
        Line("I do not need a plan."),
        plan("sketch", "carve"),
        Line("I think I am done."),
        Line("Not quite.", carve("a")),
        Line("Now I am done."),
        tick(1),
        Line("Really."),
        tick(2),
        Line("All is carved."),
    ),
)

STREAMED = Script(
    "streamed",
    (
        Line("A plan in many words.", call("todo_plan", goal="g", items=["talk"]), "Hm, well, so:"),
        Line("I say one word after the other, and then I carve.", carve("a")),
        Line("Then I only speak of it, without an end in sight.", thought="What else is there?"),
        Line("Ticking, at last.", call("todo_done", id=1)),
        Line("That was all that I had to say."),
    ),
)

NAGGED = Script(
    "nagged",
    (
        plan("carve"),
        Line("First.", carve("a")),
        Line("Second.", carve("b")),
        Line("Third.", carve("c")),
        Line("Fourth.", carve("d")),
        tick(1),
        Line("All is carved."),
    ),
)

FAULTY = Script(
    "faulty",
    (
        Line("A plan.", call("todo_plan", goal="g", items=["x"]), failing=(Failing("server"),)),
        Line(
            "Half of this sentence is lost on the way.",
            carve("a"),
            failing=(Failing("broken", after=4), Failing("malformed", after=2)),
        ),
        Line(
            "Ticking later.",
            call("todo_done", id=1),
            failing=(Failing("rate_limited", retry_after=40.0),),
        ),
        Line("All is carved.", failing=(Failing("unreachable"), Failing("stalled", after=9))),
    ),
)


def _list(first: str, second: str) -> list[dict[str, str]]:
    return [{"content": "sketch", "status": first}, {"content": "carve", "status": second}]


CUBEPI = Script(
    "cubepi",
    (
        Line("A list.", call("write_todos", todos=_list("in_progress", "pending"))),
        Line("Work.", carve("a")),
        Line("Refused.", call("write_todos", todos=_list("completed", "pending"))),
        Line("I answer too early."),
        Line("Corrected.", call("write_todos", todos=_list("completed", "in_progress"))),
        Line("More.", (*carve("b"), *call("write_todos", todos=_list("completed", "completed")))),
        Line("All is carved."),
    ),
    dialect="cubepi",
    settings=("auto_continue=true",),
)

LOKI = Script(
    "loki",
    (
        Line("Goal.", call("todo__init", goal="a relief")),
        Line("Two.", (*call("todo__add", task="sketch"), *call("todo__add", task="carve"))),
        Line("Carving.", (*carve("a"), *call("todo__done", id=1))),
        Line("What is left?", call("todo__list")),
        Line("I rest a little."),
        Line("Carving on.", (*carve("b"), *call("todo__done", id=2))),
        Line("All is carved."),
    ),
    dialect="loki",
    settings=("auto_continue=true",),
)


def _todo(*statuses: str) -> tuple[tuple[str, Mapping[str, Any]], ...]:
    items = [
        {"id": str(k), "text": f"step {k}", "status": status}
        for k, status in enumerate(statuses, start=1)
    ]
    return call("todo", items=items)


TODOWRITE = Script(
    "todowrite",
    (
        Line("A list.", _todo("in_progress", "pending")),
        Line("Work.", carve("a")),
        Line("More work.", carve("b")),
        Line("Still more.", carve("c")),
        Line("Told to update.", _todo("completed", "in_progress")),
        Line("Done with it.", _todo("completed", "completed")),
        Line("All is carved."),
    ),
    dialect="todowrite",
)

PARLEY = Script(
    "parley",
    (
        Line("Three.", call("todo_write", items=["sketch", "carve", "polish"])),
        Line("One is done.", call("todo_update", id="<sketch>", status="done")),
        Line("I wait for the person.", carve("a"), until="add"),
        Line(
            "Two more.",
            (
                *call("todo_update", id="<carve>", status="done"),
                *call("todo_update", id="<polish>", status="blocked", reason="no oil"),
            ),
        ),
        Line("Yours too, and one of mine.", call("todo_write", items=["sign"])),
        Line("Only talk."),
        Line("Signed.", call("todo_update", id="<sign>", status="done")),
        Line("And yours.", call("todo_update", id="<gild>", status="done")),
        Line("All but the polish."),
    ),
    (Wish("add", speaking(2), lambda _: AddTodo(text="gild")),),
    dialect="parley",
    ordered=False,
)

WISHED = Script(
    "wished",
    (
        plan("sketch", "carve", "polish"),
        Line("Listening.", carve("a"), until="block"),
        tick(1),
        Line("Carving while you talk.", carve("b", until="edit")),
        Line("You said something."),
        Line("Skipping the second.", call("todo_done", id=3)),
        Line("Waiting.", until="reopen"),
        tick(2),
        Line("All is carved."),
    ),
    (
        Wish("rename", from_the_start, lambda _: Rename(title="A relief")),
        Wish("set", from_the_start, lambda _: SetSetting(key="max_auto_continues", value=7)),
        Wish("goal", from_the_start, lambda _: SetGoal(goal="what the person wants")),
        Wish("nonsense", from_the_start, lambda _: SetSetting(key="nonsense", value=1)),
        Wish("block", speaking(1), lambda e: BlockTodo(uid=uid(e, "carve"), reason="wait")),
        Wish("say", carving("b"), lambda _: Say(text="Also this.")),
        Wish("edit", carving("b"), lambda e: EditTodo(uid=uid(e, "polish"), text="gild")),
        Wish("reopen", speaking(6), lambda e: ReopenTodo(uid=uid(e, "carve"))),
    ),
    ordered=False,
)

PAUSED = Script(
    "paused",
    (
        plan("sketch", "carve"),
        Line("This is cut off in the middle.", carve("a"), until="pause"),
        tick(1),
        Line("This too.", carve("b", until="pause again")),
        tick(2),
        Line("All is carved."),
    ),
    (
        Wish("pause", speaking(1), lambda _: Pause()),
        Wish("resume", paused(1), lambda _: Resume()),
        Wish("pause again", carving("b"), lambda _: Pause()),
        Wish("resume again", paused(2), lambda _: Resume()),
    ),
)

APPROVED = Script(
    "approved",
    (
        plan("sketch", "carve"),
        Line("May I?", carve("a")),
        Line("And these?", carve("b", "c")),
        tick(1),
        tick(2),
        Line("All is carved."),
    ),
    (
        Wish("allow", asked(1), lambda e: Approve(call=_questions(e)[0])),
        Wish("deny", asked(2), lambda e: Deny(call=_questions(e)[1])),
        Wish("always", asked(3), lambda e: Approve(call=_questions(e)[2], scope="session")),
        Wish("too late", asked(3), lambda e: Approve(call=_questions(e)[0])),
    ),
    approval="ask",
)

WATCHED = Script(
    "watched",
    (
        Line("A plan, for you.", call("todo_plan", goal="g", items=["sketch", "carve"])),
        Line("May I start, please?", carve("a")),
        Line("I speak until you stop me.", until="pause"),
        tick(1),
        Line("I rest."),
        tick(2),
        Line("All is carved."),
        Line("That too.", carve("b")),
        Line("Now all is carved."),
    ),
    (
        Wish("task", from_the_start, lambda _: Say(text=TASK)),
        Wish("allow", asked(1), lambda e: Approve(call=_questions(e)[0])),
        Wish("pause", speaking(2), lambda _: Pause()),
        Wish("resume", paused(1), lambda _: Resume()),
        Wish("more", done, lambda _: Say(text="And that.")),
        Wish("allow that", asked(2), lambda e: Approve(call=_questions(e)[1])),
    ),
    approval="ask",
    through="worker",
)

CARVER, WRITER = "Carve the frame.", "Carve the letters."

FAMILY = Script(
    "family",
    (
        plan("frame", "letters"),
        Line("One carves.", call("spawn_agent", task=CARVER)),
        Line("I wait for the carver."),
        Line("A frame.", (*call("todo_done", id=1), *call("ask_user", question="Which wood?"))),
        Line("That wood, then.", call("spawn_agent", task=WRITER)),
        Line("I wait for the writer."),
        Line(
            "I reply.",
            call("send_message", session=child_id(SESSION, "call-4-0"), text="Deep."),
            after="I wait for a reply.",
        ),
        Line("I wait for the writer again."),
        tick(2),
        Line("All is carved."),
    ),
    (Wish("answer", questioned, lambda _: Answer(text="Oak.")),),
    # Who is at work at once with whom is up to chance, and so is the order.
    ordered=False,
    parts={
        CARVER: (
            Line("I carve.", carve("a")),
            Line("The frame is carved.", after="I wait for the carver."),
        ),
        WRITER: (
            Line("I scratch.", carve("b")),
            Line(
                "I ask.",
                call("send_message", session=SESSION, text="How deep?", expects_reply=True),
                after="I wait for the writer.",
            ),
            Line("I wait for a reply."),
            Line("The letters are carved.", after="I wait for the writer again."),
        ),
    },
)

SCRIPTS = {
    script.name: script
    for script in (
        TOOLS,
        CONTINUED,
        STREAMED,
        NAGGED,
        FAULTY,
        CUBEPI,
        LOKI,
        TODOWRITE,
        PARLEY,
        WISHED,
        PAUSED,
        APPROVED,
        WATCHED,
        FAMILY,
    )
}
