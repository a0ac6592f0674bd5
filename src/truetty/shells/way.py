"""Which of two ways a command takes into a shell: its own editor, or the trigger.

The editor runs the text as a person would have it run. The trigger, a line of ours that evaluates the text, is for
shells without an editor that we know, and for everything that an editor must not get. It is for terminals at which the
kernel cannot be looked at, too: a text that removes the hook has no end mark in the editor, and no look would show it.
"""

from __future__ import annotations

from typing import Final

from truetty.core import lazy
from truetty.shells.complete import is_complete
from truetty.shells.row import Editor, Request, Row

_BLANK: Final = lazy.pattern(r"(?:[ \t]*(?:#[^\n]*)?(?:\n|$))*")


def editor_for(row: Row, request: Request) -> Editor | None:
    """The shell's editor, if it takes the text."""
    editor, text = row.editor, request.text
    if editor is None or not request.at_editor:
        return None
    if _BLANK.fullmatch(text) is not None:  # nothing would begin, and no C would come
        return None
    # Otherwise the shell would wait for the rest, or run the second line after Ctrl-C has ended the first.
    whole = editor.refuses_unfinished or is_complete(text, several=editor.takes_several)
    return editor if whole and editor.takes(request) else None
