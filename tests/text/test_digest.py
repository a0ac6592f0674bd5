"""Digests: never over the budget, always the end, exact counts, and the same in any pieces."""

from __future__ import annotations

import re
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rows import each_row
from truetty import Misuse
from truetty.text.digest import DEFAULT_BUDGET, SMALLEST_BUDGET, Budget, Digest, DigestResult, digest, tokens

NUMBERS = "".join(f"{number}\n" for number in range(1001, 3001))  # data: not folded
OMISSION = re.compile(r"\[… ([\d,]+) bytes, ([\d,]+) lines? left out(?:; [^…]*)? …\]\n")
CUT = re.compile(r"\[… ([\d,]+) characters …\]")
ONE_LINE = re.compile(r"\[… ([\d,]+) bytes left out …\]")


def number(text: str) -> int:
    return int(text.replace(",", ""))


def test_text_within_the_budget_is_the_same_object() -> None:
    text = "a\na\n" * 50
    result = digest(text, Budget(200))
    assert result.text is text
    assert result == DigestResult(text, 0, 200, 100)
    assert digest("", Budget(200)) == DigestResult("", 0, 0, 0)
    assert digest("x", Budget(200)).lines == 1


def test_head_and_tail_and_exact_counts() -> None:
    result = digest(NUMBERS, Budget(400))
    head, count, lines, tail = OMISSION.split(result.text)
    assert NUMBERS.startswith(head) and head.endswith("\n")
    assert NUMBERS.endswith(tail) and len(tail) % 5 == 0
    assert number(count) == result.omitted == len(NUMBERS) - len(head) - len(tail)
    assert number(lines) == 2000 - head.count("\n") - tail.count("\n")
    assert result.characters == len(NUMBERS) and result.lines == 2000
    assert len(head) < len(tail) < len(result.text) <= 400


def test_what_is_left_out_is_counted_in_bytes_and_it_is_said_where_to_read_it() -> None:
    text = "".join(f"{chr(0x4E00 + number)}\n" for number in range(4000))
    result = digest(text, Budget(2000, rest="ask me"))
    head, count, _, tail = OMISSION.split(result.text)
    assert number(count) == len(text.encode()) - len(head.encode()) - len(tail.encode())
    assert "left out; ask me …]" in result.text


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 1.0])
def test_any_share_leaves_room_for_the_last_line(share: float) -> None:
    result = digest(NUMBERS, Budget(1000, share))
    assert result.text.endswith("3000\n")
    assert len(result.text) <= 1000
    assert result.text.startswith("1001\n") == (share > 0)


def test_the_head_has_its_share() -> None:
    head, *_ = OMISSION.split(digest(NUMBERS, Budget(5000, 0.2, "")).text)
    assert 900 <= len(head) <= 1000
    head, *_ = OMISSION.split(digest(NUMBERS, Budget(5000, 0.5, "")).text)
    assert 2400 <= len(head) <= 2500


def test_one_long_line_is_cut_in_its_middle() -> None:
    result = digest("a" * 5000 + "z" * 5000, Budget(1000))
    front, count, back = CUT.split(result.text)
    assert front == "a" * len(front) and back == "z" * len(back)
    assert number(count) == result.omitted == 10_000 - len(front) - len(back)
    assert "\n" not in result.text


def test_one_endless_line_shows_both_ends() -> None:
    whole = Digest(Budget(1000))
    for _ in range(50):
        whole.feed("a" * 5000)
    whole.feed("the end")
    result = whole.result()
    front, count, back = CUT.split(result.text)
    assert front == "a" * len(front) and len(front) > 100 and back.endswith("the end")
    assert number(count) == result.omitted == 250_007 - len(front) - len(back)
    assert result.lines == 1


def test_a_long_line_does_not_crowd_out_its_neighbours() -> None:
    text = "first\n" + "x" * 900 + "\nlast\n" + "".join(f"{line}\n" for line in range(100))
    result = digest(text, Budget(1000))
    assert "first\n" in result.text and "last\n" in result.text
    ((count,),) = [found.groups() for found in CUT.finditer(result.text)]
    assert number(count) == result.omitted


@each_row("before", ["", "first\n", "a\nb\nc\n", "same\n" * 3000])
@each_row("size", [31_000, 50_000, 200_000])
def test_a_long_line_has_all_the_room_that_is_left(before: str, size: int) -> None:
    result = digest(f"{before}{'x' * size}\nlast\n", Budget(30_000))
    assert 29_970 <= len(result.text) <= 30_000
    assert result.text.startswith(before[:5]) and result.text.endswith("x\nlast\n")


