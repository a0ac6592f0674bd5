"""docs/server.md names every verb, route, field, answer's name, code and limit that there is."""

from __future__ import annotations

import re
from pathlib import Path

from truetty.server import forms, limits, shapes
from truetty.server.refusals import STATUS
from truetty.server.verbs import VERBS

TEXT = (Path(__file__).parents[2] / "docs" / "server.md").read_text()
WIRE = TEXT.partition("## The wire")[2].partition("### What comes back")[0]


def test_the_tables_are_the_table() -> None:
    rows = [line.split(" | ") for line in WIRE.splitlines() if re.match(r"\| `\w+`( \*)? \| `[A-Z]+ /", line)]
    found = [(row[0].strip("| "), row[1].strip("`"), re.findall(r"`(\w+)`( \(needed\))?", row[2])) for row in rows]
    wanted = []
    for verb in VERBS:
        path = re.sub(r"{\w+}", "ID", verb.path)
        fields = [field for field in verb.fields if field.name != "exact" and f"{{{field.name}}}" not in verb.path]
        named = [(field.name, " (needed)" if field.required else "") for field in fields]
        wanted.append((f"`{verb.name}`{' *' if verb.keyed else ''}", f"{verb.method} {path}", named))
    assert found == wanted


def test_the_names_of_answers() -> None:
    kinds = {
        "terminal": forms.TerminalForm,
        "command": forms.CommandForm,
        "page": forms.Page,
        "screen": forms.ScreenForm,
        "activity": forms.ActivityForm,
        "bytes": forms.Bytes,
        "hello": forms.Hello,
        "status": forms.Status,
    }
    for name, kind in kinds.items():
        described = TEXT.partition(f"**{name}**:")[2].partition("\n- **")[0]
        wanted = " ".join(shapes.members(kind))
        assert wanted in " ".join(described.split()), name


def test_the_codes() -> None:
    table = TEXT.partition("### Errors")[2].partition("### Events")[0]
    rows = [line.split(" | ") for line in table.splitlines() if re.match(r"\| \d", line)]
    listed = {code: int(row[0].strip("| ")) for row in rows for code in re.findall(r"`(\w+)`", row[1])}
    assert {code: listed.get(code) for code in STATUS} == dict(STATUS)


def test_the_limits() -> None:
    table = TEXT.partition("## Limits")[2]
    for number in (limits.MOST_CALLS, limits.MOST_CALLS_IN_ALL, limits.MOST_CONNECTIONS, f"{limits.MOST_WAITS:,}"):
        assert re.search(rf"\b{number}\b", table), number
