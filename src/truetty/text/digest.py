"""A long text within a budget: its head and its tail, and exact counts of what was left out.

Rule 1: text within the budget is given back unchanged.
Rule 2: the result is never longer than the budget (for budgets of `SMALLEST_BUDGET` and more), in characters and in
        lines, and the end of the last line is always in it: the error is mostly at the end of a log.
Rule 3: lines that are equal, or differ in digits only, are folded first; then whole lines where possible; a line of
        more than an eighth of the budget is cut in its middle, to an eighth or to its share of the room that is left.
        A line alone has all of it, however long it is.
Rule 4: only so much of both ends is held as may be shown, and the result does not depend on how the text was cut
        into pieces.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from math import inf
from typing import Final, NamedTuple, Self

from truetty.core.checks import check_count
from truetty.core.errors import Misuse
from truetty.core.kinds import MOST, described
from truetty.text.folding import Unit, cut_mark, split_lines, units

SMALLEST_BUDGET: Final = 200  # room for two omission marks and a few words beside them
FEWEST_LINES: Final = 10
DEFAULT_BUDGET: Final = 30_000
HEAD_SHARE: Final = 0.2
CHARACTERS_PER_TOKEN: Final = 4  # of English and code; a true count needs the model's own vocabulary
REST: Final = "output.text(), .read() and .grep() have them"
_LARGEST_FOLD: Final = 8  # folding may make so many characters into one; more of the ends is not held
_LONG_SHARE: Final = 8  # a line longer than an eighth of the budget crowds out its neighbours
_CUT_ROOM: Final = len(cut_mark(10**12))  # for the count of any line, so that a longer one does not show less
_COUNT_ROOM: Final = 12  # the number in a mark may be so many characters shorter than the room that is kept for it


@dataclass(frozen=True, slots=True)
class Budget:
    """How much of an output is shown."""

    characters: int = DEFAULT_BUDGET  # at most so many
    head_share: float = HEAD_SHARE  # of it, the part for the beginning; the end has the rest
    rest: str = REST  # where to read what was left out, for the reader of the result
    lines: int | None = None  # None: any number of lines; fewer than `FEWEST_LINES` are that many

    @classmethod
    def of_tokens(cls, tokens: int) -> Self:
        """About so many tokens of a language model."""
        return cls(tokens * CHARACTERS_PER_TOKEN)

    @classmethod
    def of(cls, budget: int | Budget | None) -> Budget:
        """A plain number is one of characters; `None` is room for everything."""
        if budget is None:
            return cls(MOST)
        return budget if isinstance(budget, Budget) else cls(budget)

    def holds(self, characters: int, lines: int) -> bool:
        """Whether a text of this size is shown whole."""
        return characters <= self.characters and lines <= self.most_lines

    @property
    def most_lines(self) -> float:
        """`lines`, or infinity where none are named."""
        return inf if self.lines is None else max(self.lines, FEWEST_LINES)

    def __post_init__(self) -> None:
        if not isinstance(self.characters, int) or isinstance(self.characters, bool) or self.characters < 0:
            message = "a budget must be a whole number of characters, 0 or more"
            raise Misuse(f"{message}; got {described(self.characters)}", budget=self.characters)
        if not isinstance(self.head_share, int | float) or not 0 <= self.head_share <= 1:
            what = f"head_share must be from 0 to 1; got {described(self.head_share)}"
            raise Misuse(what, head_share=self.head_share)
        check_count("lines", self.lines, 0)


def tokens(characters: int) -> int:
    """About how many tokens a text of this length is to a language model."""
    return -(-characters // CHARACTERS_PER_TOKEN)


class DigestResult(NamedTuple):
    """What is shown of a text, and how much of it is not."""

    text: str
    omitted: int  # characters of the original that are not in `text`
    characters: int  # of the original
    lines: int  # of the original; a last line without its newline counts
    gap: int | None = None  # where in the original the first line stands of which something is not in `text`


class Digest:
    """The streaming form: feed text as it comes, ask for the result at any time."""

    __slots__ = ("_budget", "_bytes", "_characters", "_head", "_head_size", "_hold", "_newlines", "_tail", "_tail_size")

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._hold = max(1, budget.characters * _LARGEST_FOLD)
        self._head: list[str] = []
        self._head_size = 0
        self._tail: deque[str] = deque()
        self._tail_size = 0
        self._characters = self._bytes = self._newlines = 0

    def feed(self, text: str) -> None:
        if not text:
            return
        self._characters += len(text)
        self._bytes += _bytes(text)
        self._newlines += text.count("\n")
        missing = self._hold - self._head_size
        if missing > 0:
            piece = text[:missing]
            self._head.append(piece)
            self._head_size += len(piece)
        self._remember(text[max(0, missing) :])

    def result(self, budget: Budget | None = None) -> DigestResult:
        """Within this budget, which may be smaller than the one that was fed for, and not larger."""
        budget = self._budget if budget is None else budget
        head, tail = "".join(self._head), "".join(self._tail)[-self._hold :]
        last = tail[-1:] or head[-1:]
        lines = self._newlines + (last not in ("", "\n"))
        hold = max(1, budget.characters * _LARGEST_FOLD)
        if len(head) + len(tail) == self._characters:
            head, tail = head + tail, ""
        if budget.holds(self._characters, lines):
            return DigestResult(head, 0, self._characters, lines)
        if lines == 1:
            return _one_line(head, tail or head, self._characters, budget)
        if self._characters > 2 * hold:
            head, tail = head[:hold], (tail or head)[-hold:]
        elif (fitting := _fitting(head, budget)) is not None:
            part = _Part()
            part.fill(fitting, budget.characters)
            omitted = part.original - part.verbatim
            return DigestResult("".join(part.texts), omitted, part.original, lines, part.first_gap if omitted else None)
        return _Composition(head, tail, self._characters, self._bytes, lines, budget).result()

    def _remember(self, text: str) -> None:
        """Keep the last characters behind the head, dropping whole pieces that are no longer needed."""
        if not text:
            return
        text = text[-self._hold :]
        self._tail.append(text)
        self._tail_size += len(text)
        while self._tail_size - len(self._tail[0]) >= self._hold:
            self._tail_size -= len(self._tail.popleft())


def digest(text: str, budget: Budget) -> DigestResult:
    """The digest of a whole text; one within the budget comes back as the same object."""
    lines = text.count("\n") + (text[-1:] not in ("", "\n"))
    if budget.holds(len(text), lines):
        return DigestResult(text, 0, len(text), lines)
    whole = Digest(budget)
    whole.feed(text)
    return whole.result()


def _one_line(head: str, tail: str, characters: int, budget: Budget) -> DigestResult:
    """Both ends of the only line; `head` and `tail` have at least as many characters as the budget."""
    keep = max(0, budget.characters - _CUT_ROOM)
    omitted = characters - keep
    text = head[: keep - keep // 2] + cut_mark(omitted) + tail[len(tail) - keep // 2 :]
    return DigestResult(text, omitted, characters, 1, 0)


def _fitting(text: str, budget: Budget) -> list[Unit] | None:
    """The whole text, folded, and its long lines cut no more than it takes; None: lines must be left out."""
    longest = _longest(budget)
    found = units(text, longest)
    spare = budget.characters - sum(len(unit.text) for unit in found)
    if spare < 0 or sum(unit.rows for unit in found) > budget.most_lines:
        return None
    while (cuts := sum(unit.cuts for unit in found)) and spare > 2 * _COUNT_ROOM * cuts:
        longest += spare // cuts - _COUNT_ROOM
        found = units(text, longest)
        spare = budget.characters - sum(len(unit.text) for unit in found)
    return found


def _longest(budget: Budget) -> int:
    """Characters of a line that is shown whole beside others."""
    return max(SMALLEST_BUDGET // 4, budget.characters // _LONG_SHARE)


class _Composition:
    """Chooses what is shown of the two ends of a text that does not fit. `tail` is empty if `head` is all of it."""

    def __init__(self, head: str, tail: str, characters: int, size: int, lines: int, budget: Budget) -> None:
        self._head, self._tail = head, tail
        self._characters, self._bytes, self._lines = characters, size, lines
        self._rest = f"; {budget.rest}" if budget.rest and len(budget.rest) * 8 <= budget.characters else ""
        room = max(0, budget.characters - len(self._omission(size, lines)) - 2)
        limit = _longest(budget)
        share = min(1.0, max(0.0, budget.head_share))
        head_room = min(int(room * share), max(0, room - limit))
        rows = budget.most_lines - 1  # without the line that says what was left out
        head_rows = rows if rows == inf else min(int(rows * share), int(rows) - 1)
        front = units(head, limit)
        if head and not head.endswith("\n") and tail:
            front.pop()  # the line goes on behind what is held
        self.upper = self._upper(front, head_room, head_rows)
        self.lower = self._lower(limit, room - self.upper.size, rows - self.upper.rows, front)

    def _upper(self, front: list[Unit], room: int, rows: float) -> _Part:
        part = _Part()
        part.fill(front, room, rows)
        if part.size < room // 2 and part.rows < rows:
            piece = self._head[part.original : part.original + room - part.size]
            part.cut(piece if rows == inf else "".join(split_lines(piece)[: int(rows) - part.rows]))
        return part

    def _lower(self, limit: int, room: int, rows: float, front: list[Unit]) -> _Part:
        if self._tail:
            text, first = self._tail, 0
            back = units(text, limit)
            if not self._head.endswith("\n") or len(self._head) + len(text) < self._characters:
                back.pop(0)  # it begins before what is held
        else:
            text, first = self._head, self.upper.original
            back = front[self.upper.units :]
            if self.upper.raw and back:
                back.pop(0)
        part = _Part()
        part.fill(reversed(back), room, rows)
        if (part.size < room // 2 and part.rows < rows) or not part.size:
            end = len(text) - part.original
            piece = text[max(first, end - (room - part.size)) : end]
            part.cut(piece if rows == inf else "".join(split_lines(piece)[part.rows - int(rows) :]))
        part.texts.reverse()
        return part

    def result(self) -> DigestResult:
        upper, lower, lines = self.upper, self.lower, self._lines
        above, below = "".join(upper.texts), "".join(lower.texts)
        between = self._characters - upper.original - lower.original
        omitted = self._characters - upper.verbatim - lower.verbatim
        gap = upper.first_gap if upper.first_gap is not None else upper.original
        if not between:
            if upper.first_gap is None and lower.last_gap is not None:  # the lower part was filled from its end
                gap = self._characters - lower.last_gap
            return DigestResult(above + below, omitted, self._characters, lines, gap if omitted else None)
        last = self._tail or self._head
        size = self._bytes - _bytes(self._head[: upper.original]) - _bytes(last[len(last) - lower.original :])
        shown_lines = upper.lines + lower.lines
        if above and not above.endswith("\n") and shown_lines > lines:
            # Both ends are parts of one line: nothing but characters is missing.
            return DigestResult(f"{above}[… {size:,} bytes left out …]{below}", omitted, self._characters, lines, gap)
        hidden = lines - shown_lines
        joint = "\n" if above and not above.endswith("\n") else ""
        text = f"{above}{joint}{self._omission(size, hidden)}\n{below}"
        return DigestResult(text, omitted, self._characters, lines, gap)

    def _omission(self, size: int, lines: int) -> str:
        return f"[… {size:,} bytes, {lines:,} {'line' if lines == 1 else 'lines'} left out{self._rest} …]"


class _Part:
    """One end of the text: what of it is shown, and how much of the original that stands for."""

    __slots__ = ("first_gap", "last_gap", "lines", "original", "raw", "rows", "size", "texts", "units", "verbatim")

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.size = 0  # characters shown, marks included
        self.original = 0  # characters of the original it covers
        self.verbatim = 0  # of those, the ones really shown
        self.lines = 0
        self.rows = 0  # lines shown, marks included
        self.units = 0
        self.raw = False  # ends in a piece of a line
        self.first_gap: int | None = None  # what was taken before the first unit that is not shown whole
        self.last_gap: int | None = None  # what was taken when the last of them was in

    def fill(self, units: Iterable[Unit], room: int, rows: float = inf) -> None:
        for unit in units:
            if self.size + len(unit.text) > room or self.rows + unit.rows > rows:
                break
            if unit.verbatim < unit.original:
                self.first_gap = self.original if self.first_gap is None else self.first_gap
                self.last_gap = self.original + unit.original
            self.texts.append(unit.text)
            self.size += len(unit.text)
            self.original += unit.original
            self.verbatim += unit.verbatim
            self.lines += unit.lines
            self.rows += unit.rows
            self.units += 1

    def cut(self, piece: str) -> None:
        if piece:
            self.texts.append(piece)
            self.size += len(piece)
            self.original += len(piece)
            self.verbatim += len(piece)
            self.lines += 1 + piece.count("\n", 0, -1)
            self.rows += 1 + piece.count("\n", 0, -1)
            self.raw = True


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
