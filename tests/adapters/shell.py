"""A shell as an agent's script calls it: one command at a time, and what the model reads of it."""

from __future__ import annotations

import re
from dataclasses import dataclass

USUAL = 20.0  # seconds that a command of a script is given


@dataclass(frozen=True)
class Reply:
    """What the model reads."""

    text: str
    code: int | None
    is_open: bool = False  # the command goes on, and the framework lets the model type


def readable(text: str) -> str:
    """Without returns and the sequences of bracketed paste, over which a model reads."""
    return re.sub(r"\x1b\[\?2004[hl]", "", text).replace("\r", "")


class Shell:
    """Without a way to type: the framework has none."""

    def run(self, command: str, timeout: float = USUAL) -> Reply:
        raise NotImplementedError

    def type(self, text: str) -> Reply:
        return Reply("", None)

    def stop(self) -> Reply:
        return Reply("", None)

    def close(self) -> None:
        pass
