"""Exit codes, read for people: which signal, whether there is a core dump, what 126 and 127 mean.

Rule 1: 128+n is a signal only if the kernel said so (of the shell itself), or the shell (by ksh93's 256+n, or by the
        line it prints: "Killed"), or if truetty sent it. A program may also exit with 137.
Rule 2: what is not certain is said as such, and `signal` stays None.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Set
from typing import Final, NamedTuple

from truetty.core import lazy
from truetty.core.life import Ending
from truetty.host.base import Ended
from truetty.shells import table
from truetty.shells.row import Row

_DUMPED: Final = lazy.pattern(r" ?\(core ?dump(?:ed)?\)$")
_JOB: Final = lazy.pattern(r"^\S+: (?:\S+: )?(?:line \d+: +)?\d+:? +")  # how a shell names the job in its message
_MISSING: Final = lazy.pattern(r"not found|Unknown command|No such file", re.IGNORECASE)
_REFUSED: Final = lazy.pattern(
    r"permission denied|is a directory|cannot execute|can't execute|not an executable|format error", re.I
)
_STOPS: Final = frozenset({signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU})


class ExitMeaning(NamedTuple):
    signal: int | None
    notes: tuple[str, ...] = ()


def of_shell(ended: Ended | None) -> int | None:
    """128+n where the kernel says that signal n ended it; None while it lives, and where its end was not seen."""
    if ended is None:
        return None
    return 128 + ended.signal if ended.signal is not None else ended.code


def of_command(ending: Ending | None, shell: Row) -> tuple[int | None, int | None]:
    """The exit code and the signal it stands for, as far as kernel or shell have named one."""
    if ending is None:
        return None, None
    code, number = ending.code, ending.signal
    if number is None and code is not None:
        number = shell.signal_of(code)
    return (code, None) if number is None else (128 + number, number)


def read(code: int | None, number: int | None, last_line: str, sent: Set[int], *, stopped: bool = False) -> ExitMeaning:
    """`number`: the signal, if kernel or shell named one; `last_line` of the output; `sent`: the signals we sent.

    `stopped`: a job is stopped. Then 128+n of a signal that stops is explained, and no signal has ended anything.
    """
    named, dumped = _signal_in(last_line)
    if number is None and code is not None and code > 128 and code - 128 in {named, *sent}:
        number = code - 128
    if number is not None:
        return ExitMeaning(number, (f"{name(number)} left a core dump",) if dumped and named == number else ())
    match code:
        case 126 if _REFUSED.search(last_line):
            return ExitMeaning(None, ("126: the command was found, but could not be executed",))
        case 127 if _MISSING.search(last_line):
            return ExitMeaning(None, ("127: there is no such command",))
        case int() if stopped and code - 128 in _STOPS:
            return ExitMeaning(None)
        case int() if code > 128 and (meant := _known(code - 128)):
            note = f"{code} may stand for {meant}, or be the command's own: nothing told of a signal"
            return ExitMeaning(None, (note,))
    return ExitMeaning(None)


def name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal has no name of its own
        return f"SIGRTMIN+{number - signal.SIGRTMIN}"


def describe(number: int) -> str:
    try:
        return (signal.strsignal(number) or "unknown").partition(":")[0]
    except ValueError:
        return "unknown"


def _known(number: int) -> str | None:
    try:
        return signal.Signals(number).name
    except ValueError:
        return None


def _signal_in(line: str) -> tuple[int | None, bool]:
    """The signal that the shell's own last line names, and whether it says that there is a core dump.

    A shell begins no line for that: `Downloading 45%` becomes `Downloading 45%Killed`, and Ctrl-\\ shows `^\\Quit`.
    """
    line = line.strip()
    words = _DUMPED.sub("", line)
    dumped = words != line
    words = _JOB.sub("", words).strip()
    if words not in _WORDS:
        ends = [word for word in _WORDS if words.endswith(word) and not words[: -len(word)].endswith((" ", "\t"))]
        words = max(ends, key=len, default="")
    return _WORDS.get(words), dumped


_WORDS: Final = {
    **{describe(number): int(number) for number in signal.Signals},
    **{word: int(number) for row in table.ROWS for word, number in row.signal_words.items()},
}
