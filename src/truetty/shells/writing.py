"""What recipes write: quoted words, marks for a `printf`, lines with their Enter, scripts of `scripts/` filled in.

Rule 1: a user's text is encoded once, byte for byte, and quoted; it is never rewritten.
Rule 2: marks are written with octal escapes where a `printf` expands them, and as raw bytes where nothing would.
"""

from __future__ import annotations

import hashlib
import os
from functools import cache

from truetty.core import lazy, marks
from truetty.shells.row import Request

QUIET = ">/dev/null 2>&1"


def printf_mark(letter: str, *fields: str) -> str:
    """A mark for a `printf` format, with `\\033` and `\\007`."""
    return marks.text(letter, *fields, escape=r"\033", bell=r"\007")


def draw_key() -> str:
    """The first secret of a shell's lines: a number, for bash draws the next ones by arithmetic."""
    return draw_number()


def draw_number() -> str:
    """Of 62 bits: shells count with 63."""
    return str(int.from_bytes(os.urandom(8), "big") >> 2)


def own_name(key: str) -> str:
    """What begins every name of ours in a shell: variables, functions. It differs in each terminal.

    The key is a secret and the name is not, so the key cannot be found from it.
    """
    return f"_tt_{hashlib.sha256(key.encode()).hexdigest()[:7]}"


def encode(text: str) -> bytes:
    """The user's bytes: what could not be decoded comes back as it was."""
    return text.encode("utf-8", "surrogateescape")


def quote(text: str) -> str:
    """One word for any shell of the Bourne family."""
    return "'" + text.replace("'", "'\\''") + "'"


def pause_before_text(request: Request, printf: str, read: str, otherwise: str = "") -> str:
    """For the Bourne family: print M by `printf` (or else by `otherwise`), then read one line from the tty.

    That line comes as soon as M was seen and the tty's modes were put right. Where M could not be printed, nothing
    would ever be sent, so nothing is read.
    """
    if not request.probe:
        return ""
    mark = f"'{printf_mark('M', request.start)}' >/dev/tty"
    announce = f"{{ {printf} {mark}||{otherwise} {mark};}}" if otherwise else f"{printf} {mark}"
    return f"{{ {announce}&&{read} {request.name}t </dev/tty;}} {QUIET}||:\n"


_ERREXIT = lazy.pattern(r"\bset\s+(?:-\w*e|.*errexit)")


def end_inside(request: Request, end: str) -> str:
    """What comes behind the text if the evaluated text itself must print D by `end`; else nothing.

    Under `set -e` a text such as `[ -f x ] && y` does not end the shell, but an `eval` around it, which hands its
    status on, does. Elsewhere D stands behind the `eval`, where an unfinished here-document of the text cannot swallow
    it. Twice a newline: the text may end with a backslash.
    """
    inside = "e" in request.flags or _ERREXIT.search(request.text) is not None
    return f"\n\n{end}||:" if inside else ""


def source_env_file(dot: str, value: str | None) -> str:
    """Reads the file that ENV names, if it is there. `value` is expanded, as the shell itself would do it."""
    if not value:
        return ""
    word = '"' + value.replace('"', '\\"') + '"'
    return f"if [ -r {word} ];then {dot} {word}&&:;fi;"


def paste(line: str) -> bytes:
    """A line as a terminal would paste it, and Enter."""
    return b"\x1b[200~" + encode(line) + b"\x1b[201~\r"


def enter(line: str) -> bytes:
    """A line and its Enter. A line feed: it ends a line in every editor, and on a tty whose ICRNL was switched off."""
    return encode(line) + b"\n"


@cache
def _template(name: str) -> str:
    with open(os.path.join(os.path.dirname(__file__), "scripts", name), encoding="utf-8") as file:
        return file.read()


def script(file: str, /, **places: str) -> str:
    """A script of `scripts/` with its `@PLACES@` filled in."""
    text = _template(file)
    for place, value in places.items():
        text = text.replace(f"@{place.upper()}@", value)
    return text
