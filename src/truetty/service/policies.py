"""The policy that settings, or a name on a command line, stand for."""

from __future__ import annotations

from typing import Final

from truetty.core import kinds
from truetty.core.errors import Misuse
from truetty.policy import Policy
from truetty.settings import Settings

POLICIES: Final = ("settings", "allow", "read-only")


def policy_of(settings: Settings, name: str = "settings") -> Policy:
    match name:
        case "settings" if settings.policy is not None:
            lists = {"allow": settings.policy.allow, "ask": settings.policy.ask, "deny": settings.policy.deny}
            default, typing = settings.policy.default, settings.policy.typing
            return Policy.from_lists(lists, default=default, workspace=settings.workspace, typing=typing)
        case "settings" | "allow":
            return Policy.allow_all()
        case "read-only":
            return Policy.read_only()
    raise Misuse(f"no policy is named {name!r}: {kinds.listing(POLICIES)}", policy=name)
