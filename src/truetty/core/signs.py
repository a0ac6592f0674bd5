"""What a terminal's byte stream says, as values. No behaviour lives here.

Ordinary output is no sign: it is the bytes between signs. Every sign carries the absolute
offsets `[start, end)` of its sequence in the stream, so that nothing has to be copied or cut to be found again.

They are named tuples: several are made for each command, and a frozen dataclass takes longer to make.
"""

from __future__ import annotations

from typing import Literal, NamedTuple


class Mark(NamedTuple):
    """A mark of our own (OSC 7717). Whether its secret is right is for the command to say."""

    start: int
    end: int
    # C start, D end, P prompt, H answer to a question of ours, M about to start, R refused, J a message, 2 continuation
    letter: str
    secret: str
    code: int | None = None
    flags: str = ""
    next: str = ""  # the secret of the shell's next line; empty where the shell draws none
    next_at: int = 0  # where in the stream it lies
    commands: int | None = None  # how many the shell has read so far
    options: str = ""  # what the shell says of its editor, in its own words


class Hint(NamedTuple):
    """A foreign mark (OSC 133, 633, 7, 3008). Every program can print one: it proves nothing."""

    start: int
    end: int
    protocol: Literal["133", "633", "7", "3008"]
    letter: str  # A B C D E P of 133 and 633; "start" or "end" of 3008; "" for 7
    code: int | None = None


class Mode(NamedTuple):
    """A private mode that changes a decision was switched."""

    start: int
    end: int
    name: Literal["application-keys", "alternate-screen", "bracketed-paste", "synchronized-output"]
    on: bool


class Query(NamedTuple):
    """The program asked the terminal something, and may wait for the answer."""

    start: int
    end: int
    name: str  # of `core/queries.py`


Sign = Mark | Hint | Mode | Query
