"""The panes: what a session looks like at work, at rest and in trouble."""

from ui_services import FakeServices

from longwatch.session.events import (
    ApprovalRequested,
    AssistantMessage,
    ProviderFault,
    Retrying,
    StateChanged,
    ToolCall,
)
from longwatch.session.intents import AddTodo, BlockTodo, EditTodo, Say
from snapshots import cast
from snapshots.cast import NOON, brief, edited, neighbours, refactor
from snapshots.scene import scene
from snapshots.tale import Tale


@scene()
def empty(services: FakeServices) -> None:
    """No sessions yet: it says what to do."""
    del services


@scene()
def streaming(services: FakeServices) -> str:
    """A reply comes in: Markdown as it grows, the caret at its end."""
    tale = edited(refactor())
    tale.log.seconds = NOON - 9
    tale.streams(cast.STREAMED)
    neighbours(services.store)
    return tale.keep(services.store)


@scene()
def thinking(services: FakeServices) -> str:
    """The model thinks before it writes."""
    tale = edited(refactor())
    tale.log.seconds = NOON - 5
    tale.streams("", "The handler has two callers.\nI should look at both before I change it.")
    return tale.keep(services.store)


@scene()
def tool_at_work(services: FakeServices) -> str:
    """A command runs: the status line says which and for how long."""
    tale = edited(refactor())
    tale.log.seconds = NOON - 5
    tale.at_work("shell", "Does it still work?", command="pytest -q tests/test_login.py")
    neighbours(services.store)
    return tale.keep(services.store)


@scene()
def every_state(services: FakeServices) -> str:
    """Every session state in the sidebar, children under their parents."""
    store = services.store
    tale = edited(refactor())
    tale.log.seconds = NOON - 5
    tale.at_work("shell", command="pytest -q")
    shown = tale.keep(store)
    brief(store, "tests", "running", done=(8, 11), ago=700, parent="s1")
    brief(store, "review", "awaiting_peer", "waits for tests", ago=600, parent="tests")
    until = "rate limited (next try at 12:01:10 UTC)"
    brief(store, "invoices", "waiting", until, done=(0, 6), ago=40)
    brief(store, "payments", "awaiting_approval", "approve: shell git push", done=(1, 4), ago=120)
    brief(store, "region", "awaiting_human", "Which region shall it be?", done=(2, 9), ago=540)
    brief(store, "migrate", "paused", "paused: resume or write to go on", done=(4, 12), ago=57_600)
    brief(store, "docs", "idle", "wake budget used up (25/25), 1 open", done=(2, 3), ago=3600)
    brief(store, "changelog", "dormant", "done", done=(5, 5), ago=3 * 3600)
    left = "only blocked todos left: token"
    brief(store, "keys", "dormant", left, done=(1, 2), ago=900, blocked=1)
    brief(store, "nightly", "failed", "the key was refused (401)", done=(0, 3), ago=6 * 3600)
    brief(store, "翻訳 リリースノート 🚀", "running", done=(12, 20), ago=3, session="tr")
    return shown


@scene()
def every_status(services: FakeServices) -> str:
    """Every item status; a person added one, and what the model wanted of another was refused."""
    tale = edited(refactor())
    tale.edit(AddTodo(text="Tell support about the longer passwords"))
    tale.edit(BlockTodo(uid="1.6", reason="I write them myself"))
    tale.todo("todo_done", "The login handler is done, the notes too.", id=6)
    tale.log.seconds = NOON - 3
    tale.todo("todo_done", id=3)
    tale.ask()
    return tale.keep(services.store)


@scene()
def disputed(services: FakeServices) -> str:
    """The model wrote an item otherwise than a person had: the person's words stay, marked."""
    tale = Tale("s1", "release", began=NOON - 600, dialect="todowrite")
    tale.say("Get the release out.")
    tale.todo("todo", items=_listed("Run the tests", "Write the notes", "Tag it"))
    tale.log.seconds = NOON - 20
    tale.ask()
    notes = tale.log.state.checklist.items[1]
    tale.edit(EditTodo(uid=notes.uid, text="Write the notes, in Dutch too"))
    items = _listed("Run the tests", "Write short notes", "Tag it")
    tale.answer("The notes can be short.", ("todo", {"items": items}))
    tale.perform()
    tale.ask()
    return tale.keep(services.store)


def _listed(*texts: str) -> list[dict[str, str]]:
    """A list as a model sends it that replaces the whole of it each time."""
    return [
        {"id": str(n), "text": text, "status": "in_progress" if n == 1 else "pending"}
        for n, text in enumerate(texts, start=1)
    ]


@scene()
def refused(services: FakeServices) -> str:
    """Refused calls: the rule stands in the line."""
    tale = refactor()
    tale.todo("todo_block", "This one has to wait.", id=4, reason="")
    tale.todo("todo_done", id=12)
    tale.reply("", ("todo_plan", '{"goal": "Ship", "items": ['))
    tale.log.seconds = NOON - 2
    tale.ask()
    return tale.keep(services.store)


@scene()
def auto_continuing(services: FakeServices) -> str:
    """The model stopped with open items; the program goes on."""
    tale = edited(refactor())
    tale.reply("The login handler is in place. Shall I go on with the registration?")
    tale.log.seconds = NOON - 3
    tale.streams("Going on with the registr")
    return tale.keep(services.store)


@scene()
def nag(services: FakeServices) -> str:
    """Turns without a look at the list: the model is reminded."""
    tale = refactor()
    for path in ("src/login.py", "src/register.py", "src/session.py", "src/keys.py"):
        tale.use("read_file", "…", path=path)
    tale.log.seconds = NOON - 3
    tale.ask()
    return tale.keep(services.store)


