"""Which variables may be set without asking: those that decide nothing about what a program or a shell runs.

Rule 1: harmless is a short list of names with a pattern for each value, which must be written out. Anything else needs
        a rule that names it (`NODE_ENV=test npm test`).
Rule 2: a lower-case name is a script's own variable, where no program is called with it. Not in zsh, where `path`,
        `aliases` or `functions` are the shell's.
Rule 3: dangerous names (what is loaded, found or started through them) are asked, whatever the default, unless a
        rule has the name and the very value. So is a value of an integer variable that is not a number: mksh and zsh
        calculate it, and `a[$(rm x)]` runs a command.
"""

from __future__ import annotations

import re
from typing import Final

from truetty.core import lazy
from truetty.policy.script import Assignment
from truetty.shells.row import Dialect

_WORD: Final = lazy.pattern(r"[A-Za-z0-9_.@:-]*")
_DIGITS: Final = lazy.pattern(r"[0-9]+")
_ZONE: Final = lazy.pattern(r"(?:[A-Za-z][A-Za-z0-9_+-]*(?:/[A-Za-z0-9_+-]+)*)?")  # neither `:file` nor a path
HARMLESS: Final[dict[str, re.Pattern[str]]] = {
    **dict.fromkeys(("LANG", "LANGUAGE", "LC_ALL", "LC_COLLATE", "LC_CTYPE", "LC_MESSAGES", "LC_MONETARY"), _WORD),
    **dict.fromkeys(("LC_NUMERIC", "LC_TIME", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "CI"), _WORD),
    **dict.fromkeys(("GIT_OPTIONAL_LOCKS", "GIT_TERMINAL_PROMPT", "PYTHONUNBUFFERED", "PYTHONUTF8"), _WORD),
    "PYTHONDONTWRITEBYTECODE": _WORD,
    "TZ": _ZONE,
    "COLUMNS": _DIGITS,
    "LINES": _DIGITS,
}
PAGERS: Final = frozenset({"PAGER", "GIT_PAGER", "MANPAGER", "SYSTEMD_PAGER"})  # harmless as `cat` or nothing

_OWN: Final = lazy.pattern(r"[a-z][a-z0-9_]*")
_READ_BY_PROGRAMS: Final = lazy.pattern(r"auto_resume|histchars|npm_.*|.*_proxy|.*_functions|c?d?path|fpath|prompt")
_DANGEROUS: Final = lazy.pattern(
    r"PATH|CDPATH|IFS|ENV|HOME|SHELL|SHELLOPTS|PROMPT_COMMAND|PS[0-4]|FPATH|fpath|path|ZDOTDIR|TERMINFO.*|TERMCAP"
    r"|.*PAGER|LESSOPEN|LESSCLOSE|LESS|.*EDITOR|VISUAL|.*BROWSER|.*_ASKPASS|.*_COMMAND|.*_functions"
    r"|(LD|DYLD|BASH|GIT|SSH|PYTHON|PERL|PERL5|RUBY|NPM|npm|JAVA|JDK|MAVEN|GRADLE|CARGO|RUSTC?|GO|MAKE|CC|CXX)_.*"
    r"|PYTHON.*|PERL5?.*|RUBY.*|NODE_(OPTIONS|PATH|EXTRA.*|REPL.*)|JAVA.*|LUA.*|MAKE.*|GO[A-Z]+|CC|CXX|GCONV_PATH|RIPGREP_CONFIG_PATH|.*_CONFIG.*"
    r"|EXINIT|VIMINIT|MYVIMRC|INPUTRC|HISTFILE|HISTCONTROL|histchars|TMPPREFIX|NULLCMD|READNULLCMD|MAILCHECK|TIMEFORMAT"
)


# Shells calculate their values.
_INTEGERS: Final = frozenset(
    {
        *("COLUMNS", "LINES", "OPTIND", "PPID", "PGRP", "USER_ID", "KSHUID", "KSHGID", "KSHEGID", "TMOUT", "SECONDS"),
        *("RANDOM", "SRANDOM", "LINENO", "HISTSIZE", "HISTCMD", "SAVEHIST", "LISTMAX", "KEYTIMEOUT", "SHLVL", "UID"),
        *("EUID", "GID", "EGID", "BAUD", "DIRSTACKSIZE", "FUNCNEST", "LOGCHECK", "MAILCHECK", "TRY_BLOCK_ERROR"),
    }
)


def harmless(assignment: Assignment, dialect: Dialect, *, alone: bool = False) -> bool:
    """`alone`: no program is called with it."""
    if assignment.part:
        return False
    name, value = assignment.name, assignment.value
    if name in HARMLESS:
        return value is not None and value.literal is not None and bool(HARMLESS[name].fullmatch(value.literal))
    if name in PAGERS:
        return value is not None and value.literal in ("", "cat")
    own = _OWN.fullmatch(name) and not _READ_BY_PROGRAMS.fullmatch(name)
    return alone and dialect != Dialect.ZSH and bool(own)


def dangerous(name: str, value: str | None) -> bool:
    """`value`: None if it is not written out."""
    if name in _INTEGERS:
        return value is None or not _DIGITS.fullmatch(value)
    return name not in HARMLESS and bool(_DANGEROUS.fullmatch(name))
