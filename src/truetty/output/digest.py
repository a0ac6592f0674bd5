"""A long text within a budget: its head and its tail, and exact counts of what was left out.

Rule 1: text within the budget is given back unchanged.
Rule 2: the result is never longer than the budget (for budgets of `SMALLEST` and more), and the end of the last
        line is always in it.
Rule 3: whole lines where possible; a line that alone would fill much of the budget is cut in its middle.
Rule 4: only the first and the last `budget` characters are held, and the result does not depend on how the text
        was cut into pieces.
"""

from __future__ import annotations

import itertools
from collections import deque
from dataclasses import dataclass

SMALLEST = 200  # room for two omission marks and a few words beside them
_LONG_SHARE = 8  # a line longer than an eighth of the budget crowds out its neighbours
_DIGITS = b"0123456789"
_FOLD_FROM = 4  # a fold costs up to three lines itself


@dataclass(frozen=True, slots=True)
class Digested:
    """What is shown of a text, and how much of it is not."""

    text: str
    omitted: int  # characters of the original that are not in `text`
    omitted_lines: int  # lines of which nothing is in `text`
    characters: int  # of the original
    lines: int  # of the original; a last line without its newline counts


class Digest:
    """The streaming form: feed text as it comes, ask for the result at any time."""

    __slots__ = ("_budget", "_characters", "_head", "_head_share", "_head_size", "_newlines", "_tail", "_tail_size")

    def __init__(self, budget: int, head_share: float = 0.2) -> None:
        if budget < 0:
            raise ValueError("a budget cannot be negative")
        self._budget = budget
        self._head_share = min(1.0, max(0.0, head_share))
        self._head: list[str] = []
        self._head_size = 0
        self._tail: deque[str] = deque()
        self._tail_size = 0
        self._characters = 0
        self._newlines = 0

    def feed(self, text: str) -> None:
        if not text:
            return
        self._characters += len(text)
        self._newlines += text.count("\n")
        missing = self._budget - self._head_size
        if missing > 0:
            piece = text[:missing]
            self._head.append(piece)
            self._head_size += len(piece)
        self._remember(text)

    def result(self) -> Digested:
        head, tail = "".join(self._head), "".join(self._tail)
        last = tail[-1:] or head[-1:]
        lines = self._newlines + (last not in ("", "\n"))
        if self._characters <= self._budget:
            return Digested(head, 0, 0, self._characters, lines)
        return _compose(head, tail[-self._budget :], self._characters, lines, self._budget, self._head_share)

    def _remember(self, text: str) -> None:
        """Keep the last `budget` characters, dropping whole pieces that are no longer needed."""
        text = text[-self._budget :] if self._budget else text[-1:]
        self._tail.append(text)
        self._tail_size += len(text)
        while self._tail_size - len(self._tail[0]) >= max(1, self._budget):
            self._tail_size -= len(self._tail.popleft())


def digest(text: str, budget: int, head_share: float = 0.2) -> Digested:
    """The digest of a whole text; one within the budget comes back as the same object."""
    if len(text) <= budget:
        return Digested(text, 0, 0, len(text), text.count("\n") + (text[-1:] not in ("", "\n")))
    whole = Digest(budget, head_share)
    whole.feed(text)
    return whole.result()


def fold(text: str) -> str:
    """Runs of lines that are equal, or differ in digits only, as one or two of them and a count."""
    final_newline = text.endswith("\n")
    lines = (text[:-1] if final_newline else text).split("\n")
    # Bytes, because deleting digits there is one call in C for the whole text.
    keys = text.encode("utf-8", "surrogatepass").translate(None, _DIGITS).split(b"\n")
    folded: list[str] = []
    for _, group in itertools.groupby(zip(keys, lines, strict=False), key=lambda pair: pair[0]):
        run = [line for _, line in group]
        folded.extend(run if len(run) < _FOLD_FROM else _folded(run))
    return "\n".join(folded) + ("\n" if final_newline else "")


