"""When `truetty mcp` begins before its command line is read."""

from __future__ import annotations

import pytest

from truetty.cli.early import EARLY, is_plain
from truetty.cli.table import COMMANDS

# Options with which it starts as any command: they are no concern of a client that speaks over standard input.
ORDINARY = {
    "--on",
    "--prefix",
    "--wait",
    "--most-wait",
    "--http",
    "--host",
    "--port",
    "--token-file",
    "--expose",
    "--allow-host",
    "--allow-origin",
    "--help",
}


def test_every_option_is_known_to_change_the_first_answers_or_not() -> None:
    """A new option belongs to one of the two. Tests hold the answers with those in EARLY against the SDK's."""
    options = {option.name: option for option in COMMANDS["mcp"].options}
    assert options.keys() | {"--help"} == EARLY.keys() | ORDINARY
    for name, takes_value in EARLY.items():
        assert takes_value is (options[name].kind != "switch"), name


@pytest.mark.parametrize(
    "words",
    [
        "",
        "--structured",
        "--no-rc",
        "--shell bash --cwd /",
        "--shell=bash",
        "--policy none --no-rc --sandbox=workspace",
    ],
)
def test_it_begins_early_where_nothing_is_doubtful(words: str) -> None:
    assert is_plain(words.split())


@pytest.mark.parametrize(
    "words",
    [
        "--help",
        "-h",
        "--policy read-only",
        "--policy=read-only",
        "--http",
        "--shell",
        "--no-rc=1",
        "--structured=1",
        "--no-rc --help",
        "--bogus",
        "more",
        "--cwd / --http",
        "--",
    ],
)
def test_it_starts_as_any_command_elsewhere(words: str) -> None:
    assert not is_plain(words.split())
