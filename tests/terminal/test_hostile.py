"""Text from outside, in every place where it is shown: the terminal is told nothing by it."""

import re
from typing import Any, get_args

import msgspec
import pytest
from command_line import Home
from model_replies import error
from msgspec import inspect
from terminal.playing import Model, call, plan
from terminals import Terminal
from ui_services import FakeServices

from longwatch.session import KnownEvent
from longwatch.session.events import (
    ApprovalRequested,
    Archived,
    AssistantMessage,
    Event,
    Rewound,
    SessionStarted,
    StateChanged,
)

NASTY = (
    "\x1b[31mPWNED\x1b]52;c;UFdORUQ=\x07\x1b]0;PWNED\x07\x9b31mPWNED\x9d52;c;UFdORUQ=\x9c\x1bc"
    "\x00\x08\x7f[/foo][@click=app.quit]x[/]\u202egnp.exe\u2066\u061c👩‍👩‍👧‍👦e\u0301\u0302\u0303"
)
LONG = NASTY + "x" * 6000
NAMED = NASTY.replace("\x00", "").replace("/", "")
"""What a file can be named."""
PASTED = NASTY.replace("\x1b", "")
"""What a terminal lets a person paste: they take ESC out themselves."""
EVERY_EVENT: tuple[type[KnownEvent], ...] = get_args(KnownEvent)
FIRST = (SessionStarted, Rewound)
WITH_TEXT = (*FIRST, *(kind for kind in EVERY_EVENT if kind not in (*FIRST, Archived)))
"""What goes back to the beginning comes at the beginning; what is archived is not shown."""
NUMBERED = frozenset(field.name for field in msgspec.structs.fields(Event))
LOWEST = 16
SEEN = "[@click=app.quit]x[/]"
OURS = re.compile(
    rb"\x1b\[[0-9;:?<>=$]*[A-Za-z]"  # what moves, colours and sets modes
    rb"|\x1b\]22;[a-z]*\x07"  # the pointer's shape
    rb"|\x07?\x1b\]9;[^\x00-\x1f]*\x07|\x1b\]777;notify;Longwatch;[^\x00-\x1f]*\x07"
)
FORBIDDEN = re.compile(
    rb"[\x00-\x09\x0b\x0c\x0e-\x1f\x7f]"  # control characters, what is ours taken out
    rb"|\xc2[\x80-\x9f]"  # the second set of them, in UTF-8
    rb"|\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]|\xd8\x9c"  # what turns the direction
)


def found_in(raw: bytes) -> list[bytes]:
    """What of the hostile text reached the terminal, each with what stands around it."""
    assert b"\x1b[31m" not in raw, "a colour from outside"
    rest = OURS.sub(b"", raw)
    return [rest[max(0, m.start() - 60) : m.end() + 20] for m in FORBIDDEN.finditer(rest)]


def paste(terminal: Terminal, text: str) -> None:
    terminal.type(f"\x1b[200~{text}\x1b[201~")


def test_hostile_text_is_only_ever_shown(home: Home, model: Model) -> None:
    # Control characters are refused in settings; what else is there must not do anything either.
    home.serve_from(model.url, continuation_prompt=f"prompt{NASTY[NASTY.index('[/foo]') :]}")
    folder = home.work / NAMED
    folder.mkdir()
    for name in (f"file {NAMED}", "plain"):
        # A NUL makes a file binary, and then none of it is read.
        (folder / name).write_text(LONG.replace("\x00", ""))
    with Terminal(home, str(folder), size=(160, 48)) as terminal:
        _start(terminal, model)
        _work(terminal, model)
        _ask(terminal, model)
        _steer(terminal, model)
        _look_around(terminal)
        _fail(terminal, model)
        assert list(folder.glob("new*")) == []
        assert terminal.leave() == 0
        assert found_in(bytes(terminal.raw)) == []
        assert b"Traceback" not in terminal.raw
        assert b"\x1b]777;notify;Longwatch;" in terminal.raw