@scene()
def budget_used_up(services: FakeServices) -> str:
    """The wake budget is used up: it rests and says how many are open."""
    tale = Tale("s1", "translate", began=NOON - 900, max_auto_continues=25, max_idle_continues=0)
    tale.say("Translate the release notes.")
    tale.plan("Read them", "Translate them", "Have them read")
    for chapter in range(1, 27):
        tale.reply(f"I have read chapter {chapter}.")
    neighbours(services.store)
    return tale.keep(services.store)


@scene()
def blocked(services: FakeServices) -> str:
    """Only blocked items are left."""
    tale = Tale("s1", "rotate-keys", began=NOON - 900)
    tale.say("Rotate the keys of the payment service.")
    tale.plan("Make new keys", "Hand them to the vault", "Revoke the old ones")
    tale.use("shell", "wrote keys/2026-11.pub", command="make keys", seconds=1.4)
    tale.todo("todo_done", id=1)
    tale.todo("todo_block", id=2, reason="the vault is sealed: ops must open it")
    tale.todo("todo_block", id=3, reason="the new ones are not in the vault yet")
    tale.reply("The rest waits for ops. I have left a note for them in `keys/README.md`.")
    return tale.keep(services.store)


def _asks(tale: Tale, name: str, question: str, **arguments: str) -> Tale:
    call = tale.begin(name, "The change is ready.", **arguments)
    tale.log.add(
        ApprovalRequested(call=call.id, question=question, fingerprint="f"),
        StateChanged(
            state="awaiting_approval",
            reason=f"approve: {name} {arguments.get('command') or arguments.get('path')}",
        ),
    )
    return tale


DIFF = (
    "edit_file src/login.py (1 place)\nin /home/ada/code/shop\n--- a/src/login.py\n"
    "+++ b/src/login.py\n@@ -10,5 +10,6 @@\n def login(name, word):\n"
    "-    if len(word) < 8:\n-        raise Weak(word)\n+    validate(word)\n"
    "+    remember(name)\n     return Session(name)"
)


@scene()
def approval(services: FakeServices) -> str:
    """An edit waits for a person: the whole diff, and one key for the answer."""
    tale = refactor()
    tale.log.seconds = NOON - 95
    _asks(tale, "edit_file", DIFF, path="src/login.py", old=cast.OLD_LOGIN, new=cast.NEW_LOGIN)
    neighbours(services.store)
    return tale.keep(services.store)


@scene(size=(80, 24), keys=("shift+tab",))
def approval_small(services: FakeServices) -> str:
    """The same in a small terminal, with the focus on it."""
    tale = refactor()
    tale.log.seconds = NOON - 95
    _asks(tale, "shell", cast.PUSH, command="git push origin main")
    return tale.keep(services.store)


@scene()
def question(services: FakeServices) -> str:
    """The model asked something; the next message answers."""
    tale = refactor()
    tale.log.seconds = NOON - 60
    tale.log.add(
        AssistantMessage(
            text="Both would work.",
            finish="tool_calls",
            tool_calls=(ToolCall("q1", "ask_user", {"question": "Eight characters, or twelve?"}),),
        ),
        StateChanged(state="awaiting_human", reason="Eight characters, or twelve?"),
    )
    return tale.keep(services.store)


@scene()
def provider_failed(services: FakeServices) -> str:
    """The key is refused: what happened, what was kept, what to do."""
    tale = refactor()
    tale.log.seconds = NOON - 30
    tale.ask()
    reason = (
        "openai refused the key (401): Incorrect API key provided. "
        "Set OPENAI_API_KEY to a valid key, then resume."
    )
    tale.log.add(
        ProviderFault(kind="auth", message=reason, attempt=1, status=401),
        StateChanged(state="failed", reason=reason),
    )
    return tale.keep(services.store)


@scene()
def retrying(services: FakeServices) -> str:
    """The provider holds back; the next try has its time."""
    tale = refactor()
    tale.log.seconds = NOON - 20
    tale.ask()
    reason = "openai limits the rate (429): Rate limit reached for requests"
    tale.log.add(
        ProviderFault(kind="rate_limited", message=reason, attempt=1, status=429),
        Retrying(attempt=2, max=8, seconds=60, reason=reason),
        StateChanged(state="waiting", reason=f"{reason} (next try at 12:00:41 UTC)"),
    )
    return tale.keep(services.store)


@scene()
def paused(services: FakeServices) -> str:
    """A person paused it; the status line says how to go on."""
    tale = edited(refactor())
    tale.log.seconds = NOON - 75
    tale.at_work("shell", "Let me see whether it still works.", command="pytest -q")
    tale.pause()
    return tale.keep(services.store)


@scene()
def queued(services: FakeServices) -> str:
    """Messages written while it runs wait over the box."""
    tale = edited(refactor())
    tale.log.seconds = NOON - 4
    tale.at_work("shell", command="pytest -q")
    session = tale.keep(services.store)
    for text in (
        "Also update the changelog.",
        "And use twelve characters, not eight.\nThe new policy says so.",
        "Then stop and show me the diff.",
        "Thanks!",
    ):
        services.post(session, Say(text=text))
    return session


@scene(keys=("shift+tab", "shift+tab", "up", "up", "enter"))
def opened(services: FakeServices) -> str:
    """A tool line opened: the edit as a diff."""
    tale = edited(refactor())
    tale.reply("It is in place.")
    tale.log.seconds = NOON - 4
    tale.ask()
    return tale.keep(services.store)


@scene(keys=("ctrl+f", *"valid"))
def search(services: FakeServices) -> str:
    """Search: every match is marked, the chosen one stands out."""
    tale = edited(refactor())
    tale.log.seconds = NOON - 4
    tale.ask()
    return tale.keep(services.store)
