"""What the foreground group of a terminal does, when the shell itself is not the reader.

Rule 1: a look at a process that is stuck reading our tty is conclusive, unless another thread of it runs or will wake
        by itself: then input is not the only thing that can happen. If other processes work, the look stays conclusive,
        and `busy` says so.
Rule 2: a program that waits for more than the keyboard only listens to it, and may ask nothing. More is: a connection,
        in any mode of the tty; a pipe or a timer, in line mode; anything, for a thread beside the main one. A program
        also only listens if it polls the keyboard, or reads it in a thread for which its main thread waits, while
        another thread or process in front has work of its own (`Block.has_work`).
Rule 3: while there is unread input, no program waits for input.
Rule 4: a program we may not look into is `unknown`, with one exception that the modes show: line mode without echo is a
        question for a secret. Raw mode without echo stays unknown.
Rule 5: `script` and `sudo` read our tty only to feed another one. Then the question is asked again there. `mc` does so
        too, and reads keys for itself: the look at the relay goes with the answer.
Rule 6: a client may have lent our tty to a server that is no relative (tmux, gpg-agent). Then the modes are an editor's
        or hide a secret, no process of the group reads, and `borrower.py` finds the process that has the tty open.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from truetty.core.observation import Observation, ReadKind
from truetty.host.kernel import proc, prompts
from truetty.host.kernel.borrower import Borrowers
from truetty.host.kernel.calls import Block, Device, Others, block_of, call_of, is_terminal_of
from truetty.host.kernel.stack import path_of
from truetty.host.kernel.tty import LocalTty, hides_keys, is_editing, kind_of, seen_by_modes

_MOST_RELAYS = 4  # script in sudo in script …: deeper was never seen, and a loop must end
_MOST_THREADS = 64
_PTS_MAJOR = 136


class _TtyReader(NamedTuple):
    of: proc.Stat
    thread: int
    block: Block
    stuck: bool
    others: Others
    joined: bool  # the main thread is another one, and waits for a thread


class Foreground:
    """Looks at one group on one terminal, once. The verdict of `look` is a fact of that moment."""

    __slots__ = ("_blocks", "_borrowers", "_busy", "_device", "_forbidden", "_known", "_readers", "_relays", "_tty")

    def __init__(
        self, tty: LocalTty, device: Device, known: prompts.Prompts, borrowers: Borrowers, relays: int = 0
    ) -> None:
        self._tty = tty
        self._device = device
        self._known = known
        self._borrowers = borrowers
        self._relays = relays
        self._readers: list[_TtyReader] = []
        self._blocks: dict[int, list[Block]] = {}  # by process: what its threads are at
        self._busy = False
        self._forbidden = False

    def look(self, group: int, family: Sequence[proc.Stat]) -> Observation:
        """`family`: every process that descends from the session's leader, parents before children."""
        members = [one for one in family if one.group == group and one.state not in proc.DEAD]
        if not members:
            members = [one for one in proc.everything() if one.group == group and one.state not in proc.DEAD]
        if not members:
            return Observation("running", conclusive=False)
        if all(one.state in proc.HALTED for one in members):
            return Observation("stopped")
        for one in members:
            self._ask(one)
        beneath = _beneath(members, family)
        if not self._readers:
            # `su -c` puts the command into a session of its own, where it still reads our tty.
            for one in beneath:
                if one.session != members[0].session:
                    self._ask(one)
        try:
            if not (self._readers or self._forbidden or self._busy) and hides_keys(self._tty.local_flags()):
                self._ask_borrower(group)
            verdict = self._verdict(members, beneath)
        except (FileNotFoundError, ProcessLookupError):
            verdict = Observation("running", conclusive=False)  # the reader ended while we looked
        except OSError:
            verdict = Observation("unknown", conclusive=False)
        whole = len(family) < proc.MOST_PROCESSES
        conclusive = verdict.conclusive and (whole or verdict.seen == "waiting")
        cpu = verdict.cpu
        if cpu is None:  # else it is of the terminal that a relay feeds
            front = {one.pid: one.ticks for one in (*members, *beneath, *(reader.of for reader in self._readers))}
            cpu = sum(front.values()) / proc.TICKS
        return replace(verdict, conclusive=conclusive, busy=self._busy, cpu=cpu)

    def _ask(self, one: proc.Stat) -> None:
        if one.state in proc.HALTED:
            return
        self._busy = self._busy or one.state in proc.ON_CPU
        blocks: dict[int, Block] = {}
        for thread in proc.threads(one)[:_MOST_THREADS]:
            blocks[thread] = block_of(one, thread, self._device)
            if blocks[thread].state == "hidden":
                self._forbidden = True
                return
        self._blocks[one.pid] = list(blocks.values())
        self._busy = self._busy or any(block.state == "running" for block in blocks.values())
        reading = [thread for thread, block in blocks.items() if block.state == "reads"]
        if reading:
            thread = next((thread for thread in reading if blocks[thread].stuck), reading[0])
            self._readers.append(_reader(one, thread, blocks))

    def _ask_borrower(self, group: int) -> None:
        borrower = self._borrowers.find(group)
        if borrower is not None:
            self._ask(borrower)
            self._busy = False  # a server has other clients too

    def _verdict(self, members: Sequence[proc.Stat], beneath: Sequence[proc.Stat]) -> Observation:
        if not self._readers:
            if not self._forbidden or self._busy:
                return Observation("running")
            return self._relay(beneath) or seen_by_modes(self._tty)
        reader = next((one for one in self._readers if one.stuck), self._readers[0])
        pid, thread = reader.of.pid, reader.thread
        wakes, call = proc.wakes(pid, thread), call_of(pid, thread)
        local = self._tty.local_flags()
        if self._tty.unread():
            return Observation("running")
        if call != reader.block.raw or proc.wakes(pid, thread) != wakes:
            # It ran while we looked: its call and the modes are not of one moment.
            self._busy = True
            return Observation("running")
        kind, sure = self._kind(reader, local)
        limited = self._tty.limits_reads()
        timed = reader.block.timed or limited
        listens = _listens(reader.others, "key" if kind == "line" and is_editing(local) else kind)
        if not listens and (timed or (reader.joined and kind == "line")):
            listens = self._others_work(reader.of, [*members, *beneath], timers=timed)
        sure = sure and not (listens or limited)
        main, name = thread == pid, reader.of.name
        own = Observation("waiting", sure, kind, pid, name, wakes, listens=listens, timed=timed, in_main_thread=main)
        inner = None if reader.block.stuck else self._relay(beneath)
        if inner is not None:
            return replace(inner, relay=inner.relay or own)
        return replace(own, pipe_to=proc.pipe_to(reader.of, members))

    def _others_work(self, reader: proc.Stat, front: Sequence[proc.Stat], *, timers: bool) -> bool:
        """Whether a thread or a process beside the reader has work of its own. Those that started the reader do not
        count: they wait for it. `timers`: a thread that waits for a lock with a time limit counts. Java's virtual
        machine has threads that do nothing else."""
        parents, above = {one.pid: one.parent for one in front}, reader.parent
        ancestors = set()
        while above in parents:
            ancestors.add(above)
            above = parents[above]
        for one in front:
            if one.pid not in ancestors and one.pid not in self._blocks:
                self._blocks[one.pid] = [block_of(one, thread, self._device) for thread in proc.threads(one)]
        blocks = (block for pid, its in self._blocks.items() if pid not in ancestors for block in its)
        return any(block.has_work and (timers or block.call != "futex") for block in blocks)

    def _kind(self, reader: _TtyReader, local: int) -> tuple[ReadKind, bool]:
        one, block = reader.of, reader.block
        plain = (kind_of(local), reader.stuck)
        if one.pid != one.group:
            return plain
        try:
            program = prompts.program_of(one)
        except OSError:
            return plain
        shape = prompts.shape_of(one, block, is_editing(local))
        if program is None or shape is None:
            return plain
        if not prompts.is_interactive_shell(one):
            row = prompts.shell_of(one)
            return ("line", reader.stuck) if row is not None and row.read_uses_editor and shape.editing else plain
        match self._known.judge(program, shape, path_of(one, block.stack)):
            case "prompt":
                return "shell", True
            case "editor_elsewhere":
                return "continuation", False
            case "editor_in_builtin":
                return "line", reader.stuck
            case "new_editing_mode":
                return "shell", True
            case "plain_read":
                return plain
            case "never_seen_program":
                return ("shell", True) if prompts.resembles_prompt(one.name, shape) else (plain[0], False)

    def _relay(self, beneath: Sequence[proc.Stat]) -> Observation | None:
        """What goes on at the terminal that a relay feeds; None when there is none."""
        if self._relays >= _MOST_RELAYS:
            return None
        for one in beneath:
            if one.session != one.pid or is_terminal_of(one, self._device) or one.state in proc.DEAD:
                continue
            number = (one.tty & 0xFF) | ((one.tty >> 12) & 0xFFF00)
            if (one.tty >> 8) & 0xFFF != _PTS_MAJOR or one.front <= 0:
                continue
            try:
                # As the process itself finds it: out here the number may be another person's terminal.
                path = f"/proc/{one.pid}/root/dev/pts/{number}"
                fd = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
            except OSError:
                return Observation("unknown", conclusive=False)
            with contextlib.closing(LocalTty(fd, slave=fd)) as inner:
                found = os.fstat(fd)
                device = Device(found.st_rdev, found.st_dev)
                family = [one, *proc.descendants(one)]
                beyond = Foreground(inner, device, self._known, Borrowers(device), self._relays + 1)
                seen = beyond.look(one.front, family)
            self._busy = self._busy or seen.busy
            return seen
        return None


