"""Which variables may be set without a word: those no program and no shell takes orders from.

Rule 1: harmless is a short list; anything else needs a rule that names it (`NODE_ENV=test npm test`).
Rule 2: a lower-case name is a script's own variable, but in zsh, where `path`, `aliases` or `functions` are not.
Rule 3: dangerous names (what is loaded, found or started through them) are asked, whatever the default, unless a
        rule has the name and the very value.
"""

from __future__ import annotations

import re
from typing import Final

from truetty.policy.script import Assignment
from truetty.shells.row import Dialect

HARMLESS: Final = frozenset(
    {
        *("LANG", "LANGUAGE", "TZ", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "CI"),
        *("LC_ALL", "LC_COLLATE", "LC_CTYPE", "LC_MESSAGES", "LC_MONETARY", "LC_NUMERIC", "LC_TIME"),
        *("GIT_OPTIONAL_LOCKS", "GIT_TERMINAL_PROMPT", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "PYTHONUTF8"),
    }
)
PAGERS: Final = frozenset({"PAGER", "GIT_PAGER", "MANPAGER", "SYSTEMD_PAGER"})  # harmless as `cat` or nothing

_OWN: Final = re.compile(r"[a-z][a-z0-9_]*")
_READ_BY_PROGRAMS: Final = re.compile(r"auto_resume|histchars|npm_.*|.*_proxy|.*_functions|c?d?path|fpath|prompt")
_DANGEROUS: Final = re.compile(
    r"PATH|CDPATH|IFS|ENV|HOME|SHELL|SHELLOPTS|PROMPT_COMMAND|PS[0-4]|FPATH|fpath|path|ZDOTDIR|TERMINFO.*|TERMCAP"
    r"|.*PAGER|LESSOPEN|LESSCLOSE|LESS|.*EDITOR|VISUAL|.*BROWSER|.*_ASKPASS|.*_COMMAND|.*_functions"
    r"|(LD|DYLD|BASH|GIT|SSH|PYTHON|PERL|PERL5|RUBY|NPM|npm|JAVA|JDK|MAVEN|GRADLE|CARGO|RUSTC?|GO|MAKE|CC|CXX)_.*"
    r"|PYTHON.*|PERL5?.*|RUBY.*|NODE_(OPTIONS|PATH|EXTRA.*|REPL.*)|JAVA.*|LUA.*|MAKE.*|GO[A-Z]+|CC|CXX|GCONV_PATH|RIPGREP_CONFIG_PATH|.*_CONFIG.*"
    r"|EXINIT|VIMINIT|MYVIMRC|INPUTRC|HISTFILE|HISTCONTROL|histchars|TMPPREFIX|NULLCMD|READNULLCMD|MAILCHECK|TIMEFORMAT"
)


def harmless(assignment: Assignment, dialect: Dialect) -> bool:
    if assignment.part:
        return False
    name, value = assignment.name, assignment.value
    if name in HARMLESS:
        return value is not None
    if name in PAGERS:
        return value is not None and value.literal in ("", "cat")
    return dialect != Dialect.ZSH and bool(_OWN.fullmatch(name)) and not _READ_BY_PROGRAMS.fullmatch(name)


def dangerous(name: str) -> bool:
    return name not in HARMLESS and bool(_DANGEROUS.fullmatch(name))
