"""One command's life, from asked to ended.

    QUEUED ──PROMPT, BACK──▸ SENT ──START──▸ RUNNING ──END, PROMPT,─▸ ENDED
            UNSEEN            │                 │      UNSEEN           ▴
                              ├──────BACK───────┼──▸ ASKING ──ANSWER, ──┤
                              │                 │          BACK, LATE   │
                              └──────LOST───────┴───────────────────────┤
    any ──the shell or its holder is gone──────────────────────────────┘

    SENT ──END, PROMPT──▸ ENDED  the editor's D without C: a syntax error
    SENT ──REFUSED, UNTYPED──▸ QUEUED  then the trigger is typed; EMPTY: at the next P

`waiting` is no state of its own: whatever state a command is in, a program may be reading the keyboard.

The facts, and what it takes for each to count:

    START   our C mark with this command's first secret; by the editor both are the secret of the shell's line
    END     our D mark with this command's second secret, while the shell alone holds the terminal; while some
            other process is in front, it is only a claim and becomes END with the next proof that the shell is back
    PROMPT  our P mark, after START, and one look that shows the shell at its primary prompt
    UNSEEN  our P mark, after START, while the shell's own group is in front (or which is in front is unknown), where no
            look can ever show a prompt: evidence `prompt`, which is weaker than `mark`
    BACK    two looks that show it there, with no byte between them, and everything typed consumed; of a shell whose
            prompt was never learnt, three; with bytes of a background job between every two, eight
    REFUSED our R mark with this command's secret: the shell's editor has run nothing of the text
    EMPTY   our D mark with this command's secret before its C, of a line in which the shell has run nothing
    UNTYPED BACK or LOST before START, where the process before this one was killed before it noted that it had typed:
            what the shell has read or printed since was its own prompt
    ANSWER  our H mark with the secret of the question
    READS   one conclusive look at a process blocked on the keyboard, or three equal suggestive ones, or a second of
            looks at one that only polls it; of a process that listens to other things too, only beside an unfinished
            line or on the alternate screen
    LATE    the question found no answer in time: the end is known already, only its exit code is not
    LOST    looks over 3 s that show the shell waiting for input, nothing unread, and not all read that was typed
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from truetty.core.outcome import Evidence
from truetty.core.standing import Standing


class State(Enum):
    __hash__ = object.__hash__  # Enum's own is written in Python, and each fact is looked up by two of these

    QUEUED = auto()
    SENT = auto()
    RUNNING = auto()
    ASKING = auto()
    ENDED = auto()


class Fact(Enum):
    __hash__ = object.__hash__

    START = auto()
    END = auto()
    PROMPT = auto()
    UNSEEN = auto()
    BACK = auto()
    ANSWER = auto()
    REFUSED = auto()
    UNTYPED = auto()
    EMPTY = auto()
    LATE = auto()
    LOST = auto()


# A pair that is not here changes nothing: a second D, a P before C, an answer to no question.
NEXT: Final[dict[tuple[State, Fact], State]] = {
    (State.QUEUED, Fact.PROMPT): State.SENT,
    (State.QUEUED, Fact.UNSEEN): State.SENT,
    (State.QUEUED, Fact.BACK): State.SENT,
    (State.SENT, Fact.START): State.RUNNING,
    (State.SENT, Fact.END): State.ENDED,
    (State.SENT, Fact.PROMPT): State.ENDED,
    (State.SENT, Fact.REFUSED): State.QUEUED,
    (State.SENT, Fact.UNTYPED): State.QUEUED,
    (State.SENT, Fact.EMPTY): State.QUEUED,
    (State.SENT, Fact.BACK): State.ASKING,
    (State.SENT, Fact.LOST): State.ENDED,
    (State.RUNNING, Fact.START): State.RUNNING,
    (State.RUNNING, Fact.END): State.ENDED,
    (State.RUNNING, Fact.PROMPT): State.ENDED,
    (State.RUNNING, Fact.UNSEEN): State.ENDED,
    (State.RUNNING, Fact.BACK): State.ASKING,
    (State.RUNNING, Fact.LOST): State.ENDED,
    (State.ASKING, Fact.ANSWER): State.ENDED,
    (State.ASKING, Fact.BACK): State.ENDED,
    (State.ASKING, Fact.LATE): State.ENDED,
}


class Want(Enum):
    """What the machine would have its owner do. It never does anything itself."""

    LOOK = auto()  # make one observation
    SEND = auto()  # the prompt is free: type the trigger
    ASK = auto()  # type the line that fetches `$?` and heals
    RELEASE = auto()  # the shell pauses for us, and could not say so or was robbed of our answer: let it go on
    STOP = auto()  # the command's time is over: end it
    CANCEL = auto()  # the shell asks for the rest of a text that it has got whole


@dataclass(frozen=True, slots=True)
class Ending:
    """How, on what evidence, and where in the stream the command ended."""

    evidence: Evidence | None  # None: the terminal vanished unseen
    code: int | None
    signal: int | None
    at: int | None  # offset of the mark that ended it; None when no mark did
    proven: bool  # False: the prompt came back or the shell ended, and nothing showed that the text had run
    time: float
    at_prompt: bool = True  # False: its D came, and the shell is still on its way to its prompt
    lost: bool = False  # another program has read the line that was to run it

    def standing(self) -> Standing:
        """For the next process."""
        return {name: getattr(self, name) for name in self.__slots__}
