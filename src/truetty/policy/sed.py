"""What a sed call does: only show text, change files in place, or worse.

Rule 1: a script is read command by command; what is not known to be harmless is not harmless.
Rule 2: `e` runs, `w` writes, in commands and as flags of `s`. A delimiter in brackets may be read two ways: `s,[],]x,`.
Rule 3: some seds end a label or a file name at a semicolon, a brace or a blank, some at the end of the line: what
        follows must be harmless both ways, so nothing may begin on that line and end on the next.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from truetty.core import lazy
from truetty.policy.options import Known, parse
from truetty.policy.words import Word

KNOWN: Final = Known(
    short="nErsuz",
    valued="el",
    long=(
        "--quiet",
        "--silent",
        "--regexp-extended",
        "--separate",
        "--unbuffered",
        "--null-data",
        "--posix",
        "--sandbox",
    ),
    long_valued=("--expression", "--line-length"),
)
_WITH_FILES: Final = Known(KNOWN.short, KNOWN.valued, (*KNOWN.long, "--in-place"), KNOWN.long_valued, optional="i")

_PLAIN: Final = frozenset("pPdDgGhHxnN=lFzqQ")
_TO_LINE_END: Final = frozenset("aic#")
_LABELS: Final = frozenset(":btT")
_FILES: Final = frozenset("rR")
_LABEL: Final = lazy.pattern(r"[ \t]*[^\s;{}]*[ \t}]*(?=[;\n]|$)")
_FLAGS: Final = frozenset("gpiImM0123456789")
# `[]a]`, `[^]a]`, `[[:space:]a]`: a `]` that comes first, or ends a class, does not close. Another `[` is doubted.
_BRACKETS: Final = lazy.pattern(r"\[\^?+\]?+(?:\[([:.=])[^\]\[]*\1\]|[^\]\[])*+\]")
_ESCAPED: Final = lazy.pattern(r"\\.", re.DOTALL)


def hidden(words: Sequence[Word]) -> str | None:
    """A sentence when a command or a file may hide in the script."""
    scripts, _ = _read(words)
    if scripts is None:
        return "What this `sed` does is not written out."
    if not all(is_harmless(script) for script in scripts):
        return "This `sed` script may run a command or write a file."
    return None


def files_in_place(words: Sequence[Word]) -> Sequence[Word]:
    """The files that `sed -i` rewrites."""
    _, files = _read(words)
    return files if edits_in_place(words) else []


def edits_in_place(words: Sequence[Word]) -> bool:
    return any(_is_in_place(word) for word in words)


def _is_in_place(word: Word) -> bool:
    literal = word.literal or ""
    if literal.startswith("--"):
        name = literal.partition("=")[0]
        return len(name) > 2 and "--in-place".startswith(name)
    return literal.startswith("-") and "i" in literal.partition("e")[0]


def _read(words: Sequence[Word]) -> tuple[list[str] | None, list[Word]]:
    long = Word.plain("--in-place")
    cut_short = [(word.literal or "").startswith("--") and _is_in_place(word) for word in words]
    parsed = parse([long if cut else word for cut, word in zip(cut_short, words, strict=True)], _WITH_FILES)
    lengths = [value for name, value in parsed.options if name in ("-l", "--line-length")]
    if parsed.unknown is not None or not all(_is_number(value) for value in lengths):
        return None, parsed.operands
    scripts = [value for name, value in parsed.options if name in ("-e", "--expression")]
    files = parsed.operands
    if edits_in_place(words) and files and files[0].literal == "":  # BSD's `-i ''`: the ending of a backup
        files = files[1:]
    if not scripts:
        scripts, files = [*files[:1]], files[1:]
    literals = [script.literal if script is not None else None for script in scripts]
    known = [literal for literal in literals if literal is not None]
    return (known if len(known) == len(literals) else None), list(files)


def _is_number(value: Word | None) -> bool:
    """BSD's `-l` has no value: the word behind it is the script there."""
    return value is not None and (value.literal or "").isdecimal()


def is_harmless(script: str) -> bool:
    whole, place = script, 0
    while place < len(whole):
        if place >= len(script):
            script = whole
        if script[place] in " \t\n;{}":
            place += 1
            continue
        after = _addresses(script, place)
        if after is None or after >= len(script):
            return False
        command, place = script[after], after + 1
        if command == "{":
            continue
        if command in _PLAIN:
            while place < len(script) and script[place] in "0123456789 \t":
                place += 1
            if place < len(script) and script[place] not in ";\n}#":
                return False
        elif command in _TO_LINE_END:
            end = _line_end(script, place)
            if command != "#" and script[place:end].endswith("\\"):
                return False
            place = end
        elif command in _LABELS or command in _FILES:
            script = script[: _line_end(script, place)]
            label = _LABEL.match(script, place) if command in _LABELS else None
            if command in _LABELS and label is None:
                return False
            semicolon = script.find(";", place)
            place = label.end() if label else semicolon if semicolon >= 0 else len(script)
        elif command in "sy":
            ended = _substitution(script, place, flags=command == "s")
            if ended is None:
                return False
            place = ended
        else:
            return False
    return True


def _line_end(script: str, place: int) -> int:
    end = script.find("\n", place)
    return end if end >= 0 else len(script)


def _addresses(script: str, place: int) -> int | None:
    """Behind the addresses, or None when they cannot be read."""
    for turn in range(2):
        if place < len(script) and script[place] in "/\\":
            if script[place] == "\\":
                place += 1
            if place >= len(script):
                return None
            ended = _section(script, place + 1, script[place])
            if ended is None:
                return None
            place = ended
            while place < len(script) and script[place] in "IM":
                place += 1
        else:
            while place < len(script) and script[place] in "0123456789$+~":
                place += 1
        while place < len(script) and script[place] in " \t":
            place += 1
        if turn or place >= len(script) or script[place] != ",":
            break
        place += 1
        while place < len(script) and script[place] in " \t":
            place += 1
    while place < len(script) and script[place] in "! \t":
        place += 1
    return place


def _substitution(script: str, place: int, *, flags: bool) -> int | None:
    if place >= len(script) or script[place] in "\n\\ \t":
        return None
    delimiter = script[place]
    middle = _section(script, place + 1, delimiter)
    ended = _section(script, middle, delimiter) if middle is not None else None
    if ended is None:
        return None
    while flags and ended < len(script) and script[ended] in _FLAGS:
        ended += 1
    while ended < len(script) and script[ended] in " \t":
        ended += 1
    return ended if ended >= len(script) or script[ended] in ";\n}#" else None


def _section(script: str, place: int, delimiter: str) -> int | None:
    """Behind the delimiter that ends this section; None where brackets leave that open."""
    if delimiter in "[]":
        return None
    while place < len(script):
        sign = script[place]
        if sign == "\\":
            place += 2
        elif sign == delimiter:
            return place + 1
        elif sign == "[":
            brackets = _BRACKETS.match(script, place)
            if brackets is None or "\\]" in brackets[0] or delimiter in _ESCAPED.sub("", brackets[0]):
                return None
            place = brackets.end()
        else:
            place += 1
    return None