@pytest.mark.parametrize("size", [(160, 48), (60, 16)], ids=str)
def test_no_field_of_any_event_says_anything_to_the_terminal(
    home: Home, size: tuple[int, int]
) -> None:
    keep_hostile(home)
    with Terminal(home, size=size) as terminal:
        terminal.see("? Approve", "PWNED")
        terminal.ready()
        terminal.go_to("Sessions")
        if size[1] > LOWEST:
            # In fewer lines the question leaves nothing of the conversation.
            terminal.go_to("␛")
            _read_it_all(terminal)
            terminal.go_to("Sessions", "shift+tab")
        terminal.press("r")
        terminal.see("Rename the session")
        terminal.press("escape")
        terminal.see_none("Rename the session")
        terminal.press("ctrl+p")
        terminal.see("Search for commands")
        terminal.type("pwned")
        terminal.see("Go to")
        terminal.press("escape")
        terminal.see_none("Go to")
        assert terminal.leave() == 0
        assert found_in(bytes(terminal.raw)) == []
        assert b"Traceback" not in terminal.raw


def keep_hostile(home: Home) -> None:
    """Two sessions of every event there is, with hostile text wherever text may be."""
    home.data.mkdir(mode=0o700)
    services = FakeServices(home.data)
    for session in ("s1", "s2"):
        services.keep(session, *map(hostile, WITH_TEXT))
        services.keep(session, hostile(AssistantMessage), hostile(ApprovalRequested))
        services.keep(session, StateChanged(state="awaiting_approval", reason=LONG))
    services.close()


def hostile(kind: type[KnownEvent]) -> KnownEvent:
    event: KnownEvent = msgspec.convert(filled(inspect.type_info(kind)), kind)
    return event


def filled(kind: inspect.Type) -> Any:
    """A value of this type, as JSON would have it, with hostile text wherever there may be text."""
    match kind:
        case inspect.StructType(tag_field=field, tag=tag, fields=fields):
            if field is None:
                return {f.encode_name: filled(f.type) for f in fields}
            own = {f.encode_name: filled(f.type) for f in fields if f.name not in NUMBERED}
            return {field: tag, **own}
        case inspect.UnionType(types=types):
            return filled(min(types, key=lambda one: isinstance(one, inspect.NoneType)))
        case inspect.LiteralType(values=values):
            return values[0]
        case inspect.BoolType() | inspect.IntType() | inspect.FloatType():
            return True if isinstance(kind, inspect.BoolType) else 1
        case inspect.DictType():
            return {NASTY: NASTY}
        case inspect.VarTupleType(item_type=item):
            return [filled(item)]
        case inspect.StrType() | inspect.AnyType():
            return NASTY
        case _:
            raise AssertionError(f"{kind} is not known here")


def _read_it_all(terminal: Terminal) -> None:
    """From the first line to the last, with everything opened that opens."""
    terminal.press("home")
    for _ in WITH_TEXT:
        drawn = len(terminal.raw)
        terminal.press("down", "enter")
        terminal.until(lambda _, drawn=drawn: len(terminal.raw) > drawn, "it opens")  # type: ignore[misc]
    terminal.press("home", *["pagedown"] * len(WITH_TEXT))


def _start(terminal: Terminal, model: Model) -> None:
    terminal.ready()
    terminal.press("ctrl+n")
    terminal.see("What is to be done?", "Folder")
    paste(terminal, PASTED)
    terminal.see("gnp.exe")
    terminal.press("ctrl+j")
    terminal.see_none("esc cancel")
    assert "PWNED" in model.told()
    terminal.see("Message ", "▶ waiting for the model", SEEN)


