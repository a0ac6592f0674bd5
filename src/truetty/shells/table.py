"""The table of shells, and the way from a name, a path or a running process to its row.

Rule 1: the name that was asked for decides first: a link `ash` to busybox or `rbash` to bash is meant by its name.
Rule 2: `sh`, `ksh` and `csh` say nothing by themselves; the program's file decides.
Rule 3: what cannot be started is refused here, before a pty is made. What is unknown is `plain`, never an error.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Final, NamedTuple

from truetty.core import lazy
from truetty.core.errors import SpawnFailed
from truetty.shells import bash, fish, fish_reads, nu, posix, rbash, tcsh, xonsh, zsh
from truetty.shells.editors.bash import BashEditor
from truetty.shells.editors.fish import FishEditor
from truetty.shells.editors.keys import CLEAR, PASTE_END
from truetty.shells.editors.zsh import ZshEditor
from truetty.shells.plain import Plain
from truetty.shells.row import Dialect, Row

_BUSYBOX: Final = "busybox"  # many programs in one file: the first argument, or the name it is started as, says which
_SHELL_APPLETS: Final = ("sh", "ash")

# A shell without a recipe. Its dialect is not said: what is typed goes through its editor before its parser reads it.
# No key clears its line: Ctrl-C may end a program of which nothing is known.
_FOREIGN: Final = Row("plain", Plain(), has_marks=False, clears_line=b"")
UNKNOWN: Final = replace(_FOREIGN, runs_scripts=False)  # a program that is no shell, or one that is not in the table

_SH: Final = Row(
    "sh",
    posix.SH,
    shared_names=("sh",),
    cd=posix.cd,
    edits_lines=False,
    never_answered=True,  # it may be busybox
    dialect=Dialect.POSIX,
)
_BASH: Final = Row(
    "bash",
    bash.Bash(),
    editor=BashEditor(),
    cd=bash.cd,
    # C-g ends a question of readline, the next an open paste; whatever waits for one more key takes the first CLEAR.
    clears_line=b"\x07" + PASTE_END + CLEAR + CLEAR,
    prompt_begins=bash.PROMPT_BEGINS,
    reads_one_key=True,
    read_size=4096,
    dialect=Dialect.BASH,
)
_BASH_AS_SH: Final = replace(_BASH, name="sh", recipe=bash.Bash(named_sh=True), cd=posix.cd, dialect=Dialect.POSIX)
_RBASH: Final = replace(_BASH, name="rbash", recipe=rbash.Rbash(), editor=None, cd=None, started_as={"sh": _BASH_AS_SH})

ROWS: tuple[Row, ...] = (
    replace(_BASH, started_as={"sh": _BASH_AS_SH, "rbash": _RBASH}),
    _RBASH,
    Row(
        "zsh",
        zsh.Zsh(),
        editor=ZshEditor(),
        started_as={"sh": _SH},
        cd=bash.cd,
        clears_line=PASTE_END + CLEAR + CLEAR,
        prompt_begins=zsh.PROMPT_BEGINS,
        continuation=zsh.CONTINUATION,
        reads_one_key=True,
        hooks_follow_mark=True,
        dialect=Dialect.ZSH,
    ),
    Row(
        "fish",
        fish.Fish(),
        editor=FishEditor(),
        cd=fish.cd,
        clears_line=CLEAR,
        needs_cursor=True,
        prompt_begins=fish.PROMPT_BEGINS,
        read_uses_editor=True,
        is_interactive=fish.asks_for_prompt,
        reads_one_key=True,
        hides_input=fish_reads.hides_input,
        asks_terminal=True,  # fish 4 asks for DA1 at its first prompt; fish 3 asks nothing
    ),
    Row("dash", posix.DASH, cd=posix.cd, edits_lines=False, dialect=Dialect.POSIX),
    _SH,
    Row(
        "ash",
        posix.ASH,
        also=(_BUSYBOX,),
        cd=posix.cd,
        reads_one_key=True,
        never_answered=True,  # it asks for the cursor at every prompt; 34 of 40 answers went to the next program
        dialect=Dialect.POSIX,
    ),
    Row(
        "ksh93",
        posix.KSH93,
        shared_names=("ksh",),
        cd=posix.cd,
        signal_base=256,
        signal_words={"Memory fault": signal.SIGSEGV, "Abort": signal.SIGABRT, "Hangup": signal.SIGHUP},
        read_uses_editor=True,
        reads_one_key=True,
        dialect=Dialect.MKSH,
    ),
    Row("mksh", posix.MKSH, also=("lksh",), cd=bash.cd, reads_one_key=True, dialect=Dialect.MKSH),
    Row("tcsh", tcsh.Tcsh(), cd=tcsh.cd, continuation=tcsh.CONTINUATION, varying_reads=True),
    Row(
        "xonsh",
        xonsh.Xonsh(),
        cd=xonsh.cd,
        asks_terminal=True,  # prompt_toolkit asks where the cursor is, and complains when no answer comes
    ),
    Row(
        "nu",
        nu.Nu(),
        also=("nushell",),
        cd=nu.cd,
        says="print",
        prompt_begins=nu.PROMPT_BEGINS,
        asks_terminal=True,
    ),
    replace(_FOREIGN, name="csh", also=("bsd-csh",), shared_names=("csh",), varying_reads=True),
    *(replace(_FOREIGN, name=name) for name in ("elvish", "hush", "oksh", "osh", "pdksh", "pwsh", "yash")),
)


# -- what readers ask


def names() -> frozenset[str]:
    """Of every shell that is known, whether it has a recipe or not."""
    return where(lambda row: True)


def where(holds: Callable[[Row], bool]) -> frozenset[str]:
    """All names of the shells for which this holds."""
    return frozenset(name for row in ROWS if holds(row) for name in row.names)


def lookup(program: str) -> Row | None:
    """The row that a name or a path means by itself, whatever its version; None if it names no shell of the table."""
    name = _base(os.path.basename(program))
    return _sure().get(name) or _shared().get(name)


# -- which shell it is


class Found(NamedTuple):
    row: Row
    program: str  # absolute, as it was asked for: a link is not followed, for its name may matter
    arguments: tuple[str, ...]  # the user's own


# The variables that `find` reads.
FIND_VARIABLES: Final = ("PATH", "SHELL")


def find(shell: str | Sequence[str] | None, env: Mapping[str, str]) -> Found:
    """Raises `SpawnFailed` for a program that is missing, not executable or a directory."""
    program: str
    arguments: tuple[str, ...] = ()
    match shell:
        case None:
            program = _users_own(env)
        case str():
            program = _locate(shell, env)
        case [first, *rest]:
            program, arguments = _locate(first, env), tuple(rest)
        case _:
            raise SpawnFailed("an empty list names no shell", shell=shell, reason="empty")
    name, file = _base(os.path.basename(program)), _base(os.path.basename(os.path.realpath(program)))
    if name == _BUSYBOX and arguments[:1] not in [(applet,) for applet in _SHELL_APPLETS]:
        arguments = (_SHELL_APPLETS[0], *arguments)
    if (row := _sure().get(name)) is None and (row := _sure().get(file)) is not None:
        row = row.started_as.get(name, row)
    return Found(row or _shared().get(name) or _shared().get(file) or UNKNOWN, program, arguments)


def recognise(program: str, argv0: str | None = None) -> Row:
    """The shell that a running process is, by its real path (`/proc/PID/exe`) and what it was started as."""
    file = _base(os.path.basename(program.removesuffix(" (deleted)")))
    name = _base(os.path.basename((argv0 or "").removeprefix("-")))
    if file == _BUSYBOX and name not in ("", _BUSYBOX, *_SHELL_APPLETS):
        return UNKNOWN  # another of its programs
    if (row := _sure().get(file) or _shared().get(file)) is not None:
        return row.started_as.get(name, row)
    return _sure().get(name, UNKNOWN)  # an interpreter may run a shell, as python runs xonsh


def _users_own(env: Mapping[str, str]) -> str:
    """The first that can be started: a SHELL of another machine is often handed on into a container."""
    candidates = [env.get("SHELL")]
    with contextlib.suppress(KeyError):  # a user without an entry, as in many containers
        candidates.append(pwd.getpwuid(os.geteuid()).pw_shell)
    for candidate in candidates:
        if candidate and _fault(candidate) is None:
            return candidate
    return _locate("/bin/sh", env)


def _locate(shell: str, env: Mapping[str, str]) -> str:
    if not shell:
        raise SpawnFailed("an empty name names no shell", shell=shell, reason="empty")
    if os.sep in shell:
        program: str | None = os.path.abspath(os.path.expanduser(shell))
    else:
        program = which(shell, env)
    if program is None:
        words = shell.split()
        hint = f". For arguments give a list: {words!r}" if len(words) > 1 else ""
        raise SpawnFailed(f"no shell or program named {shell!r} on PATH{hint}", shell=shell, reason="not found")
    if (fault := _fault(program)) is not None:
        raise SpawnFailed(f"{program}: {fault}", shell=shell, reason=fault)
    return program


def which(name: str, env: Mapping[str, str]) -> str | None:
    """The program of this name in PATH. Only absolute directories count: a relative one depends on where we are."""
    folders = (folder for folder in env.get("PATH", os.defpath).split(os.pathsep) if os.path.isabs(folder))
    return shutil.which(name, path=os.pathsep.join(folders))


def _fault(program: str) -> str | None:
    if not os.path.isabs(program) or not os.path.exists(program):
        return "not found"
    if os.path.isdir(program):
        return "is a directory"
    return None if os.access(program, os.X_OK) else "not executable"


# -- names

# bash5, bash-5.2, zsh-5.9, mksh-static
_VERSIONED = lazy.pattern(r"(?P<name>[a-z]+?)(?P<version>[-_.]?\d[\d._]*)?(?:[-_.]?static)?")


def _base(name: str) -> str:
    """The name without a version: `ksh93` is a name of its own."""
    if name in _sure():
        return name
    found = _VERSIONED.fullmatch(name)
    return found["name"] if found else name


@cache
def _sure() -> Mapping[str, Row]:
    """Names that mean one shell."""
    return {name: row for row in ROWS for name in (row.name, *row.also) if name not in row.shared_names}


@cache
def _shared() -> Mapping[str, Row]:
    return {name: row for row in ROWS for name in row.shared_names}
