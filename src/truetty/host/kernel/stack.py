"""How the primary prompt of each shell looks to the kernel, learnt at prompts that a mark has confirmed.

A shell reads the tty at its prompt, at PS2 and in its `read` command. What tells them apart is where on its stack it
is blocked: the *depth*, from the stack's start to the stack pointer, is one constant for one build of a shell and one
editing mode, whatever the environment, the rc files, nesting or `exec`.

Rule 1: nothing is known beforehand. Depths belong to a build; they are learnt, and kept for all terminals by the
        identity of the program's file and the process's name (busybox and `sh` are several shells in one file).
Rule 2: a prompt must also have been reached on the same path: the outermost return addresses on the stack are compared.
        By depth alone, bash's `read -e` inside functions can fall on the prompt's place by chance.
Rule 3: the tty's modes prove little: `stty -echo` may have been left behind, and a job in the background may change
        them under the shell's editor. They are asked only where the path cannot be compared.
"""

from __future__ import annotations

import array
import os
import platform
import signal
from typing import Literal, NamedTuple

from truetty.host.kernel import proc
from truetty.host.kernel.calls import Block
from truetty.shells import table

Verdict = Literal[
    "prompt",
    "strange",  # nothing was ever learnt for this program
    "editor",  # it reads as it does at the prompt, but from another place: PS2, a search, or else `read` or vared
    "builtin",  # the same, and the path shows that a command has called for it: `read -e`
    "unlearnt",  # as shells do at prompts, but in an editing mode in which this one was never seen
    "other",  # it reads in another manner: its `read` command
]
Key = tuple[int, int, int, str]  # device, inode, mtime of the program's file, and the process's name
Path = frozenset[tuple[int, int]]  # which word from the start of the stack, which place in the program

_MACHINE = platform.machine()
_MOST_PROGRAMS = 256
_MOST_LOOKS = 8  # one for each editing mode; more would mean that something is learnt which is no constant
_DEEPEST = 1 << 17  # eight times the deepest prompt seen (ksh93 in vi mode: 0x7bd0)
# Further in, much of what lies on the stack is left over from earlier calls: after its rc files, bash kept only 41 % of
# all addresses from one prompt to the next, but every one of the outermost six, where the main loop called for a line
# to be read or for a command to be run. At prompts at least three stayed (fish with and without its configuration; six
# in seven other shells); in bash's `read -e`, on the very depth of the prompt, two. So: half of them.
_OUTERMOST = 6
_FEWEST = 3  # less is no path: a program whose text lies in libraries

# An interactive shell ignores the signals that would stop it; one that runs a script does not.
_INTERACTIVE = 1 << (signal.SIGTSTP - 1) | 1 << (signal.SIGTTOU - 1)


class Look(NamedTuple):
    """How a read looks."""

    call: str
    size: int
    depth: int
    editing: bool  # neither line mode nor echo: an editor of the shell's own is at work


def key_of(of: proc.Stat) -> Key | None:
    """Raises PermissionError; None when the process is gone."""
    try:
        found = os.stat(f"/proc/{of.pid}/exe")
    except (FileNotFoundError, ProcessLookupError):
        return None
    return (found.st_dev, found.st_ino, found.st_mtime_ns, of.name)


def look_of(of: proc.Stat, block: Block, editing: bool) -> Look | None:
    """None when the kernel does not say where the stack began."""
    if not of.stack or not block.stack:
        return None
    row = table.lookup(of.name)
    size = min(block.size, 2) if row is not None and row.varying_reads else block.size
    return Look(block.call, size, of.stack - block.stack, editing)


def path_of(of: proc.Stat, block: Block) -> Path:
    """The outermost return addresses on the stack, within the program's own text; empty when they cannot be had."""
    depth = of.stack - block.stack
    if not 0 < depth <= _DEEPEST:
        return frozenset()
    path: set[tuple[int, int]] = set()
    for at, word in enumerate(reversed(_stack_of(of, depth)), 1):
        if of.code <= word < of.code_end and _follows_call(of.pid, word):
            path.add((at, word - of.code))
            if len(path) == _OUTERMOST:
                break
    return frozenset(path) if len(path) >= _FEWEST else frozenset()


