"""`truetty open`, `list`, `attach`, `send`, `wait`, `log`, `stop` and `close`, described."""

from __future__ import annotations

from typing import Final

from truetty.cli.table.row import CommandRow, Example, Group, Option, Word, switch
from truetty.cli.table.shared import CWD, ENV, JSON, NO_RC, ON, SHELL

_OPTIONS: Final = Group("Options", (ON, JSON))
_COMMAND: Final = Word("id", "ID")
_WHICH: Final = (
    "ID is a command's, such as t3-14, or a terminal's id or name, for its last command. The beginning of one is "
    "enough where only one fits."
)
_TERMINAL: Final = "ID is a terminal's id or name. The beginning of one is enough where only one fits."

OPEN: Final = CommandRow(
    "open",
    "Open a terminal that stays",
    "Open a terminal in the server, and print its id. It stays until it is closed.",
    (
        Example("truetty open --name build", "a shell in this directory"),
        Example("truetty run --in build 'make test'", "run something in it"),
        Example("truetty list", "what runs, and who waits"),
        Example("truetty close build", "end it"),
        Example("truetty open --web", "show the page of the server in a browser"),
    ),
    (Word("id", "ID", required=False),),
    "The terminal has the environment and the directory of this command. The server is started if it does not run. ID "
    "goes with --web.",
    (
        Group(
            "The terminal",
            (
                Option("--name", "a name for it, to use in place of its id", "NAME"),
                Option("--task", "the task that it belongs to", "TASK"),
                CWD,
                SHELL,
                ENV,
                NO_RC,
                Option("--size", "the size of its screen (default: your settings)", "COLSxROWS", "size"),
            ),
        ),
        Group(
            "Options",
            (switch("--attach", "take it, and show it on this terminal, as truetty attach --take does"), ON, JSON),
        ),
        Group(
            "The page",
            (
                switch("--web", "open no terminal: show the page, with ID that terminal. It is turned on if need be"),
                Option(
                    "--share", "with --web: a link by which ID is watched, for so long: 30m, 1h, up to 7d", "DURATION"
                ),
                switch("--shares", "with --web: list these links"),
                Option("--revoke", "with --web: end one of them", "LINK"),
                switch("--no-browser", "with --web: print the URL, and start no browser"),
            ),
        ),
    ),
    ("Exit status: 0 · that of the shell with --attach, if it has ended · 125 an error of truetty's",),
    module="terminals.open",
)

ATTACH: Final = CommandRow(
    "attach",
    "Watch a terminal, or take it and type",
    "Show a terminal of the server on the one that you are at. With --take it is yours: you type, and others wait.",
    (
        Example("truetty attach build", "watch it"),
        Example("truetty attach build --take", "and type"),
        Example("truetty attach build --detach-keys 'C-a d'", "other keys for leaving"),
    ),
    (Word("id", "ID"),),
    f"{_TERMINAL} C-] C-] leaves it; what runs there goes on.",
    (
        Group(
            "Options",
            (
                switch("--take", "take it: keys are typed there, and it has the size of your window"),
                Option("--detach-keys", "the keys that leave it (default: C-] C-])", "KEYS"),
                ON,
            ),
        ),
    ),
    (
        "While you have it, programs that run or type something there are refused, and afterwards they are told what "
        "you have run. It is given back when you leave, and 10 minutes after your last key.",
        "Exit status: 0 you have left it · that of its shell, once that has ended · 125 an error of truetty's",
    ),
    module="attach.attach",
)

LIST: Final = CommandRow(
    "list",
    "List the terminals; who waits comes first",
    "List the terminals of the server and what runs in them. Those that wait for a person come first.",
    (
        Example("truetty list", "what is open"),
        Example("truetty list --watch", "and every change, until Ctrl-C"),
        Example("truetty list --json | jq .terminals", "for programs"),
    ),
    (),
    "",
    (
        Group(
            "What is listed",
            (
                switch("--all", "closed ones too, as far as they are remembered"),
                switch("--watch", "draw anew whenever something changes"),
                switch("--names", "ids and names alone, one on a line; starts nothing and says no errors"),
            ),
        ),
        _OPTIONS,
    ),
    (
        "SINCE is when its command has started, or since when it is idle.",
        "Exit status: 0 · 125 an error of truetty's",
    ),
    module="terminals.list",
)

