"""What the settings say of every terminal."""

from __future__ import annotations

import os

from truetty.host.wall import Sandbox
from truetty.settings import Settings
from truetty.store.spill import Allowance
from truetty.terminal.options import Making
from truetty.text.digest import Budget


def terminal_arguments(settings: Settings, total: Allowance | None = None) -> Making:
    """The arguments of `Terminal`."""
    return {
        "env": settings.variables(os.environ),
        "rc": settings.rc,
        "history": settings.history,
        "sandbox": _sandbox(settings),
        "size": settings.size,
        "startup": settings.startup,
        "budget": Budget(settings.budget, settings.head_share),
        "memory": settings.memory,
        "quota": settings.quota,
        "total": total or Allowance(settings.total_quota),
        "coalesce": settings.coalesce,
        "replies": settings.reply,
    }


def _sandbox(settings: Settings) -> Sandbox | None:
    """With one workspace for all terminals, wherever each of them begins."""
    found = Sandbox.of(settings.sandbox)
    return None if found is None else found.within(settings.workspace or os.getcwd())