@each_row("budget", [200, 600, 30_000])
@each_row("end", ["", "\n"])
def test_a_longer_line_never_shows_less(budget: int, end: str) -> None:
    sizes = [budget + more for more in (-1, 0, 1, 9, 100, 1000)] + [
        budget * times for times in (2, 7, 8, 15, 16, 17, 300)
    ]
    results = [digest("x" * (size - len(end)) + end, Budget(budget)) for size in sorted(sizes)]
    shown = [result.characters - result.omitted for result in results if result.omitted]
    assert shown == sorted(shown)
    assert budget - 40 <= shown[0] and all(len(result.text) <= budget for result in results)


@each_row("size", [31_000, 479_000, 481_000, 50_000_000])
def test_a_long_line_beside_others_uses_the_budget(size: int) -> None:
    """An omission mark that says where the rest is may take its room, and nothing else."""
    result = digest("a\nb\n" + "x" * size + "\nc\n", Budget(30_000))
    assert 29_900 <= result.characters - result.omitted <= len(result.text) <= 30_000


@each_row("size", [*range(985, 1050), 2000])
def test_a_line_that_just_fits_is_not_pushed_out(size: int) -> None:
    result = digest("x" * size, Budget(1000))
    assert 970 < len(result.text) <= 1000 and "left out" not in result.text


def test_long_lines_share_the_room() -> None:
    text = "a" * 50_000 + "\n" + "b" * 5_000 + "\n" + "c" * 90_000 + "\n"
    result = digest(text, Budget(30_000))
    assert 29_950 <= len(result.text) <= 30_000
    first, second, third = result.text.splitlines()
    assert second == "b" * 5_000
    assert abs(len(first) - len(third)) <= 2


def test_the_end_of_a_last_line_longer_than_all() -> None:
    result = digest(NUMBERS + "y" * 5000 + "the end", Budget(300))
    assert result.text.endswith("the end")
    assert len(result.text) <= 300


def test_runs_are_folded_so_that_more_is_shown() -> None:
    text = "begin\n" + "retrying\n" * 5000 + "middle\n" + "".join(f"get {n} of 900\n" for n in range(900)) + "end\n"
    result = digest(text, Budget(8000))
    assert result.text == (
        "begin\nretrying\n[… the same line 4,999 more times …]\nmiddle\n"
        "get 0 of 900\n[… 898 lines like these …]\nget 899 of 900\nend\n"
    )
    shown = ("begin", "retrying", "middle", "get 0 of 900", "get 899 of 900", "end")
    assert result.omitted == len(text) - sum(len(line) + 1 for line in shown)
    assert result.lines == 5903


@pytest.fixture(scope="module")
def log() -> str:
    """Of a long build."""
    text = "".join(f"[{n:6}/100000] gcc -O2 -c src/{n * 7919 % 60000}/part.c -o part.o\n" for n in range(100_000))
    assert len(text) > 5_000_000
    return text


@each_row("budget", [200, 201, 250, 333, 500, 999, 2000, 10_000, 30_000, 1_000_000])
@each_row("end", ["", "\n", "\nmake: *** [all] Error 2\n", "\n\n\n"])
def test_the_error_at_the_end_of_a_build_is_never_what_is_cut(budget: int, end: str, log: str) -> None:
    error = f"error: undefined reference to `main'{end}"
    whole = Digest(Budget(budget))
    for at in range(0, len(log), 1 << 16):
        whole.feed(log[at : at + (1 << 16)])
    whole.feed(error)
    result = whole.result()
    assert result.text.endswith(error) and len(result.text) <= budget
    assert result.lines == 100_000 + len(error.splitlines())


def test_memory_is_a_few_times_the_budget() -> None:
    whole = Digest(Budget(10_000))
    piece = "some line of text\n" * 100
    tracemalloc.start()
    try:
        for _ in range(3000):
            whole.feed(piece)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 400_000
    assert whole.result().characters == 3000 * len(piece)


def test_one_line_is_a_line() -> None:
    text = NUMBERS + "x"
    assert digest(text, Budget(20_000)).lines == 2001
    (found,) = OMISSION.finditer(digest(text, Budget(len(text) - 1)).text)
    assert ("line left out" in found[0]) == (number(found[2]) == 1)


