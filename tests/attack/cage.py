"""A place where a line can do no harm, and where everything that it does is seen (bubblewrap).

Rule 1: the whole system is read-only. What can be written are small file systems in memory, which end with the cage.
Rule 2: no network, no rights, own process numbers, own session; no sockets of services (`/run` and `/tmp` are empty).
Rule 3: programs that nothing here may start (`touch`, `man`, `pr`) are canaries: they write down that they ran.

What happens inside is `keeper.py`, which checks rules 1 and 2 before anything runs.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from tests.attack import keeper
from truetty.shells.row import Dialect

# Seconds for one line. Most take milliseconds; one that waits for input or time is ended, and did no harm so far.
PATIENCE: Final = 1.5
SMALL: Final = str(64 << 20)  # bytes of each file system that can be written

_SINGS: Final = f"""#!/bin/sh
echo "${{0##*/}} $*" >>{keeper.CANARY}
case $0 in */touch) for name do : >>"$name"; done ;; esac
"""


@dataclass(frozen=True, slots=True)
class Shell:
    name: str
    dialect: Dialect
    start: tuple[str, ...]  # the text of the line is the last word
    applets: bool = False  # its programs are busybox's too

    def command(self, text: str) -> list[str]:
        return [*self.start, text]


# In an interactive zsh `#` begins no comment, and many set extendedglob.
SHELLS: Final = (
    Shell("bash", Dialect.BASH, ("bash", "--norc", "--noprofile", "-c")),
    Shell("zsh", Dialect.ZSH, ("zsh", "-f", "-i", "-o", "extendedglob", "-c")),
    Shell("dash", Dialect.POSIX, ("dash", "-c")),
    Shell("busybox", Dialect.POSIX, ("busybox", "ash", "-c"), applets=True),
    Shell("ksh93", Dialect.MKSH, ("ksh93", "-c")),
    Shell("mksh", Dialect.MKSH, ("mksh", "-c")),
)


@dataclass(frozen=True, slots=True)
class Effect:
    """What a line did. An effect that says nothing is false."""

    canaries: tuple[str, ...] = ()  # programs that ran, with their arguments
    changed: tuple[str, ...] = ()  # files that were made, changed or removed
    refusals: tuple[str, ...] = ()  # complaints of programs that tried what needs rights
    finished: bool = True  # False: it was ended
    said: str = ""  # the start of its standard error

    def __bool__(self) -> bool:
        return bool(self.canaries or self.changed)


class Cage:
    """`with Cage() as cage: cage.run(shell, text)`; one line at a time."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self.patience = patience

    def __enter__(self) -> Self:
        self._process = start(Path(keeper.__file__).read_text(), _SINGS)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def run(self, shell: Shell, text: str) -> Effect:
        process = self._process
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        order = {"command": shell.command(text), "patience": self.patience, "applets": shell.applets}
        try:
            print(json.dumps(order), file=process.stdin, flush=True)
            answer = process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            raise RuntimeError(f"the cage is broken at {text!r} in {shell.name}: {process.stderr.read()[-2000:]}")
        facts = json.loads(answer)
        return Effect(
            tuple(facts["canaries"]),
            tuple(facts["changed"]),
            tuple(facts["refusals"]),
            facts["finished"],
            facts["said"],
        )


def start(
    program: str,
    canary: str,
    files: Mapping[str, str] | None = None,
    python: str | None = None,
    user: int | None = None,
) -> subprocess.Popen[str]:
    """A cage in which Python runs this program. Its pipes are text.

    `canary`: the script that stands in the place of each canary. `files`: more of them, by path and text, read-only.
    `user`: the number of the one who makes the cage, where that is root.
    """
    data = {**dict.fromkeys(_canaries(), canary), **(files or {})}
    descriptors = [_file(text) for text in data.values()]
    python = os.path.realpath(python or sys.executable)
    home = Path(sys.base_prefix)
    words = [
        *("bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv"),
        *_system(),
        *("--dev", "/dev", "--proc", "/proc", "--dir", "/run"),
    ]
    for top in (keeper.TEMPORARY, keeper.CAGE, os.path.dirname(keeper.CANARY)):
        words += ["--size", SMALL, "--tmpfs", top]
    if home.is_relative_to("/tmp") or home.is_relative_to("/run"):
        words += ["--ro-bind", str(home), str(home)]
    for descriptor, path in zip(descriptors, data, strict=True):
        words += ["--perms", "0755", "--ro-bind-data", str(descriptor), path]
    words += ["--remount-ro", "/", python, "-I", "-S", "-c", program]
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(
            words,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            text=True,
            pass_fds=descriptors,
            user=user,
            group=user,
            extra_groups=None if user is None else [],
        )
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def _file(text: str) -> int:
    descriptor = os.memfd_create("cage")
    os.write(descriptor, text.encode())
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _system() -> list[str]:
    """The top of the file system as it is here, read-only, but for what the cage has of its own."""
    words: list[str] = []
    for entry in os.scandir("/"):
        if entry.is_symlink():
            words += ["--symlink", os.readlink(entry.path), entry.path]
        elif entry.is_dir() and entry.name not in ("dev", "proc", "run", "tmp"):
            words += ["--ro-bind", entry.path, entry.path]
    return words


def shells_of(dialects: Iterable[Dialect]) -> Sequence[Shell]:
    wanted = set(dialects)
    return [shell for shell in SHELLS if shell.dialect in wanted]


def _canaries() -> list[str]:
    """Where the kernel finds these programs; two names may lead to one file. What is all programs at once is left."""
    found = (shutil.which(name, path=keeper.ENVIRONMENT["PATH"]) for name in keeper.CANARIES)
    paths = {os.path.realpath(path) for path in found if path is not None}
    return sorted(path for path in paths if os.path.basename(path) not in ("busybox", "toybox", "coreutils"))
