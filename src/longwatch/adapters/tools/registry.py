"""The tools there are: one line for each."""

import os
from collections.abc import Mapping

from longwatch.adapters.tools.ask_user import AskUser
from longwatch.adapters.tools.edit_file import EditFile
from longwatch.adapters.tools.files import ReadMemory
from longwatch.adapters.tools.list_files import ListFiles
from longwatch.adapters.tools.read_file import ReadFile
from longwatch.adapters.tools.search import Search
from longwatch.adapters.tools.send_message import SendMessage
from longwatch.adapters.tools.shell import Shell
from longwatch.adapters.tools.spawn_agent import SpawnAgent
from longwatch.adapters.tools.write_file import WriteFile
from longwatch.engine.deeds import SessionTool
from longwatch.engine.ports import Tool


def make_tools(memory: ReadMemory, environ: Mapping[str, str] = os.environ) -> dict[str, Tool]:
    """Every tool by its name. Of the environment commands get only what is harmless."""
    tools: tuple[Tool, ...] = (
        Shell(environ),
        ReadFile(memory),
        WriteFile(memory),
        EditFile(memory),
        ListFiles(),
        Search(environ),
    )
    return {tool.spec.name: tool for tool in tools}


def make_session_tools() -> dict[str, SessionTool]:
    """Every tool that acts on sessions, by its name."""
    tools: tuple[SessionTool, ...] = (AskUser(), SpawnAgent(), SendMessage())
    return {tool.spec.name: tool for tool in tools}
