"""fish: one key of ours takes the text from a private file, has fish judge it, and runs it (`scripts/hook.fish`).

Rule 1: C comes by the event fish_preexec, D by fish_postexec, P by fish_prompt.
Rule 2: a text that fish finds wrong or unfinished is refused (mark R) before it runs. Then the trigger sends it, and
        fish says what is wrong.
Rule 3: a leading space keeps a text out of the history, as it does when typed. fish has no list without the file.
"""

from __future__ import annotations

from typing import Final

from truetty.core import lazy
from truetty.shells.editors.keys import FILE
from truetty.shells.row import Editor, Request, Typed
from truetty.shells.writing import encode

# fish colours a text while it is in the editor: 200 kB took 5 s.
LONGEST_TEXT: Final = 10_000
PASTE_OFF: Final = b"\x1b[?2004l"
TITLE: Final = b"\x1b]0;"
# They would stand in the title too, and end it.
_CONTROL: Final = lazy.pattern(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
# fish prints D before it exits, as if only the text had ended.
_EXITS: Final = lazy.pattern(r"(?:^|[;\n&|(]|\b(?:and|or|not|begin|else|builtin)\b)\s*exit\b")
_RESET: Final = lazy.pattern(rb"(?:\x1b\[[\d;]*m|\x1b\(B)*\r")
_BEGUN_RESET: Final = lazy.pattern(rb"(?:\x1b\[[\d;]*m|\x1b\(B)*(?:\x1b[(\[]?[\d;]*)?")


class FishEditor(Editor):
    refuses_unfinished = True
    prints_preface = True
    loses_interrupt = True
    pauses = False  # fish sets the modes after its last event

    def preface(self, data: bytes) -> int | None:
        """Behind its last event fish may switch bracketed paste off, and set the title, reset colours and go to the
        first column."""
        rest = data.removeprefix(PASTE_OFF)
        if PASTE_OFF.startswith(data) or TITLE.startswith(rest):
            return None
        before = len(data) - len(rest)
        if not rest.startswith(TITLE):
            return before
        title, bell, behind = rest.partition(b"\a")
        if found := _RESET.match(behind):
            return before + len(title) + len(bell) + found.end()
        return before if _BEGUN_RESET.fullmatch(behind) is None else None

    def takes(self, request: Request) -> bool:
        text = request.text
        unfit = request.probe or any(pattern.search(text) for pattern in (_CONTROL, _EXITS))
        return not unfit and len(text) <= LONGEST_TEXT

    def keys(self, request: Request) -> Typed:
        space = "" if request.history else " "
        return Typed(FILE, {"x": encode(f"{space}{request.text}")}, by_editor=True)
