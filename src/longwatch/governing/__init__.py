"""From files, flags and a session's own settings to what governs its steps."""

from longwatch.governing.house import House
from longwatch.governing.setups import Outside, Setup

__all__ = ["House", "Outside", "Setup"]
