"""`truetty run`, described."""

from __future__ import annotations

from typing import Final

from truetty.cli.table.row import CommandRow, Example, Group, Option, Word, switch
from truetty.cli.table.shared import CWD, ENV, JSON, NO_RC, ON, SANDBOX, SHELL

EXPLAIN: Final = CommandRow(
    "explain",
    "Say how the last outcome is known",
    "Say how the outcome of your last `truetty run` is known: the evidence in plain words, what was seen and when.",
    (
        Example("truetty run 'make test'", "a command"),
        Example("truetty explain --last", "why it says what it says"),
    ),
    groups=(Group("Options", (switch("--last", "the last run, which is also explained without this option"),)),),
    notes=(
        "What is kept of a run has neither its command nor its output in it. A program that uses the library asks "
        "`command.explain()`.",
        "Exit status: 0 · 125 nothing is known of a last run",
    ),
)

RUN: Final = CommandRow(
    "run",
    "Run a command and show its output",
    "Run a command in a real shell and exit with its exit code.",
    (
        Example("truetty run 'make -j4 && ./app --check'", "one command line, quoted"),
        Example("truetty run --timeout 60 'pytest -q'", "stop it after a minute"),
        Example("truetty run --json make | jq .exit_code", "the outcome, for programs"),
        Example("echo y | truetty run ./install.sh", "answers from a pipe"),
        Example("truetty run --in build 'make test'", "in a terminal of `truetty open`"),
    ),
    (Word("command", "COMMAND", many=True),),
    "Several words are quoted and joined: truetty run ls -l 'my file'",
    (
        Group(
            "Where it runs",
            (
                CWD,
                SHELL,
                ENV,
                NO_RC,
                Option("--size", "the size of its terminal (default: your window's)", "COLSxROWS", "size"),
                SANDBOX,
            ),
        ),
        Group(
            "In the server of terminals",
            (
                Option(
                    "--in",
                    "run it in this terminal, which stays; the command may outlive this one",
                    "ID",
                    parameter="terminal",
                ),
                switch(
                    "--keep",
                    "run it in a new terminal of the server, which stays open, with all that the command left in the "
                    "background",
                ),
                switch(
                    "--detach", "print the command's id and do not wait; without --in a terminal is found or opened"
                ),
                ON,
            ),
        ),
        Group(
            "How long",
            (
                Option("--timeout", "stop the command after this long", "SECONDS", "limit"),
                Option("--wait", "give up waiting after this long; this too ends the command", "SECONDS", "seconds"),
            ),
        ),
        Group(
            "What is printed",
            (
                Option(
                    "--color",
                    "auto: colours on a terminal, plain text into a pipe; always: into a pipe too; never: none",
                    "WHEN",
                    "choice",
                    "auto",
                    ("auto", "always", "never"),
                ),
                switch("--raw", "the bytes as the command prints them, into a pipe too"),
                JSON,
            ),
        ),
    ),
    (
        "If the command asks something, you answer, or the pipe on standard input does.",
        "With --json, or --keep in a script, a command that asks goes on in the server: go_on in the object, or "
        "standard error, says how to answer it. With --json, that is so unless standard input is a pipe or a file.",
        "Ctrl-C goes to the command. Ctrl-Z stops it, and fg continues it. When run ends, whatever the command left in "
        "the background ends too, unless --keep is given.",
        "With --in and --keep, a second Ctrl-C leaves the command running and says how to find it, and so does --wait. "
        "If it asks something, truetty answer answers it.",
        "Exit status: the command's own · 124 its time was over, or it asked and there was no more input · 125 an "
        "error of truetty's, or the exit code is unknown · 128 and the signal that has ended run",
    ),
    "command-last",
)
