"""bash 5.1 and later: the text is pasted into readline, and Enter is a key of ours; or one key puts it there from a
private file and runs it.

Rule 1: a paste runs no code of the shell, so `$?`, `$_` and PIPESTATUS reach the text as they were. A file is read by
        `bind -x`, which restores them.
Rule 2: C is in PS0, D is printed by the first element of PROMPT_COMMAND, P is in PS1 (`scripts/editor.bash`).
Rule 3: a newline is never pasted: where our keys are unknown, it would be Enter.
"""

from __future__ import annotations

from typing import Final

from truetty.core import lazy
from truetty.core.signs import Mark
from truetty.shells.editors.keys import ENTER, FILE, PASTE, PASTE_END
from truetty.shells.editors.text import LONGEST_TEXT, can_paste
from truetty.shells.row import Editor, Request, Typed
from truetty.shells.writing import encode, quote

_EDITS: Final = lazy.pattern(r"(?:^|:)(?:emacs|vi)(?::|$)")
# `!` before a blank, `=` or the end is never expanded.
_EXPANDS: Final = lazy.pattern(r"!(?![\s=]|$)|^\^")
_ANY_EXPANSION: Final = "histchars"  # among the options: characters of the user's own expand
_COMMENTS: Final = "interactive-comments"
# `set -v` would show the source of D, between the text's output and D.
_VERBOSE: Final = lazy.pattern(r"\bset\b[^\n;|&]*(?:-\w*v|verbose)")
# The next prompt switches history expansion on again that was off for a text with `!`.
_SETS_EXPANSION: Final = lazy.pattern(r"\bset\b[^\n;|&]*(?:[-+]\w*H|histexpand)")


class BashEditor(Editor):
    takes_several = False

    def is_off(self, options: str) -> bool:
        return options != "" and _EDITS.search(options) is None

    def tells_end(self, mark: Mark) -> bool:
        """Not if a hook stands before ours in its element of PROMPT_COMMAND: the code is that hook's."""
        own, _, first = mark.options.partition(":")
        return own == first

    def is_empty(self, mark: Mark, count: int | None, *, printed: bool) -> bool:
        """Where bash cannot read the file (`enable -n .`), our Enter accepts an empty line.

        A text with a syntax error is not counted either. There bash prints what is wrong, and the code is 2.
        """
        return mark.commands == count and (mark.code == 0 or not printed)

    def takes(self, request: Request) -> bool:
        edits = _EDITS.search(request.options) is not None
        shows_source = "v" in request.flags or _VERBOSE.search(request.text) is not None
        reads = _COMMENTS in request.options or "#" not in request.text
        sets_expansion = "!" in request.text and _SETS_EXPANSION.search(request.text) is not None
        return edits and reads and not shows_source and not sets_expansion and len(request.text) <= LONGEST_TEXT

    def keys(self, request: Request) -> Typed:
        text = request.text
        own_characters = _ANY_EXPANSION in request.options
        if can_paste(request) and not request.probe and not own_characters and _EXPANDS.search(text) is None:
            return Typed(PASTE + encode(text) + PASTE_END + ENTER, by_editor=True)
        content = f"READLINE_LINE={quote(text)}\n"
        if "!" in text or text.startswith("^") or own_characters:
            content += f"[[ $- != *H* ]]||{{ \\builtin set +H;{request.name}[5]=1;}}\n"
        if request.probe:
            content += f"{request.name}[6]=8\n"
        # Emptied by the shell that has read it: a second key finds nothing. In a sandbox it is read-only.
        content += f"\\builtin : >|{request.folder}/x||\\builtin :\n"
        return Typed(FILE, {"x": encode(content)}, by_editor=True)
