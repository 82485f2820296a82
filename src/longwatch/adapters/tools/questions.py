"""What a person is asked before a call, and the mark that ties the answer to exactly that call."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from longwatch.engine.visible import visible, visible_line


def question(what: str, root: str, *lines: str) -> str:
    """What would happen, where, and the whole of it; the parts are made visible already."""
    return "\n".join((what, f"in {visible_line(root)}", *lines))


def script(text: str) -> str:
    """A command, every line of it marked, so that none can pass for a line of the question."""
    first, *rest = visible(text).split("\n")
    return "\n".join((f"$ {first}", *(f"> {line}" for line in rest)))


def fingerprint(tool: str, arguments: Mapping[str, Any], root: str, *more: object) -> str:
    """Changes when the tool, an argument, the folder or anything else given changes."""
    # ASCII JSON, because a name from the disk may hold what no encoding takes.
    text = json.dumps([tool, dict(arguments), root, *more], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()
