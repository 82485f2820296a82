"""Longwatch: run, watch and steer long LLM-agent runs from the terminal."""

__version__ = "0.1.0"
