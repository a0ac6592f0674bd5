"""A terminal that tells AI agents the truth: what ran, what it printed, how it ended, what it is waiting for."""

from __future__ import annotations

from truetty.command import Command
from truetty.core.errors import (
    BadCommand,
    BadKey,
    Busy,
    ChannelLost,
    Closed,
    Denied,
    HostError,
    LimitReached,
    Misuse,
    SpawnFailed,
    TruettyError,
    UnknownTerminal,
)
from truetty.core.outcome import Outcome, Waiting
from truetty.terminal import Terminal
from truetty.window import Output

__version__ = "0.1.0"

__all__ = [
    "BadCommand",
    "BadKey",
    "Busy",
    "ChannelLost",
    "Closed",
    "Command",
    "Denied",
    "HostError",
    "LimitReached",
    "Misuse",
    "Outcome",
    "Output",
    "SpawnFailed",
    "Terminal",
    "TruettyError",
    "UnknownTerminal",
    "Waiting",
]