def _listens(others: Others, kind: ReadKind) -> bool:
    """Whether a reader of that kind need not be asking. One that has switched the echo off asks, whatever else it does;
    one that reads key by key has changed the modes for it, unless it does so for a far host."""
    match kind:
        case "line":
            return others != "none"
        case "key":
            return others == "network"
        case _:
            return False


def _reader(of: proc.Stat, thread: int, blocks: dict[int, Block]) -> _TtyReader:
    block = blocks.pop(thread)
    restless = any(one.state == "running" or (one.state == "elsewhere" and one.timed) for one in blocks.values())
    others, joined = block.others, False
    if any(one.others == "network" for one in blocks.values()):
        others = "network"
    elif others == "none" and (main := blocks.get(of.pid)) is not None and main.state == "elsewhere":
        joined = main.call == "futex" and not main.timed
        others = "none" if joined else "some"
    return _TtyReader(of, thread, block, block.stuck and not restless, others, joined)


def _beneath(members: Sequence[proc.Stat], family: Sequence[proc.Stat]) -> list[proc.Stat]:
    """The processes of the family that descend from members and are in another group."""
    above = {one.pid for one in members}
    found = []
    for one in family:
        if one.pid not in above and one.parent in above:
            above.add(one.pid)
            if one.state not in proc.DEAD:
                found.append(one)
    return found
