"""`truetty shot`, `record`, `replay` and `clean`, described."""

from __future__ import annotations

from typing import Final

from truetty.cli.table.row import CommandRow, Example, Group, Option, Word, switch
from truetty.cli.table.shared import CWD, ENV, NO_RC, SHELL

_THEMES: Final = ("dark", "light")

SHOT: Final = CommandRow(
    "shot",
    "Take a picture of what a command prints",
    "Take a picture of what a command has printed when it has finished or asks something, or of a recording.",
    (
        Example("truetty shot ls.svg 'ls --color'", "what a command prints"),
        Example("truetty shot --theme light ls.png ls", "a PNG, dark on white"),
        Example("truetty shot --screen vi.svg vi", "a full-screen program"),
        Example("truetty shot x.svg --cast x.cast --at 5", "a moment of a recording"),
    ),
    (Word("file", "FILE"), Word("command", "COMMAND", required=False, many=True)),
    "FILE ends in .svg or .png; - is an SVG on standard output. A PNG needs the extra `png` of the package. COMMAND is "
    "one shell command line; several words are quoted and joined.",
    (
        Group(
            "What is in the picture",
            (
                Option("--cast", "a picture of this recording instead", "FILE"),
                Option("--at", "how it looked after this long (default: at its end)", "SECONDS", "real"),
                Option("--size", "the screen of COMMAND (default: your settings)", "COLSxROWS", "size"),
                switch("--screen", "the whole screen with prompt and command line, not the output alone"),
                switch("--full-width", "all columns of the screen, also those at the right in which nothing stands"),
                Option(
                    "--theme",
                    "its colours: dark or light (default: dark)",
                    "THEME",
                    "choice",
                    "dark",
                    ("dark", "light"),
                ),
                Option("--scale", "the size of a PNG (default: 2, for sharp text)", "FACTOR", "real", 2.0),
                Option("--title", "a bar above the picture with this text", "TEXT"),
            ),
        ),
        Group(
            "How COMMAND runs",
            (
                Option("--wait", "take the picture after this long in any case", "SECONDS", "seconds"),
                CWD,
                SHELL,
                NO_RC,
            ),
        ),
    ),
    order="file-first",
)

RECORD: Final = CommandRow(
    "record",
    "Record your shell or a command",
    "Record your shell, or a command, as an asciicast.",
    (
        Example("truetty record demo.cast", "your shell, until you leave it"),
        Example("truetty record x.cast -- make test", "one command"),
        Example("truetty replay demo.cast", "play it"),
    ),
    (Word("file", "FILE"), Word("command", "-- COMMAND", required=False, many=True)),
    "Every player of asciicasts plays FILE. It is readable by you alone.",
    (
        Group(
            "The recording",
            (
                switch("--overwrite", "replace FILE if it exists"),
                switch("--input", "record what is typed too, as far as the terminal shows it: no passwords"),
                Option("--title", "a title for the recording", "TEXT"),
                Option("--idle-limit", "ask players to make no pause longer than this", "SECONDS", "real"),
                Option("--format", "the version of asciicast: 2 or 3 (default: 3)", "VERSION", "number", 3, ("2", "3")),
            ),
        ),
        Group("Where it runs", (CWD, SHELL, ENV, NO_RC)),
    ),
    ("Exit status: the shell's or the command's · 125 an error of truetty's",),
    "file-first",
)

REPLAY: Final = CommandRow(
    "replay",
    "Play a recording",
    "Play a recording as it was. Ctrl-C stops.",
    (
        Example("truetty replay demo.cast", "as it was"),
        Example("truetty replay --speed 3 demo.cast", "three times as fast"),
        Example("truetty replay x.cast | truetty clean", "its text, at once"),
    ),
    (Word("file", "FILE"),),
    "FILE is an asciicast, version 2 or 3; - is standard input. Into a pipe it is played at once, unless --speed is "
    "given.",
    (
        Group(
            "How fast",
            (
                Option("--speed", "so many times as fast; inf makes no pauses", "NUMBER", "real"),
                Option("--idle-limit", "make no pause longer than this (default: what FILE says)", "SECONDS", "real"),
            ),
        ),
    ),
)

CLEAN: Final = CommandRow(
    "clean",
    "Turn terminal output into plain text",
    "Turn what a terminal printed into the text a person would have read: no colours, no redrawn lines.",
    (
        Example("npm install 2>&1 | truetty clean", "from a pipe"),
        Example("truetty clean typescript", "from a file"),
    ),
    (Word("file", "FILE", required=False),),
    "Without FILE, or with -, standard input is read.",
    (
        Group(
            "The terminal that printed it",
            (
                Option("--columns", "its width (default: 120)", "NUMBER", "number", 120),
                Option("--rows", "its height (default: 30)", "NUMBER", "number", 30),
            ),
        ),
    ),
)
