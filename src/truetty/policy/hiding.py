"""Calls that hide what they run, whatever rule allows the program: these are always asked.

Rule 1: a program that is not written out, and whatever runs words, texts or files that are its arguments.
Rule 2: options that make a program run another one (`find -exec`, `rg --pre`, `git -c`), cut short or not.
Rule 3: whatever changes what later commands mean: aliases, loaded builtins, dangerous variables.
Rule 4: builtins that take the name of a variable evaluate what stands in its brackets.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from truetty.core import lazy
from truetty.policy import awk, git, sed
from truetty.policy.options import forbidden
from truetty.policy.runners import EVALUATORS, SHELLS, is_runner, name_of
from truetty.policy.script import Assignment
from truetty.policy.variables import PAGERS, dangerous
from truetty.policy.words import Word, listed
from truetty.shells.row import Dialect

_CHANGES: Final = frozenset(
    {"alias", "unalias", "enable", "hash", "shopt", "setopt", "unsetopt", "zmodload", "autoload", "zle"}
)
_NAMES: Final = frozenset({"read", "unset", "getopts", "wait", "printf", "test", "[", "let", "vared", "print", "pushd"})
_DECLARES: Final = frozenset({"export", "declare", "typeset", "local", "readonly", "float", "integer", "nameref"})

# Interpreters that take a program as an option, and read one from standard input when they get none.
_INTERPRETERS: Final[dict[str, str]] = {
    **dict.fromkeys(("python", "pypy", "ipython"), "c"),
    **dict.fromkeys(("perl", "ruby", "julia", "Rscript", "R", "raku"), "eE"),
    **dict.fromkeys(("node", "nodejs", "bun"), "epr"),
    **dict.fromkeys(("lua", "luajit", "osascript", "php", "tclsh", "groovy", "scala", "elixir", "deno"), "erR"),
}
_INTERPRETERS_LONG: Final = listed("--eval --print --run --command --require --import --rcfile --init-file")

# Other programs: short options, then long ones, that make them run something. One letter is looked for in clusters.
_RUNS: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "fd": ("xX", ("--exec", "--exec-batch")),
    "fdfind": ("xX", ("--exec", "--exec-batch")),
    "rg": ("", ("--pre", "--hostname-bin")),
    "sort": ("", ("--compress-program",)),
    "tar": ("IF", ("--to-command", "--checkpoint-action", "--use-compress-program", "--rsh-command", "--info-script")),
    "bsdtar": ("", ("--use-compress-program",)),
    "man": ("PH", ("--pager", "--html", "--preprocessor")),
    "rsync": ("e", ("--rsh", "--rsync-path")),
    "scp": ("So", ()),
    "sftp": ("SoD", ()),
    "tcpdump": ("z", ()),
    "zip": ("T", ("--unzip-command",)),
    "make": ("", ("--eval",)),
    "gmake": ("", ("--eval",)),
    "wget": ("e", ("--execute", "--use-askpass")),
    "curl": ("K", ("--config",)),
    "vim": ("cSsu", ("--cmd",)),
    "vi": ("cSsu", ("--cmd",)),
    "nvim": ("cSsu", ("--cmd",)),
    "view": ("cSsu", ("--cmd",)),
    "ex": ("csSu", ("--cmd",)),
    "emacs": ("fl", ("--eval", "--load", "--execute", "--funcall", "--script")),
    "split": ("", ("--filter",)),
}
# Their first words may be typed for them: `less '+!rm x'`. A line to go to, or a text to look for, is harmless.
_TYPES: Final[dict[str, re.Pattern[str]]] = {
    **dict.fromkeys(("less", "more", "most", "zless"), lazy.pattern(r"\+\+?([0-9]*[gGF]?|/[^\x00-\x1f]*)")),
    **dict.fromkeys(("vim", "vi", "nvim", "view", "ex", "vimdiff", "gvim"), lazy.pattern(r"\+[0-9]*")),
}
# The language of sqlite3 and its own commands can run programs and write files, on a database that is only read too.
_SQLITE: Final = lazy.pattern(
    r"(?:\A|\n)\s*\.(?=[a-z])(?!(?:tables|schema|databases|indexes|dump|version)\b)"
    r"|writefile|load_extension|\bedit\b|\binto\b|\battach\b",
    re.IGNORECASE,
)
_FIND_RUNS: Final = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_OPERATORS: Final = lazy.pattern(r"=|==|!=|-(eq|ne|lt|le|gt|ge|nt|ot|ef|[a-uw-zA-QS-Z])|!|<|>")
_NUMERIC: Final = frozenset({"-eq", "-ne", "-lt", "-le", "-gt", "-ge"})
_NUMBER: Final = lazy.pattern(r"-?[0-9]+")
_COUNTS: Final = lazy.pattern(r"%[^%a-zA-Z]*[hjlLqtwzZI0-9.*$]*n")  # %ln, %5hhn: sizes and widths may stand between
_ONLY_TEXT: Final = lazy.pattern(r"(?:[^%]|%%|%-?[0-9]*[sbq])*")


def hidden_by_variables(assignments: Sequence[Assignment], named: Mapping[str, str]) -> str | None:
    """`named` are those that a rule allows by name and value."""
    for assignment in assignments:
        value = assignment.value.literal if assignment.value is not None else None
        if not dangerous(assignment.name, value) or (value is not None and named.get(assignment.name) == value):
            continue
        if not (value in ("", "cat") and assignment.name in PAGERS):
            return f"The variable {assignment.name} decides what is loaded or run."
    return None


def hidden(words: Sequence[Word], dialect: Dialect) -> str | None:
    """A sentence that says what is hidden, or None. `words` are a call's, or what is seen through them."""
    if not words:
        return None
    if words[0].literal is None:
        return "What is run is not written out."
    name = name_of(words[0])
    plain = re.sub(r"[0-9.]+$", "", name) or name
    if reason := _shell_word(name, words, dialect):
        return reason
    if name in SHELLS or plain in _INTERPRETERS:
        return _interpreter(name, words[1:], "c" if name in SHELLS else _INTERPRETERS[plain])
    if plain in ("awk", "gawk", "mawk", "nawk", "original-awk"):
        return awk.hidden(words[1:])
    if plain in ("sed", "gsed"):
        return sed.hidden(words[1:])
    if name == "git":
        return git.hidden(words[1:])
    if name == "find" and (word := next((word for word in words if word.literal in _FIND_RUNS), None)):
        return f"`find {word.literal}` runs a command for what it finds."
    if name == "sqlite3" and (word := next((word for word in words[1:] if _SQLITE.search(word.literal or ".x")), None)):
        return f"`sqlite3 {word.source}` may run another program or write a file."
    if name in _TYPES and (word := next((word for word in words[1:] if _types(word, _TYPES[name])), None)):
        return f"`{name} {word.source}` may run another program."
    if name in _RUNS:
        short, long = _RUNS[name]
        rest = [*words[1:]]
        if name == "tar" and rest and re.fullmatch(r"[A-Za-z]+", rest[0].literal or ""):
            rest[0] = Word.plain(f"-{rest[0].literal}")  # `tar cIf x` is `tar -cIf x`
        if option := forbidden(rest, short, long, only_written=True):
            return f"`{name} {option}` may run another program."
    return None


