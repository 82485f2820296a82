"""Text from outside: other scripts, control characters, very much of it."""

from collections.abc import Iterator

from events_made import at
from msgspec.structs import replace
from store_made import ME
from ui_services import FakeServices

from longwatch.engine.opening import checkpoint_of
from longwatch.engine.storing import Batch, Record, Store
from longwatch.engine.summary import summarize
from longwatch.session import encode
from longwatch.session.events import StateChanged, ToolFinished, ToolStarted, UserMessage
from snapshots.cast import NOON, brief, refactor
from snapshots.scene import scene
from snapshots.tale import Tale

SCRIPTS = """\
## 設計 — الخطة — תוכנית

日本語のテキストは幅が二倍です。改行の位置も正しくなければなりません。漢字とかなが混ざっています。

- emoji: 🚀 👍🏽 👩‍👩‍👧‍👦 🇺🇳 ❤️ ✅
- العربية من اليمين إلى اليسار، مع كلمة English في الوسط
- עברית מימין לשמאל
- combining: é ñ Z̶a̴l̵g̶o, ไทย, हिन्दी, 한국어

| 言語 | words | 🚦 |
|---|---:|:-:|
| 日本語 | 12 | 🟢 |
| العربية | 1,200 | 🟡 |
| plain | 3 | 🔴 |
"""
CONTROLS = (
    "colours: \x1b[31mred\x1b[0m and a title: \x1b]0;owned\x07\n\n"
    "clear: \x1b[2J\x1b[H bell: \x07 backspace: abc\x08\x08 C1: \x9b2J\n\n"
    "bidi: \u202egnp.exe\u202c isolate: \u2066x\u2069 zero\u200bwidth nul: \x00 del: \x7f\n\n"
    "a\ttab, a carriage return:\roverwritten?\n"
)


@scene()
def scripts(services: FakeServices) -> str:
    """Wide characters, emoji and right-to-left text, everywhere."""
    tale = Tale("s1", "翻訳 リリースノート 🚀", began=NOON - 900)
    tale.say("リリースノートを翻訳してください。 שלום! 👋")
    items = ["日本語の下書きを書く", "مراجعة الترجمة العربية", "🚀 ship it", "בדיקה"]
    tale.todo("todo_plan", goal="すべての言語でリリースノートを公開する", items=items)
    tale.use("read_file", "…", path="docs/リリース/ノート.md")
    tale.use("shell", "完了しました ✅", command="echo 完了しました", seconds=0.4)
    tale.todo("todo_done", id=1)
    tale.todo("todo_block", id=2, reason="في انتظار المراجع")
    tale.log.seconds = NOON - 6
    tale.streams(SCRIPTS)
    brief(services.store, "مشروع", "idle", "في انتظار المراجع", done=(1, 2), ago=300, session="a")
    brief(services.store, "👩‍👩‍👧‍👦 family", "running", done=(1, 3), ago=30, session="b")
    return tale.keep(services.store)


@scene()
def control_characters(services: FakeServices) -> str:
    """Control characters from a model are shown, never obeyed."""
    tale = Tale("s1", "evil\x1b[31m title\x07", began=NOON - 900)
    tale.say("What does the file say?\x1b[2J")
    tale.todo("todo_plan", goal="Read\x1b[5m it", items=["Open\u202e the file", "Close\x00 it"])
    output = "\x1b[1;32mok\x1b[0m\r\x1b[K12 passed\x07"
    tale.use("shell", output, command="cat evil\x1b]52;c;x\x07.txt")
    tale.log.seconds = NOON - 6
    tale.streams(CONTROLS)
    return tale.keep(services.store)


# --- a session of 100,000 events ------------------------------------------------------------

EVENTS = 100_000
AT_ONCE = 20_000


def _filler(first: int, last: int) -> Iterator[Record]:
    """Calls of a tool, one after another; only the numbers differ."""
    command, moment = {"command": "make part-0000000"}, at(NOON - 600)
    started = encode(
        ToolStarted(call="f0000000", name="shell", arguments=command, at=moment, session="s1")
    )
    finished = encode(
        ToolFinished(call="f0000000", ok=True, output="ok", seconds=0.2, at=moment, session="s1")
    )
    for seq in range(first, last + 1):
        number = b"%07d" % ((seq - first) // 2)
        kind, body = ("tool_finished", finished) if (seq - first) % 2 else ("tool_started", started)
        body = body.replace(b"0000000", number).replace(b'"seq":0', b'"seq":%d' % seq, 1)
        yield Record(seq, kind, body)


def _long(store: Store) -> str:
    """Begun as usual, then calls without end; the checkpoint is where they end."""
    tale = refactor(began=NOON - 2000)
    first = len(tale.log.events)
    # Each call has its answer.
    last = EVENTS - (EVENTS - first) % 2
    tale.log.events += [UserMessage(text="", source="human")] * (last - first)
    state = tale.log.state = replace(tale.log.state, seq=last)
    tale.log.seconds = NOON - 40
    tale.reply("The parts are built. **100,000 events** so far, and it opens as fast as ever.")
    tale.log.add(StateChanged(state="paused", reason="paused: resume or write to go on"))
    told = [e for e in tale.log.events if e.seq]
    own = [Record(e.seq, str(e.__struct_config__.tag), encode(e)) for e in told]
    records = [*own[:first], *_filler(first + 1, last), *own[first:]]
    row = summarize(tale.log.state, told[0].at)
    lease = store.acquire("s1", ME, 0.0)
    for begin in range(0, len(records), AT_ONCE):
        some = records[begin : begin + AT_ONCE]
        is_last = some[-1] is records[-1]
        batch = Batch(
            lease=lease,
            records=some,
            summary=replace(row, last_seq=some[-1].seq),
            checkpoint=checkpoint_of(state) if is_last else None,
        )
        assert store.append([batch]) == [None]
    store.release(lease)
    return "s1"


@scene()
def very_long(services: FakeServices) -> str:
    """A session of 100,000 events, at its end."""
    return _long(services.store)


@scene(keys=("shift+tab", "shift+tab", "home"))
def very_long_begin(services: FakeServices) -> str:
    """The same session at its first event."""
    return _long(services.store)
