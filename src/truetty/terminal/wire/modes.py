"""The modes that programs switch on and off in the byte stream, and that outlive the program that did."""

from __future__ import annotations

from typing import ClassVar

from truetty.core.signs import Mode
from truetty.core.standing import Stands


class ScreenModes(Stands):
    STANDS: ClassVar = ("alternate_from", "application_keys", "bracketed_paste")

    def __init__(self) -> None:
        self.alternate_from: int | None = None  # where a full-screen program took the screen, while one has it
        self.application_keys = False  # the cursor keys send other sequences
        self.bracketed_paste = False  # the shell's editor has asked for it once; it need not be reading yet

    def on_mode(self, mode: Mode) -> None:
        match mode.name:
            case "alternate-screen":
                self.alternate_from = mode.start if mode.on else None
            case "application-keys":
                self.application_keys = mode.on
            case "bracketed-paste":
                self.bracketed_paste = self.bracketed_paste or mode.on
