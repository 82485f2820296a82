"""Dot commands: what can be typed into the message box besides a message. Nothing is drawn here."""
