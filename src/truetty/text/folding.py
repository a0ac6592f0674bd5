"""Runs of lines that say the same: a thousand downloads, a progress bar printed line by line.

Rule 1: a run of equal lines is shown as one and a count; a run that differs in digits only, as its first and last.
Rule 2: lines of bare numbers are data (`seq`, a column of sizes), and are not folded though they differ in digits only.
Rule 3: nothing is folded that would not become shorter.
"""

from __future__ import annotations

import itertools
from typing import Final, NamedTuple

_DIGITS: Final = b"0123456789"
_FOLD_FROM: Final = 4  # a fold costs up to three lines itself


class Unit(NamedTuple):
    """Lines that are shown together, and what they stand for."""

    text: str
    verbatim: int  # characters of the original in `text`
    original: int  # characters of the original
    lines: int
    cuts: int = 0  # lines in `text` that are cut in their middle

    @property
    def rows(self) -> int:
        """Lines shown."""
        return self.text.count("\n", 0, -1) + 1


def units(text: str, longest: int) -> list[Unit]:
    """The text as units, in order; lines longer than `longest` are cut in their middle."""
    lines = split_lines(text)
    # Bytes, because deleting digits there is one call in C for the whole text.
    keys = text.encode("utf-8", "surrogatepass").translate(None, _DIGITS).split(b"\n")
    found: list[Unit] = []
    for _, group in itertools.groupby(zip(keys, lines, strict=False), key=lambda pair: pair[0]):
        run = [line for _, line in group]
        if len(run) < _FOLD_FROM:
            found += [_line(line, longest) for line in run]
        else:
            found += _run(run, longest)
    return found


def _run(run: list[str], longest: int) -> list[Unit]:
    """Equal neighbours first: a run that then still is long, and has words in it, keeps its first and last line."""
    equal: list[Unit] = []
    for line, group in itertools.groupby(run):
        count = sum(1 for _ in group)
        first = _line(line, longest)
        mark = f"[… the same line {count - 1:,} more times …]\n"
        if count < _FOLD_FROM or len(mark) >= (count - 1) * len(line):
            equal += [first] * count
        else:
            equal.append(Unit(first.text + mark, first.verbatim, count * len(line), count, first.cuts))
    if len(equal) < _FOLD_FROM or not any(letter.isalpha() for letter in run[0]):
        return equal
    first, last = _line(run[0], longest), _line(run[-1], longest)
    shown = f"{first.text}[… {len(run) - 2:,} lines like these …]\n{last.text}"
    original = sum(map(len, run))
    if len(shown) >= original:
        return equal
    return [Unit(shown, first.verbatim + last.verbatim, original, len(run), first.cuts + last.cuts)]


def _line(line: str, longest: int) -> Unit:
    if len(line) <= longest + 1:
        return Unit(line, len(line), len(line), 1)
    keep = max(2, longest - len(cut_mark(len(line))))
    front = keep - keep // 2
    back = keep // 2 + line.endswith("\n")
    shown = line[:front] + cut_mark(len(line) - front - back) + line[-back:]
    return Unit(shown, front + back, len(line), 1, 1)


def cut_mark(omitted: int) -> str:
    """What stands in the middle of a line that is cut."""
    return f"[… {omitted:,} characters …]"


def split_lines(text: str) -> list[str]:
    """Its lines with their newlines. To Python other characters end a line too: U+2028, a form feed."""
    if _only_newlines(text):
        return text.splitlines(keepends=True)
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _only_newlines(text: str) -> bool:
    """Whether nothing else in it would end a line to Python; most text is like that, and split three times as fast."""
    return text.isascii() and not any(char in text for char in "\r\v\f\x1c\x1d\x1e")
