"""zsh: one key of ours takes the text, by paste or from a private file, and runs it (`scripts/hook.zsh`).

Rule 1: C is printed by the first function of preexec, D by PROMPT_EOL_MARK, P by the first function of precmd.
Rule 2: P says whether the editor is on, whether `#` begins a comment, and what kind of variable PROMPT_EOL_MARK is: a
        readonly one prints no D.
Rule 3: Ctrl-C in a loop of zsh's own leaves the code of the last turn in `$?`, as if nothing had happened. By the
        trigger it is 130.
"""

from __future__ import annotations

import re
from typing import Final

from truetty.core.signs import Mark
from truetty.shells.editors.keys import FILE, PASTE, PASTE_END, PAUSE
from truetty.shells.editors.text import LONGEST_TEXT, LOOPS, can_paste
from truetty.shells.row import Request, Typed
from truetty.shells.writing import encode

_EXPANDS: Final = re.compile(r"!|^\^")
_COMMENT: Final = re.compile(r"(?:^|[\s;&|()])#", re.MULTILINE)


class ZshEditor:
    refuses_unfinished = False
    takes_several = True
    pauses = True

    def is_off(self, options: str) -> bool:
        return options.startswith("off")

    def preface(self, data: bytes) -> int | None:
        return 0

    def tells_end(self, mark: Mark) -> bool:
        return True

    def is_empty(self, mark: Mark, count: int | None, *, printed: bool) -> bool:
        return False

    def takes(self, request: Request) -> bool:
        edits, _, rest = request.options.partition(":")
        comments, _, mark = rest.partition(":")
        reads = comments == "on" or _COMMENT.search(request.text) is None
        fits = reads and "readonly" not in mark and LOOPS.search(request.text) is None
        return edits == "on" and fits and len(request.text) <= LONGEST_TEXT

    def typed(self, request: Request) -> Typed:
        data, pause = encode(request.text), PAUSE if request.probe else b""
        if can_paste(request) and _EXPANDS.search(request.text) is None:
            return Typed(pause + PASTE + data + PASTE_END, by_editor=True)
        return Typed(pause + FILE, {"x": data}, by_editor=True)
