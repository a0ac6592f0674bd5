"""docs/mcp.md says what every name of a result holds, and which tools there are with which parameters."""

from __future__ import annotations

import re
from pathlib import Path

from truetty.functions.result import FIELDS
from truetty.functions.table import BY_NAME

TEXT = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text()


def names(section: str, column: int) -> list[list[str]]:
    """The names in backquotes in one column of a section's table, row by row."""
    body = TEXT.partition(f"{section}\n")[2].partition("\n#")[0]
    rows = [line.split(" | ") for line in body.splitlines() if line.startswith("| ")][2:]
    return [re.findall(r"`(\w+)`", row[column]) for row in rows]


def test_the_table_of_results_has_every_name_once() -> None:
    found = [name for row in names("### The result", 0) for name in row]
    assert sorted(found) == sorted(FIELDS)


def test_the_table_of_tools_has_every_parameter() -> None:
    tools = [row[0] for row in names("## The tools", 0)]
    assert tools == list(BY_NAME)
    for name, parameters in zip(tools, names("## The tools", 2), strict=True):
        assert sorted(parameters) == sorted(one.name for one in BY_NAME[name].parameters)
