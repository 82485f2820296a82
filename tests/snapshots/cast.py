"""The sessions that appear in several scenes."""

from typing import Literal

from longwatch.checklist import Entry
from longwatch.engine.storing import Store
from longwatch.session.events import ChecklistChanged, State, UserMessage
from snapshots.tale import Tale

NOON = 4 * 3600.0
GOAL = "Refactor the auth module"
ITEMS = (
    "Read the structure",
    "Extract validation",
    "Update login handler",
    "Update registration and what calls it",
    "Rotate the keys",
    "Write the release notes",
    "Delete the old helpers",
)
VALIDATION = (
    "def validate(word: str) -> None:\n"
    '    """Raise Weak unless a password is long enough."""\n'
    "    if len(word) < 8:\n"
    "        raise Weak(word)\n"
)
OLD_LOGIN = (
    "def login(name, word):\n    if len(word) < 8:\n        raise Weak(word)\n"
    "    return Session(name)"
)
NEW_LOGIN = (
    "def login(name, word):\n    validate(word)\n    remember(name)\n    return Session(name)"
)
PUSH = "shell, at most 120 s, no sandbox\nin /home/ada/code/shop\n$ git push origin main"


def refactor(session: str = "s1", *, began: float = NOON - 840) -> Tale:
    """Three of seven items done; the model has just been heard."""
    tale = Tale(session, "refactor-auth", began=began)
    tale.say("Refactor the authentication module: one place that validates, no copies.")
    tale.todo("todo_plan", "I'll start with the structure.", goal=GOAL, items=list(ITEMS))
    tale.use("read_file", "def login(name, word):\n    ...", path="src/auth.py")
    tale.wait(34)
    tale.use("search", "src/login.py:4\nsrc/register.py:9", pattern="len\\(word\\)")
    tale.todo("todo_done", id=1)
    tale.wait(60)
    tale.use(
        "write_file",
        "Wrote src/validation.py.",
        text="The check stands in **two places**, so it gets a module of its own.",
        path="src/validation.py",
        content=VALIDATION,
    )
    tale.wait(100)
    tale.use(
        "shell",
        "....                      [100%]\n12 passed in 3.02s",
        seconds=3.2,
        command="pytest -q",
    )
    tale.todo("todo_done", id=2)
    tale.todo("todo_block", id=5, reason="waiting for ops to open the vault")
    tale.wait(40)
    return tale


def edited(tale: Tale) -> Tale:
    """The login handler is changed."""
    tale.use(
        "edit_file",
        "Replaced 1 place in src/login.py.",
        path="src/login.py",
        old=OLD_LOGIN,
        new=NEW_LOGIN,
    )
    tale.wait(20)
    return tale


def brief(
    store: Store,
    title: str,
    state: State,
    reason: str = "",
    *,
    done: tuple[int, int] = (0, 0),
    ago: float = 60.0,
    parent: str | None = None,
    blocked: int = 0,
    session: str = "",
) -> str:
    """A session of which only the row in the sidebar matters."""
    tale = Tale(session or title, title, began=NOON - ago - 4, parent=parent)
    tale.log.add(UserMessage(text=f"Please do {title}.", source="human"))
    if done[1]:
        tale.log.add(_listed(title, *done, blocked))
    else:
        tale.wait(1)
    tale.rests(state, reason)
    return tale.keep(store)


def _listed(goal: str, done: int, total: int, blocked: int) -> ChecklistChanged:
    def status(place: int) -> Literal["pending", "in_progress", "completed", "blocked"]:
        if place < done:
            return "completed"
        if place >= total - blocked:
            return "blocked"
        return "in_progress" if place == done else "pending"

    items = tuple(
        Entry(
            f"1.{n + 1}",
            n + 1,
            f"Step {n + 1}",
            status(n),
            "token" if status(n) == "blocked" else "",
        )
        for n in range(total)
    )
    return ChecklistChanged(
        by="model", action="todo_plan", goal=goal, items=items, done=done, total=total
    )


def neighbours(store: Store) -> None:
    """Some sessions beside the shown one."""
    brief(store, "payments", "awaiting_approval", "approve: shell git push", done=(1, 4), ago=120)
    brief(store, "docs", "idle", "wake budget used up (25/25), 1 open", done=(2, 3), ago=3600)
    brief(store, "changelog", "dormant", "done", done=(5, 5), ago=3 * 3600)
    brief(store, "invoices", "running", done=(4, 9), ago=312)


STREAMED = (
    "Now the login handler. It calls `validate` and no longer knows **how** a password is\n"
    "checked:\n\n```python\ndef login(name: str, word: str) -> Session:\n    validate(word)\n"
    "    remember(name)\n    return Session(name)  # 12 hours\n```\n\n"
    "- the check is gone from `login.py`\n- `register.py` is next, it has th"
)

REGISTERED = (
    "Now the registration. It calls `validate` as well, and no longer knows **how** a password "
    "is checked:\n\n```python\ndef register(name: str, word: str) -> Session:\n"
    "    validate(word)\n    remember(name)\n    return Session(name)  # 12 hours\n```\n\n"
    "- the check is gone from `login.py` and `register.py`\n- nothing else calls the old hel"
)


def lively(store: Store) -> str:
    """Many sessions in many states; one streams, one asks."""
    brief(store, "nightly", "failed", "the key was refused (401)", done=(0, 3), ago=6 * 3600)
    brief(store, "changelog", "dormant", "done", done=(5, 5), ago=3 * 3600)
    brief(store, "docs", "idle", "wake budget used up (25/25), 1 open", done=(2, 3), ago=3600)
    tale = edited(refactor())
    tale.reply("The handler is in place. Shall I go on with the registration?")
    tale.todo("todo_done", id=3)
    tale.use("read_file", "def register(name, word):\n    ...", path="src/register.py")
    tale.log.seconds = NOON - 9
    tale.streams(REGISTERED)
    shown = tale.keep(store)
    brief(store, "tests", "running", done=(8, 11), ago=700, parent="s1")
    brief(store, "migrate", "paused", "paused: resume or write to go on", done=(4, 12), ago=540)
    brief(store, "invoices", "running", done=(4, 9), ago=312)
    brief(store, "payments", "awaiting_approval", "approve: shell git push", done=(1, 4), ago=120)
    brief(
        store, "import", "waiting", "rate limited (next try at 12:01:10 UTC)", ago=40, done=(0, 6)
    )
    return shown
