"""What decides, in more than one editor, how a text goes in."""

from __future__ import annotations

from typing import Final

from truetty.core import lazy
from truetty.shells.row import Request
from truetty.shells.writing import encode

# Beyond this a file costs the shell less than typed characters.
LONGEST_PASTE: Final = 96
# Of a longer text an editor draws thousands of rows, and takes longer than the trigger.
LONGEST_TEXT: Final = 16_384
_CONTROL: Final = lazy.pattern(r"[\x00-\x1f\x7f-\x9f]")


def can_paste(request: Request) -> bool:
    """Whether neither the editor nor the tty would take any of it for a key.

    Of a paste another process may read the first bytes. The editor would run the rest. Of a key it runs nothing then.
    """
    data = encode(request.text)
    if request.shared or len(data) > LONGEST_PASTE or _CONTROL.search(request.text) is not None:
        return False
    return frozenset(request.special).isdisjoint(data)
