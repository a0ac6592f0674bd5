"""The text of rows that no cursor can reach any more."""

from __future__ import annotations

from truetty.text.cells import Clusters
from truetty.text.rows import FinalText, ScreenRow


def test_rows_are_lines_unless_they_go_on() -> None:
    final = FinalText(10, Clusters())
    final.add([ScreenRow("a long lin"), ScreenRow("e", wrapped=True), "text"])
    assert final.take() == "a long line\ntext"
    assert final.take() == ""
    final.add([ScreenRow("next")])
    assert final.take() == "\nnext"


def test_what_would_come_next_is_not_taken() -> None:
    final = FinalText(10, Clusters())
    assert final.after(["a", ScreenRow("b")]) == "a\nb"
    assert final.take() == ""
    final.add(["x"])
    assert final.after(["a"]) == "\na"


def test_a_screen_is_kept_once() -> None:
    final = FinalText(10, Clusters())
    for _ in range(3):
        final.keep([ScreenRow("one"), ScreenRow("two")])
    assert final.take() == "one\ntwo"
    final.keep([ScreenRow("other")])
    assert final.take() == "\nother"


def test_codes_that_no_row_has_are_forgotten() -> None:
    clusters = Clusters()
    row, other = clusters.cells("e\u0301x"), clusters.cells("a\u0300o\u0302")
    assert len(row) == 2 and len(other) == 2
    (kept,) = clusters.recode([row])
    assert clusters.expand(kept) == "e\u0301x"
    assert clusters.stacked(kept, 1, "\u0308") is not None
    assert clusters.stacked(kept, 2, "\u0308") is None
