"""Watches one shell on one pty through /proc, on Linux.

    shell gone or a zombie ........................................ exited
    the shell's own group in front:
        the shell stopped ......................................... stopped
        the shell blocked on our tty, at the place learnt ......... ready
        ... at another place, or none is learnt ................... waiting
        the shell blocked elsewhere: another program of its group . `foreground` tells
        otherwise ................................................. running
    another group in front ........................................ `foreground` tells

Rule 1: `consumed` is read before everything else. Right after a write the shell has not woken yet and still looks
        ready. A count that is older than the look, and does not include what was written, shows that.
Rule 2: while there is unread input, a look is neither `ready` nor `waiting`.
Rule 3: a shell that has not run since the last look is where it was: that is the cheap answer, and the common one.
Rule 4: what is open here is closed by `close`, and nothing else keeps state but the prompts learnt.
"""

from __future__ import annotations

import os
import termios
from dataclasses import replace

from truetty.core.observation import Observation
from truetty.host.kernel import proc, prompts
from truetty.host.kernel.borrower import Borrowers
from truetty.host.kernel.calls import CALLS_ARE_KNOWN, Block, Device, block_of
from truetty.host.kernel.family import LinuxFamily
from truetty.host.kernel.foreground import Foreground
from truetty.host.kernel.shell import LinuxProcess
from truetty.host.kernel.stack import path_of
from truetty.host.kernel.tty import Attributes, LocalTty, is_editing, kind_of, seen_by_modes

_SHARED_PROMPTS = prompts.Prompts()

# `exec` gives a process a new image, which the kernel puts at other addresses.
Image = tuple[int, int, str]


def _image(of: proc.Stat) -> Image:
    return (of.code, of.stack, of.name)


class LinuxObserver:
    """Asks the kernel. Raises OSError when there is nothing to ask: no /proc, or no such process in it."""

    def __init__(
        self, master: int, shell: int, first: Attributes | None = None, known: prompts.Prompts | None = None
    ) -> None:
        self.tty = LocalTty(master, first, shell)
        self.process = LinuxProcess(shell)
        try:
            born = self.process.stat().born
            slave = self.tty.slave()
            found = os.fstat(master if slave is None else slave)
        except OSError:
            self.tty.close()
            self.process.close()
            raise
        device = Device(found.st_rdev, found.st_dev)
        self.family = LinuxFamily(self.process, device, born)
        self.look = LinuxLook(self.process, self.tty, device, _SHARED_PROMPTS if known is None else known)

    def forget(self) -> None:
        for part in (self.look, self.family, self.process):
            part.close()

    def close(self) -> None:
        self.forget()
        self.tty.close()


