from __future__ import annotations

import pytest

from tests.rows import each_row
from truetty.core.errors import Misuse
from truetty.functions.arguments import CallArguments, read_arguments
from truetty.functions.table import BY_NAME
from truetty.functions.verbs import USUAL_PATIENCE
from truetty.mcp.catalogue import input_schema


def read(tool: str, **arguments: object) -> CallArguments:
    return read_arguments(BY_NAME[tool], arguments)


@pytest.mark.parametrize("name", ["command", "cmd"])
def test_a_command_has_the_names_models_know(name: str) -> None:
    assert read("run", **{name: "ls"}).text("command") == "ls"


@each_row("name", ["id", "command_id", "terminal_id", "session_id"])
@each_row("tool", ["read", "wait", "send", "screen", "stop", "handoff"])
def test_ids_are_accepted_by_every_name(tool: str, name: str) -> None:
    assert read(tool, **{name: "t1"}).text("id") == "t1"


@pytest.mark.parametrize("name", ["text", "chars", "input"])
def test_what_is_typed_has_the_names_models_know(name: str) -> None:
    assert read("send", id="t1", **{name: "y\n"}).text("text") == "y\n"


@pytest.mark.parametrize("name", ["background", "run_in_background", "is_background", "isBackground"])
def test_the_background_has_the_names_models_know(name: str) -> None:
    assert read("run", command="ls", **{name: True}).flag("background")


@each_row(
    ("name", "value", "seconds"),
    [
        ("wait", 2, 2.0),
        ("wait", 2000, 2000.0),
        ("wait", "2.5", 2.5),
        ("timeout_ms", 1500, 1.5),
        ("yield_time_ms", 250, 0.25),
        ("wait_ms", 0, 0.0),
        ("timeout", 30, 30.0),
        ("timeout", 999, 999.0),
        ("timeout", 1000, 1.0),
        ("timeout", 120000, 120.0),
    ],
)
def test_patience_is_seconds_whatever_it_is_called(name: str, value: object, seconds: float) -> None:
    assert read("run", command="ls", **{name: value}).number("wait") == seconds


@each_row(
    ("value", "seconds"),
    [("5s", 5.0), ("1.5 sec", 1.5), ("500 ms", 0.5), ("200 milliseconds", 0.2), ("2 minutes", 120.0), ("1H", 3600.0)],
)
@each_row("name", ["wait", "timeout", "timeout_ms"])
def test_a_time_may_have_its_unit_whatever_it_is_called(name: str, value: str, seconds: float) -> None:
    taken = read("run", command="ls", **{name: value})
    assert taken.number("wait") == pytest.approx(seconds)
    assert taken.notes == (f'{name} "{value}" was read as {seconds:g} seconds',)


def test_a_guess_about_the_unit_is_told() -> None:
    assert read("run", command="ls", timeout=30).notes == ()
    (note,) = read("run", command="ls", timeout=120000).notes
    assert "milliseconds" in note and "ends no command" in note


@each_row(
    ("tool", "name", "meant"),
    [
        ("run", "comand", "command"),
        ("run", "terminalid", "terminal_id"),
        ("run", "backgroundd", "background"),
        ("run", "workdirs", "cwd"),
        ("send", "txt", "text"),
        ("send", "Key", "keys"),
        ("read", "ofset", "offset"),
    ],
)
def test_a_slip_is_refused_with_the_right_name(tool: str, name: str, meant: str) -> None:
    with pytest.raises(Misuse, match=f"no parameter {name}: did you mean {meant}"):
        read(tool, **{"command": "ls", "id": "t1", name: "x"})


@each_row("name", ["tty", "mode", "login", "goal", "name", "path", "args", "user", "force", "signal", "x"])
def test_a_name_that_is_none_of_ours_is_passed_over_with_a_note(name: str) -> None:
    taken = read("run", command="ls", **{name: True})
    assert (taken.values, taken.notes) == ({"command": "ls"}, (f"passed over: {name}",))


@each_row("name", ["terminalId", "TERMINAL_ID", "terminal-id", "sessionId", "shellId", "Terminal"])
def test_another_case_is_ours(name: str) -> None:
    assert read("run", command="ls", **{name: "t1"}).text("terminal_id") == "t1"


def test_one_thing_under_two_names_is_refused() -> None:
    with pytest.raises(Misuse, match="command and cmd"):
        read("run", command="ls", cmd="rm -r x")


@each_row(
    ("tool", "arguments"),
    [
        ("run", {"command": 1}),
        ("run", {"command": "ls", "wait": "soon"}),
        ("run", {"command": "ls", "wait": "9" * 400 + "s"}),
        ("run", {"command": "ls", "wait": "-5s"}),
        ("run", {"command": "ls", "wait": -1}),
        ("run", {"command": "ls", "wait": float("nan")}),
        ("run", {"command": "ls", "wait": float("inf")}),
        ("run", {"command": "ls", "wait": True}),
        ("run", {"command": "ls", "background": "perhaps"}),
        ("run", {"command": ["ls", 1]}),
        ("read", {"id": "t1", "offset": 1.5}),
        ("read", {"id": "t1", "offset": -1}),
        ("send", {"id": "t1", "keys": [1]}),
        ("send", {"id": "t1", "keys": {"Enter": 1}}),
    ],
)
def test_a_wrong_type_is_refused_with_the_right_one(tool: str, arguments: dict[str, object]) -> None:
    with pytest.raises(Misuse, match=f"of {tool} is (a|true)"):
        read(tool, **arguments)


def test_what_is_needed_and_missing_is_named() -> None:
    with pytest.raises(Misuse, match="run needs command"):
        read("run", cwd="/")


def test_null_is_as_good_as_nothing_and_words_for_people_are_passed_over() -> None:
    arguments = read("run", command="ls", cwd=None, description="lists files", explanation="to see them")
    assert arguments.text("cwd") is None


def test_one_key_may_come_without_a_list_and_truth_as_a_word() -> None:
    assert read("send", id="t1", keys="C-c").texts("keys") == ["C-c"]
    assert read("send", id="t1", enter="true").flag("enter")
    assert not read("send", id="t1", enter="False").flag("enter")


@pytest.mark.parametrize("tool", BY_NAME)
def test_a_schema_has_one_name_for_each_thing_that_is_listed(tool: str) -> None:
    made = input_schema(BY_NAME[tool], USUAL_PATIENCE)
    assert made["type"] == "object" and "additionalProperties" not in made
    assert list(made["properties"]) == [one.name for one in BY_NAME[tool].parameters if one.listed]  # type: ignore[call-overload]


@pytest.mark.parametrize("tool", BY_NAME)
def test_what_is_not_required_may_be_null(tool: str) -> None:
    """smolagents asks a model for every parameter whose schema does not say so, whatever `required` says."""
    made = input_schema(BY_NAME[tool], USUAL_PATIENCE)
    properties, required = made["properties"], made["required"]
    assert isinstance(properties, dict) and isinstance(required, list)
    assert {name for name, one in properties.items() if not one.get("nullable")} == set(required)
