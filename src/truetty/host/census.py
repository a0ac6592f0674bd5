"""Which processes are a terminal's, for terminals that close: one look at /proc for all that close at the same time.

Rule 1: a look is shared. Every call made before it begins gets what it finds. A later call gets the next look, which
        begins when this one is over: processes may have been started since.
Rule 2: the event loop is given back after a few processes.
Rule 3: a process is a terminal's if it descends from the shell, is of its session, has the pty as its controlling
        terminal, or is younger than the shell and has the pty open. A fork of our own program has it open too, and our
        side of it with it: that one has nothing to do with the shell.
"""

from __future__ import annotations

import asyncio
import os
from collections import defaultdict
from collections.abc import Iterable
from math import inf
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

from truetty.host.kernel import proc
from truetty.host.kernel.calls import Device, is_terminal_of, open_devices
from truetty.host.kernel.tty import open_slave

# Some 0.1 ms each: the loop stands still for 2 ms.
AT_ONCE: Final = 16


class Pty(NamedTuple):
    """By what the processes of one terminal are recognised."""

    shell: int
    born: int  # when the shell was started, in ticks since the machine was
    device: Device
    supervisor: int | None = None  # what has started the shell, where that is not us

    @property
    def child(self) -> int:
        """Ours."""
        return self.shell if self.supervisor is None else self.supervisor


def identify(master: int, shell: int, supervisor: int | None = None) -> Pty | None:
    """None where there is nothing to ask: no /proc, no such process, no way to the pty's other side."""
    slave = open_slave(master)
    if slave is None:
        return None
    try:
        device, of = os.fstat(slave), proc.stat(shell)
    except OSError:
        return None
    finally:
        os.close(slave)
    return None if of is None else Pty(shell, of.born, Device(device.st_rdev, device.st_dev), supervisor)


class Processes:
    """Every living process but our own, as one look found them."""

    def __init__(self) -> None:
        self._by_pid: dict[int, proc.Stat] = {}
        self._by_parent: defaultdict[int, list[proc.Stat]] = defaultdict(list)
        self._by_session: defaultdict[int, list[proc.Stat]] = defaultdict(list)
        self._by_tty: defaultdict[int, list[proc.Stat]] = defaultdict(list)
        self._holders: defaultdict[Device, list[proc.Stat]] = defaultdict(list)

    def add(self, one: proc.Stat, devices: Iterable[Device]) -> None:
        """`devices`: those that it has open."""
        self._by_pid[one.pid] = one
        self._by_parent[one.parent].append(one)
        self._by_session[one.session].append(one)
        if one.tty:
            self._by_tty[one.tty].append(one)
        for device in devices:
            self._holders[device].append(one)

    def of(self, pty: Pty) -> set[int]:
        """Those of one terminal, the shell included."""
        leader = self._by_pid.get(pty.shell)
        found: set[int] = set()
        if leader is None or leader.born == pty.born:
            found.update(one.pid for one in self._by_session[pty.shell])
        pending = [leader] if leader is not None and leader.born == pty.born else []
        if pty.supervisor is not None:
            pending += self._by_parent[pty.supervisor]  # orphans too stay below it
        while pending:
            one = pending.pop()
            found.add(one.pid)
            pending += self._by_parent[one.pid]
        found.update(one.pid for one in self._by_tty[pty.device.packed] if is_terminal_of(one, pty.device))
        for one in self._holders[pty.device]:
            if one.pid not in found and one.born >= pty.born and not _shares_master(one, pty.device):
                found.add(one.pid)
        return found


class Census:
    """The looks of one event loop."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._next: asyncio.Future[Processes] | None = None  # has not begun
        self._oldest = inf  # when the oldest shell was started that it is for

    async def look(self, born: int) -> Processes:
        """`born`: when the shell was started that it is for. Raises OSError where there is no /proc."""
        self._oldest = min(self._oldest, born)
        if self._next is None:
            self._next = asyncio.ensure_future(self._look())
        return await asyncio.shield(self._next)

    async def _look(self) -> Processes:
        async with self._turn:
            oldest, self._oldest, self._next = self._oldest, inf, None
            found = Processes()
            for count, name in enumerate(os.listdir("/proc"), 1):
                if name.isdigit() and int(name) != os.getpid():
                    one = proc.stat(int(name))
                    if one is not None and one.state not in proc.DEAD:
                        found.add(one, open_devices(one.pid) if one.born >= oldest else ())
                if count % AT_ONCE == 0:
                    await _others()
            return found


_censuses: WeakKeyDictionary[asyncio.AbstractEventLoop, Census] = WeakKeyDictionary()


async def members(pty: Pty | None) -> set[int]:
    """The living processes of a terminal, as far as they can be seen."""
    if pty is None:
        return set()
    census = _censuses.setdefault(asyncio.get_running_loop(), Census())
    try:
        return (await census.look(pty.born)).of(pty)
    except OSError:
        return set()


async def _others() -> None:
    """Let every other task of the event loop have a turn."""
    turned = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_soon(turned.set_result, None)
    await turned


def _shares_master(one: proc.Stat, device: Device) -> bool:
    wanted = b"tty-index:\t%d\n" % os.minor(device.rdev)
    try:
        return any(
            wanted in proc.read(f"/proc/{one.pid}/fdinfo/{number}") for number in os.listdir(f"/proc/{one.pid}/fd")
        )
    except OSError:
        return False
