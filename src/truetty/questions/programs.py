"""What is known of programs by their names: pagers, editors, interpreters, and the prompt of each.

Rule: a bare `>` may be the question of any program. It is an interpreter's prompt only when an interpreter reads.
"""

from __future__ import annotations

from typing import Final, Literal

from truetty.core import lazy
from truetty.shells import table

PAGERS: Final = frozenset(("less", "more", "most", "pg", "man", "bat", "moar", "moor", "ov"))
# They show something until a key ends them.
WATCHED: Final = frozenset(("top", "htop", "btop", "atop", "watch", "tmux", "screen", "mc", "ranger", "nnn", "w3m"))
# They ask without saying what can be answered; a word that begins with y is a yes.
AFFIRMS: Final = frozenset(("rm", "cp", "mv", "ln", "find", "xargs", "tar"))
# These read one key and go on; other programs that read keys edit a line, which Enter ends.
ONE_KEY: Final = table.where(lambda row: row.reads_one_key) | {"git"}
# How each is left without saving.
EDITORS: Final[dict[str, str]] = {
    **dict.fromkeys(("vim", "vi", "nvim", "view", "vimdiff"), "press Escape, then send ':q!' and Enter"),
    "ex": "send 'q!' and Enter",
    **dict.fromkeys(("hx", "helix", "kak"), "press Escape, then send ':q!' and Enter"),
    **dict.fromkeys(("nano", "rnano", "pico"), "press C-x, then n"),
    **dict.fromkeys(("emacs", "mg", "zile"), "press C-x and C-c"),
    **dict.fromkeys(("joe", "jstar"), "press C-c, then y"),
    "micro": "press C-q, then n",
    "mcedit": "press F10",
    "ed": "send 'q' and Enter, twice if it says '?'",
}
# What each is left with, as sent. Nothing but its own prompt is asked by the first ones; the others run scripts,
# which ask what they like.
CLIENTS: Final[dict[str, str]] = {
    **dict.fromkeys(("psql", "cockroach"), "\\q"),
    **dict.fromkeys(("gdb", "lldb", "dlv", "maxima", "gnuplot", "telnet", "cqlsh"), "quit"),
    **dict.fromkeys(("mysql", "mariadb", "mongosh", "mongo", "redis-cli", "ftp", "sftp", "lftp", "sqlplus"), "exit"),
    **dict.fromkeys(("ghci", "ghc"), ":quit"),
    "sqlite": ".exit",
}
LANGUAGES: Final[dict[str, str]] = {
    **dict.fromkeys(("python", "ipython", "pypy", "ptpython", "bpython", "julia"), "exit()"),
    **dict.fromkeys(("octave", "octave-cli", "octave-gui"), "exit()"),
    **dict.fromkeys(("guile", "sbcl"), "(exit)"),
    "jshell": "/exit",
    **dict.fromkeys(("node", "deno", "bun"), ".exit"),
    **dict.fromkeys(("irb", "pry", "ruby", "rdbg", "php", "tclsh"), "exit"),
    **dict.fromkeys(("lua", "luajit"), "os.exit()"),
    **dict.fromkeys(("r", "erl", "beam.smp"), "q()"),
    **dict.fromkeys(("scala", "java"), ":quit"),
    "perl": "q",
    "iex": "System.halt()",
    "bc": "quit",
    "dc": "q",
}
# These show no prompt: whatever stands on the line is not theirs.
SILENT: Final[dict[str, Literal["repl", "editor", "stdin"]]] = {
    "bc": "repl",
    "dc": "repl",
    "ed": "editor",
    **dict.fromkeys(("cat", "tee", "sort", "uniq", "grep", "egrep", "rg", "sed", "awk", "gawk", "mawk"), "stdin"),
    **dict.fromkeys(("wc", "head", "tail", "tr", "cut", "nl", "rev", "tac", "jq", "base64", "od", "xxd"), "stdin"),
}

_VARIANT: Final = lazy.pattern(r"[.-](?:basic|tiny|nox|gtk3?)$|(?<=[a-z])[\d.]+$")
_CLIENT: Final = lazy.pattern(r"\s{0,4}[*\w:.@~/\[\]() =-]{0,60}[>#)]\s*")
_LANGUAGE: Final = lazy.pattern(
    r"\s{0,4}(?:>|%|\?|\*|\d{1,5}>|>>>|In \[\d{1,5}\]:|\((?:[Pp]db|ipdb|rdbg|rdb:\d{1,3})\)|ipdb>|help>|php >|"
    r"debug>|scheme@\([^)]{0,40}\)(?: \[\d{1,3}\])?>|"
    r"DB<{1,2}\d{1,5}>{1,2}|irb\([^)]{0,40}\):\d{1,5}(?::\d{1,3})?>|(?:\[\d{1,5}\] )?pry\([^)]{0,40}\)>|"
    r"iex\([^)]{0,40}\)>|octave:\d{1,5}>|julia>|jshell>|scala>)\s*"
)
# So distinct that they are known whichever program reads (over ssh, in a container).
_DISTINCT: Final = lazy.pattern(
    r"(?:>>>|In \[\d{1,5}\]:|\(gdb\)|\(lldb\)|\([Pp]db\)|ipdb>|sqlite>|mysql>|MariaDB \[[^\]]{0,64}\]>|\w{1,60}=[#>]|"
    r"irb\([^)]{0,40}\):\d{1,5}(?::\d{1,3})?>|iex\(\d{1,5}\)>|ghci>|julia>|jshell>|scala>|s?ftp>|SQL>|hive>|"
    r"\d{1,3}(?:\.\d{1,3}){3}:\d{2,5}(?:\[\d{1,2}\])?>)\s*"
)
_UNFINISHED: Final = lazy.pattern(
    r"\s{0,6}(?:\.\.\.[:>]?|php [{('\"/*]|\w{0,60}[-'\"(*$][#>]|->|>>|[|+]|"
    r"irb\([^)]{0,40}\):\d{1,5}(?::\d{1,3})?[*\"'\]])\s*"
)
_SHELL_UNFINISHED: Final = lazy.pattern(rf"(?:{'|'.join(sorted({row.continuation for row in table.ROWS}))})\s*")


def plain(program: str | None) -> str:
    """`vim` for `vim.basic`, `python` for `python3.12`, `npm` for `npm exec cowsay`."""
    name = (program or "").lower().split(" ")[0].strip("-:")
    if name in ("mainthread", "node-mainthread"):  # what node 22 and later call themselves
        return "node"
    return _VARIANT.sub("", name)


def is_prompt(line: str, program: str) -> bool:
    """Whether an interpreter asks for its next statement here."""
    if program in CLIENTS and _CLIENT.fullmatch(line):
        return True
    if program in LANGUAGES and _LANGUAGE.fullmatch(line):
        return True
    return _DISTINCT.fullmatch(line) is not None


def is_unfinished(line: str, program: str) -> bool:
    """Whether an interpreter asks for the rest of a statement."""
    return (program in CLIENTS or program in LANGUAGES) and _UNFINISHED.fullmatch(line) is not None


def is_unfinished_in_shell(line: str) -> bool:
    """Whether a shell's prompt is the one for the rest of a command."""
    return _SHELL_UNFINISHED.fullmatch(line) is not None


def leaving(program: str) -> str:
    """What ends an interpreter, as a hint says it."""
    sent = CLIENTS.get(program) or LANGUAGES.get(program)
    return f"'{sent}' leaves" if sent else "C-d leaves"
