"""`truetty map`, described."""

from __future__ import annotations

from typing import Final

from truetty.cli.table.row import CommandRow, Example, Group, Option, Word, switch
from truetty.cli.table.shared import NO_RC, SHELL

MAP: Final = CommandRow(
    "map",
    "Run tasks by the thousand",
    "Run tasks from a file of JSON lines, so many at once, each in a new terminal, and write what became of them.",
    (
        Example("truetty map tasks.jsonl --out done.jsonl", "a second run goes on where the first stopped"),
        Example("truetty map tasks.jsonl --on ssh://big", "with the server of another machine"),
        Example("truetty map tasks.jsonl --on ray", "on the nodes of a Ray cluster"),
        Example("truetty map tasks.jsonl | jq -r .state", "the results on standard output"),
    ),
    (Word("tasks", "TASKS"),),
    "A line of TASKS, or of standard input for -, is a task: "
    '{"id": "fix-1", "commands": ["make", "make test"], "cwd": "/src", "timeout": 600}',
    (
        Group(
            "Results",
            (
                Option("--out", "write results here, and go on from those of an earlier run", "FILE"),
                switch("--again", "begin those again that an earlier run has begun and not finished"),
            ),
        ),
        Group(
            "How they run",
            (
                Option("--at-once", "so many at the same time (default: 10)", "N", "number", 10, least=1),
                Option("--attempts", "begin a task up to so many times (default: 1)", "N", "number", 1, least=1),
                Option(
                    "--retry",
                    "after which results it is begun again (default: lost); can be repeated",
                    "STATE",
                    "choice",
                    (),
                    ("failed", "timed_out", "waiting", "lost", "refused"),
                    repeats=True,
                ),
                Option("--on", "local, ray, ray:ADDRESS, or the address of a server: ssh://host, unix:PATH", "WHERE"),
                SHELL,
                NO_RC,
            ),
        ),
    ),
    notes=(
        "A task may have `id`, `commands`, `setup`, `cwd`, `env`, `timeout` (seconds for all of it) and `resources`. "
        "Its commands run one after the other until one fails. Its state is done, failed, timed_out, waiting, lost or "
        "refused.",
        "Exit status: 0 all are done · 1 some are not · 125 an error of truetty, and nothing was run · 130 Ctrl-C",
    ),
    module="map.map",
)
