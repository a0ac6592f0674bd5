"""A program: adds a row for a shell that does not exist, then asks every part of the house that knows shells about it.

`python -m tests.shells.made_up FOLDER`: FOLDER/frob is a copy of dash, and FOLDER/sh leads to it. It prints one JSON
object, answers by question. It is a process of its own, because readers take their sets of names when imported.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
import signal
import sys
from pathlib import Path

from truetty.shells import posix, table
from truetty.shells.row import Dialect, Row

ROW = Row(
    "frob",
    posix.DASH,
    also=("frobnicate",),
    cd=posix.cd,
    signal_words={"Went bang": signal.SIGSEGV},
    continuation="frob more:",
    edits_lines=False,
    reads_one_key=True,
    read_size=4711,
    varying_reads=True,
    never_answered=True,
    dialect=Dialect.MKSH,
)


def main(folder: Path) -> dict[str, object]:
    table.ROWS = (*table.ROWS, ROW)
    os.environ["PATH"] = str(folder)

    from truetty.cli.doctor import doctor
    from truetty.policy import parser, runners
    from truetty.policy.words import Word
    from truetty.questions import programs
    from truetty.terminal import exit_codes
    from truetty.terminal.wire import queries

    with contextlib.redirect_stdout(io.StringIO()) as printed:
        doctor(json=True, no_rc=True)
    return {
        "recognise": [table.recognise(program).name for program in (f"{folder}/frob", "frobnicate", "/opt/frob-1.2")],
        "doctor": [shell["works"] for shell in json.loads(printed.getvalue())["shells"] if shell["name"] == "frob"],
        "terminal": asyncio.run(in_a_terminal(folder)),
        "policy": [parser.dialect_of("/bin/frob"), runners.texts(list(map(Word.plain, ("frob", "-c", "rm x"))))],
        "reads one key": "frob" in programs.ONE_KEY,
        "continuation": programs.is_unfinished_in_shell("frob more: "),
        "never answered": "frob" in queries.NEVER_ANSWERED,
        "signal": exit_codes.read(139, None, "frob: line 1: 12 Went bang (core dumped)", set()).signal,
    }


async def in_a_terminal(folder: Path) -> dict[str, object]:
    """It runs, is sent to a directory, and the kernel's side takes it for a shell."""
    from truetty import Registry
    from truetty.host.kernel import proc, prompts
    from truetty.host.kernel.calls import Block

    async with Registry(shell="frob", limit=1) as registry:
        terminal = await registry.acquire("/", task="a")
        outcome = await terminal.run("echo hi", wait=30)
        moved = await registry.acquire(folder, task="a")
        assert terminal.pid is not None
        of = proc.stat(terminal.pid)
        assert of is not None
        shape = prompts.shape_of(of, Block("reads", call="read", size=1000, stack=1), editing=False)
        return {
            "shell": terminal.shell,
            "output": outcome.output,
            "strategy": outcome.strategy,
            "moved": moved is terminal and moved.cwd == str(folder),
            "is a shell": prompts.is_interactive_shell(of),
            "size of the read": shape.size if shape is not None else None,
            "its own read": [
                prompts.resembles_prompt(of.name, prompts.ReadShape("read", size, 0, False)) for size in (4711, 4096)
            ],
        }


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]))))
