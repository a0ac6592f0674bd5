"""Whether marks reach us: our own (OSC 7717) or foreign ones (OSC 133, OSC 633). The strategy follows from it."""

from __future__ import annotations

from typing import ClassVar

from truetty.core.outcome import Strategy
from truetty.core.standing import Stands
from truetty.terminal.wire.run import Run


class Integration(Stands):
    STANDS: ClassVar = ("marks_work", "foreign_marks")

    def __init__(self) -> None:
        self.marks_work = False  # one of ours has come since the shell was started or replaced
        self.foreign_marks = False  # OSC 133 or 633 was seen

    @property
    def strategy(self) -> Strategy:
        if self.marks_work:
            return "rich"
        return "basic" if self.foreign_marks else "none"

    def on_mark(self, run: Run | None) -> None:
        """One of ours has come, with its secret."""
        if run is not None and run.machine.ending is None and not self.marks_work:
            run.marks_came_back = True
        self.marks_work = True

    def on_answer(self) -> None:
        """The shell has answered the question that heals it (mark H)."""
        self.marks_work = True

    def on_loss(self) -> None:
        """The prompt is back, and no mark has said so."""
        self.marks_work = False
