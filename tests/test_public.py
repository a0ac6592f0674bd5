"""Every public import path. Programs outside this repository are written against these names."""

from __future__ import annotations

from importlib import import_module

import pytest

import truetty
from tests.rows import each_row

ERRORS = {
    *("TruettyError", "Misuse", "Busy", "Closed", "Held", "UnknownTerminal", "BadKey", "BadCommand", "Denied"),
    *("CommandFailed", "HostError", "SpawnFailed", "ChannelLost", "LimitReached"),
}
VALUES = {"Activity", "Budget", "Outcome", "Reply", "Screen", "Settings", "Task", "TaskResult", "Waiting"}
OBJECTS = {"Command", "Output", "Recording", "Registry", "Terminal"}
MODULES = {"events", "functions", "ray", "sync", "testing", "until"}

PATHS = {
    "truetty": ERRORS | VALUES | OBJECTS | MODULES | {"connect"},
    "truetty.sync": ERRORS | VALUES | OBJECTS | {"Transcript", "connect"},
    "truetty.testing": {
        "CONFORMANCE",
        "expect",
        "FakeChannel",
        "FakeHost",
        "FakeObserver",
        "Recorder",
        "SECRETS",
        "Script",
        "mark",
        "order",
    },
    "truetty.events": {
        *("Downgraded", "Event", "Finished", "Gap", "Healed", "Output", "Resumed", "Started", "Waiting")
    },
    "truetty.functions": {
        *("Bash", "Parameter", "Result", "VERBS", "Verb", "anthropic", "bash", "call", "openai", "parameters"),
        "responses",
    },
    "truetty.ray": {"Cluster", "cluster"},
    "truetty.settings": {"Settings"},
    "truetty.service": {"Registry", "Service"},
    "truetty.registry": {"Registry"},
    "truetty.sandbox": {"Sandbox"},
    "truetty.policy": {"Policy", "Rule", "ask_or_deny"},
    "truetty.core.until": {"Exit", "Idle", "Input", "Match", "Port", "Screen", "Settled", "Until", "of", "read"},
    "truetty.until": {"Exit", "Found", "Idle", "Input", "Match", "Port", "Screen", "Settled", "Until"},
    "truetty.cli": {"main"},
}


@each_row(("path", "name"), [(path, name) for path in PATHS for name in sorted(PATHS[path])])
def test_a_public_name_is_where_programs_import_it(path: str, name: str) -> None:
    assert getattr(import_module(path), name) is not None


def test_all_has_the_public_names_and_no_other() -> None:
    assert set(truetty.__all__) == PATHS["truetty"]
    assert set(truetty.__all__) <= set(dir(truetty))


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'NoSuchName'"):
        truetty.NoSuchName  # noqa: B018


def test_a_value_is_the_same_class_in_both_faces() -> None:
    blocking = import_module("truetty.sync")
    for name in ERRORS | VALUES:
        assert getattr(blocking, name) is getattr(truetty, name)
