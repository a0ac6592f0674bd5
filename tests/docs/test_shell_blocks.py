"""Every shell line of README and docs/ runs, in one bash for a block; what cannot run here has a reason.

`sh` blocks have lines to copy. `console` blocks also have what is printed: a line that begins with `$ ` is run, and the
lines behind it are its output.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.pages import Block, of
from tests.docs.test_python_blocks import matches
from truetty.cli.reading import read
from truetty.cli.table import COMMANDS
from truetty.sync import Terminal

# How a line begins that is not run, and why. The words of a `truetty` line among them are still read.
NOT_RUN = {
    "pip install": "it would change the environment that the tests run in",
    "./test": "it would run these tests",
    "truetty mcp": "it serves until its client is gone; tests/mcp talks to it",
}


def lines(block: Block) -> Iterator[tuple[str, str | None]]:
    """Each line to run, without its comment, and what the page says that it prints."""
    text = block.text.replace("\\\n", " ")
    if block.language == "console":
        for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            line, _, output = part.partition("\n")
            yield without_comment(line), output
    else:
        for line in text.splitlines():
            if line := without_comment(line):
                yield line, None


def without_comment(line: str) -> str:
    return re.sub(r"(^|\s+)#\s.*$", "", line).strip()


def reason(line: str) -> str | None:
    return next((why for start, why in NOT_RUN.items() if line == start or line.startswith(f"{start} ")), None)


@pytest.mark.parametrize("block", of("sh", "console"), ids=str)
def test_every_line_runs(block: Block, project: Path) -> None:
    with Terminal("bash", cwd=project, rc=False, env={"PAGER": "cat", "GIT_PAGER": "cat"}) as terminal:
        for line, output in lines(block):
            if reason(line) is not None:
                read_words(line)
                continue
            outcome = terminal.run(line, wait=300)
            assert outcome.state == "finished", f"{block}: {line}\n{outcome}"
            if output is None:
                assert outcome.exit_code == 0, f"{block}: {line}\n{outcome.output}"
            else:
                assert matches(output, outcome.output), f"{block}: {line}\n{outcome.output}"


def read_words(line: str) -> None:
    """The options of a `truetty` line are options that it has."""
    name, *words = shlex.split(line)
    if name == "truetty":
        read(COMMANDS[words[0]], words[1:])


def test_every_reason_is_needed() -> None:
    shown = [line for block in of("sh", "console") for line, _ in lines(block)]
    assert [start for start in NOT_RUN if not any(line.startswith(start) for line in shown)] == []
