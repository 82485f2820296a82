"""The panes, each its own controller: keys, style and messages of its own."""
