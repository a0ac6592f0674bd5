"""How the primary prompt of each shell looks to the kernel, learnt at prompts that a mark has confirmed.

A shell reads the tty at its prompt, at PS2 and in its `read` command. What tells them apart is where on its stack it
is blocked: the *depth*, from the stack's start to the stack pointer, is one constant for one build of a shell and one
editing mode, whatever the environment, the rc files, nesting or `exec`.

Rule 1: nothing is known beforehand. Depths belong to a build; they are learnt, and kept for all terminals by the
        identity of the program's file and the process's name (busybox and `sh` are several shells in one file).
Rule 2: a prompt must also have been reached on the same path (`stack.py`). By depth alone, bash's `read -e` inside
        functions can fall on the prompt's place by chance.
Rule 3: the path on which a shell runs programs is learnt too, while one is in front. A read on that path was called
        for by a command (`read -e`, `vared`), a read that is not is the shell's own (its prompt, its PS2).
Rule 4: so is the path on which it runs the programs of its prompt, seen between the marks of an end and of a prompt.
        The shell's main loop calls for a hook elsewhere than for a command, so the two paths part.
Rule 5: the tty's modes prove little: `stty -echo` may have been left behind, and a job in the background may change
        them under the shell's editor. They are asked only where the path cannot be compared.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

from truetty.host.kernel import proc
from truetty.host.kernel.calls import Block
from truetty.host.kernel.stack import CallPath
from truetty.shells import table
from truetty.shells.row import Row

Verdict = Literal[
    "prompt",
    "never_seen_program",  # nothing was ever learnt for this program
    "editor_elsewhere",  # it reads as at the prompt, but from another place: PS2, a search, or else `read` or vared
    "editor_in_builtin",  # the same, and the path shows that a command has called for it: `read -e`
    "new_editing_mode",  # as shells do at prompts, but in an editing mode in which this one was never seen
    "plain_read",  # it reads in another manner: its `read` command
]
Paths = tuple[CallPath, ...]
NOWHERE: Final = CallPath()

_MOST_PROGRAMS = 256
_MOST_SHAPES = 8  # one for each editing mode; more would mean that something is learnt which is no constant
_MOST_WORKS = 4  # one is a program's; others come of hooks that run programs
_MOST_HOOKS = 8  # of PROMPT_COMMAND, of `$(…)` in PS1, of fish's own prompt

# An interactive shell ignores the signals that would stop it; one that runs a script does not.
_INTERACTIVE = 1 << (signal.SIGTSTP - 1) | 1 << (signal.SIGTTOU - 1)


class ProgramId(NamedTuple):
    """Which program a process runs: its file, and the name it goes by."""

    device: int
    inode: int
    mtime: int
    name: str


class Place(NamedTuple):
    """Where on its stack a shell waits for programs that it has started."""

    program: ProgramId
    path: CallPath


class ReadShape(NamedTuple):
    """How a read looks to the kernel."""

    call: str
    size: int
    depth: int
    editing: bool  # neither line mode nor echo: an editor of the shell's own is at work


def program_of(of: proc.Stat) -> ProgramId | None:
    """Raises PermissionError; None when the process is gone."""
    try:
        found = os.stat(f"/proc/{of.pid}/exe")
    except (FileNotFoundError, ProcessLookupError):
        return None
    return ProgramId(found.st_dev, found.st_ino, found.st_mtime_ns, of.name)


def shape_of(of: proc.Stat, block: Block, editing: bool) -> ReadShape | None:
    """None when the kernel does not say where the stack began."""
    if not of.stack or not block.stack:
        return None
    row = table.lookup(of.name)
    size = min(block.size, 2) if row is not None and row.varying_reads else block.size
    return ReadShape(block.call, size, of.stack - block.stack, editing)


def shell_of(of: proc.Stat) -> Row | None:
    """The shell after which the program's file is called (`bash`, `ksh93`, `zsh-5.9`)."""
    try:
        return table.lookup(os.readlink(f"/proc/{of.pid}/exe").removesuffix(" (deleted)"))
    except OSError:
        return None


def is_interactive_shell(of: proc.Stat) -> bool:
    """Whether it is a shell, and no script that one runs."""
    row = shell_of(of)
    if row is None or not proc.ignored_signals(of.pid) & _INTERACTIVE:
        return False
    return row.is_interactive is None or row.is_interactive(proc.arguments(of.pid))


def resembles_prompt(name: str, shape: ReadShape) -> bool:
    """For a shell of which nothing was learnt: whether it reads as shells do at prompts and seldom elsewhere."""
    if shape.editing:
        return True
    row = table.lookup(name)
    # Its `read` asks for one byte or for `read_size`; every other read is a prompt's.
    return shape.call == "read" and shape.size > 1 and (row is None or shape.size != row.read_size)


