"""What was seen of a terminal at one moment, as a value. `host/kernel` makes them.

A look at a reader is *conclusive* when the process cannot go on without input. It is *suggestive* when the process also
waits for something else, when we may not look closely, or when the prompt of its program was never learnt. One
suggestive look proves nothing; some that agree do (`reader_watch.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Seen = Literal[
    "exited",  # the shell is gone or a zombie
    "running",  # something runs, or the shell waits for something that is not our keyboard
    "ready",  # the shell itself is blocked reading our tty at its primary prompt
    "waiting",  # something is blocked reading our tty, and it is not the shell's primary prompt
    "stopped",  # the shell or every process of the foreground group is stopped
    "unknown",  # not permitted to know
]
ReadKind = Literal["line", "secret", "key", "continuation", "shell"]


@dataclass(frozen=True, slots=True)
class Observation:
    """What one look at the kernel has shown."""

    seen: Seen
    conclusive: bool = True  # False: suggestive
    kind: ReadKind | None = None  # of `waiting`; the kernel cannot tell whether a `key` reader is full-screen
    reader: int | None = None  # the pid that is blocked on our tty
    program: str | None = None  # its name
    wakes: int | None = None  # changes whenever that reader has run: proof that it has looked at its input since
    consumed: int | None = None  # bytes the shell has ever read (rchar), taken before everything else
    busy: bool = False  # some thread of the foreground was running on a CPU at that moment
    listens: bool = False  # the reader waits for other things too, and its modes do not show that it asks
    timed: bool = False  # the reader wakes by itself after a time, so that it may poll the keyboard
    pipe_to: str | None = None  # the program that reads what the reader has printed, through a pipe
    cpu: float | None = None  # seconds of CPU that the processes in front have used so far
    in_main_thread: bool = False  # the reader reads in its main thread, of which `wakes` is
    in_front: bool | None = None  # whether the shell's own group is, of a look that shows nothing else
    place: object = None  # where on its stack the shell waits for programs, if it does: an argument of `learn_hook`
    in_hook: bool = False  # that place was learnt: the programs are those of its prompt
    relay: Observation | None = None  # the look at the program that feeds the reader's terminal, if that is not ours
