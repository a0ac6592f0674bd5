"""Every public member says what it is: by a docstring, or an attribute by the comment behind it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path

import truetty
from tests.docs.members import members
from truetty.settings import FIELDS, Settings
from truetty.terminal.options import Options
from truetty.testing.expectation import BlockingExpectation, Expectation


def public_classes() -> Iterator[type]:
    for module in (truetty, truetty.events, truetty.until, truetty.sync):
        for name in dir(module):
            value = getattr(module, name)
            if inspect.isclass(value) and value.__module__.startswith("truetty"):
                yield value
    yield from (Options, Expectation, BlockingExpectation)


def test_every_public_member_is_documented(record_property: Callable[[str, object], None]) -> None:
    said: dict[tuple[type, str], str | None] = {}
    for kind in set(public_classes()):
        for one in members(Path(inspect.getfile(kind)), {kind.__name__}):
            text = FIELDS[one.name].help if kind is Settings and one.name in FIELDS else one.text
            said[kind, one.name] = text
    missing = sorted(
        f"{kind.__module__}.{kind.__qualname__}.{name}"
        for kind, name in said
        if not any(said.get((base, name)) for base in (kind.__mro__ if name else (kind,)))
    )
    record_property("report", f"docstrings: {len(said) - len(missing)} of {len(said)} public members")
    assert missing == []
