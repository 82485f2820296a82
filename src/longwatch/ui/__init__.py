"""The dashboard: fed only by events, answering only with intents."""