def _work(terminal: Terminal, model: Model) -> None:
    items = (f"one {NASTY}", f"two {NASTY}", "three " + "👩‍👩‍👧‍👦" * 40)
    model.say(f"I say {LONG}", plan(f"goal {LONG}", items), reasoning=f"thought {LONG}")
    model.told()
    terminal.see("[>] 1 one", "[ ] 2 two", "[ ] 3 three")
    model.say("", call("list", "list_files", path="."))
    model.told()
    table = f"| {NASTY} | b |\n|---|---|\n| {NASTY} | c |"
    model.say(table, call("read", "read_file", path=f"file {NAMED}"))
    model.told()
    model.say("", call("plain", "read_file", path="plain"))
    model.told()
    fenced = f"```{NASTY}\n{NASTY}\n```\n> {NASTY}\n\n[{NASTY}](http://{NASTY})"
    model.say(fenced, call("block", "todo_block", id=2, reason=f"because {LONG}"))
    model.told()
    terminal.see("[!] 2 two", "because ␛[31mPWNED")
    model.say("", call("none", f"tool {NASTY}", path=LONG))
    model.told()
    terminal.see("tool ␛[31mPWNED")


def _ask(terminal: Terminal, model: Model) -> None:
    model.say("", call("write", "write_file", path=f"new {NAMED}", content=LONG))
    terminal.see("? Approve write_file", "y once", "new ␛[31mPWNED")
    answer(terminal, "n")
    model.told()
    model.say("", call("shell", "shell", command=f"echo '{NAMED}'"))
    terminal.see("? Approve shell", "$ echo '␛[31mPWNED")
    answer(terminal, "y")
    assert "PWNED" in model.told()
    model.answer(error("openai", 500, f"broken {LONG}"))
    model.told()
    terminal.see("▶ waiting for the model (attempt 2)")
    terminal.press("escape")
    terminal.see("‖ paused")


def answer(terminal: Terminal, key: str) -> None:
    terminal.press("shift+tab")
    terminal.until(lambda _: not terminal.lit, "the question has the focus")
    terminal.answer(key)


def _steer(terminal: Terminal, model: Model) -> None:
    """What a person pastes goes the same way."""
    terminal.go_to("Checklist", "shift+tab")
    terminal.press("home")
    terminal.see("▌[>] 1 one")
    for key, title in (("b", "Why is it blocked?"), ("e", "Edit the todo"), ("g", "The goal")):
        terminal.press(key)
        terminal.see(title, "enter ok")
        paste(terminal, f" pasted {PASTED}")
        terminal.press("enter")
        terminal.see_none("enter ok")
    terminal.see("[!] 1 one", "pasted")
    terminal.go_to("Message")
    paste(terminal, f"written {PASTED}")
    terminal.see("❯ written [31mPWNED")
    terminal.press("enter")
    assert "written" in model.told()
    terminal.see("▌ written", "▶ waiting for the model")


def _look_around(terminal: Terminal) -> None:
    """Every screen that shows something from outside, and the folded parts of the conversation."""
    terminal.press("f2")
    terminal.see("continuation_prompt")
    terminal.type("continuation_pr")
    terminal.see("prompt[/foo][@click")
    terminal.press("escape")
    terminal.see_none("continuation_prompt")
    terminal.press("ctrl+p")
    terminal.type("resume")
    terminal.see("Go on with the shown session")
    terminal.press("escape")
    terminal.see_none("Go on with the shown session")
    terminal.press("ctrl+f")
    terminal.see("Search:")
    terminal.type("PWNED")
    terminal.until(lambda text: re.search(r"PWNED +\d+ found", text), "matches are counted")
    terminal.press("escape")
    terminal.see_none("Search:")
    terminal.press("f1")
    terminal.see("What each key does")
    terminal.press("escape")
    terminal.see_none("What each key does")


def _fail(terminal: Terminal, model: Model) -> None:
    # The terminal says that nobody looks at it, so what happens is told by its notifications.
    terminal.type("\x1b[O")
    terminal.until(lambda _: not terminal.lit, "nothing has the focus")
    model.answer(error("openai", 401, f"refused {LONG}"))
    terminal.see("✗ failed")
    terminal.type("\x1b[I")