LINES = st.sampled_from(["a", "b", "b 1", "b 2", "b 33", "", "7", "8", "é", "\u2028", "x\ry"])
PIECES = st.one_of(
    st.text("ab1 \n", max_size=40),
    st.integers(1, 900).map(lambda size: "x" * size),
    st.lists(LINES, max_size=20).map(lambda lines: "".join(f"{line}\n" for line in lines)),
    st.tuples(LINES, st.integers(1, 300)).map(lambda run: f"{run[0]}\n" * run[1]),
)


BOUNDS = st.one_of(st.none(), st.integers(0, 40))


@pytest.mark.parametrize("end", ["\u2028", "\f", "\x85", "x\ry", "\v"])
def test_only_a_newline_ends_a_line(end: str) -> None:
    """Nor do others at which Python splits: the end of the last line is shown, and as many lines as fit."""
    text = "\n" * 8 + f"1{end}\n" + f"{end}\n" * 19
    result = digest(text, Budget(200, 1.0, lines=0))
    assert result.text.endswith(f"\n{end}\n")
    assert (result.lines, result.text.count("\n")) == (28, 10)
    assert result.omitted == len(text) - 8 - len(f"{end}\n")


@given(st.lists(PIECES, max_size=60), st.integers(SMALLEST_BUDGET, 900), st.floats(0, 1), BOUNDS)
def test_whatever_comes(pieces: list[str], budget: int, share: float, most: int | None) -> None:
    text = "".join(pieces)
    within = Budget(budget, share, lines=most)
    result = digest(text, within)
    assert len(result.text) <= budget
    assert result.text.count("\n", 0, -1) + 1 <= within.most_lines
    assert result.characters == len(text)
    assert result.lines == text.count("\n") + (text[-1:] not in ("", "\n"))
    assert (result.omitted > 0) == (len(text) > budget or result.lines > within.most_lines)
    end = text.rstrip("\n").rpartition("\n")[2]
    assert result.text.rstrip("\n").endswith(end[-10:]) or "the same line" in result.text[-60:]
    if found := OMISSION.search(result.text):
        assert number(found[2]) <= result.lines
    streamed = Digest(within)
    for piece in pieces:
        streamed.feed(piece)
    assert streamed.result() == result


@given(st.lists(PIECES, max_size=40).map("".join), st.integers(SMALLEST_BUDGET, 500), BOUNDS)
def test_every_character_is_shown_or_counted(text: str, budget: int, most: int | None) -> None:
    text = "".join(char for char in text if char not in "0123456789")  # so that nothing but equal lines is folded
    result = digest(text, Budget(budget, rest="", lines=most))
    shown, counted = result.text, 0
    # Equal lines that are short are folded as lines that are alike: their mark is the shorter one.
    equal = re.compile(r"\[… (?:the same line )?([\d,]+) (?:more times|lines like these) …\]\n")
    for pattern in (OMISSION, ONE_LINE, CUT, equal):
        for found in pattern.finditer(shown):
            if pattern is equal:
                line = shown[: found.start()].rsplit("\n", 2)[-2]
                if "characters …]" in line:
                    return  # a long line, cut, and repeated: counted elsewhere
                counted += number(found[1]) * (len(line) + 1)
            elif not found[0].isascii() and not text.isascii() and "bytes" in found[0]:
                return  # counted in bytes
            else:
                counted += number(found[1])
    assert counted == result.omitted


@given(st.text("ab\n", max_size=400), st.integers(0, SMALLEST_BUDGET))
def test_small_budgets_do_what_they_can(text: str, budget: int) -> None:
    result = digest(text, Budget(budget))
    assert result.characters == len(text)
    assert 0 <= result.omitted <= len(text)


def test_a_budget_of_lines_has_the_head_and_the_tail() -> None:
    text = "".join(f"{word}\n" for word in (chr(97 + at % 26) * (at % 7 + 1) for at in range(900)))
    result = digest(text, Budget(10_000, 0.2, "", lines=500))
    shown = result.text.splitlines()
    assert len(shown) == 500 and result.lines == 900
    assert shown[0] == "a" and f"{shown[-1]}\n" == text[-len(shown[-1]) - 1 :]
    lines = text.splitlines(keepends=True)
    assert shown[99] == f"[… {sum(map(len, lines[99:500])):,} bytes, 401 lines left out …]"
    assert result.gap == sum(map(len, lines[:99]))


def test_budgets() -> None:
    assert Budget.of(12) == Budget(12)
    assert Budget.of(Budget.of_tokens(100)).characters == 400
    assert Budget().characters == DEFAULT_BUDGET
    assert [tokens(size) for size in (0, 1, 4, 5)] == [0, 1, 1, 2]
    with pytest.raises(Misuse, match="-1"):
        Budget(-1)
