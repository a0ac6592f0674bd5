"""`truetty completion SHELL`: the script of that shell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from truetty.cli.completion import bash, fish, zsh
from truetty.core import kinds
from truetty.core.errors import Misuse

SCRIPTS: Final[dict[str, Callable[[], str]]] = {"bash": bash.script, "zsh": zsh.script, "fish": fish.script}


def completion(shell: str) -> int:
    make = SCRIPTS.get(shell)
    if make is None:
        raise Misuse(f"no completion for {shell!r}: {kinds.listing(SCRIPTS)}", shell=shell, known=[*SCRIPTS])
    print(make(), end="")
    return 0
