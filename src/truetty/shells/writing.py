"""How our words are written in shell scripts: marks, quotes, and the scripts that lie in `scripts/`.

Rule 1: a user's text is encoded once, byte for byte, and quoted; it is never rewritten.
Rule 2: marks are written with octal escapes where a `printf` expands them, and as raw bytes where nothing would.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from truetty.core import marks
from truetty.shells.row import Request

QUIET = ">/dev/null 2>&1"
# A key that no keyboard has: hook.bash and hook.fish bind it to "throw away what stands at the prompt".
CLEAR_KEY = b"\x1b[7717~"


def escaped_mark(letter: str, *fields: str) -> str:
    """A mark for a `printf` format, with `\\033` and `\\007`."""
    return marks.text(letter, *fields, escape=r"\033", bell=r"\007")


def encoded(text: str) -> bytes:
    """The user's bytes: what could not be decoded comes back as it was."""
    return text.encode("utf-8", "surrogateescape")


def quoted(text: str) -> str:
    """One word for any shell of the Bourne family."""
    return "'" + text.replace("'", "'\\''") + "'"


def before_text(request: Request, printf: str, read: str, otherwise: str = "") -> str:
    """For the Bourne family, what comes before C: the stop at which the tty's modes are looked at."""
    if not request.probe:
        return ""
    stop = f"'{escaped_mark('M', request.start)}' >/dev/tty"
    told = f"{{ {printf} {stop}||{otherwise} {stop};}}" if otherwise else f"{printf} {stop}"
    return f"{{ {told}&&{read} _tt </dev/tty;}} {QUIET}||:\n"  # nobody would end a stop that was not told


_ERREXIT = re.compile(r"\bset\s+(?:-\w*e|.*errexit)")


def ends_inside(request: Request) -> bool:
    """Whether the end mark belongs into the evaluated text: under `set -e` a text such as `[ -f x ] && y` would not end
    the shell, but the `eval` that hands its status on would. Otherwise it stays outside, where nothing can swallow it.
    """
    return "e" in request.flags or _ERREXIT.search(request.text) is not None


def pasted(line: str) -> bytes:
    """A line as a terminal would paste it, and Enter."""
    return b"\x1b[200~" + encoded(line) + b"\x1b[201~\r"


def entered(line: str) -> bytes:
    """A line and its Enter. A line feed: it ends a line in every editor, and on a tty whose ICRNL was switched off."""
    return encoded(line) + b"\n"


@cache
def _template(name: str) -> str:
    return Path(__file__).with_name("scripts").joinpath(name).read_text(encoding="utf-8")


def script(name: str, **places: str) -> str:
    """A script of `scripts/` with its `@PLACES@` filled in."""
    text = _template(name)
    for place, value in places.items():
        text = text.replace(f"@{place.upper()}@", value)
    return text
