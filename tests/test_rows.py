"""`tests/rows.py`: every row is checked, and all wrong ones are in the failure."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from tests.rows import each_row


def test_every_row_is_checked_and_each_wrong_one_is_named() -> None:
    checked = []

    @each_row(("number", "square"), [(1, 1), (2, 5), (3, 9), (4, 17)])
    def squares(number: int, square: int) -> None:
        checked.append(number)
        assert number * number == square

    with pytest.raises(BaseExceptionGroup, match="2 of 4 rows are wrong") as failure:
        squares()
    assert checked == [1, 2, 3, 4]
    assert [error.__notes__ for error in failure.value.exceptions] == [
        ["row: number=2, square=5"],
        ["row: number=4, square=17"],
    ]


def test_a_refusal_that_did_not_come_is_a_wrong_row() -> None:
    @each_row("text", ["1", "x"])
    def refused(text: str) -> None:
        with pytest.raises(ValueError):
            int(text)

    with pytest.raises(BaseExceptionGroup, match="1 of 2 rows"):
        refused()


async def test_of_async_checks() -> None:
    @each_row("number", [0, 1])
    async def zero(number: int) -> None:
        assert number == 0

    with pytest.raises(BaseExceptionGroup, match="1 of 2 rows"):
        await zero()


def test_fixtures_are_what_is_no_column(tmp_path: Path) -> None:
    @each_row("name", ["a", "b"])
    def missing(name: str, place: Path) -> None:
        assert not (place / name).exists()

    assert list(inspect.signature(missing).parameters) == ["place"]
    missing(place=tmp_path)