class LinuxLook:
    def __init__(self, shell: LinuxProcess, tty: LocalTty, device: Device, known: prompts.Prompts) -> None:
        self._shell = shell
        self._tty = tty
        self._device = device
        self._known = known
        self._call = proc.ProcFile(f"/proc/{shell.pid}/syscall", 256)
        self._turns = proc.ProcFile(f"/proc/{shell.pid}/schedstat", 128)
        # The kernel refuses `syscall` where it refuses to trace; and its numbers mean nothing on an unknown machine.
        self._sees = CALLS_ARE_KNOWN and self._calling() is not None
        # The program that runs, asked again only when the image in memory has changed.
        self._image: Image | None = None
        self._program: prompts.ProgramId | None = None
        self._returns: dict[int, bool] = {}  # of addresses in its text: whether a call returns there
        self._proven: Image | None = None  # the one that was seen at a prompt
        self._prompt = prompts.NOWHERE  # the path on which it was there last
        self._borrowers = Borrowers(device)
        # The last call of a shell at work, how often it had run by then, and the place.
        self._work: tuple[bytes, bytes | None, prompts.Place | None] | None = None
        # The last `ready`, and what it was concluded from: turns, call, foreground group, local flags.
        self._ready: tuple[tuple[bytes | None, bytes | None, int | None, int], Observation] | None = None

    def close(self) -> None:
        self._call.close()
        self._turns.close()

    @property
    def sees(self) -> bool:
        return self._sees

    # ── the look ────────────────────────────────────────────────────────────────────────────────────────────────

    def observe(self) -> Observation:
        consumed = self._shell.consumed()
        front = self._tty.foreground()
        turns, call = self._turn(), self._calling()
        try:
            local = self._tty.local_flags()
        except OSError:
            local = 0
        facts = (turns, call, front, local)
        if self._ready is not None and facts == self._ready[0] and self._tty.unread() == 0:
            seen = self._ready[1]
            if seen.consumed != consumed:
                seen = replace(seen, consumed=consumed)
                self._ready = facts, seen
            return seen
        self._ready = None
        try:
            seen = self._look(front, local, call)
            if seen.reader == self._shell.pid and self._turn() != turns:
                # It ran while we looked: its call, its modes and its stack are not of one moment.
                seen = Observation("running", busy=True)
        except OSError:  # out of descriptors or memory: then nothing is known
            seen = Observation("unknown", conclusive=False)
        seen = replace(seen, consumed=consumed)
        if seen.seen == "ready" and None not in facts:
            self._ready = facts, seen
        return seen

    def _look(self, front: int | None, local: int, call: bytes | None) -> Observation:
        of = self._shell.alive()
        if of is None:
            return Observation("exited")
        if front is None:
            return Observation("unknown", conclusive=False)
        if front != of.group:
            place = self._place(of, call)
            if place is not None and not is_editing(
                local
            ):  # else a program of the prompt, which the editor has started
                self._known.learn_work(*place, self._prompt)
            return self._at(place, self._foreground().look(front, proc.descendants(of)))
        if of.state in proc.HALTED:
            return Observation("stopped")
        if of.state in proc.ON_CPU:
            return Observation("running", busy=True)
        if call is None:
            return seen_by_modes(self._tty)
        block = block_of(of, of.pid, self._device, call)
        match block.state:
            case "running":
                return Observation("running", busy=True)
            case "hidden":
                return Observation("unknown", conclusive=False)
            case "elsewhere":
                family = proc.descendants(of)
                if any(one.group == front and one.state not in proc.DEAD for one in family):
                    return self._at(self._place(of, call), self._foreground().look(front, family))
                return Observation("running")
            case "reads":
                seen = replace(self._reading(of, block, local), in_main_thread=True)
                if seen.seen == "waiting" and (block.timed or self._tty.limits_reads()):
                    jobs = sum(one.ticks for one in proc.descendants(of))  # which may be why it waits for a moment only
                    seen = replace(seen, timed=True, cpu=(of.ticks + jobs) / proc.TICKS)
                return seen

    def _place(self, of: proc.Stat, call: bytes | None) -> prompts.Place | None:
        """Where the shell is blocked while programs that it has started run; it is there until it has run again."""
        if call is None:
            return None
        turns = self._turn()
        if self._work is None or self._work[:2] != (call, turns):
            self._work = (call, turns, self._find_place(of, call))
        return self._work[2]

    def _find_place(self, of: proc.Stat, call: bytes) -> prompts.Place | None:
        block, program = block_of(of, of.pid, self._device, call), self._program_id(of)
        if block.state != "elsewhere" or not block.stack or program is None:
            return None
        path = path_of(of, block.stack, self._returns)
        return prompts.Place(program, path) if path and self._calling() == call else None  # else it ran while we looked

    def _at(self, place: prompts.Place | None, seen: Observation) -> Observation:
        if place is None:
            return seen
        return replace(seen, place=place, in_hook=self._known.is_hook(*place))

    def learn_hook(self, place: object) -> None:
        if isinstance(place, prompts.Place):
            self._known.learn_hook(*place)

    def _foreground(self) -> Foreground:
        return Foreground(self._tty, self._device, self._known, self._borrowers)

    def _reading(self, of: proc.Stat, block: Block, local: int) -> Observation:
        """The shell itself is blocked on our tty: where?"""
        unread = self._tty.unread()
        if unread:
            return Observation("running")
        turns = self._turn()
        wakes = int(turns.split()[2]) if turns else None
        shape = prompts.shape_of(of, block, is_editing(local))
        program = self._program_id(of)
        path = path_of(of, block.stack, self._returns)
        verdict = "never_seen_program" if program is None or shape is None else self._known.judge(program, shape, path)
        match verdict:
            case "prompt":
                self._proven, self._prompt = _image(of), path
                # Where unread input cannot be counted we are not sure that it waits.
                return Observation("ready", unread is not None, None, of.pid, of.name, wakes)
            case "editor_elsewhere":
                return Observation("waiting", False, "continuation", of.pid, of.name, wakes)
            case "editor_in_builtin":
                return Observation("waiting", block.stuck, "line", of.pid, of.name, wakes)
            case "never_seen_program":
                # After `exec` of another shell: most likely its prompt, but no mark has confirmed it.
                alike = shape is not None and prompts.resembles_prompt(of.name, shape)
                kind = "shell" if alike and prompts.is_interactive_shell(of) else kind_of(local)
                return Observation("waiting", False, kind, of.pid, of.name, wakes)
            case "new_editing_mode" if not is_editing(local) or _image(of) != self._proven:
                return Observation("waiting", False, "shell", of.pid, of.name, wakes)
            case "new_editing_mode" | "plain_read":
                return Observation("waiting", block.stuck, kind_of(local), of.pid, of.name, wakes)

    # ── the prompt ──────────────────────────────────────────────────────────────────────────────────────────────

    def learn(self) -> bool:
        try:
            return self._learn()
        except OSError:
            return False

    def _learn(self) -> bool:
        turns = self._turn()
        of, call = self._shell.alive(), self._calling()
        if of is None or call is None or self._tty.foreground() != of.group or self._tty.unread():
            return False
        local = self._tty.local_flags()
        block = block_of(of, of.pid, self._device, call)
        shape = prompts.shape_of(of, block, is_editing(local))
        program = self._program_id(of)
        if block.state != "reads" or shape is None or program is None:
            return False
        if block.timed and local & termios.ICANON:
            return False  # `read -t` in a prompt hook: no shell waits like this at its prompt
        path = path_of(of, block.stack, self._returns)
        if self._calling() != call or self._turn() != turns:
            return False  # it ran while we looked
        self._known.learn(program, shape, path)
        self._proven, self._prompt = _image(of), path
        return True

    @property
    def knows_prompt(self) -> bool:
        # One program has several looks (ksh93 in emacs and in vi mode). Known is the one this shell was seen at.
        of = self._shell.alive()
        return of is not None and (_image(of) == self._proven or self.observe().seen == "ready")

    def _program_id(self, of: proc.Stat) -> prompts.ProgramId | None:
        image = _image(of)
        if image != self._image or self._program is None:
            try:
                self._program = prompts.program_of(of)
            except PermissionError:
                self._program = None
            self._image, self._returns, self._prompt = image, {}, prompts.NOWHERE
        return self._program

    def _calling(self) -> bytes | None:
        try:
            return self._call.read()
        except OSError:
            return None

    def _turn(self) -> bytes | None:
        try:
            return self._turns.read()
        except OSError:
            return None
