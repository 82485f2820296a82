"""How a model speaks of the checklist: five dialects behind one protocol."""

from longwatch.dialects.loop import LoopSettings
from longwatch.dialects.protocol import (
    Desk,
    Dialect,
    Looked,
    Outcome,
    TodoCall,
    ToolSpec,
    Written,
)
from longwatch.dialects.registry import DIALECTS, Registry

__all__ = [
    "DIALECTS",
    "Desk",
    "Dialect",
    "Looked",
    "LoopSettings",
    "Outcome",
    "Registry",
    "TodoCall",
    "ToolSpec",
    "Written",
]
