"""What a wait is for, as values.

Rule 1: the command's end ends every wait, whatever it was for. So does the end of the caller's time limit.
Rule 2: idle ends the caller's wait, and is never evidence: a command that was silent for so long is still running.

    settled        finished, or newly waiting for input     idle:SECONDS   nothing was printed for so long
    exit           finished                                 port:NUMBER    it listens on this TCP port
    input          newly waiting for input                  match:PATTERN  found in output not returned before
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from truetty.core import kinds, patterns
from truetty.core.checks import check_finite
from truetty.core.errors import Misuse


@dataclass(frozen=True, slots=True)
class Settled:
    """It has finished, or newly waits for input."""


@dataclass(frozen=True, slots=True)
class Exit:
    """It has finished."""


@dataclass(frozen=True, slots=True)
class Input:
    """It newly waits for input."""


class Match:
    """Found in output that no earlier wait has returned: one of these regular expressions, as text or compiled.

    `outcome.match` says which, with its groups. Where several are found, it is the one that stands first in the output.
    """

    __slots__ = ("patterns",)

    def __init__(self, *given: str | patterns.Pattern) -> None:
        if not given:
            raise Misuse("Match takes one pattern or more; got none", until=given)
        self.patterns: Final = tuple(_compiled(pattern) for pattern in given)  # compiled, in this order

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Match) and other.patterns == self.patterns

    def __hash__(self) -> int:
        return hash(self.patterns)

    def __repr__(self) -> str:
        return f"Match({', '.join(repr(pattern.pattern) for pattern in self.patterns)})"


@dataclass(frozen=True, slots=True)
class Idle:
    """For so many seconds nothing was printed and no key was sent. They are counted within the wait."""

    seconds: float  # of silence

    def __post_init__(self) -> None:
        check_finite("Idle", self.seconds)


@dataclass(frozen=True, slots=True)
class Port:
    """The command listens on this TCP port."""

    number: int  # from 1 to 65535

    def __post_init__(self) -> None:
        if not isinstance(self.number, int) or isinstance(self.number, bool):
            raise Misuse(f"Port takes a number from 1 to 65535, not {kinds.described(self.number)}", until=self.number)
        if not 0 < self.number < 65536:
            raise Misuse(f"no port has the number {self.number!r}: they go from 1 to 65535", until=self.number)


@dataclass(frozen=True, slots=True)
class Screen:
    """The screen shows this text, or what this compiled pattern matches, or the function says yes to the screen.

    The function gets a `truetty.Screen`. It is called whenever something has changed.
    """

    # Any: this floor does not know screens.
    wanted: str | re.Pattern[str] | Callable[[Any], bool]  # a text, a compiled pattern or a function of the screen

    def __post_init__(self) -> None:
        if not callable(self.wanted) and not isinstance(self.wanted, str | re.Pattern):
            message = "Screen takes a text, a compiled pattern or a function of the screen"
            raise Misuse(f"{message}, not {kinds.described(self.wanted)}", until=self.wanted)
        if self.wanted == "":
            raise Misuse("Screen takes a text; an empty one is on every screen", until=self.wanted)

    def holds(self, screen: Any) -> bool:
        """Whether it is true of this screen."""
        if isinstance(self.wanted, str):
            return self.wanted in screen.text
        if isinstance(self.wanted, re.Pattern):
            return self.wanted.search(screen.text) is not None
        return bool(self.wanted(screen))


Until = Settled | Exit | Input | Match | Idle | Port | Screen

# The words that take no argument. Most waits are for the first one.
_PLAIN: Final[dict[str, Until]] = {
    "settled": Settled(),
    "finished": Exit(),
    "exit": Exit(),
    "input": Input(),
    "waiting": Input(),
}
WORDS: Final = ("settled", "finished", "exit", "input", "match:REGEX", "idle:SECONDS", "port:NUMBER")


def _compiled(pattern: str | patterns.Pattern) -> patterns.Pattern:
    if isinstance(pattern, re.Pattern | patterns.BoundedPattern):
        if not isinstance(pattern.pattern, str):
            raise Misuse(f"the output is text, and {pattern.pattern!r} looks for bytes", until=pattern)
        return pattern
    if not isinstance(pattern, str):
        raise Misuse(f"Match takes regular expressions, not {kinds.described(pattern)}", until=pattern)
    if not pattern:
        raise Misuse("Match takes a pattern; an empty one matches at once", until=pattern)
    try:
        return re.compile(pattern)
    except re.error as error:
        escaped = f"to look for this very text, use re.escape({pattern!r})"
        raise Misuse(f"not a regular expression: {pattern!r}: {error}; {escaped}", until=pattern) from error


def of(given: str | re.Pattern[str] | Until) -> Until:
    """What `Command.wait` was given: one of these values, a compiled pattern, or one of the words at the top."""
    if isinstance(given, str) and given in _PLAIN:
        return _PLAIN[given]
    match given:
        case Settled() | Exit() | Input() | Match() | Idle() | Port() | Screen():
            return given
        case re.Pattern():
            return Match(given)
        case str():
            try:
                return read(given)
            except Misuse as error:
                stop = "" if str(error).endswith("?") else "."
                hint = f" To wait for this text in the output, use truetty.until.Match({kinds.quoted(given)})."
                raise Misuse(f"{error}{stop}{hint if given else ''}", until=given) from None
    values = "Match(…), Idle(…), Port(…), Screen(…), Input()"
    message = f'until takes "settled", "finished", a compiled pattern, or {values} of truetty.until'
    raise Misuse(f"{message}; got {kinds.described(given)}", until=given)


def read(words: str) -> Until:
    """What a person or a model wrote: one of the words at the top."""
    name, colon, rest = words.strip().partition(":")
    match name, colon:
        case (name, "") if name in _PLAIN:
            return _PLAIN[name]
        case ("match", ":") if rest:
            return Match(patterns.BoundedPattern(rest))
        case ("idle", ":"):
            return Idle(_seconds(rest, words))
        case ("port", ":") if rest.strip().isdigit() and len(rest) < 9:
            return Port(int(rest))
    from difflib import get_close_matches

    near = get_close_matches(name.lower(), [word.partition(":")[0] for word in WORDS], 1)
    meant = f". Did you mean {near[0]}?" if near else ""
    forms = "settled, exit, input, match:REGEX, idle:SECONDS or port:NUMBER"
    raise Misuse(f"until is {forms}, not {kinds.quoted(words)}{meant}", until=words)


def _seconds(text: str, words: str) -> float:
    try:
        return kinds.real_number(text)
    except kinds.Wrong:
        raise Misuse(f"not a number of seconds: {words!r}", until=words) from None
