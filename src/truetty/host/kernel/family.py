"""What was started from the shell, as /proc shows it: descendants, its session, holders of its terminal."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from typing import Final

from truetty.host.base import Family, Identity, Process, Work
from truetty.host.kernel import identity, ports, proc
from truetty.host.kernel.calls import Device, block_of, holds_tty, is_terminal_of
from truetty.host.kernel.shell import LinuxProcess

# So many that are gone are asked for as fast as /proc is listed.
FEW_PIDS: Final = 64


class LinuxFamily(Family):
    """`born`: when the shell was started, in ticks since the machine was."""

    def __init__(self, shell: LinuxProcess, device: Device, born: int) -> None:
        self._shell = shell
        self._device = device
        self._born = born
        self._children = proc.ProcFile(f"/proc/{shell.pid}/task/{shell.pid}/children", 65536)
        self._threads = f"/proc/{shell.pid}/task"
        self._load = proc.ProcFile("/proc/loadavg", 128)  # its last field is the last process id

    def close(self) -> None:
        self._children.close()
        self._load.close()

    def children(self) -> list[Process] | None:
        try:
            alone = not self._children.read() and os.stat(self._threads).st_nlink <= 3
        except OSError:
            alone = False
        try:
            of = None if alone else self._shell.alive()
            return [] if of is None else [one.as_process() for one in _descendants(of)]
        except OSError:  # out of descriptors, for instance
            return None

    def last_pid(self) -> int | None:
        try:
            return int(self._load.read().rpartition(b" ")[2])
        except (OSError, ValueError):
            return None

    def orphans(self, since: int | None) -> list[Process]:
        if since is None or (last := self.last_pid()) is None or since == last:
            return []
        try:
            found = [one for pid in _pids_between(since, last) if (one := proc.stat(pid)) is not None]
            if not found:
                return []
            of = self._shell.alive()
            family = set() if of is None else {one.pid for one in (of, *_descendants(of))}
            here = [one for one in found if one.pid not in family and self._was_started_here(one)]
            parents = {one.parent: proc.stat(one.parent) for one in here}
        except OSError:
            return []
        # In a sandbox orphans become children of what has started the shell, and that has our tty open too.
        parents.pop(of.parent if of is not None else 0, None)
        # A child of an orphan is not one, though it may be younger than the mark and its parent older.
        ours = {pid for pid, parent in parents.items() if parent is not None and self._was_started_here(parent)}
        return [one.as_process() for one in here if one.parent not in ours]

    def _was_started_here(self, one: proc.Stat) -> bool:
        if one.state in proc.DEAD or one.pid == os.getpid():
            return False
        return one.session == self._shell.pid or (holds_tty(one, self._device) and not self._shares_master(one))

    def work(self, besides: Collection[int] = ()) -> Work | None:
        try:
            before, after = self._turns(besides), self._turns(besides)
        except OSError:
            return None
        if not after or not after[0].runs:  # a kernel that was told not to count shows zeros
            return None
        # Processes are asked one after the other. Between two equal rounds there was a moment that both show.
        asleep = before == after and not any(one.awake for one in after)
        return Work(asleep, sum(one.cpu for one in after))

    def _turns(self, besides: Collection[int]) -> list[proc.Turn]:
        """Of every thread. Raises OSError where the kernel does not tell."""
        of = self._shell.stat()
        found, members = proc.turns(of), {of.pid}
        for one in _descendants(of):
            if one.parent in members and one.pid not in besides:
                members.add(one.pid)
                found += proc.turns(one)
        return found

    def everyone(self) -> list[Process] | None:
        try:
            return [one.as_process() for one in self._all()]
        except OSError:
            return None

    def identity(self, pid: int) -> Identity | None:
        return identity.identify(pid)

    def wakes(self, pid: int) -> int | None:
        return proc.wakes(pid, pid)

    def strangers(self) -> list[Process]:
        others = (one for one in proc.everything() if one.session != self._shell.pid and one.pid != os.getpid())
        return [one.as_process() for one in others if holds_tty(one, self._device) and self._reads(one)]

    def _reads(self, one: proc.Stat) -> bool:
        return any(block_of(one, thread, self._device).state == "reads" for thread in proc.threads(one))

    def ports(self) -> frozenset[int] | None:
        everyone = self.everyone()
        return None if everyone is None else ports.listening(process.pid for process in everyone)

    def port_is_open(self, number: int) -> bool | None:
        return ports.is_open(number)

    def _all(self) -> list[proc.Stat]:
        of = self._shell.alive()
        found = {} if of is None else {one.pid: one for one in (of, *_descendants(of))}
        for one in proc.everything():
            if one.pid in found or one.state in proc.DEAD or one.pid == os.getpid():
                continue
            ours = one.session == self._shell.pid or is_terminal_of(one, self._device)
            # A process older than the shell was not started from it: a tmux server that was here before.
            younger = one.born >= self._born
            if ours or (younger and holds_tty(one, self._device) and not self._shares_master(one)):
                found[one.pid] = one
        return list(found.values())

    def _shares_master(self, of: proc.Stat) -> bool:
        """Whether it holds the side that we hold: a fork of our own program, which has nothing to do with the shell."""
        wanted = b"tty-index:\t%d\n" % os.minor(self._device.rdev)
        try:
            for fd in os.listdir(f"/proc/{of.pid}/fd"):
                if wanted in proc.read(f"/proc/{of.pid}/fdinfo/{fd}"):
                    return True
        except OSError:
            return False
        return False


def _pids_between(first: int, last: int) -> Iterable[int]:
    """Those behind `first`, up to `last`; numbers begin anew at the highest."""
    if 0 < last - first <= FEW_PIDS:
        return range(first + 1, last + 1)
    pids = (int(name) for name in os.listdir("/proc") if name.isdigit())
    return [pid for pid in pids if (first < pid <= last if first < last else pid > first or pid <= last)]


def _descendants(of: proc.Stat) -> list[proc.Stat]:
    return [one for one in proc.descendants(of, most=1 << 20) if one.state not in proc.DEAD]