SEND: Final = CommandRow(
    "send",
    "Type into a terminal",
    "Type into a terminal: text as it stands, and keys by their names.",
    (
        Example("truetty send build yes --enter", "a line"),
        Example("truetty send build --key C-c", "press Ctrl-C"),
        Example("truetty send t3 --key Down --key Enter", "several keys"),
    ),
    (Word("id", "ID"), Word("text", "TEXT", required=False)),
    f"{_TERMINAL} What reads there gets the keys. With a command's id, such as t3-14, only that command gets them.",
    (
        Group(
            "Keys",
            (
                Option("--key", "press this key after the text; may be repeated", "KEY", repeats=True),
                switch("--enter", "press Enter at the end"),
            ),
        ),
        Group("Options", (ON,)),
    ),
    (
        "No word in TEXT is a key's name. A text that begins with - stands behind --. To answer a password, use "
        "truetty answer: what stands on a command line is seen by others.",
        "Exit status: 0 typed · 125 an error of truetty's",
    ),
    module="terminals.send",
)

WAIT: Final = CommandRow(
    "wait",
    "Wait for a command",
    "Wait until a command has finished or asks something, and say how it stands.",
    (
        Example("truetty wait build", "until it has finished, or asks"),
        Example("truetty wait build --until port:8080", "until it listens there"),
        Example("truetty wait build --until match:ready", "until it prints this"),
    ),
    (_COMMAND,),
    _WHICH,
    (
        Group(
            "What for",
            (
                Option(
                    "--until",
                    "settled: finished, or it asks something; exit: finished; input: it asks; match:PATTERN: it prints "
                    "this; port:NUMBER: it listens there; idle:SECONDS: it is silent for so long (default: settled)",
                    "WHAT",
                    default="settled",
                    values=("settled", "exit", "input", "match:", "port:", "idle:"),
                ),
                Option("--timeout", "give up after this long; the command goes on", "SECONDS", "seconds"),
            ),
        ),
        _OPTIONS,
    ),
    (
        "Exit status: the command's own, once it has finished · 0 what --until names has come · 1 it has finished with "
        "0, but that did not come · 124 --timeout was over, or it asks something and was to finish · 125 an error of "
        "truetty's, or the exit code is unknown",
    ),
    module="terminals.wait",
)

LOG: Final = CommandRow(
    "log",
    "Show what a command has printed",
    "Show what a command of a terminal has printed, as a person would have read it.",
    (
        Example("truetty log build", "all of it"),
        Example("truetty log build --tail 20", "the last lines"),
        Example("truetty log build --follow", "and what comes, to its end"),
        Example("truetty log t3-14 --grep 'error|warning'", "lines with this in them"),
    ),
    (_COMMAND,),
    _WHICH,
    (
        Group(
            "What is printed",
            (
                switch("--follow", "go on until the command has ended, and exit with its exit code", "live"),
                Option("--tail", "the last lines only", "NUMBER", "number", least=0, most=10**9),
                Option("--grep", "the lines in which this regular expression is found", "PATTERN"),
                switch("--raw", "the bytes as the command prints them, into a pipe too"),
            ),
        ),
        _OPTIONS,
    ),
    (
        "With --json and --follow, each line is one event. --follow prints bytes on a terminal and text into a pipe.",
        "Exit status: 0 · with --follow the command's own · with --grep 1 if no line matches · 125 an error of "
        "truetty's, or the exit code is unknown",
    ),
    module="terminals.log",
)

STOP: Final = CommandRow(
    "stop",
    "End a command; its terminal stays",
    "End a command: Ctrl-C, then SIGTERM, then SIGKILL. Its terminal stays.",
    (
        Example("truetty stop build", "what runs in it"),
        Example("truetty stop t3-14", "this command and no other"),
    ),
    (_COMMAND,),
    _WHICH,
    (_OPTIONS,),
    ("Exit status: 0 it has ended · 125 it has not, or an error of truetty's",),
    module="terminals.stop",
)

CLOSE: Final = CommandRow(
    "close",
    "Close a terminal with all that runs in it",
    "Close a terminal: its shell ends, and all that runs in it.",
    (
        Example("truetty close build", "asks if something runs there"),
        Example("truetty close build --force", "asks nothing"),
    ),
    (Word("id", "ID"),),
    _TERMINAL,
    (Group("Options", (switch("--force", "though something runs; needed where no person can be asked"), ON, JSON)),),
    ("Exit status: 0 it is closed · 125 something runs and it was not closed, or an error of truetty's",),
    module="terminals.close",
)
