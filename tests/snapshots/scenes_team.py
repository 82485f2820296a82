"""Sessions that talk: the team's rehearsal from its first words to what its schedule wakes."""

from ui_services import FakeServices

from snapshots.scene import scene
from snapshots.troupe import played


@scene()
def team_at_work(services: FakeServices) -> str:
    """A parent and its two children at work; it has written to one of them."""
    return played()["at_work"].show(services)


@scene()
def team_asks(services: FakeServices) -> str:
    """The parent asks something only the person knows; its children work on."""
    return played()["asks"].show(services)


@scene()
def team_replied(services: FakeServices) -> str:
    """The question is answered, and a child has replied to its parent."""
    return played()["replied"].show(services)


@scene()
def team_compacted(services: FakeServices) -> str:
    """The conversation is compacted: a line says from where on the model reads a summary."""
    return played()["compacted"].show(services)


@scene(keys=("shift+tab", "shift+tab", "up", "up", "enter"))
def team_compacted_opened(services: FakeServices) -> str:
    """The same line opened: what the model reads in place of what stands above."""
    return played()["compacted"].show(services)


@scene()
def team_rests(services: FakeServices) -> str:
    """All are done; the sidebar says when the schedule wakes the parent."""
    return played()["rests"].show(services)


@scene()
def team_kicked(services: FakeServices) -> str:
    """The schedule woke it."""
    return played()["kicked"].show(services)
