"""Which of two ways a command takes into a shell: its own editor, or the trigger.

The editor runs the text as a person would have it run. The trigger, a line of ours that evaluates the text, is for
shells without an editor that we know, and for everything that an editor must not get. It is for terminals at which the
kernel cannot be looked at, too: a text that removes the hook has no end mark in the editor, and no look would show it.
"""

from __future__ import annotations

import re
from typing import Final

from truetty.shells.complete import is_complete
from truetty.shells.row import Request, Row

_BLANK: Final = re.compile(r"(?:[ \t]*(?:#[^\n]*)?(?:\n|$))*")


def by_editor(row: Row, request: Request) -> bool:
    """Whether the shell's editor takes the text."""
    editor, text = row.editor, request.text
    return (
        editor is not None
        and request.at_editor  # its P came, so that it draws its prompt and shows C on our terminal
        and _BLANK.fullmatch(text) is None  # otherwise nothing would begin, and no C would come
        and editor.takes(request)
        # Otherwise the shell would wait for the rest, or run the second line after Ctrl-C has ended the first.
        and (editor.refuses_unfinished or is_complete(text, several=editor.takes_several))
    )
