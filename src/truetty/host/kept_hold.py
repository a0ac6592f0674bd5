"""Terminals that outlive us: the keeper above us holds their ptys too, and hands them to the next process.

Rule 1: a terminal is put before its first byte is read, and dropped when no process of it is left.
Rule 2: what is printed is stored before we see it (`Basin`), so that nothing is lost with us.
Rule 3: a shell of a process before us is the keeper's child: the keeper says how it ended.
Rule 4: without the keeper terminals go on. They end with us then.
Rule 5: private files end with the shell: each of us and the keeper may be gone while it goes on.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from truetty.host.base import Ended
from truetty.host.census import Pty
from truetty.host.child import Child, OnExit
from truetty.host.environment import KEEPER_MARKS
from truetty.host.folder import Folder
from truetty.host.hold import Hold
from truetty.host.kernel import observer_for
from truetty.host.local import LocalHost, new_pty
from truetty.host.pty import LocalChannel
from truetty.host.sandbox import SandboxHost
from truetty.host.wall import Sandbox

LONGEST_MESSAGE: Final = 256


class Basin(Protocol):
    """Where a terminal's output is stored."""

    size: int  # bytes that were ever stored

    def take(self, master: int) -> bytes:
        """What the pty has; stored first. Raises as `os.read` does."""


@dataclass(frozen=True, slots=True)
class HeldPty:
    """A terminal of a process before us."""

    name: str
    shell: int
    born: int
    child: int  # of the process before us: the shell, or what has started it and ends with it
    master: int


