"""`truetty explain`: how the outcome of the last `truetty run` is known.

Rule: what is kept of a run has neither its command nor its output in it, since both may hold secrets.
"""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Final

from truetty import Misuse, files
from truetty.cli.style import WIDEST, has_colours, styled, terminal_width, wrapped
from truetty.core import lazy

FILE: Final = "last-run"
LARGEST: Final = 1 << 20
ADVICE: Final = "remove it"
_HEADING: Final = lazy.pattern(r"^(Evidence|Exit code|What was seen|Note):")
_TIME: Final = lazy.pattern(r"^ +[\d.]+ s  ")  # before an event; what follows is wrapped behind it


def explain(last: bool) -> int:
    try:
        text = files.read_secret(_path(), LARGEST, ADVICE).decode(errors="replace")
    except FileNotFoundError:
        raise Misuse("nothing is known of a last run: truetty run keeps it") from None
    width, colours = min(terminal_width(), WIDEST), has_colours(sys.stdout)
    for line in text.splitlines():
        time = line[: len(line) - len(_TIME.sub("", line))]
        page = "\n".join(wrapped(line.removeprefix(time), width, time, " " * len(time)))
        print(_HEADING.sub(lambda found: styled(found[0], "bold", on=colours), page))
    return 0


def keep(text: str) -> None:
    """What `Command.explain` says, of the last run alone. Where it cannot be written, nothing is kept."""
    with contextlib.suppress(OSError, ValueError):
        path = _path()
        files.make_folder(os.path.dirname(path))
        with files.replacement(path) as new, open(files.create(new), "w", encoding="utf-8", errors="replace") as file:
            file.write(f"{text}\n")


def _path() -> str:
    return os.path.join(files.user_folder("XDG_STATE_HOME", os.environ), "truetty", FILE)
