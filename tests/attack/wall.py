"""truetty's own wall in a cage: whatever stands behind it, nothing outside of it may be touched.

The cage is made by a user without rights: a wall needs none, and root's cage would not let another sandbox be made in
it. So a wall that does not hold lets a line touch what is in the cage, and nothing of this machine.
"""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import truetty
from tests.attack import cage, keeper, runner, warden
from tests.attack.cage import Shell
from truetty.core import errors, lazy, version
from truetty.host import filter, wall

PATIENCE: Final = 1.0  # seconds for one line
NO_USER: Final = 65533  # a number that belongs to nobody

_MODULES: Final = "/watch/modules"
_PROGRAM: Final = f"""
import os, sys
sys.path.insert(0, {_MODULES!r})
from tests.attack import warden
warden.main(sys.stdin, sys.stdout)
"""

Run = tuple[Shell, str]


@dataclass(frozen=True, slots=True)
class Siege:
    """What lines did that ran behind a wall."""

    touched: tuple[str, ...]  # outside of it
    attempts: int  # lines of which a program tried the wall
    unfinished: int  # lines that were ended
    walls: int  # how many it took: a line may end its own


class WalledCage:
    """`with WalledCage() as cage: cage.run("workspace", [(shell, text)])`."""

    def __enter__(self) -> Self:
        user = NO_USER if os.geteuid() == 0 else None
        self._process = cage.start(_PROGRAM, warden.ATTACK, _files(), _python(user), user)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def run(self, profile: str, runs: Sequence[Run]) -> Siege:
        """These lines, one after another behind one wall."""
        process = self._process
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        lines = [(shell.command(text), shell.applets) for shell, text in runs]
        try:
            order = {"profile": profile, "lines": lines, "patience": PATIENCE}
            print(json.dumps(order), file=process.stdin, flush=True)
            answer = process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            texts = [text for _, text in runs]
            raise RuntimeError(f"the cage is broken at one of {texts!r}: {process.stderr.read()[-2000:]}")
        facts = json.loads(answer)
        return Siege(tuple(facts["touched"]), facts["attempts"], facts["unfinished"], facts["walls"])


def _files() -> dict[str, str]:
    """The modules that the warden imports. They need no others."""
    modules = (truetty, truetty.core, errors, lazy, version, truetty.host, wall, filter, keeper, runner, warden)
    files = {}
    for module in modules:
        assert module.__file__ is not None
        path = Path(module.__file__)
        name = module.__name__.replace(".", "/")
        files[f"{_MODULES}/{name}/__init__.py" if path.stem == "__init__" else f"{_MODULES}/{name}.py"] = path
    return {place: path.read_text() for place, path in files.items()}


@functools.cache
def _python(user: int | None) -> str:
    """One that this user may run: ours may lie in root's home."""
    check = "import sys; sys.exit(sys.version_info < (3, 11))"
    for python in (sys.executable, "/usr/bin/python3"):
        try:
            done = subprocess.run([python, "-I", "-S", "-c", check], user=user, group=user, cwd="/", check=False)
        except PermissionError:
            continue
        if done.returncode == 0:
            return python
    raise RuntimeError(f"no Python from 3.11 on that the user {user} may run")
