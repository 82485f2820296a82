"""Processes that are killed, stopped, signalled and contradicted while they work."""
