"""The secrets of a shell's lines, one at a time, each drawn by the shell itself.

    bash, zsh  C;k1  D;k1;0       P;k1;…;k2
    fish       C;k1  D;k1;0;…;k2  P;k2;…;k2

C and D of one line carry one secret. D or P says which secret the next line will have, so that no file and no
environment has to. Only the process that holds the terminal's other side sees marks. A shell that draws no secret
keeps its first one for ever.
"""

from __future__ import annotations

from typing import ClassVar

from truetty.core.signs import Mark
from truetty.core.standing import Stands


class Chain(Stands):
    __slots__ = ("current", "first", "last")

    STANDS: ClassVar = ("first", "current", "last")

    def __init__(self, first: str) -> None:
        self.first = first  # which a shell that cannot expand its PS2 shows there for ever
        self.current = first  # of the line that runs, or will be the next
        self.last = first  # of the line that ended last, until the next one begins

    def restart(self, first: str) -> None:
        """The hook was installed again, with this secret."""
        self.first = self.current = self.last = first

    def knows(self, secret: str) -> bool:
        """Whether a mark with this secret is of the shell's own."""
        return secret in (self.current, self.last)

    def knows_prompt(self, mark: Mark) -> bool:
        """Whether P is of the shell's own. Where a text has removed D, P shows the secret of the line before, and that
        of this line as the next."""
        return self.knows(mark.secret) or mark.next == self.current

    def knows_continuation(self, secret: str) -> bool:
        """The same for the mark in PS2."""
        return secret == self.first or self.knows(secret)

    def follow(self, mark: Mark) -> None:
        """The shell's own mark comes after all that a program of the command has printed, so the last one counts."""
        if mark.letter == "C" and mark.secret == self.current:
            self.last = self.current
        elif mark.next and self.knows(mark.secret):
            self.last, self.current = mark.secret, mark.next
