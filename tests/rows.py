"""One test over a table of rows, for checks that are cheaper than a test of their own.

`@each_row` is written where `@pytest.mark.parametrize` would be. Every row is checked, and the failure has all wrong
rows. Fixtures are shared by the rows: a check must leave them as they were.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest


class Wrong:
    """What was wrong, and in which rows."""

    def __init__(self) -> None:
        self.errors: list[BaseException] = []

    @contextmanager
    def row(self, values: dict[str, object]) -> Iterator[None]:
        try:
            yield
        except (Exception, pytest.fail.Exception) as error:
            error.add_note("row: " + ", ".join(f"{name}={value!a:.300}" for name, value in values.items()))
            self.errors.append(error)

    def report(self, rows: int) -> None:
        if self.errors:
            raise BaseExceptionGroup(f"{len(self.errors)} of {rows} rows are wrong", self.errors)


def each_row(names: str | tuple[str, ...], rows: Iterable[Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make one test of a check and its rows. A single name takes each row as it is, several take it apart."""
    table = [{names: row} if isinstance(names, str) else dict(zip(names, row, strict=True)) for row in rows]
    assert table, "a table without rows checks nothing"

    def decorate(check: Callable[..., Any]) -> Callable[..., Any]:
        def test(**fixtures: object) -> None:
            wrong = Wrong()
            for values in table:
                with wrong.row(values):
                    check(**values, **fixtures)
            wrong.report(len(table))

        async def test_of_async(**fixtures: object) -> None:
            wrong = Wrong()
            for values in table:
                with wrong.row(values):
                    await check(**values, **fixtures)
            wrong.report(len(table))

        made = functools.wraps(check)(test_of_async if inspect.iscoroutinefunction(check) else test)
        signature = inspect.signature(check)
        fixtures = [parameter for name, parameter in signature.parameters.items() if name not in table[0]]
        made.__signature__ = signature.replace(parameters=fixtures)  # type: ignore[attr-defined]
        return made

    return decorate
