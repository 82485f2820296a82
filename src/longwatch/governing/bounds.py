"""How far the tools of a session may go: what is asked, what is boxed in, what is out of reach."""

from functools import cached_property
from pathlib import Path

from longwatch.adapters.settings.layers import Resolved
from longwatch.adapters.settings.places import Places
from longwatch.adapters.settings.trust import Trust
from longwatch.adapters.tools.sandbox import NoSandbox, Sandbox, find_sandbox
from longwatch.engine.approval import Permissions
from longwatch.engine.ports import Place
from longwatch.session import SessionState


class Bounds:
    """From what is configured and what this machine can do to permissions and a place."""

    def __init__(self, places: Places) -> None:
        self._places = places

    @cached_property
    def sandbox(self) -> Sandbox | NoSandbox:
        return find_sandbox()

    def permissions(self, resolved: Resolved, root: Path) -> Permissions:
        mode = resolved["approval"]
        wanted = mode == "auto" and resolved["sandbox"] != "off"
        return Permissions(
            mode=mode,
            sandboxed=wanted and isinstance(self.sandbox, Sandbox),
            sandbox_required=resolved["sandbox"] == "required",
            unsandboxed=resolved.origin("approval").layer == "flag"
            or (mode == "auto" and self._vouched_for(root)),
        )

    def place(self, state: SessionState, resolved: Resolved, permissions: Permissions) -> Place:
        return Place(
            root=Path(state.profile.cwd),
            session=state.session,
            sandbox="bubblewrap" if permissions.sandboxed else "none",
            sandbox_network=resolved["sandbox_network"],
            protected=(self._places.config, self._places.data),
        )

    def auto_risk(self, resolved: Resolved, root: Path) -> str:
        """Why commands would have no sandbox in a folder that nobody gave their word for."""
        if resolved["sandbox"] == "required" or self._vouched_for(root):
            return ""
        if resolved["sandbox"] == "off":
            return "it is turned off (sandbox: off)"
        return self.sandbox.reason if isinstance(self.sandbox, NoSandbox) else ""

    def _vouched_for(self, root: Path) -> bool:
        """Whether the person said that commands may run there without a sandbox."""
        return Trust.unsandboxed(self._places).covers(root)
