"""A shell or program we know nothing of: the text is typed as it is, and the kernel alone tells what became of it.

Rule 1: nothing is promised. No marks, no exit codes, no healing.
Rule 2: a line feed ends each line. On a cooked tty it is Enter, and readline and libedit take it as Enter too.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from truetty.shells.row import Launch, Request, Typed
from truetty.shells.writing import encoded, signal_above


@dataclass(frozen=True, slots=True)
class Plain:
    name: str = "plain"

    @property
    def integrates(self) -> bool:
        return False

    @property
    def answers_queries(self) -> bool:
        return False  # nobody knows who would read the answer

    @property
    def edits_lines(self) -> bool:
        return True  # as far as we know: nobody's modes are touched

    def launch(
        self, program: str, arguments: Sequence[str], *, folder: str, key: str, rc: bool, env: Mapping[str, str]
    ) -> Launch:
        return Launch((os.path.basename(program), *arguments))

    def trigger(self, request: Request) -> Typed:
        text = encoded(request.text)
        return Typed(text if text.endswith(b"\n") else text + b"\n")

    def heal(self, *, folder: str, serial: int, secret: str, key: str) -> Typed | None:
        return None

    def signal_of(self, code: int) -> int | None:
        return signal_above(128, code)

    def clear_line(self) -> bytes:
        return b""  # Ctrl-C may end a program that is no shell

    def prompt_start(self, tail: bytes) -> int | None:
        return None
