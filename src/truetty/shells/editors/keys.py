"""Keys that no keyboard has. The shells' hooks bind them (`scripts/`), each to one thing."""

from __future__ import annotations

from typing import Final

CLEAR: Final = b"\x1b[7717~"  # throw away what stands at the prompt
PASTE: Final = b"\x1b[7718~"  # what follows is text, up to the end of a paste
ENTER: Final = b"\x1b[7719~"  # run what stands at the prompt
FILE: Final = b"\x1b[7720~"  # run what lies in the private file `x`
PASTE_END: Final = b"\x1b[201~"  # as a terminal says it
PAUSE: Final = b"\x1b[7721~"  # before the next text runs, read a line from the terminal (mark M)
