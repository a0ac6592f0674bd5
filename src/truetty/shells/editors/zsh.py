"""zsh: one key of ours takes the text, by paste or from a private file, and runs it (`scripts/hook.zsh`).

Rule 1: C is printed by the first function of preexec, D by PROMPT_EOL_MARK, P by the first function of precmd.
Rule 2: P tells what the way of a text depends on, and whether hooks of the user's run after it (`Told`).
"""

from __future__ import annotations

import re
from typing import Final

from truetty.core import lazy
from truetty.shells.editors.keys import FILE, PASTE, PASTE_END, PAUSE
from truetty.shells.editors.text import LONGEST_TEXT, can_paste
from truetty.shells.row import Editor, Request, Typed
from truetty.shells.writing import encode

_EXPANDS: Final = lazy.pattern(r"!|^\^")
_COMMENT: Final = lazy.pattern(r"(?:^|[\s;&|()])#", re.MULTILINE)


class Told:
    """What P has told of the shell, in this order."""

    def __init__(self, options: str) -> None:
        fields = [*options.split(":"), *[""] * 8]
        self.edits, self.comments, kind, self.corrects, expands, self.pastes, prompt, hooks = fields[:8]
        # Behind P comes the editor alone: neither a hook of the user's nor a command in the prompt.
        self.is_last = prompt == "off" and not hooks
        self.can_end = "readonly" not in kind  # PROMPT_EOL_MARK, which prints D
        self.is_usual = expands.removesuffix("r") == "!^#"  # the characters of history expansion and of comments
        self.is_fixed = expands.endswith("r")  # histchars is read-only: no others can stand in their place


class ZshEditor(Editor):
    loses_interrupt = True

    def is_off(self, options: str) -> bool:
        return options.startswith("off")

    def announces(self, options: str) -> bool:
        told = Told(options)
        return told.edits == "on" and told.pastes == "1"

    def follows(self, options: str) -> bool:
        return self.announces(options) and Told(options).is_last

    def takes(self, request: Request) -> bool:
        told = Told(request.options)
        reads = told.comments == "on" or _COMMENT.search(request.text) is None
        asks = "on" in told.corrects  # before the text runs, and so before C
        stays = not told.is_fixed or _stays(request.text, told)
        return (
            told.edits == "on" and reads and not asks and stays and told.can_end and len(request.text) <= LONGEST_TEXT
        )

    def keys(self, request: Request) -> Typed:
        data, pause = encode(request.text), PAUSE if request.probe else b""
        if can_paste(request) and _stays(request.text, Told(request.options)):
            return Typed(pause + PASTE + data + PASTE_END, by_editor=True)
        return Typed(pause + FILE, {"x": data}, by_editor=True)


def _stays(text: str, told: Told) -> bool:
    """Whether history expansion leaves it as it is."""
    return told.is_usual and _EXPANDS.search(text) is None