def _folded(run: list[str]) -> list[str]:
    """Equal neighbours first: a run that then still is long and has words in it keeps its first and last line."""
    equal: list[str] = []
    for line, group in itertools.groupby(run):
        count = sum(1 for _ in group)
        equal.extend([line] * count if count < _FOLD_FROM else [line, f"[… the same line {count - 1:,} more times …]"])
    # Bare numbers are data (`seq`, a column of sizes): they differ in digits only, and that is the point of them.
    if len(equal) < _FOLD_FROM or not any(char.isalpha() for char in run[0]):
        return equal
    return [run[0], f"[… {len(run) - 2:,} lines like these …]", run[-1]]


def _compose(head: str, tail: str, characters: int, lines: int, budget: int, head_share: float) -> Digested:
    """Choose what is shown of the first and the last `budget` characters."""
    room = max(0, budget - len(_omission(characters, lines)) - 2)
    limit = max(SMALLEST // 4, budget // _LONG_SHARE)
    head_room = min(int(room * head_share), max(0, room - limit))
    upper = _Part()
    while (newline := head.find("\n", upper.taken)) >= 0:
        line = head[upper.taken : newline + 1]
        if not upper.add(line, _shorten(line, limit), head_room):
            break
    if upper.size < head_room // 2:
        piece = head[upper.taken : upper.taken + head_room - upper.size]
        upper.add(piece, piece, head_room)
    tail_room = room - upper.size
    lower = _Part()
    first = max(0, len(tail) - (characters - upper.taken))  # where in `tail` the part begins that `upper` does not show
    while (end := len(tail) - lower.taken) > first:
        newline = tail.rfind("\n", first, end - 1)
        if newline < 0 and characters - len(tail) + first != upper.taken:
            break  # the line begins before what is held
        line = tail[max(newline + 1, first) : end]
        if not lower.add(line, _shorten(line, limit), tail_room):
            break
    if lower.size < tail_room // 2 or not lower.size:
        end = len(tail) - lower.taken
        piece = tail[max(first, end - (tail_room - lower.size)) : end]
        lower.add(piece, piece, tail_room)
    return _joined(upper, lower, characters, lines)


def _joined(upper: _Part, lower: _Part, characters: int, lines: int) -> Digested:
    above, below = "".join(upper.shown), "".join(reversed(lower.shown))
    between = characters - upper.taken - lower.taken
    kept = upper.kept + lower.kept
    if not between:
        return Digested(above + below, characters - kept, 0, characters, lines)
    shown_lines = upper.lines + lower.lines
    if above and not above.endswith("\n") and shown_lines > lines:
        # Both ends are parts of one line: nothing but characters is missing.
        text = f"{above}[… {between:,} characters left out …]{below}"
        return Digested(text, characters - kept, 0, characters, lines)
    hidden = lines - shown_lines
    joint = "\n" if above and not above.endswith("\n") else ""
    text = f"{above}{joint}{_omission(between, hidden)}\n{below}"
    return Digested(text, characters - kept, hidden, characters, lines)


class _Part:
    """One end of the text: what of it is shown, and how much of the original that stands for."""

    __slots__ = ("kept", "lines", "shown", "size", "taken")

    def __init__(self) -> None:
        self.shown: list[str] = []
        self.size = 0  # characters shown, marks included
        self.taken = 0  # characters of the original it covers
        self.kept = 0  # of those, the ones really shown
        self.lines = 0

    def add(self, original: str, shown: tuple[str, int] | str, room: int) -> bool:
        text, kept = (shown, len(shown)) if isinstance(shown, str) else shown
        if not text or self.size + len(text) > room:
            return False
        self.shown.append(text)
        self.size += len(text)
        self.taken += len(original)
        self.kept += kept
        self.lines += 1
        return True


def _shorten(line: str, limit: int) -> tuple[str, int]:
    """A line cut in its middle when it is longer than the limit, and how many of its characters are left."""
    if len(line) <= limit + 1:
        return line, len(line)
    keep = max(2, limit - len(f"[… {len(line):,} characters …]"))
    front = keep - keep // 2
    back = keep // 2 + line.endswith("\n")
    return f"{line[:front]}[… {len(line) - front - back:,} characters …]{line[-back:]}", front + back


def _omission(characters: int, lines: int) -> str:
    return f"[… {characters:,} characters, {lines:,} {'line' if lines == 1 else 'lines'} left out …]"
