"""Where a file would be written: inside the workspace, or not.

Rule 1: a path is resolved as the kernel would, links included, from every directory the shell may be in by then.
        `cd a/..` goes by names or by links, as the shell likes: it may be in either.
Rule 2: what is not written out is not inside.
Rule 3: git's own directory is never inside: what is written there is run by the next git command.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from truetty.policy.runners import moves
from truetty.policy.script import Call
from truetty.policy.words import Word
from truetty.text.quoting import on_one_line

FINE: Final = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd/1", "/dev/fd/2"})
MOST_DIRECTORIES: Final = 16  # where a line may take the shell; with more it could be anywhere


@dataclass(frozen=True, slots=True)
class Places:
    """The workspace, and the directories the shell may be in at this point of the line. None: could be anywhere."""

    workspace: str | None
    directories: frozenset[str] | None
    moved: bool = False

    @classmethod
    def at(cls, cwd: str | None, workspace: str | None) -> Places:
        return cls(workspace, frozenset({cwd}) if cwd is not None and os.path.isabs(cwd) else None)

    def before(self, call: Call) -> Places:
        return replace(self, directories=None, moved=True) if call.astray else self

    def after(self, call: Call) -> Places:
        """A `cd` may fail or sit in a branch: afterwards the shell is here or there."""
        if not moves(call.words):
            return self
        operands = [word for word in call.words[1:] if word.literal not in ("--", "-P", "-L", "-e")]
        literal = operands[0].literal if len(operands) == 1 else None
        if (
            self.directories is None
            or call.program != "cd"
            or call.looped
            or not literal
            or literal.startswith(("-", "+"))
        ):
            return replace(self, directories=None, moved=True)
        joined = {os.path.join(directory, literal) for directory in self.directories}
        real = {_real(path) for path in joined}
        directories = self.directories | {os.path.normpath(path) for path in joined} | {path for path in real if path}
        return replace(self, directories=directories if len(directories) <= MOST_DIRECTORIES else None, moved=True)

    def objection(self, files: Sequence[Word]) -> str | None:
        """Why one of these must not be written without asking, as a sentence; None when all are inside."""
        for word in files:
            if word.literal in FINE:
                continue
            if word.literal is None:
                return f"Where it writes is not written out: {on_one_line(word.source)}."
            if reason := self._objection(word.literal):
                return reason
        return None

    def _objection(self, path: str) -> str | None:
        if not path:
            return None
        if os.path.isabs(path):
            candidates = {path}
        elif self.directories is None:
            return f"It writes {on_one_line(path)}, and where that is cannot be known."
        else:
            candidates = {os.path.join(directory, path) for directory in self.directories}
        for candidate in candidates:
            real = _real(candidate)
            if real is None or not self.holds(real):
                return f"It writes {on_one_line(path)}, which is outside the workspace."
            if ".git" in real.split("/"):
                return f"It writes {on_one_line(path)}, from where git takes orders."
        return None

    def leaves(self, operand: str) -> bool:
        """Whether an operand may be a path out of the workspace. Without a workspace there is no outside."""
        if self.workspace is None or ("/" not in operand and operand != ".."):
            return False
        if self.directories is None:
            return True
        paths = {os.path.join(directory, operand) for directory in self.directories}
        return any((real := _real(path)) is None or not self.holds(real) for path in paths)

    def holds(self, real: str) -> bool:
        root = _real(self.workspace) if self.workspace is not None else None
        return root is not None and (real == root or real.startswith(root.rstrip("/") + "/"))

    def holds_all_directories(self) -> bool:
        if self.directories is None:
            return False
        return all((real := _real(directory)) is not None and self.holds(real) for directory in self.directories)


def _real(path: str) -> str | None:
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return None
