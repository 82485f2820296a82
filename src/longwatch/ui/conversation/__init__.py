"""How a session's events become the lines of the conversation pane."""
