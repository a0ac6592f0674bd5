"""A terminal that tells AI agents the truth: what ran, what it printed, how it ended, what it is waiting for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truetty.core import lazy
from truetty.core.version import VERSION

if TYPE_CHECKING:
    from truetty import events as events
    from truetty import functions as functions
    from truetty import ray as ray
    from truetty import sync as sync
    from truetty import testing as testing
    from truetty import until as until
    from truetty.batch.task import Task as Task
    from truetty.batch.task import TaskResult as TaskResult
    from truetty.client.registry import connect as connect
    from truetty.core.errors import BadCommand as BadCommand
    from truetty.core.errors import BadKey as BadKey
    from truetty.core.errors import Busy as Busy
    from truetty.core.errors import ChannelLost as ChannelLost
    from truetty.core.errors import Closed as Closed
    from truetty.core.errors import Denied as Denied
    from truetty.core.errors import Held as Held
    from truetty.core.errors import HostError as HostError
    from truetty.core.errors import LimitReached as LimitReached
    from truetty.core.errors import Misuse as Misuse
    from truetty.core.errors import SpawnFailed as SpawnFailed
    from truetty.core.errors import TruettyError as TruettyError
    from truetty.core.errors import UnknownTerminal as UnknownTerminal
    from truetty.core.outcome import CommandFailed as CommandFailed
    from truetty.core.outcome import Outcome as Outcome
    from truetty.core.outcome import Waiting as Waiting
    from truetty.questions.replies import Reply as Reply
    from truetty.service.registry import Registry as Registry
    from truetty.settings import Settings as Settings
    from truetty.store.output import Output as Output
    from truetty.terminal.command import Activity as Activity
    from truetty.terminal.command import Command as Command
    from truetty.terminal.recording import Recording as Recording
    from truetty.terminal.terminal import Terminal as Terminal
    from truetty.text.digest import Budget as Budget
    from truetty.text.screen import Screen as Screen

__version__ = VERSION

# Where each name lives: imported when it is first used, since asyncio alone takes longer to import than all of ours.
_HOMES = {
    "truetty.batch.task": ("Task", "TaskResult"),
    "truetty.terminal.command": ("Activity", "Command"),
    "truetty.core.errors": (
        *("BadCommand", "BadKey", "Busy", "ChannelLost", "Closed", "Denied"),
        *("Held", "HostError", "LimitReached", "Misuse", "SpawnFailed", "TruettyError", "UnknownTerminal"),
    ),
    "truetty.core.outcome": ("CommandFailed", "Outcome", "Waiting"),
    "truetty.text.digest": ("Budget",),
    "truetty.text.screen": ("Screen",),
    "truetty.terminal.recording": ("Recording",),
    "truetty.service.registry": ("Registry",),
    "truetty.questions.replies": ("Reply",),
    "truetty.settings": ("Settings",),
    "truetty.terminal.terminal": ("Terminal",),
    "truetty.store.output": ("Output",),
    "truetty.client.registry": ("connect",),
}

# Modules that are there as `truetty.sync` after `import truetty` alone.
_MODULES = ("events", "functions", "ray", "sync", "testing", "until")

__all__ = [*(name for names in _HOMES.values() for name in names), *_MODULES]

__getattr__ = lazy.names(__name__, globals(), _HOMES, _MODULES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