def _types(word: Word, harmless: re.Pattern[str]) -> bool:
    return (word.literal or "").startswith("+") and not harmless.fullmatch(word.literal or "")


def _shell_word(name: str, words: Sequence[Word], dialect: Dialect) -> str | None:
    """Builtins, and programs that run other programs."""
    if name == "command" and len(words) > 1 and words[1].literal in ("-v", "-V"):
        return None
    if name in EVALUATORS:
        return f"`{name}` runs a text, which may be anything."
    if is_runner(name):
        return f"`{name}` runs what its arguments say."
    if name in _CHANGES:
        return f"`{name}` changes what later commands mean."
    if name in _DECLARES:
        return _declaration(name, words[1:])
    if name in _NAMES:
        return _names(name, words[1:], dialect)
    return None


def _declaration(name: str, words: Sequence[Word]) -> str | None:
    for word in words:
        known = word.start if word.literal is None else word.literal
        variable = re.match(r"[A-Za-z_][A-Za-z0-9_]*", known)
        value = None if word.literal is None else known.partition("=")[2]
        if variable and dangerous(variable[0], value):
            return f"The variable {variable[0]} decides what is loaded or run."
        if (word.literal is None and "=" not in word.start) or "[" in known:
            return f"What `{name}` sets is not written out."
        if known.startswith(("-", "+")) and set(known) & set("infFTu"):
            return f"`{name} {known}` may run what it is given."
    return None


