"""The contract every observer keeps, and the values it hands up.

Rule 1: an observation is a fact of one moment. Nobody here concludes that a command has ended.
Rule 2: *hard* means the process cannot go on without input; *soft* means it also waits for
        something else, or that we may not look closely, or do not know the look of this prompt.
        A soft one alone proves nothing.
Rule 3: what may not be seen is `unknown` or `None`, never a guess.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from truetty.core.observation import Observation as Observation
from truetty.core.observation import ReadKind as ReadKind
from truetty.core.observation import Seen as Seen


@dataclass(frozen=True, slots=True)
class Modes:
    """The tty's modes, as far as anybody decides by them."""

    canonical: bool
    echo: bool
    signals: bool  # ISIG: Ctrl-C becomes SIGINT
    interrupt: bytes  # the VINTR character; b"" when undefined
    sane: bool  # equal, in every mode a command can be harmed by, to the modes the terminal was given


@dataclass(frozen=True, slots=True)
class Process:
    pid: int
    name: str
    parent: int
    group: int
    session: int
    state: str  # the letter of /proc/PID/stat
    cpu: float  # seconds of CPU so far, its ended children's included


class Observer(Protocol):
    """Watches one shell on one pty. Cheap to make; every method is one short look, none blocks."""

    @property
    def sees(self) -> bool:
        """Whether `observe` can ever show `ready` or a certain `waiting`. Decided once, when the observer is made."""

    def observe(self) -> Observation: ...
    def learn(self) -> bool:
        """The shell is at its primary prompt: remember how that looks. False if it is not blocked on the tty yet."""

    @property
    def knows_prompt(self) -> bool:
        """Whether the look of the primary prompt is known for the program that the shell process runs now."""

    def consumed(self) -> int | None: ...
    def shell_in_front(self) -> bool | None:
        """Whether the shell's own group holds the terminal. One ioctl."""

    def foreground(self) -> int | None:
        """The foreground process group."""

    def modes(self) -> Modes: ...
    def adopt_modes(self) -> None:
        """Take the tty's present modes as the ones the terminal was given (a user's rc file may have chosen them)."""

    def mend(self) -> None:
        """Put the tty's modes back to those the terminal was given, and let stopped output flow."""

    def unread(self) -> int | None:
        """Bytes of input that nobody has read yet; in line mode, of whole lines only."""

    def reaped(self) -> int | None:
        """A number that changes whenever the shell has reaped a child."""

    def flow(self) -> None:
        """Let output flow that Ctrl-S has stopped."""

    def image(self) -> object:
        """What the shell process runs, as a value that changes with every `exec`; None if that cannot be told."""

    def cwd(self) -> str | None: ...
    def program(self) -> str | None:
        """The real path of what the shell process runs now (it changes with `exec`)."""

    def command_line(self) -> tuple[str, ...] | None:
        """The words that what the shell process runs now was started with."""

    def mentions(self, text: str) -> bool | None:
        """Whether it was started with this among its words or variables."""

    def cpu(self) -> float | None:
        """Seconds of CPU that the shell itself and those of its children that have ended have used so far."""

    def children(self) -> list[Process] | None:
        """Living descendants of the shell. None: they cannot be seen, so some may be there."""

    def everyone(self) -> list[Process] | None:
        """Every living process of this terminal, the shell included: descendants, session, holders of our tty."""

    def close(self) -> None: ...
