"""From a name, a path or a running process to the shell's recipe.

Rule 1: the name that was given decides first: a link `ash` to busybox or `rbash` to bash is meant by its name.
Rule 2: `sh`, `ksh` and `csh` say nothing by themselves; what they lead to decides.
Rule 3: what cannot be started is refused here, before a pty is made. What is unknown is `plain`, never an error.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from truetty.core.errors import SpawnFailed
from truetty.shells.bash import Bash
from truetty.shells.fish import Fish
from truetty.shells.nu import Nu
from truetty.shells.plain import Plain
from truetty.shells.posix import ASH, DASH, KSH93, MKSH, SH
from truetty.shells.rbash import Rbash
from truetty.shells.row import Shell
from truetty.shells.tcsh import Tcsh
from truetty.shells.xonsh import Xonsh
from truetty.shells.zsh import Zsh

_PLAIN = Plain()
_BASH_AS_SH = Bash(name="sh", named_sh=True)

_BY_NAME: Mapping[str, Shell] = {
    "bash": Bash(),
    "rbash": Rbash(),
    "zsh": Zsh(),
    "fish": Fish(),
    "dash": DASH,
    "ash": ASH,
    "busybox": ASH,
    "ksh93": KSH93,
    "mksh": MKSH,
    "lksh": MKSH,
    "tcsh": Tcsh(),
    "xonsh": Xonsh(),
    "nu": Nu(),
    "nushell": Nu(),
}
# Names that several programs go by. What they lead to decides; these are meant when that says nothing either.
_SHARED: Mapping[str, Shell] = {"sh": SH, "ksh": KSH93, "csh": _PLAIN}
# What a program makes of itself when it is started as `sh`.
_STARTED_AS_SH: Mapping[str, Shell] = {"bash": _BASH_AS_SH, "rbash": _BASH_AS_SH, "zsh": SH}

# bash5, bash-5.2, ksh93, zsh-5.9, mksh-static
_VERSIONED = re.compile(r"(?P<name>[a-z]+?)(?P<version>[-_.]?\d[\d._]*)?(?:[-_.]?static)?")


@dataclass(frozen=True, slots=True)
class Found:
    shell: Shell
    program: str  # absolute, as it was given: a link is not followed, for its name may matter
    arguments: tuple[str, ...]  # the user's own
    argv0: str


def find(shell: str | Sequence[str] | None, env: Mapping[str, str]) -> Found:
    """Raises `SpawnFailed` for a program that is missing, not executable or a directory."""
    program: str
    arguments: tuple[str, ...] = ()
    match shell:
        case None:
            program = _users_own(env)
        case str():
            program = _located(shell, env)
        case [first, *rest]:
            program, arguments = _located(first, env), tuple(rest)
        case _:
            raise SpawnFailed("an empty list names no shell", shell=shell, reason="empty")
    argv0 = os.path.basename(program)
    recipe = _named(argv0, os.path.realpath(program))
    if _base(argv0) == "busybox" and arguments[:1] not in (("sh",), ("ash",)):
        arguments = ("sh", *arguments)
    return Found(recipe, program, arguments, argv0)


def recognise(program: str, argv0: str | None = None) -> Shell:
    """The shell that a running process is, by its real path (`/proc/PID/exe`) and what it was started as."""
    name = _base(os.path.basename(program.removesuffix(" (deleted)")))
    started_as = _base(os.path.basename((argv0 or "").removeprefix("-")))
    if name == "busybox":  # every applet has this path
        return ASH if started_as in ("", "sh", "ash", "busybox") else _PLAIN
    if started_as == "sh" and name in _STARTED_AS_SH:
        return _STARTED_AS_SH[name]
    if name == "bash" and started_as == "rbash":
        return _BY_NAME["rbash"]
    # An unknown program may be an interpreter that runs a shell, as python runs xonsh.
    for known in (_BY_NAME.get(name), _SHARED.get(name), _BY_NAME.get(started_as)):
        if known is not None:
            return known
    return _PLAIN


def _users_own(env: Mapping[str, str]) -> str:
    """The first that can be started: a SHELL of another machine is often handed on into a container."""
    candidates = [env.get("SHELL")]
    with contextlib.suppress(KeyError):  # a user without an entry, as in many containers
        candidates.append(pwd.getpwuid(os.geteuid()).pw_shell)
    for candidate in candidates:
        if candidate and _fault(candidate) is None:
            return candidate
    return _located("/bin/sh", env)


def _located(shell: str, env: Mapping[str, str]) -> str:
    if not shell:
        raise SpawnFailed("an empty name names no shell", shell=shell, reason="empty")
    if os.sep in shell:
        program: str | None = os.path.abspath(os.path.expanduser(shell))
    else:
        program = shutil.which(shell, path=env.get("PATH", os.defpath))
    if program is None:
        raise SpawnFailed(f"no program named {shell!r} in PATH", shell=shell, reason="not found")
    if (fault := _fault(program)) is not None:
        raise SpawnFailed(f"{program}: {fault}", shell=shell, reason=fault)
    return program


def _fault(program: str) -> str | None:
    if not os.path.isabs(program) or not os.path.exists(program):
        return "not found"
    if os.path.isdir(program):
        return "is a directory"
    return None if os.access(program, os.X_OK) else "not executable"


def _named(given: str, real: str) -> Shell:
    name, led_to = _base(given), _base(os.path.basename(real))
    if name in _BY_NAME:
        return _BY_NAME[name]
    if name == "sh" and led_to in _STARTED_AS_SH:
        return _STARTED_AS_SH[led_to]
    return _BY_NAME.get(led_to) or _SHARED.get(name) or _SHARED.get(led_to) or _PLAIN


def _base(name: str) -> str:
    """The name without a version: `ksh93` is a name of its own."""
    if name in _BY_NAME:
        return name
    found = _VERSIONED.fullmatch(name)
    return found["name"] if found else name
