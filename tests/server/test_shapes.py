"""Values to JSON and back; errors too."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import truetty
from truetty.core import errors
from truetty.core.outcome import Outcome, Waiting
from truetty.core.patterns import Found
from truetty.server import refusals, shapes
from truetty.server.events import encoded
from truetty.server.forms import CommandForm

WAITING = Waiting("line", "go? ", "bash", asks="yes-no", choices=("y", "n"), labels=("yes", "no"), default="n")
FOUND = Found("x", "(x)", 1, 4, ("x", None), (("name", "x"),))
OUTCOME = Outcome(
    *("t1-1", "t1", "waiting", None, None, None, "rich", "caf\udce9\n", 5, 1, 0, 2, True, WAITING, 1.5, "/", False),
    notes=("a note",),
    reached="match",
    match=FOUND,
)


def travel(value: object) -> object:
    return json.loads(encoded(shapes.plain(value)))


def test_an_outcome_comes_back_as_it_was() -> None:
    back = shapes.made(Outcome, travel(OUTCOME))
    assert back == OUTCOME
    assert (back.waiting, back.match, back.reached) == (WAITING, FOUND, "match")
    assert back.waiting is not None and back.waiting.choices == ("y", "n")


def test_a_reader_passes_over_what_it_does_not_know() -> None:
    given = dict(shapes.plain(OUTCOME), of_a_later_version=[1])
    del given["match"]  # it has a default
    assert shapes.made(Outcome, given).match is None
    del given["state"]
    with pytest.raises(ValueError, match="state"):
        shapes.made(Outcome, given)


STANDING: dict[str, Any] = {
    **dict.fromkeys(("id", "terminal_id", "text"), "x"),
    **dict.fromkeys(("exit_code", "signal", "evidence", "waiting", "episode", "started_at", "cwd")),
    **dict.fromkeys(("finished", "timed_out", "complete", "unread", "closed"), False),
    "state": "running",
    "strategy": "rich",
    "duration": 1.5,
    "output_bytes": 5,
    "notes": [],
}


def test_a_name_that_python_has_a_word_of() -> None:
    form = shapes.made(CommandForm, {**STANDING, "from": 7, "to": 9})
    assert (form.from_, form.to) == (7, 9)
    found = shapes.plain(form)
    assert found["from"] == 7 and "from_" not in found
    named: dict[str, Any] = {}
    shapes.schema(CommandForm, named)
    assert set(found) == set(named["CommandForm"]["properties"]) == set(named["CommandForm"]["required"])


def test_a_command_of_a_server_that_does_not_say_where_its_output_is() -> None:
    form = shapes.made(CommandForm, STANDING)
    assert (form.output_lines, form.from_, form.to, form.output_bytes) == (None, None, None, 5)


@pytest.mark.parametrize("wrong", [None, [], "x", {"id": 1}])
def test_what_is_no_such_value(wrong: object) -> None:
    with pytest.raises(ValueError, match=r"is no|CommandForm"):
        shapes.made(CommandForm, wrong)


def kinds_of_error(kind: type[errors.TruettyError]) -> list[type[errors.TruettyError]]:
    return [kind, *(one for below in kind.__subclasses__() for one in kinds_of_error(below))]


OURS = [kind for kind in kinds_of_error(errors.TruettyError) if kind.__module__ in ("truetty", refusals.__name__)]


@pytest.mark.parametrize("kind", OURS, ids=lambda kind: kind.code)
def test_an_error_comes_back_as_it_was(kind: type[errors.TruettyError]) -> None:
    raised = kind("what is wrong", terminal_id="t3", known=["t1"], value=None)
    back = refusals.error(shapes.made(refusals.Refusal, travel(refusals.refusal(raised))))
    assert type(back) is kind
    assert (str(back), back.facts) == (str(raised), raised.facts)


def test_each_code_is_one_class() -> None:
    codes = [kind.code for kind in OURS]
    assert len(set(codes)) == len(codes)
    assert set(refusals.STATUS) <= set(codes)


def test_an_error_of_a_later_version() -> None:
    back = refusals.error(refusals.Refusal("novel", "something new", {"x": 1}))
    assert type(back) is truetty.HostError and back.facts == {"x": 1}


def test_a_failed_command_has_its_outcome() -> None:
    raised = truetty.CommandFailed("no", outcome=OUTCOME)
    back = refusals.error(shapes.made(refusals.Refusal, travel(refusals.refusal(raised))))
    assert back.outcome == OUTCOME


def test_a_fault_of_the_server_tells_nothing() -> None:
    found = refusals.refusal(RuntimeError("a secret path"))
    assert (found.code, found.status, "secret" in found.message) == ("internal", 500, False)


@given(st.text(st.characters(codec=None)))
def test_any_text_travels(text: str) -> None:
    assert json.loads(encoded({"text": text})) == {"text": text}
