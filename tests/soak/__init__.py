"""Many sessions at work for a long time: what grows, and what must not."""
