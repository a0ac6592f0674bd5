"""What a terminal can be made with, in one place: `Terminal` explains it, `open`, `sync` and `Registry` pass it on."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TypedDict

from truetty.host.base import Channel
from truetty.questions.replies import OnWaiting, Reply
from truetty.settings import Settings
from truetty.store.spill import Allowance
from truetty.text.digest import REST, Budget


class Making(TypedDict, total=False):
    """Beside the shell, the directory and the task."""

    env: Mapping[str, str | None] | None
    rc: bool
    size: tuple[int, int]
    name: str | None
    startup: float
    budget: int | Budget
    memory: int
    quota: int | None
    total: Allowance
    coalesce: float
    replies: Sequence[Reply]
    on_waiting: OnWaiting | None
    channel: Channel | None


def making(settings: Settings, rest: str = REST) -> Making:
    """What the settings say of every terminal. `rest` says where to read what an outcome leaves out."""
    return {
        "env": settings.variables(os.environ),
        "rc": settings.rc,
        "size": settings.size,
        "startup": settings.startup,
        "budget": Budget(settings.budget, settings.head_share, rest),
        "memory": settings.memory,
        "quota": settings.quota,
        "total": Allowance(settings.total_quota),
        "coalesce": settings.coalesce,
        "replies": settings.reply,
    }


class Arguments(Making, total=False):
    """Beside the shell."""

    cwd: str | os.PathLike[str] | None
    task: str | None
