"""The world: models, tools, stores and settings, each behind a port of the engine."""
