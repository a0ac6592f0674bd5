"""What a wait is for, as values.

Rule 1: the command's end ends every wait, whatever it was for. So does the end of the caller's time limit.
Rule 2: idle ends the caller's wait, and is never evidence: a command that was silent for so long is still running.

    settled        finished, or newly waiting for input     idle:SECONDS   nothing was printed for so long
    exit           finished                                 port:NUMBER    it listens on this TCP port
    input          newly waiting for input                  match:PATTERN  found in output not returned before
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import inf

from truetty.core import kinds, patterns
from truetty.core.errors import Misuse


@dataclass(frozen=True, slots=True)
class Settled:
    pass


@dataclass(frozen=True, slots=True)
class Exit:
    pass


@dataclass(frozen=True, slots=True)
class Input:
    pass


@dataclass(frozen=True, slots=True)
class Match:
    pattern: patterns.Pattern


@dataclass(frozen=True, slots=True)
class Idle:
    seconds: float

    def __post_init__(self) -> None:
        if not 0 <= self.seconds < inf:
            raise Misuse(f"not a number of seconds: {self.seconds!r}", until=self.seconds)


@dataclass(frozen=True, slots=True)
class Port:
    number: int

    def __post_init__(self) -> None:
        if not 0 < self.number < 65536:
            raise Misuse(f"no port has the number {self.number!r}", until=self.number)


Until = Settled | Exit | Input | Match | Idle | Port


def matching(pattern: str | re.Pattern[str]) -> Match:
    try:
        return Match(re.compile(pattern))
    except re.error as error:
        raise Misuse(f"not a regular expression: {pattern!r}: {error}", until=pattern) from error


def of(given: str | re.Pattern[str] | Until) -> Until:
    """What `Command.wait` was given: one of these values, "settled", "finished", or a pattern."""
    match given:
        case "settled":
            return Settled()
        case "finished":
            return Exit()
        case str() | re.Pattern():
            return matching(given)
        case Settled() | Exit() | Input() | Match() | Idle() | Port():
            return given
    raise Misuse(f"no wait is for {given!r}", until=given)


def read(words: str) -> Until:
    """What a person or a model wrote: one of the words at the top."""
    name, colon, rest = words.strip().partition(":")
    match name, colon:
        case ("settled", ""):
            return Settled()
        case ("exit" | "finished", ""):
            return Exit()
        case ("input" | "waiting", ""):
            return Input()
        case ("match", ":") if rest:
            return Match(patterns.BoundedPattern(rest))
        case ("idle", ":"):
            return Idle(_seconds(rest, words))
        case ("port", ":") if rest.strip().isdigit() and len(rest) < 9:
            return Port(int(rest))
    raise Misuse(
        f"until is settled, exit, input, match:REGEX, idle:SECONDS or port:NUMBER, not {kinds.quoted(words)}",
        until=words,
    )


def _seconds(text: str, words: str) -> float:
    try:
        return kinds.real_number(text)
    except kinds.Wrong:
        raise Misuse(f"not a number of seconds: {words!r}", until=words) from None
