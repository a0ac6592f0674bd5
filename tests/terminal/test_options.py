"""What a terminal is made with: complete, checked, compared."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

import truetty
from truetty.terminal.options import Arguments, Options


def test_every_argument_is_an_option() -> None:
    assert {"shell", *Arguments.__annotations__} == {field.name for field in dataclasses.fields(Options)}


def test_arguments_are_brought_into_one_form() -> None:
    options = Options.of("bash", cwd=Path("/tmp"), env=None, budget=500, replies=[truetty.Reply("a", "b")])
    assert (options.shell, options.cwd, options.env) == ("bash", "/tmp", {})
    assert options.budget == truetty.Budget(500) and options.replies == (truetty.Reply("a", "b"),)
    assert Options.of("bash", budget=None).budget.holds(10**15, 10**12)
    assert Options.of(["bash", "-l"]).shell == ["bash", "-l"]


def test_equal_arguments_are_equal_options() -> None:
    assert Options.of("bash", env={"A": "1"}) == Options.of("bash", env={"A": "1"}, rc=True, budget=30_000)
    assert Options.of("bash", rc=False) != Options.of("bash")
    assert truetty.Terminal("bash").options == Options.of("bash")


@pytest.mark.parametrize(
    "wrong",
    [
        {"size": (0, 5)},
        {"size": (80,)},
        {"size": 80},
        {"env": {"A=B": "x"}},
        {"env": {"A": "\0"}},
        {"budget": -1},
        {"startup": float("nan")},
        {"startup": "soon"},
        {"coalesce": -1},
    ],
)
def test_what_cannot_be_meant_is_refused(wrong: Arguments) -> None:
    with pytest.raises(truetty.Misuse):
        truetty.Terminal("bash", **wrong)
