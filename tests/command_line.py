"""The real command, in a process of its own, with folders of its own."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec

from longwatch.cli import main

PATIENCE = "0.001"
"""Retries wait a thousandth of what they would."""


@dataclass(frozen=True)
class Ran:
    """What came of a command."""

    code: int
    out: str
    err: str

    @property
    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]

    def of_type(self, kind: str) -> list[dict[str, Any]]:
        return [event for event in self.events if event["type"] == kind]

    @property
    def rest(self) -> tuple[str, str]:
        """The state that it ended in, and why: the last line."""
        last = self.events[-1]
        assert last["type"] == "state_changed"
        return last["state"], last["reason"]


@dataclass(frozen=True)
class Home:
    """A person's folders: configuration, data, and one to work in."""

    base: Path
    environ: dict[str, str] = field(default_factory=dict)

    @property
    def work(self) -> Path:
        return self.base / "work"

    @property
    def config(self) -> Path:
        return self.base / "config"

    @property
    def data(self) -> Path:
        return self.base / "data"

    def made(self) -> "Home":
        self.work.mkdir(parents=True, exist_ok=True)
        self.config.mkdir(parents=True, exist_ok=True)
        return self

    @property
    def env(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.base),
            "LANG": "C.UTF-8",
            "LONGWATCH_CONFIG_DIR": str(self.config),
            "LONGWATCH_DATA_DIR": str(self.data),
            "LONGWATCH_PATIENCE": PATIENCE,
            **self.environ,
        }

    def configure(self, **values: Any) -> None:
        """Write config.yaml; JSON is YAML too."""
        (self.config / "config.yaml").write_bytes(msgspec.json.encode(values))

    def serve_from(self, url: str, protocol: str = "openai", **values: Any) -> None:
        """Use a server on loopback as the provider `test`."""
        path = "/v1" if protocol == "openai" else ""
        provider = {"type": protocol, "base_url": f"{url}{path}", "api_key_env": "TEST_KEY"}
        self.configure(providers={"test": provider}, model="test:m", **values)

    def popen(self, *words: str, **options: Any) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [sys.executable, "-m", "longwatch", *words],
            env=self.env,
            cwd=self.work,
            stdin=options.pop("stdin", subprocess.DEVNULL),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **options,
        )

    def command(self, *words: str, given: str | None = None, cwd: Path | None = None) -> Ran:
        done = subprocess.run(
            [sys.executable, "-m", "longwatch", *words],
            env=self.env,
            cwd=cwd or self.work,
            input=given.encode() if given is not None else None,
            stdin=None if given is not None else subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
            check=False,
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    def inside(self, *words: str, cwd: Path | None = None) -> Ran:
        """The same in this process, which is thirty times as fast. Nothing is caught here."""
        out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
        with (
            patch.dict(os.environ, self.env, clear=True),
            chdir(cwd or self.work),
            redirect_stdout(out),
            redirect_stderr(err),
        ):
            try:
                code = main(words)
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else 1
            out.flush()
            printed = out.buffer.getvalue()
        return Ran(code, printed.decode(), err.getvalue())

    def having(self, **environ: str) -> "Home":
        """The same home with more in its environment."""
        return replace(self, environ={**self.environ, **environ})

    def run(self, task: str, *words: str) -> Ran:
        return self.command("run", task, "--json", *words)

    def ok(self, *words: str) -> str:
        """The output of a command that must succeed."""
        ran = self.command(*words)
        assert ran.code == 0, ran.err
        return ran.out

    def sessions(self) -> Sequence[dict[str, Any]]:
        listed: list[dict[str, Any]] = json.loads(self.ok("sessions", "--json"))
        return listed
