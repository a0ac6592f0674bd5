"""The policy's parser, started more cheaply: the same program with the same options, for a hundred thousand lines.

`parser.parse` bounds what a hostile text may cost. Lines here are short, and the kernel gives them no such time.
"""

from __future__ import annotations

import contextlib
import json
import os
from typing import Final

from truetty.policy import parser
from truetty.policy.tree import Node, Unreadable
from truetty.shells.row import Dialect

# Go's runtime prepares for work that a short line is not.
_ENVIRONMENT: Final = {"GOMAXPROCS": "1", "GOGC": "off"}
MOST_TEXT: Final = 4096  # bytes: a pipe takes them at once


class Reader:
    """A parser that remembers its last answer: several policies ask for the same line."""

    def __init__(self) -> None:
        program = parser.find()
        assert program is not None, f"{parser.PROGRAM} is not installed"
        self._program = program
        self._last: tuple[bytes, Dialect, Node | Unreadable] | None = None

    def __call__(self, text: bytes, dialect: Dialect) -> Node:
        if self._last is None or self._last[:2] != (text, dialect):
            self._last = (text, dialect, self._parse(text, dialect))
        answer = self._last[2]
        if isinstance(answer, Unreadable):
            raise answer
        return answer

    def _parse(self, text: bytes, dialect: Dialect) -> Node | Unreadable:
        assert len(text) <= MOST_TEXT
        status, answer = self._run([self._program, "-ln", dialect, "--to-json"], text)
        if status != 0:
            return Unreadable("It does not parse.")
        tree: Node = json.loads(answer)
        return tree

    def _run(self, command: list[str], text: bytes) -> tuple[int, bytes]:
        source, into = os.pipe()
        out_of, sink = os.pipe()
        files = [(os.POSIX_SPAWN_DUP2, end, number) for number, end in enumerate((source, sink, sink))]
        pid = os.posix_spawn(command[0], command, _ENVIRONMENT, file_actions=files)
        os.close(source)
        os.close(sink)
        with contextlib.suppress(BrokenPipeError):  # it has seen enough to complain
            os.write(into, text)
        os.close(into)
        pieces = []
        while piece := os.read(out_of, 1 << 20):
            pieces.append(piece)
        os.close(out_of)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), b"".join(pieces)
