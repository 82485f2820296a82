"""The tools a model may use, each bound to the session's folder."""