def _names(name: str, words: Sequence[Word], dialect: Dialect) -> str | None:
    if name in ("test", "["):
        return _test([word for word in words if word.literal != "]"], dialect)
    if name == "printf":
        return _printf(words, dialect)
    if name in ("print", "pushd"):
        return f"`{name}` does more than it says in this shell." if dialect in (Dialect.ZSH, Dialect.MKSH) else None
    if name == "let" or any(word.literal is None or "[" in word.literal for word in words):
        return f"`{name}` may run what stands in the brackets of a name."
    return None


def _printf(words: Sequence[Word], dialect: Dialect) -> str | None:
    if words and (words[0].literal or "-").startswith("-") and words[0].literal != "--":
        return "`printf -v` sets a variable, and may run what is in its brackets."
    pattern, *values = [word for word in words if word.literal != "--"] or [Word.plain("")]
    if _COUNTS.search((pattern.literal or "%n").replace("%%", "")):
        return "`printf %n` sets a variable."
    if dialect == Dialect.BASH or _ONLY_TEXT.fullmatch(pattern.literal or ""):
        return None
    if all(_NUMBER.fullmatch(value.literal or "") for value in values):
        return None
    return "In this shell numbers in `printf` can run commands that hide in variables."


def _test(words: Sequence[Word], dialect: Dialect) -> str | None:
    reason = "The test may look up a name, and run what is in its brackets."
    if any(word.literal in ("-v", "-R") or word.splits for word in words):
        return reason
    if dialect != Dialect.BASH:
        for place, word in enumerate(words):
            sides = [*words[place - 1 : place], *words[place + 1 : place + 2]]
            counted = sides if word.literal in _NUMERIC else sides[-1:] if word.literal == "-t" else []
            if not all(_NUMBER.fullmatch(side.literal or "") for side in counted):
                return "In this shell comparing numbers can run commands that hide in variables."
    if all(word.literal is not None for word in words):
        return None
    # An unknown word must stand where only an operand can: alone, behind an operator, around one.
    rest = words[1:] if words[0].literal == "!" else words
    decides = {1: None, 2: 0, 3: 1}.get(len(rest), -1)
    if decides is None or (decides >= 0 and _OPERATORS.fullmatch(rest[decides].literal or "")):
        return None
    return reason


def _interpreter(name: str, words: Sequence[Word], short: str) -> str | None:
    behind_option = False
    for word in words:
        if word.may_be_option:
            if word.literal is None or forbidden([word], short, _INTERPRETERS_LONG):
                return f"`{name} {word.source}` runs a text, which may be anything."
            if word.literal in ("-", "-s"):
                return f"`{name}` runs what it reads."
            if word.literal in ("--version", "-V", "--help", "-version") or (word.literal, short) == ("-m", "c"):
                return None  # `python -m NAME`: what follows is the module's
            behind_option = word.literal != "--"
        elif not behind_option:
            return None
        else:
            behind_option = False
    positional = [word for word in words if not word.may_be_option]
    return None if positional else f"`{name}` runs what it reads."
