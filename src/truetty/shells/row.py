"""What every shell's file must give: how it is launched, told a command, and healed.

The words: *folder* is the terminal's private directory (0700, tmpfs, a short path); *typed* is the one line that
is typed at the prompt; everything secret is in files that the typed line names, never in the line itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Launch:
    """Arguments, variables and files with which the shell starts."""

    argv: tuple[str, ...]  # argv[0] included; the program's path is known to the caller
    env: Mapping[str, str | None] = field(default_factory=dict)  # None unsets
    files: Mapping[str, bytes] = field(default_factory=dict)  # name inside the folder → content


@dataclass(frozen=True, slots=True)
class Typed:
    """One line to type, and the files it needs first."""

    line: bytes  # with its Enter, and bracketed paste where that was asked for
    files: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Request:
    """Everything a trigger may depend on."""

    folder: str
    serial: int
    text: str
    start: str  # the secret of C
    end: str  # the secret of D
    last_code: int = 0  # what `$?` must be for the text
    flags: str = ""  # `$-` of the last mark, and "S" when a leading space keeps a line out of history
    paste: bool = False  # bracketed paste is on
    probe: bool = False  # stop (M) before the text runs, until a line comes: the tty's modes are to be looked at


class Shell(Protocol):
    """One row of the table."""

    @property
    def name(self) -> str: ...
    @property
    def integrates(self) -> bool:
        """Whether marks of ours are to be expected. False: text is typed as it is and the kernel alone tells."""

    @property
    def answers_queries(self) -> bool:
        """Whether the shell's own prompt asks the terminal something and waits for the answer (fish 4, nu, xonsh)."""

    @property
    def edits_lines(self) -> bool:
        """Whether the shell has an editor of its own that saves and restores the tty's modes around commands."""

    def launch(
        self, program: str, arguments: Sequence[str], *, folder: str, key: str, rc: bool, env: Mapping[str, str]
    ) -> Launch:
        """`env` is what the shell would inherit, for HOME, ZDOTDIR, ENV and their like."""

    def trigger(self, request: Request) -> Typed: ...
    def heal(self, *, folder: str, serial: int, secret: str, key: str) -> Typed | None:
        """A line that prints H with `$?` and installs the hook again; None where that cannot be done."""

    def signal_of(self, code: int) -> int | None:
        """The signal that an exit code of this shell stands for (128+n, ksh93's 256+n); None if it says none."""

    def clear_line(self) -> bytes:
        """Keys that throw away what a person left half-typed at the prompt; empty if there is no safe way."""

    def prompt_start(self, tail: bytes) -> int | None:
        """Where, in the last bytes printed, the prompt begins when no mark says so; None if it cannot be told."""
