"""The sandbox that goes with the policy that a server was started with.

Rule 1: `read-only` uses the sandbox of the same name, unless the user has chosen a sandbox, or none.
Rule 2: where no sandbox can be made, the policy works without one, and the user is warned.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Self

from truetty.host.sandbox import problem
from truetty.host.wall import Sandbox
from truetty.settings import Settings

READ_ONLY: Final = "read-only"
ALONE: Final = "no sandbox stands behind --policy read-only, the policy alone guards"


@dataclass(frozen=True, slots=True)
class Guard:
    settings: Settings  # with the sandbox that terminals are in
    is_behind_policy: bool = False  # that sandbox is there because of the policy
    missing: str | None = None  # why there is none, though the policy wants one

    @classmethod
    def of(cls, settings: Settings, policy: str) -> Self:
        if policy != READ_ONLY or settings.origins.get("sandbox", "default") != "default":
            return cls(settings)
        if (reason := problem(Sandbox(READ_ONLY))) is not None:
            return cls(settings, missing=reason)
        return cls(replace(settings, sandbox=READ_ONLY), is_behind_policy=True)

    @property
    def warning(self) -> str | None:
        return None if self.missing is None else f"{ALONE}: {' '.join(self.missing.split())}"
