"""What a command's machine is given and what it hands out, as values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from truetty.core.outcome import Evidence, WaitingKind


@dataclass(frozen=True, slots=True)
class Reading:
    """Somebody reads the keyboard."""

    kind: WaitingKind
    program: str | None
    certain: bool


@dataclass(frozen=True, slots=True)
class Ending:
    """How, on what evidence, and where in the stream the command ended."""

    evidence: Evidence | None  # None: the terminal vanished unseen
    code: int | None
    signal: int | None
    at: int | None  # offset of the mark that ended it; None when no mark did
    proven: bool  # False: the prompt came back, but nothing showed that the text had run
    time: float


@dataclass(frozen=True, slots=True)
class Secrets:
    """What makes our marks ours: one for each end of this command, one for its question, one for the terminal."""

    start: str
    end: str
    answer: str
    key: str


class Want(Enum):
    """What the machine would have its owner do. It never does anything itself."""

    LOOK = auto()  # make one observation
    SEND = auto()  # the prompt is free: type the trigger
    ASK = auto()  # type the line that fetches `$?` and heals
    RELEASE = auto()  # the shell stopped for us and could not say so: let it go on
    STOP = auto()  # the command's time is over: end it
