"""When text may stay text."""

from __future__ import annotations

import pytest

from truetty.text.layout import Layout


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("alternate", True), ("insert", True), ("autowrap", False), ("origin", True), ("newline", True),
        ("drawing", True), ("level", 1), ("stops", ()), ("top", 1), ("bottom", 5),
    ],
)  # fmt: skip
def test_anything_that_is_set_makes_it_odd(name: str, value: object) -> None:
    layout = Layout(24)
    layout.weigh()
    assert layout.plain
    before = getattr(layout, name)
    setattr(layout, name, value)
    layout.weigh()
    assert not layout.plain
    setattr(layout, name, before)
    layout.weigh()
    assert layout.plain
