"""Tables of the pages name what there is: the floors of the design, the commands of README."""

from __future__ import annotations

import re

from tests.docs.pages import ROOT
from tests.test_floors import FLOORS
from truetty.cli.table import COMMANDS


def test_the_floors_of_the_design() -> None:
    text = (ROOT / "docs/design.md").read_text().replace("the public names", "`__init__`")
    rows = re.findall(r"^\| (\d+) \| (.*?) \|", text, flags=re.MULTILINE)
    floors = {int(number): set(re.findall(r"`(\w+)`", rooms)) for number, rooms in rows}
    assert floors == {number: set().union(*rooms) for number, rooms in enumerate(FLOORS, 1)}


def test_readme_names_every_command() -> None:
    named = set(re.findall(r"`truetty (\w+)", (ROOT / "README.md").read_text()))
    assert COMMANDS.keys() - named == set()
