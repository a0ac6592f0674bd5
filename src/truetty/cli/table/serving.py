"""`truetty serve` and `dial`, described."""

from __future__ import annotations

from typing import Final

from truetty.cli.table.row import CommandRow, Example, Group, Option, switch
from truetty.cli.table.shared import JSON

SERVE: Final = CommandRow(
    "serve",
    "Start, show or stop the server of terminals",
    "Start the server whose terminals outlive the programs that have opened them, or say that it runs already.",
    (
        Example("truetty serve", "start it, in the background"),
        Example("truetty serve --web", "and let browsers of this machine show its page"),
        Example("truetty serve --status", "what runs in it"),
        Example("truetty serve --stop", "end it with its terminals"),
        Example("truetty serve --upgrade", "after an update: nothing ends"),
        Example("truetty serve --foreground", "for systemd, which starts it itself"),
    ),
    (),
    "There is one server for you and your state folder. Programs that need it start it by themselves. It ends after "
    "ten minutes without a terminal and without a client.",
    (
        Group(
            "What to do",
            (
                switch("--status", "say how it is; start nothing"),
                switch("--stop", "end it. While commands run it asks, or needs --force"),
                switch("--force", "with --stop: end what runs, too. With --restart: kill a server that hangs"),
                switch("--upgrade", "let a new server follow it, of this program's version. Everything goes on"),
                switch("--restart", "the same; of a server that does not answer with --force. Everything goes on"),
                switch("--foreground", "stay in the foreground, until it is ended by a signal"),
            ),
        ),
        Group(
            "The page",
            (
                switch("--web", "turn it on, also in a server that runs: a port of the loopback is listened on"),
                Option("--listen", "with --web: where (default: 127.0.0.1:7717, or any port)", "HOST:PORT"),
                switch("--token", "with --web: let programs in too, with the token in a file that it names"),
                switch("--no-web", "turn it off; every browser is logged out"),
            ),
        ),
        Group(
            "How",
            (
                Option("--idle", "end after this long without a terminal and a client", "SECONDS", "seconds"),
                JSON,
            ),
        ),
    ),
    (
        "Exit status: 0 it runs, or was ended · 1 with --status, --stop, --upgrade or --restart: none runs · 125 an "
        "error of truetty's, commands run and it was not ended, or with --foreground: another one runs",
    ),
)

DIAL: Final = CommandRow(
    "dial",
    "Connect standard input and output to the server",
    "Be the wire between a program elsewhere and the server here: truetty.connect runs it, by ssh or docker.",
    (
        Example("ssh -T host truetty dial", "what connect runs for ssh://host"),
        Example("docker exec -i box truetty dial", "as words for connect"),
    ),
    notes=(
        "The first line that it prints is: truetty dial 1. From there on HTTP is spoken.",
        "Exit status: 0 the connection was closed · 125 an error of truetty's",
    ),
)
