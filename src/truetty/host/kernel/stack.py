"""The path on which a blocked program was reached: the outermost return addresses on its stack.

Rule 1: on aarch64 the path is exact. Code keeps frame records there: two words, the place of the caller's record and a
        return address. They are followed from the stack pointer outwards, to the outermost, which holds zero.
Rule 2: elsewhere, and where a program was built without records (busybox), every word is a candidate. A word counts if
        it lies in the program's text behind a call. Some are left over from earlier calls, and some were overwritten.
Rule 3: two paths part where one place holds different return addresses in each. A call that only one of them has was
        left over. On aarch64 only records are compared so, by their number: a function saves its return address at the
        far end of its own frame there, so the addresses of two calls from one place lie at different words.
"""

from __future__ import annotations

import array
import contextlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

from truetty.host.kernel import proc

_MACHINE: Final = os.uname().machine
_DEEPEST: Final = 1 << 17  # eight times the deepest prompt seen (ksh93 in vi mode: 0x7bd0)
# Further in, much of what lies on the stack is left over from earlier calls: after its rc files, bash kept only 41 % of
# all addresses from one prompt to the next, but every one of the outermost six, where the main loop called for a line
# to be read or for a command to be run.
_OUTERMOST: Final = 6
_FEWEST: Final = 3  # less is no path: a program whose text lies in libraries
# The innermost record lies above the arguments of the call: at most 0x40 was seen (`pselect6`).
_FIRST_RECORD: Final = 0x400
_RECORD: Final = 16
_ADDRESS: Final = (1 << 48) - 1  # above it a processor may keep the signature of a return address


class Stack(NamedTuple):
    """The stack of one blocked thread, as read at one moment."""

    machine: str  # as `uname -m` names it
    code: int  # where the program's text begins
    code_end: int
    pointer: int
    memory: bytes  # from the pointer to where the stack began
    follows_call: Callable[[int], bool]  # whether a call of the program returns to this address


@dataclass(frozen=True, slots=True)
class CallPath:
    """Calls in progress, the outermost first: where each return address was found, and its place in the text."""

    calls: tuple[tuple[int, int], ...] = ()
    exact: bool = False  # by frame records: nothing is left over, nothing is missing

    def __len__(self) -> int:
        return len(self.calls)

    def shared(self, other: CallPath) -> int:
        """How many calls both have."""
        return len(set(self.calls) & set(other.calls))

    def staying(self, other: CallPath) -> CallPath:
        """What both have. If that is too little to be a path, the other."""
        both = tuple(call for call in self.calls if call in other.calls)
        return CallPath(both, self.exact) if len(both) >= _FEWEST else other

    def sides_with(self, one: CallPath, other: CallPath) -> bool:
        """Whether it goes on as `one` does, at the outermost place where the two part.

        Calls that were left over may be shared by chance, so their number decides only where no such place does.
        """
        mine, others = dict(self.calls), dict(other.calls)
        for at, place in one.calls:
            if others.get(at, place) != place and mine.get(at) in (place, others[at]):
                return mine[at] == place
        return one.shared(self) > other.shared(self)

    def follows(self, one: CallPath, other: CallPath) -> bool:
        """Whether it has the call of `one` at the outermost place where the two part."""
        others = dict(other.calls)
        fork = next((call for call in one.calls if others.get(call[0], call[1]) != call[1]), None)
        return fork is not None and fork in self.calls

    def behind(self, other: CallPath) -> CallPath:
        """Its calls from the outermost place where the two part; all of them where they do not."""
        places = dict(other.calls)
        first = next((n for n, (at, place) in enumerate(self.calls) if places.get(at, place) != place), 0)
        return CallPath(self.calls[first:], self.exact)

    def parts_from(self, other: CallPath) -> bool:
        """Whether one place holds the return addresses of two different calls. What only one of them has was left over.

        By words that is the place where a caller's frame ends; by records, the number of the call.
        """
        places = dict(other.calls)
        return any(places.get(at, place) != place for at, place in self.calls)


def path_of(of: proc.Stat, pointer: int, returns: dict[int, bool] | None = None) -> CallPath:
    """Of a process that is blocked with this stack pointer; empty when it cannot be had.

    `returns`: addresses that were looked at before in the same image, and whether a call returns there.
    """
    depth = of.stack - pointer
    if not 0 < depth <= _DEEPEST:
        return CallPath()
    answers: dict[int, bool] = {} if returns is None else returns
    try:
        with proc.Memory(of.pid) as memory:

            def follows_call(address: int) -> bool:
                if address not in answers:
                    with contextlib.suppress(OSError):  # at the very beginning of the text nothing can be read
                        answers[address] = is_behind_call(_MACHINE, memory.read(address - 7, 7))
                return answers.get(address, False)

            data = memory.read(pointer, depth)
            if len(data) < depth:
                return CallPath()
            return path_on(Stack(_MACHINE, of.code, of.code_end, pointer, data, follows_call))
    except OSError:
        return CallPath()


def path_on(stack: Stack) -> CallPath:
    if stack.machine == "aarch64" and (chain := _chain(stack)):
        return CallPath(tuple(enumerate(reversed(chain[-_OUTERMOST:]), 1)), exact=True)
    words = array.array("Q")
    words.frombytes(stack.memory[len(stack.memory) & 7 :])
    calls: list[tuple[int, int]] = []
    for at, word in enumerate(reversed(words), 1):
        if stack.code <= word < stack.code_end and stack.follows_call(word):
            calls.append((at, word - stack.code))
            if len(calls) == _OUTERMOST:
                break
    return CallPath(tuple(calls)) if len(calls) >= _FEWEST else CallPath()


def _chain(stack: Stack) -> list[int]:
    """Return addresses within the program's text, the innermost first; empty if no record leads to the outermost."""
    for start in range(0, min(_FIRST_RECORD, len(stack.memory)), _RECORD):
        at, chain = start, list[int]()
        while at + _RECORD <= len(stack.memory):
            outer = int.from_bytes(stack.memory[at : at + 8], "little")
            place = int.from_bytes(stack.memory[at + 8 : at + _RECORD], "little") & _ADDRESS
            if stack.code <= place < stack.code_end:
                chain.append(place - stack.code)
            if outer == 0:
                if len(chain) >= _FEWEST:
                    return chain
                break
            if outer % _RECORD or outer - stack.pointer <= at:
                break  # no record: records are aligned, and each caller's lies further out
            at = outer - stack.pointer
    return []


def is_behind_call(machine: str, text: bytes) -> bool:
    """Whether these seven bytes of text end with a call: the stack also holds pointers to functions, which come and go.

    On a machine whose code is not known here, every address may be one.
    """
    if len(text) < 7:
        return False
    if machine == "x86_64":
        # call relative; call through memory or a register: FF /2, of two to seven bytes
        return text[2] == 0xE8 or any(text[-n] == 0xFF and text[1 - n] & 0x38 == 0x10 for n in (2, 3, 4, 6, 7))
    if machine == "aarch64":
        word = int.from_bytes(text[3:], "little")
        return word & 0xFC000000 == 0x94000000 or word & 0xFFFFFC1F == 0xD63F0000  # BL, BLR
    return True