class Prompts:
    """What was learnt. One is shared by all observers of a process; it only grows, up to its bounds."""

    __slots__ = ("_hooks", "_known", "_works")

    def __init__(self) -> None:
        self._known: dict[ProgramId, dict[ReadShape, CallPath]] = {}
        self._works: dict[ProgramId, Paths] = {}  # on which each program was seen to wait for programs it had started
        self._hooks: dict[ProgramId, Paths] = {}  # the same, for programs of its prompt

    def learn(self, program: ProgramId, shape: ReadShape, path: CallPath) -> None:
        shapes = self._known.pop(program, {})
        # What differs between two prompts was left over from something else: only what stays is the path.
        shapes[shape] = shapes.pop(shape, path).staying(path)
        while len(shapes) > _MOST_SHAPES:
            del shapes[next(iter(shapes))]
        self._known[program] = shapes
        # A path that no longer parts from the prompt's was that of a program which the prompt itself had started.
        works = self._works.get(program, ())
        self._works[program] = tuple(work for work in works if _parts_from_all(work, shapes.values()))
        while len(self._known) > _MOST_PROGRAMS:
            oldest = next(iter(self._known))
            del self._known[oldest], self._works[oldest]
            self._hooks.pop(oldest, None)

    def learn_work(self, program: ProgramId, path: CallPath, prompt: CallPath = NOWHERE) -> None:
        """The shell waits for a program that it has started. What a prompt's hook starts lies on the prompt's path.

        `prompt`: the path of the same process at its prompt. What lies before the two part says nothing of work: zsh
        calls for its main loop at one of two places, the second after an error.
        """
        shapes, works = self._known.get(program), self._works.get(program, ())
        if not path or not shapes or (prompt and not path.parts_from(prompt)):
            return
        work = path.behind(prompt)
        if work not in works and _parts_from_all(work, shapes.values()):
            self._works[program] = (*works, work)[-_MOST_WORKS:]

    def learn_hook(self, program: ProgramId, path: CallPath) -> None:
        """The shell waits for a program of its prompt."""
        hooks = self._hooks.get(program, ())
        if program in self._known and path not in hooks:
            self._hooks[program] = (*hooks, path)[-_MOST_HOOKS:]

    def is_hook(self, program: ProgramId, path: CallPath) -> bool:
        """Whether the shell waits for programs where it was seen to wait for those of its prompt, and for no others."""
        hooks, works = self._hooks.get(program, ()), self._works.get(program, ())
        others = [work for work in works if all(work.shared(hook) < len(work) for hook in hooks)]
        if not all(path.parts_from(work) for work in others):
            return False
        # Where commands were seen to run, what is left over on the stack beside the path of a hook does not matter.
        return path in hooks or any(
            not path.parts_from(hook) and all(path.follows(hook, work) for work in others) for hook in hooks if others
        )

    def judge(self, program: ProgramId, shape: ReadShape, path: CallPath) -> Verdict:
        shapes = self._known.get(program)
        if not shapes:
            return "never_seen_program"
        works = self._works.get(program, ())
        for known, its in shapes.items():
            fits = its or known.editing == shape.editing or not known.editing
            if fits and _same_place(known, shape) and not _is_elsewhere(its, path, works):
                return "prompt"
        alike = [its for known, its in shapes.items() if _reads_alike(known, shape)]
        if alike:
            # Only an editor is ever lent to a command; whole lines are read by the shell for itself.
            lent = shape.editing and all(_is_lent(its, path, works) for its in alike)
            return "editor_in_builtin" if lent else "editor_elsewhere"
        unseen = all(known.editing != shape.editing for known in shapes)
        return "new_editing_mode" if unseen and resembles_prompt(program.name, shape) else "plain_read"


def _parts_from_all(work: CallPath, prompts: Iterable[CallPath]) -> bool:
    return all(work.parts_from(prompt) for prompt in prompts if prompt)


def _is_elsewhere(known: CallPath, path: CallPath, works: Paths) -> bool:
    """Whether a read from the prompt's place was reached otherwise. Where that is unknown, the place decides.

    At prompts at least three of six calls stayed (fish with and without its configuration; six in seven other shells);
    in bash's `read -e`, on the very depth of the prompt, two. So: more than half must be gone.
    """
    if not known or not path:
        return False
    return _is_at_work(known, path, works) or (known.parts_from(path) and 2 * known.shared(path) < len(known))


def _is_lent(known: CallPath, path: CallPath, works: Paths) -> bool:
    """Whether a command has called for the editor. Until a program was seen at work, only paths by words tell it.

    By words, zsh's vared keeps three calls of six and its PS2 four. By the exact paths of aarch64, ksh93's PS2 keeps no
    more than its `read`.
    """
    if not known or not path:
        return False
    far = not path.exact and known.parts_from(path) and 2 * known.shared(path) <= len(known)
    return far or _is_at_work(known, path, works)


def _is_at_work(known: CallPath, path: CallPath, works: Paths) -> bool:
    return any(path.sides_with(work, known) for work in works)


def _same_place(known: ReadShape, shape: ReadShape) -> bool:
    if known.depth != shape.depth:
        return False
    if known.editing:
        # zsh polls instead of reading while it watches other descriptors, from the same place.
        return known.size == shape.size or 0 in (known.size, shape.size)
    return known.call == shape.call and known.size == shape.size


def _reads_alike(known: ReadShape, shape: ReadShape) -> bool:
    if known.editing:
        return shape.editing and known.call == shape.call
    return known.call == shape.call and known.size == shape.size and shape.size > 1
