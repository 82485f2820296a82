"""Configuration files that are wrong, each in its own way, for every suite that reads them."""

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from longwatch.adapters.settings.declared import SETTINGS

MEBIBYTE = 1024 * 1024
CONFIG = "config.yaml"
ROLE = "roles/bad.md"
AGENT = "agents/bad/config.yaml"


@dataclass(frozen=True)
class Malformed:
    """A file that must be refused. ``line`` and ``key`` are those of one of its problems."""

    name: str
    content: bytes = b""
    line: int | None = None
    key: str = ""
    path: str = CONFIG
    plant: Callable[[Path], None] | None = None

    def put(self, folder: Path) -> Path:
        """Make the file in a configuration folder."""
        path = folder / self.path
        path.parent.mkdir(parents=True, exist_ok=True)
        if self.plant is not None:
            self.plant(path)
        else:
            path.write_bytes(self.content)
        return path


_SWITCH = ("maybe", "'true'", "1", "0", "1.5", "[true]", "{a: true}", ".nan")
_COUNT = (
    "-1",
    "1.5",
    "1.0",
    "many",
    "'3'",
    "true",
    "[1]",
    "{a: 1}",
    ".nan",
    ".inf",
    "010",
    "1:30",
    "99999999999999999999999",
    "9" * 5000,
)
_AMOUNT = (
    "-0.5",
    "warm",
    "'1'",
    "true",
    "[1]",
    "{a: 1}",
    ".nan",
    ".inf",
    "-.inf",
    "1.0e+300",
    "9" * 400,
)
_CHOICE = ("sideways", "1", "true", "[]", "{}", "''", "2020-01-01")
_TEXT = ("1", "1.5", "true", "[a]", "{a: b}", '"\\0"', '"a\\eb"')
_CRON = ("every day", "'* * * *'", "'61 * * * *'", "5", "true", "[]", "''")
_SELECTION = ("1", "true", "{a: b}", "[1]", "[[a]]", "'all, shell'", "[none, shell]", "[a b]")
_SEVERAL = ("sometimes", "[done, sometimes]", "1", "true", "{}", "[1]", "[[done]]")
_HOSTS = ("http://lan", "[lan:8080]", "[a b]", "1", "true", "{a: b}", "[1]", "[http://lan/v1]")
WRONG_VALUES = {
    "Switch": _SWITCH,
    "Count": _COUNT,
    "Amount": _AMOUNT,
    "Choice": _CHOICE,
    "Text": _TEXT,
    "Cron": _CRON,
    "Selection": _SELECTION,
    "Several": _SEVERAL,
    "Hosts": _HOSTS,
}


def wrong_values() -> Iterator[Malformed]:
    """Every setting with values that are not of its kind."""
    for setting in SETTINGS.values():
        in_config = "global" in setting.layers
        for at, value in enumerate(WRONG_VALUES[type(setting.kind).__name__]):
            text = f"# a comment\n\n{setting.name}: {value}\n"
            yield Malformed(
                f"wrong-{setting.name}-{at}",
                text.encode(),
                3,
                setting.name,
                CONFIG if in_config else AGENT,
            )