class KeeperLink:
    """Our socket to the keeper above us. `held`: what it has handed over."""

    def __init__(self, descriptor: int, mark: str) -> None:
        self.mark: Final = mark
        self.held: Final[dict[str, HeldPty]] = {}
        self.lent: Final[dict[str, int]] = {}  # descriptors of a process before us, by name
        self.alive = True
        self._socket = socket.socket(fileno=descriptor)
        self._socket.set_inheritable(False)
        self._ended: dict[str, Ended] = {}
        self._on_exit: dict[str, OnExit] = {}
        self._on_loss: Callable[[], None] | None = None
        self._on_renewal: Callable[[bool], None] | None = None
        with self._talk():
            self._socket.send(b"waits")
        while self._take():
            pass
        self._socket.setblocking(False)

    def attach(self, on_loss: Callable[[], None]) -> None:
        """From now on in the event loop; `on_loss` is called when the keeper is gone."""
        self._on_loss = on_loss
        asyncio.get_running_loop().add_reader(self._socket, self._on_messages)

    def close(self) -> None:
        with contextlib.suppress(RuntimeError):
            asyncio.get_running_loop().remove_reader(self._socket)
        self._socket.close()

    def put(self, name: str, pty: Pty, master: int) -> None:
        with self._talk():
            socket.send_fds(self._socket, [f"put {name} {pty.shell} {pty.born} {pty.child}".encode()], [master])

    def drop(self, name: str) -> None:
        self._ended.pop(name, None)
        self._on_exit.pop(name, None)
        with self._talk():
            self._socket.send(f"drop {name}".encode())

    def lend(self, name: str, descriptor: int) -> None:
        """The process after us is to have it."""
        with self._talk():
            socket.send_fds(self._socket, [f"lend {name}".encode()], [descriptor])

    def take_back(self, name: str) -> None:
        with self._talk():
            self._socket.send(f"return {name}".encode())

    def ready(self) -> None:
        """We serve: if we end, that is no failure of our start."""
        with self._talk():
            self._socket.send(b"ready")

    def renew(self, command: Sequence[str], on_answer: Callable[[bool], None]) -> None:
        """Another process is to follow us, started so. `on_answer` is called with True when it waits for the terminals,
        and with False when it has failed."""
        self._on_renewal = on_answer
        with self._talk():
            self._socket.send(b"renew " + "\0".join(command).encode(errors="surrogateescape"))

    def stop(self) -> None:
        """We are about to leave, and no other process is to follow: it ends what is left."""
        with self._talk():
            self._socket.send(b"stop")

    def watch(self, name: str, on_exit: OnExit | None) -> None:
        """How its shell ended is told, also if it has ended before. None: no longer."""
        if on_exit is None:
            self._on_exit.pop(name, None)
            return
        self._on_exit[name] = on_exit
        if name in self._ended:
            asyncio.get_running_loop().call_soon(self._tell, name)

    @contextlib.contextmanager
    def _talk(self) -> Iterator[None]:
        try:
            yield
        except OSError:
            self._lose()

    def _lose(self) -> None:
        if self.alive:
            self.alive = False
            if self._on_loss is not None:
                self._on_loss()

    def _on_messages(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while self._take():
                pass
            asyncio.get_running_loop().remove_reader(self._socket)
            self._lose()

    def _take(self) -> bool:
        """One message. False: that was all, or there is no keeper."""
        try:
            message, descriptors, _, _ = socket.recv_fds(self._socket, LONGEST_MESSAGE, 1, socket.MSG_CMSG_CLOEXEC)
        except ConnectionResetError:  # it had not read all that we said. What it said before comes next
            return True
        verb, *words = message.decode().split() or [""]
        if verb == "held":
            shell, born, child = map(int, words[1:])
            self.held[words[0]] = HeldPty(words[0], shell, born, child, descriptors[0])
        elif verb == "lent":
            self.lent[words[0]] = descriptors[0]
        elif verb == "ended":
            code, signal = (None if word == "-" else int(word) for word in words[1:])
            self._ended[words[0]] = Ended(code=code, signal=signal)
            self._tell(words[0])
        elif verb in ("leave", "stay") and self._on_renewal is not None:
            self._on_renewal(verb == "leave")
            self._on_renewal = None
        return verb not in ("", "begin")

    def _tell(self, name: str) -> None:
        if (on_exit := self._on_exit.get(name)) is not None and name in self._ended:
            on_exit(self._ended[name])


class KeptHold(Hold):
    """`name`: the terminal's, as the keeper knows it."""

    def __init__(self, link: KeeperLink, name: str, basin: Basin) -> None:
        self._link = link
        self._name = name
        self._basin = basin
        self._adopted = False
        self._folder: Folder | None = None  # of a shell that is started here

    def variables(self, inherited: Mapping[str, str]) -> dict[str, str]:
        marks = inherited.get(KEEPER_MARKS)
        return {KEEPER_MARKS: f"{marks}:{self._link.mark}" if marks else self._link.mark}

    def folder(self) -> Folder:
        self._folder = Folder()
        return self._folder

    def child(self, pid: int, supervisor: int | None) -> Child:
        if self._adopted:
            return FosterChild(pid, supervisor, self._link, self._name)
        return super().child(pid, supervisor)

    def put(self, pty: Pty | None, master: int) -> None:
        if pty is None or self._adopted:
            return
        if self._folder is not None:
            self._folder.give_to(pty.shell)
        self._link.put(self._name, pty, master)

    def drop(self, pty: Pty | None) -> None:
        self._link.drop(self._name)

    def read(self, master: int) -> bytes:
        return self._basin.take(master)

    @property
    def outlives_us(self) -> bool:
        return True

    def adopt(self, held: HeldPty, folder: str) -> LocalChannel:
        """The terminal of a process before us, with its private files in this directory."""
        self._adopted = True
        os.set_blocking(held.master, False)
        with new_pty((80, 24)) as fresh:  # a shell's first modes are the same for each pty
            modes = fresh.modes
        observer = observer_for(held.master, held.shell, modes)
        supervisor = None if held.child == held.shell else held.child
        files, delivered = Folder.found(folder), self._basin.size
        return LocalChannel(held.master, held.shell, files, observer, supervisor, self, delivered)


class FosterChild(Child):
    """The keeper's child: it says how it ended."""

    def __init__(self, pid: int, supervisor: int | None, link: KeeperLink, name: str) -> None:
        super().__init__(pid if supervisor is None else supervisor, supervises=supervisor is not None)
        self._link = link
        self._name = name

    def watch(self, on_exit: OnExit) -> None:
        self._gone = asyncio.get_running_loop().create_future()
        self._link.watch(self._name, on_exit)

    def unwatch(self) -> None:
        self._link.watch(self._name, None)


class KeptHost(LocalHost):
    """Starts one shell, which outlives us."""

    name = "keeper"

    def __init__(self, hold: KeptHold) -> None:
        super().__init__(hold=hold)


def host_for(hold: KeptHold, sandbox: Sandbox | None) -> LocalHost:
    return KeptHost(hold) if sandbox is None else SandboxHost(sandbox, hold=hold)