def _follows_call(pid: int, address: int) -> bool:
    """Whether a call returns to this address: the stack also holds pointers to functions, which come and go."""
    try:
        text = proc.read_memory(pid, address - 7, 7)
    except OSError:
        return False
    if _MACHINE == "x86_64":
        # call relative; call through memory or a register: FF /2, of two to seven bytes
        return text[2] == 0xE8 or any(text[-n] == 0xFF and text[1 - n] & 0x38 == 0x10 for n in (2, 3, 4, 6, 7))
    if _MACHINE == "aarch64":
        word = int.from_bytes(text[3:], "little")
        return word & 0xFC000000 == 0x94000000 or word & 0xFFFFFC1F == 0xD63F0000  # BL, BLR
    return True


def _stack_of(of: proc.Stat, size: int) -> array.array[int]:
    """The outermost words on the stack, the outermost last; empty when they cannot be had."""
    words = array.array("Q")
    try:
        memory = proc.read_memory(of.pid, of.stack - size, size)
    except OSError:
        return words
    if len(memory) == size:
        words.frombytes(memory[size & 7 :])
    return words


def is_interactive_shell(of: proc.Stat) -> bool:
    """Whether the program's file is called like a shell (`bash`, `ksh93`, `zsh-5.9`), and it is no script it runs."""
    try:
        program = os.path.basename(os.readlink(f"/proc/{of.pid}/exe")).removesuffix(" (deleted)")
    except OSError:
        return False
    return table.lookup(program) is not None and bool(proc.ignored_signals(of.pid) & _INTERACTIVE)


def resembles_prompt(of: proc.Stat, look: Look) -> bool:
    """For a shell of which nothing was learnt: whether it reads as shells do at prompts and seldom elsewhere."""
    if look.editing:
        return True
    row = table.lookup(of.name)
    # Its `read` asks for one byte or for `read_size`; every other read is a prompt's.
    return look.call == "read" and look.size > 1 and (row is None or look.size != row.read_size)


class Prompts:
    """What was learnt. One is shared by all observers of a process; it only grows, up to its bounds."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[Key, dict[Look, Path]] = {}

    def learn(self, key: Key, look: Look, path: Path) -> None:
        looks = self._known.pop(key, {})
        # What differs between two prompts was left over from something else: only what stays is the path.
        stays = looks.pop(look, path) & path
        looks[look] = stays if len(stays) >= _FEWEST else path
        while len(looks) > _MOST_LOOKS:
            del looks[next(iter(looks))]
        self._known[key] = looks
        while len(self._known) > _MOST_PROGRAMS:
            del self._known[next(iter(self._known))]

    def judge(self, key: Key, look: Look, of: proc.Stat) -> Verdict:
        looks = self._known.get(key)
        if not looks:
            return "strange"
        for known, path in looks.items():
            fits = path or known.editing == look.editing or not known.editing
            if fits and _same_place(known, look) and 2 * _strayed(path, of) <= len(path):
                return "prompt"
        alike = [path for known, path in looks.items() if _same_manner(known, look)]
        if alike:
            # Only an editor is ever lent to a command; whole lines are read by the shell for itself.
            # The bar is higher here, for it waits either way: zsh's vared keeps three addresses, its PS2 four.
            near = not look.editing or any(not path or 2 * _strayed(path, of) < len(path) for path in alike)
            return "editor" if near else "builtin"
        unseen = all(known.editing != look.editing for known in looks)
        return "unlearnt" if unseen and resembles_prompt(of, look) else "other"


def _same_place(known: Look, look: Look) -> bool:
    if known.depth != look.depth:
        return False
    if known.editing:
        # zsh polls instead of reading while it watches other descriptors, from the same place.
        return known.size == look.size or 0 in (known.size, look.size)
    return known.call == look.call and known.size == look.size


def _strayed(known: Path, of: proc.Stat) -> int:
    """How many addresses of the path are others now; 0 too when it cannot be told: then the place alone must do."""
    if not known:
        return 0
    words = _stack_of(of, 8 * max(at for at, _ in known))
    others = [words[-at] for at, place in known if words[-at] != of.code + place] if words else []
    # Where no return address is found instead, it is no other path, but something left over.
    elsewhere = any(of.code <= word < of.code_end and _follows_call(of.pid, word) for word in others)
    return len(others) if elsewhere else 0


def _same_manner(known: Look, look: Look) -> bool:
    if known.editing:
        return look.editing and known.call == look.call
    return known.call == look.call and known.size == look.size and look.size > 1
