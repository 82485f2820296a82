"""A session that plays a scenario to its rest: the real loop, real files, no waiting."""

import subprocess
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from stage import Stage

from longwatch.adapters.models.rehearsal import RehearsalModel
from longwatch.dialects import DIALECTS, ToolSpec
from longwatch.discipline import CallModel, Rules
from longwatch.discipline.texts import DENIED
from longwatch.engine.ports import ModelReply, ModelRequest
from longwatch.session.events import (
    AssistantMessage,
    ModelStarted,
    ToolCall,
    ToolFinished,
)
from longwatch.session.transcript import transcribe

MOST_TURNS = 60


def _tool(name: str, *required: str) -> ToolSpec:
    properties = {key: {"type": "string"} for key in required}
    return ToolSpec(name, name, {"type": "object", "properties": properties, "required": required})


TOOLS = (
    _tool("shell", "command"),
    _tool("read_file", "path"),
    _tool("write_file", "path", "content"),
    _tool("edit_file", "path", "old", "new"),
    _tool("list_files", "path"),
    _tool("search", "pattern", "path"),
)


async def never(seconds: float) -> None:
    raise AssertionError(f"it waited {seconds} s")


class Rehearsed(Stage):
    """One session on the stage whose model is a rehearsal."""

    def __init__(
        self,
        root: Path,
        model: RehearsalModel,
        *,
        attended: bool = True,
        allow_shell: bool = True,
        **settings: Any,
    ) -> None:
        dialect = DIALECTS[model.scenario.dialect]
        super().__init__(dialect, attended=attended, **settings)
        self.rules = Rules(dialect, self.rules.loop, TOOLS, "Be useful.")
        self.root = root
        self.model = model
        self.allow_shell = allow_shell
        self.run_tool = self._run

    async def play(self, task: str = "Go.") -> None:
        """From the task until the session rests."""
        self.say(task)
        await self.go_on()

    async def go_on(self, turns: int = MOST_TURNS) -> None:
        for _ in range(turns):
            step = self.perform()
            if not isinstance(step, CallModel):
                return
            await self.turn(step)
        self.perform()

    async def turn(self, step: CallModel) -> ModelReply:
        self.log.add(ModelStarted(model="rehearsal:x", attempt=1))
        reply = await self.request(step)
        self.log.add(
            AssistantMessage(
                text=reply.text,
                reasoning=reply.reasoning,
                finish=reply.finish,
                tool_calls=reply.tool_calls,
                usage=reply.usage,
            )
        )
        return reply

    async def request(self, step: CallModel) -> ModelReply:
        asked = ModelRequest(
            model="rehearsal:x",
            system=self.rules.system_prompt,
            tools=self.rules.offered,
            messages=transcribe(self.log.events).messages,
            tool_choice=step.tool_choice,
        )
        parts = [part async for part in self.model.stream(asked)]
        assert isinstance(parts[-1], ModelReply)
        return parts[-1]

    def set(self, **settings: Any) -> None:
        self.rules = Rules(
            self.rules.dialect, replace(self.rules.loop, **settings), TOOLS, self.rules.prompt
        )

    def _run(self, call: ToolCall) -> ToolFinished:
        assert isinstance(call.arguments, dict)
        if call.name == "shell" and not self.allow_shell:
            return ToolFinished(call=call.id, ok=False, output=DENIED)
        output = getattr(self, f"_{call.name}")(**call.arguments)
        return ToolFinished(call=call.id, ok=True, output=output)

    def _shell(self, command: str) -> str:
        done = subprocess.run(
            command, shell=True, cwd=self.root, capture_output=True, text=True, check=True
        )
        return done.stdout + done.stderr

    def _read_file(self, path: str) -> str:
        return (self.root / path).read_text()

    def _write_file(self, path: str, content: str) -> str:
        (self.root / path).write_text(content)
        return f"wrote {path}"

    def _edit_file(self, path: str, old: str, new: str) -> str:
        text = self._read_file(path)
        assert text.count(old) == 1
        return self._write_file(path, text.replace(old, new))

    def _list_files(self, path: str) -> str:
        return "\n".join(sorted(p.name for p in (self.root / path).iterdir())) or "(empty)"

    def _search(self, pattern: str, path: str) -> str:
        found = [p.name for p in (self.root / path).iterdir() if pattern in p.read_text()]
        return "\n".join(found)
