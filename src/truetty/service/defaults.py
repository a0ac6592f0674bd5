"""What the settings say of every terminal."""

from __future__ import annotations

import os

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
        "size": settings.size,
        "startup": settings.startup,
        "budget": Budget(settings.budget, settings.head_share),
        "memory": settings.memory,
        "quota": settings.quota,
        "total": total or Allowance(settings.total_quota),
        "coalesce": settings.coalesce,
        "replies": settings.reply,
    }