_BOMB = "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefg", "bcdefgh", strict=True)
)
_LONG_CHAIN = "".join(f"x{n}: &x{n} {'[' * 10}*x{n - 1}{']' * 10}\n" for n in range(1, 90))
STRUCTURES: tuple[tuple[str, str, int | None], ...] = (
    ("duplicate-key", "stream: true\nsave: false\nstream: false\n", 3),
    ("duplicate-quoted", 'stream: true\n"stream": true\n', 2),
    ("duplicate-inner", "providers:\n  a:\n    type: openai\n    type: openai\n", 4),
    ("duplicate-flow", "providers: {a: {type: openai}, a: {type: openai}}\n", 1),
    ("duplicate-alias-name", "max_wake_cycles: 3\nmax_auto_continues: 3\n", 2),
    ("duplicate-both-aliases", "max_wake_cycles: 3\nmaxWakeCycles: 3\n", 2),
    ("tab-indent", "providers:\n\ta: 1\n", 2),
    ("tab-first", "\tstream: true\n", 1),
    ("tab-after-value", "stream: true\n\tsave: true\n", 2),
    ("tab-mixed", "providers:\n  a:\n  \ttype: openai\n", 3),
    ("anchor-bomb", "a: &a [x, x, x, x, x, x, x, x, x]\n" + _BOMB, 6),
    ("many-aliases", "a: &a x\nb: [" + ", ".join(["*a"] * 101) + "]\n", 2),
    ("alias-of-itself", "a: &a [*a]\n", 1),
    ("alias-in-its-mapping", "a: &a\n  b:\n    c: *a\n", 3),
    ("alias-of-nothing", "stream: *nothing\n", 1),
    ("alias-before-anchor", "a: *b\nb: &b 1\n", 1),
    ("alias-as-key", "a: &a stream\n*a : true\n", 2),
    ("aliases-too-deep", "x0: &x0 a\n" + _LONG_CHAIN, 6),
    ("anchor-again", "a: &x 1\nb: &x 2\n", 2),
    ("anchor-inside-itself", "a: &x\n  b: &x 1\n", 2),
    ("merge-key", "providers:\n  a: &a {type: openai}\n  b:\n    <<: *a\n", 4),
    ("merge-list", "a: &a {b: c}\n<<: [*a, *a]\n", 2),
    ("deep-flow", "a: " + "[" * 60 + "]" * 60 + "\n", 1),
    ("deep-exactly", "a: " + "[" * 50 + "]" * 50 + "\n", 1),
    ("deep-block", "".join(" " * n + f"k{n}:\n" for n in range(60)), 51),
    ("deep-dashes", "a:\n" + "- " * 60 + "x\n", 2),
    ("deep-mappings", "{a: " * 60 + "1" + "}" * 60, 1),
    ("mebibyte-of-brackets", "[" * MEBIBYTE, 1),
    ("mebibyte-of-braces", "{a: " * (MEBIBYTE // 4), 1),
    ("mebibyte-of-dashes", "- " * (MEBIBYTE // 2), 1),
    ("mebibyte-of-questions", "? " * (MEBIBYTE // 2), 1),
    ("mebibyte-of-levels", "".join(" " * n + "a:\n" for n in range(1400)), 51),
    ("mebibyte-of-one-key", "a" * (MEBIBYTE - 10) + ": 1\n", None),
    ("mebibyte-of-keys", "".join(f"k{n}: 1\n" for n in range(9000)), 1),
    ("second-document", "stream: true\n---\nstream: false\n", 2),
    ("third-document", "---\nstream: true\n---\n---\n", 3),
    ("after-the-end", "stream: true\n...\nsave: true\n", 3),
    ("yaml-2", "%YAML 2.0\n---\nstream: true\n", 1),
    ("unknown-handle", "a: !x!y 1\n", 1),
    ("root-list", "- stream\n- save\n", 1),
    ("root-text", "stream\n", 1),
    ("root-number", "42\n", 1),
    ("root-flag", "true\n", 1),
    ("root-null-list", "[]\n", 1),
    ("root-quoted", '"stream: true"\n', 1),
    ("list-key", "? [a, b]\n: 1\n", 1),
    ("mapping-key", "{a: b}: 1\n", 1),
    ("number-key", "1: 2\n", 1),
    ("null-key", "~: 2\n", 1),
    ("yes-key", "yes: 2\n", 1),
    ("empty-key", "'': 2\n", 1),
    ("unclosed-quote", "stream: 'true\nsave: true\n", 2),
    ("unclosed-double", 'stream: "true\n', 1),
    ("unclosed-bracket", "notify: [done\nsave: true\n", 2),
    ("unclosed-brace", "providers: {a: {type: openai}\n", 1),
    ("closing-only", "stream: ]\n", 1),
    ("two-colons", "stream: save: true\n", 1),
    ("no-colon", "stream: true\nsave\nhighlight: true\n", 3),
    ("bad-indent", "stream: true\n  save: true\n", 2),
    ("outdent", "providers:\n    a:\n        type: openai\n      b: 1\n", 4),
    ("list-then-key", "- a\nstream: true\n", 2),
    ("at-sign", "model: @openai\n", 1),
    ("backtick", "model: `openai`\n", 1),
    ("percent", "model: %openai\n", 1),
    ("bad-escape", 'model: "\\q"\n', 1),
    ("bad-hex-escape", 'model: "\\xzz"\n', 1),
    ("surrogate-escape", 'continuation_prompt: "\\ud800"\n', 1),
    ("bad-block-header", "continuation_prompt: |x\n  a\n", 1),
    ("anchor-without-name", "stream: & true\n", 1),
    ("unfinished-number", "max_turns: 0x_\n", 1),
    ("unfinished-binary", "max_turns: 0b_\n", 1),
    ("tag-python", "model: !!python/object/apply:os.system ['true']\n", 1),
    ("tag-python-name", "model: !!python/name:os.system ''\n", 1),
    ("tag-own", "model: !secret x\n", 1),
    ("tag-str", "model: !!str x\n", 1),
    ("tag-int", "max_turns: !!int '12'\n", 1),
    ("tag-bad-int", "max_turns: !!int twelve\n", 1),
    ("tag-binary", "model: !!binary aGk=\n", 1),
    ("tag-set", "notify: !!set {done}\n", 1),
    ("tag-bare", "model: ! x\n", 1),
    ("tag-on-key", "!!str model: a:b\n", 1),
    ("tag-on-root", "!!map\nstream: true\n", 1),
    ("control-character", "model: a\x1b[31m\n", 1),
    ("delete-character", "stream: true\nmodel: a\x7f\n", 2),
    ("c1-character", "model: a\x9b31m\n", 1),
    ("noncharacter", "model: a\uffff\n", 1),
    ("unknown-key", "auto_contineu: true\n", 1),
    ("unknown-among-good", "stream: true\nsave: true\ntemprature: 1\n", 3),
    ("unknown-capital", "Stream: true\n", 1),
    ("unknown-dashes", "auto-continue: true\n", 1),
    ("unknown-dotted", "loop.auto_continue: true\n", 1),
    ("unknown-long", "x" * 900 + ": 1\n", 1),
    ("unknown-invisible", '"a\\u202eb": 1\n', 1),
    ("not-here", "schedule: '0 9 * * *'\n", 1),
    ("not-here-title", "title: a\n", 1),
)


def structures() -> Iterator[Malformed]:
    for name, text, line in STRUCTURES:
        yield Malformed(name, text.encode("utf-8", "surrogatepass"), line)


PROVIDERS: tuple[tuple[str, str, int], ...] = (
    ("providers-list", "providers: [a]\n", 1),
    ("providers-text", "providers: openai\n", 1),
    ("provider-text", "providers:\n  a: openai\n", 2),
    ("provider-empty", "providers:\n  a: {}\n", 2),
    ("provider-null", "providers:\n  a:\n", 2),
    ("provider-without-type", "providers:\n  a:\n    context: 5\n", 2),
    ("provider-name", "providers:\n  'a b': {type: openai}\n", 2),
    ("provider-name-colon", "providers:\n  'a:b': {type: openai}\n", 2),
    ("provider-type", "providers:\n  a:\n    type: 7\n", 3),
    ("provider-unknown-type", "providers:\n  a:\n    type: opnai\n", 3),
    ("provider-unknown-key", "providers:\n  a:\n    type: openai\n    baseurl: x\n", 4),
    ("provider-key-inside", "providers:\n  a:\n    type: openai\n    api_key: sk-1\n", 4),
    ("provider-url", "providers:\n  a:\n    type: openai\n    base_url: lan:80\n", 4),
    ("provider-url-ftp", "providers:\n  a:\n    type: openai\n    base_url: ftp://a\n", 4),
    ("provider-url-user", "providers:\n  a: {type: openai, base_url: 'https://u:p@a'}\n", 2),
    ("provider-url-port", "providers:\n  a: {type: openai, base_url: 'https://a:999999'}\n", 2),
    ("provider-url-bracket", "providers:\n  a: {type: openai, base_url: 'https://[a'}\n", 2),
    ("provider-url-number", "providers:\n  a: {type: openai, base_url: 1}\n", 2),
    ("provider-env", "providers:\n  a: {type: openai, api_key_env: sk-live-1}\n", 2),
    ("provider-env-list", "providers:\n  a: {type: openai, api_key_env: [A]}\n", 2),
    ("provider-two-keys", "providers:\n  a: {type: b, api_key_env: A, api_key_file: b}\n", 2),
    ("provider-file-number", "providers:\n  a: {type: openai, api_key_file: 1}\n", 2),
    ("provider-file-empty", "providers:\n  a: {type: openai, api_key_file: ''}\n", 2),
    ("provider-file-folder", "providers:\n  a: {type: openai, api_key_file: .}\n", 2),
    ("provider-headers", "providers:\n  a: {type: openai, headers: [X]}\n", 2),
    ("provider-header-value", "providers:\n  a: {type: openai, headers: {X: 1}}\n", 2),
    ("provider-header-host", "providers:\n  a: {type: openai, headers: {Host: b}}\n", 2),
    ("provider-header-name", "providers:\n  a: {type: openai, headers: {'X Y': b}}\n", 2),
    ("provider-header-break", 'providers:\n  a: {type: openai, headers: {X: "a\\nb"}}\n', 2),
    ("provider-context", "providers:\n  a: {type: openai, context: big}\n", 2),
    ("provider-context-zero", "providers:\n  a: {type: openai, context: 0}\n", 2),
    ("provider-context-inner", "providers:\n  a: {type: openai, context: {m: -1}}\n", 2),
    ("provider-prices", "providers:\n  a: {type: openai, prices: 3}\n", 2),
    ("provider-prices-half", "providers:\n  a: {type: openai, prices: {input: 3}}\n", 2),
    ("provider-prices-text", "providers:\n  a: {type: b, prices: {input: x, output: 1}}\n", 2),
    ("provider-prices-nan", "providers:\n  a: {type: b, prices: {input: .nan, output: 1}}\n", 2),
    ("provider-prices-less", "providers:\n  a: {type: b, prices: {input: -1, output: 1}}\n", 2),
    ("provider-prices-inner", "providers:\n  a: {type: openai, prices: {m: 1}}\n", 2),
    ("provider-prices-key", "providers:\n  a: {type: b, prices: {m: {inputs: 1}}}\n", 2),
    ("provider-reasoning", "providers:\n  a: {type: openai, send_reasoning: 1}\n", 2),
    ("provider-output", "providers:\n  a: {type: openai, max_output_tokens: 0}\n", 2),
    ("models-list", "models: []\n", 1),
    ("model-name", "models:\n  gpt: {context: 1}\n", 2),
    ("model-number", "models:\n  a:b: 5\n", 2),
    ("model-context", "models:\n  a:b: {context: x}\n", 2),
    ("model-unknown", "models:\n  a:b: {contxt: 1}\n", 2),
    ("model-prices", "models:\n  a:b: {prices: {output: 1}}\n", 2),
    ("model-tag", "models: !x\n  a:b: {context: 1}\n", 1),
)

OTHERS: tuple[tuple[str, str, str, int], ...] = (
    ("role-unclosed", ROLE, "---\nstream: true\nYou are.\n", 1),
    ("role-unknown", ROLE, "---\nstreem: true\n---\nYou are.\n", 2),
    ("role-type", ROLE, "---\nstream: 7\n---\nYou are.\n", 2),
    ("role-name", ROLE, "---\nname: [a]\n---\nYou are.\n", 2),
    ("role-prompt", ROLE, "---\nprompt: 7\n---\n", 2),
    ("role-list", ROLE, "---\n- a\n---\nYou are.\n", 2),
    ("role-tab", ROLE, "---\nstream: true\n\tsave: true\n---\n", 3),
    ("role-duplicate", ROLE, "---\nsave: true\nsave: true\n---\n", 3),
    ("role-syntax", ROLE, "---\nsave: 'true\n---\nYou are.\n", 2),
    ("role-tag", ROLE, "---\nmodel: !!python/name:os.system ''\n---\n", 2),
    ("role-providers", ROLE, "---\nproviders: {}\n---\n", 2),
    ("role-schedule", ROLE, "---\nschedule: '0 9 * * *'\n---\n", 2),
    ("role-strict", ROLE, "---\nstrict_agents: true\n---\n", 2),
    ("role-control", ROLE, "---\nmodel: a\x1b\n---\n", 2),
    ("role-nul", ROLE, "---\nmodel: a:b\n---\nYou\x00 are.\n", 4),
    ("agent-unknown", AGENT, "instuctions: You are.\n", 1),
    ("agent-instructions", AGENT, "model: a:b\ninstructions: [a]\n", 2),
    ("agent-tools", AGENT, "tools: 7\n", 1),
    ("agent-tools-both", AGENT, "tools: all\nenabled_tools: all\n", 1),
    ("agent-starters", AGENT, "conversation_starters: Hello\n", 1),
    ("agent-starter", AGENT, "conversation_starters:\n  - Hello\n  - 7\n", 3),
    ("agent-starter-control", AGENT, 'conversation_starters:\n  - "a\\0"\n', 2),
    ("agent-description", AGENT, "description: 1.5\n", 1),
    ("agent-schedule", AGENT, "schedule: daily\n", 1),
    ("agent-strict", AGENT, "strict_agents: true\n", 1),
    ("agent-providers", AGENT, "providers: {}\n", 1),
    ("agent-empty-list", AGENT, "[]\n", 1),
    ("agent-duplicate", AGENT, "model: a:b\nmodel: a:c\n", 2),
)

ENCODINGS: tuple[tuple[str, bytes, int | None], ...] = (
    ("utf-16", "stream: true\n".encode("utf-16"), 1),
    ("utf-16-le", "stream: true\n".encode("utf-16-le"), 1),
    ("utf-16-be", "stream: true\n".encode("utf-16-be"), 1),
    ("utf-32", "stream: true\n".encode("utf-32"), 1),
    ("latin-1", "# ok\ncontinuation_prompt: Grüße\n".encode("latin-1"), 2),
    ("cut-utf-8", b"# ok\n# ok\nmodel: \xe2\x82", 3),
    ("overlong-utf-8", b"model: \xc0\xaf\n", 1),
    ("surrogate-utf-8", b"model: \xed\xa0\x80\n", 1),
    ("nul", b"stream: true\nmodel: a\0b\n", 2),
    ("only-nul", b"\0", 1),
    ("binary", bytes(range(256)), 1),
    ("too-long", b"#" * (MEBIBYTE + 1), None),
    ("far-too-long", b"stream: true\n" * 200_000, None),
)


def _folder(path: Path) -> None:
    path.mkdir()


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _socket(path: Path) -> None:
    os.mknod(path, stat.S_IFSOCK | 0o600)


def _dangling(path: Path) -> None:
    path.symlink_to("nowhere")


def _loop(path: Path) -> None:
    path.symlink_to(path.name)


def _two_loops(path: Path) -> None:
    path.symlink_to("other")
    path.with_name("other").symlink_to(path.name)


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _linked_fifo(path: Path) -> None:
    os.mkfifo(path.with_name("pipe"))
    path.symlink_to("pipe")


def _linked_folder(path: Path) -> None:
    path.symlink_to(".")


def _through_a_file(path: Path) -> None:
    path.with_name("plain").write_text("")
    path.symlink_to("plain/config.yaml")


def _too_long_a_name(path: Path) -> None:
    path.symlink_to("x" * 255 + "/" + "y" * 255 + "/" + "z" * 300)


NO_FILES: tuple[tuple[str, Callable[[Path], None]], ...] = (
    ("folder", _folder),
    ("fifo", _fifo),
    ("socket", _socket),
    ("dangling-link", _dangling),
    ("link-to-itself", _loop),
    ("links-to-each-other", _two_loops),
    ("device", _device),
    ("link-to-fifo", _linked_fifo),
    ("link-to-folder", _linked_folder),
    ("path-through-a-file", _through_a_file),
    ("name-too-long", _too_long_a_name),
)


def _all() -> Iterator[Malformed]:
    yield from wrong_values()
    yield from structures()
    for name, text, line in PROVIDERS:
        yield Malformed(name, text.encode(), line)
    for name, path, text, line in OTHERS:
        yield Malformed(name, text.encode(), line, path=path)
    for name, content, at in ENCODINGS:
        yield Malformed(f"encoding-{name}", content, at)
    for path in (CONFIG, ROLE, AGENT):
        for name, plant in NO_FILES:
            yield Malformed(f"{name}-{path.split('/')[0]}", path=path, plant=plant)


CASES: tuple[Malformed, ...] = tuple(_all())
