"""Regular expressions of agents and of settings, and how much time a search for one may take.

Rule 1: an agent's pattern is searched by RE2, whose time grows with the length of the text and nothing else. It knows
        no look-around and no back-references.
Rule 2: one search takes a window of the text and a pattern of bounded size, so that others have their turn soon.
Rule 3: a pattern of the user's own settings is Python's. `re` cannot be stopped while it searches, so such a pattern is
        judged before it is used (`slow`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import factorial
from typing import Any, Final

from truetty.core import lazy
from truetty.core.errors import Misuse

# RE2 takes at worst about 10 ns for each character and instruction: 30 ms for a window.
WINDOW: Final = 10_000  # characters
MOST_INSTRUCTIONS: Final = 300
MOST_CHARACTERS: Final = 1000
MOST_MEMORY: Final = 1 << 20  # bytes that RE2 may use for one pattern
# Steps that a search may take at worst. Python makes about a hundred million in a second.
STEPS: Final = 30_000_000

_PYTHONS_OWN: Final = lazy.pattern(r"\\u[0-9a-fA-F]{4}|\\U[0-9a-fA-F]{8}|\\.", re.DOTALL)
# It changes how long a search takes, and nothing else.
_LEADING: Final = lazy.pattern(r"^\.\*(?![?+*{])")
_TOKEN: Final = lazy.pattern(
    r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?[:=!>]|\(\?<[=!]|\(|\)|\||[*+?]|\{\d*,?\d*\}", re.DOTALL
)


def slow(pattern: str, longest: int) -> str | None:
    """Why this pattern could take long on some text of `longest` characters, however it is written; None: it cannot.

    Repeats side by side take a power of the length, options a power of two. A repeat of what can itself match in
    several ways takes a power of two of the length, so that is refused outright.
    """
    found = _counted(pattern)
    if isinstance(found, str):
        return found
    repeats, options = found
    if longest ** (repeats + 1) / factorial(repeats + 1) * 2**options > STEPS:
        return f"{repeats} repeats and {options} options can take too long; say more of the question, with fewer"
    return None


@dataclass(frozen=True, slots=True)
class Found:
    """What a wait for patterns has found. `group`, `groups`, `groupdict` and `found[1]` are those of `re.Match`."""

    text: str  # what the pattern matches
    pattern: str  # the regular expression that was found
    index: int = 0  # the pattern's place among those of the wait
    start: int = 0  # where it begins in the text that was searched
    captures: tuple[str | None, ...] = ()  # the texts of its groups
    names: tuple[tuple[str, str | None], ...] = ()  # the groups that have names, with their texts

    def group(self, which: int | str = 0) -> str | None:
        """The text of a group, by its number or its name; 0 is the whole match."""
        if isinstance(which, str):
            named = dict(self.names)
            if which not in named:
                raise IndexError(f"no group is named {which!r}")
            return named[which]
        return (self.text, *self.captures)[which]

    __getitem__ = group

    def groups(self) -> tuple[str | None, ...]:
        """All groups but the whole match. None: that group has matched nothing."""
        return self.captures

    def groupdict(self) -> dict[str, str | None]:
        """The groups that have a name."""
        return dict(self.names)


def _found(pattern: str, match: Any, start: int) -> Found:
    """Of a match of `re` or of RE2: the methods are the same."""
    names = tuple(match.groupdict().items())
    return Found(match.group(), pattern, start=start, captures=tuple(match.groups()), names=names)


class BoundedPattern:
    """An agent's pattern, in RE2's syntax."""

    __slots__ = ("_compiled", "pattern")

    def __init__(self, pattern: str) -> None:
        import re2

        if len(pattern) > MOST_CHARACTERS:
            raise _refusal(pattern, f"a pattern has at most {MOST_CHARACTERS:,} characters")
        options = re2.Options()
        options.max_mem, options.log_errors = MOST_MEMORY, False
        try:
            compiled = re2.compile(f"(?m){_in_re2(pattern)}", options)  # ^ and $ are of lines
        except UnicodeEncodeError:
            raise _refusal(pattern, "it holds half a character") from None
        except re2.error as error:
            raise _refusal(pattern, _reason(error), "not a regular expression:") from None
        if compiled.programsize > MOST_INSTRUCTIONS:
            raise _refusal(pattern, "it is too large: name fewer alternatives, or repeat less often")
        self.pattern = pattern
        self._compiled: Any = compiled  # the library has no types

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BoundedPattern) and other.pattern == self.pattern

    def __hash__(self) -> int:
        return hash(self.pattern)

    def searches(self, text: str, start: int = 0) -> Iterator[Found | None]:
        """What is found, for one window of the text after the other. A match of half a window is never missed."""
        for at in range(start, max(start + 1, len(text) - WINDOW // 2), WINDOW // 2):
            before = at > 0  # a character more on both sides: where a window begins or ends, a line does not
            part = text[at - before : at + WINDOW + 1]
            match = self._compiled.search(part, int(before), before + WINDOW)
            yield _found(self.pattern, match, at - before + match.start()) if match is not None else None


Pattern = re.Pattern[str] | BoundedPattern


def searches(pattern: Pattern, text: str, start: int = 0) -> Iterator[Found | None]:
    """What the pattern finds from `start` on, in parts, each of a bounded time if the pattern is bounded."""
    if isinstance(pattern, BoundedPattern):
        yield from pattern.searches(text, start)
    else:
        match = pattern.search(text, start)
        yield _found(pattern.pattern, match, match.start()) if match is not None else None


def _refusal(pattern: str, reason: str, what: str = "cannot look for") -> Misuse:
    return Misuse(f"{what} {pattern[:100]!r}: {reason}", pattern=pattern[:100], reason=reason)


def _reason(error: Exception) -> str:
    told = error.args[0] if error.args else "not a regular expression"
    reason = told.decode(errors="replace") if isinstance(told, bytes) else str(told)
    if reason.startswith("invalid perl operator: (?"):
        return f"{reason} (look-around and comments are not supported; the syntax is RE2's)"
    return f"{reason} (the syntax is RE2's)"


def _in_re2(pattern: str) -> str:
    """RE2 writes some of what Python has in another way."""
    return _PYTHONS_OWN.sub(lambda found: _in_re2s_words(found[0]), pattern)


def _in_re2s_words(token: str) -> str:
    match token[:2]:
        case "\\Z":
            return r"\z"
        case "\\u" | "\\U":
            return f"\\x{{{token[2:]}}}"
    return token


def compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(_LEADING.sub("", pattern))


def _counted(pattern: str) -> tuple[int, int] | str:
    """Its repeats and options; or what is wrong with it."""
    repeats = options = 0
    open_groups = [False]  # whether each can match the same text in more than one way
    closed = False  # what the last group was, if the last token was its end
    for token in _TOKEN.findall(_LEADING.sub("", pattern).removesuffix(".*")):
        if token.startswith("("):
            open_groups.append(False)
        elif token == ")" and len(open_groups) > 1:
            closed = open_groups.pop()
            open_groups[-1] = open_groups[-1] or closed
            continue
        elif token in ("*", "+") or token[0] == "{":
            if closed:
                return "a repeat of what can itself vary can take for ever"
            repeats += "," in token or token[0] != "{"
            open_groups[-1] = True
        elif token in ("?", "|"):
            options += 1
            open_groups[-1] = True
        closed = False
    return repeats, options
