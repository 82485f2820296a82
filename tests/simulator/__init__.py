"""Seeded runs of the pure core: misbehaving models, crashes and a meddling person."""
