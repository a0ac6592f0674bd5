"""The keeper: a process that outlives a server, and ends or keeps what the server's terminals have left running.

A program of its own, with nothing but the standard library: it is small, and starts quickly.

    keeper_program.py watch VARIABLE MARK SOCKET
    keeper_program.py keep VARIABLE MARK PROGRAM ARGUMENT...       in the background
    keeper_program.py foreground VARIABLE MARK PROGRAM ARGUMENT... the same, in this process

The program of `keep` gets one more argument, `--keeper=` and a list: the descriptors of its socket, of a pipe's two
ends and of a shared word (`store/lasting.py`), and MARK.

`watch`: beside a server that has started it (`keeper.py`). When the server is gone, its terminals end.

`keep`: above a server that it starts, and starts again when that is killed. It holds each terminal's pty too, so that
its programs go on meanwhile, and the next server gets it.

Rule 1: it has a session of its own, and no parent but init: a client that ends the server by its group, or by following
        parents, does not meet it.
Rule 2: the other end of its socket is the server's alone. The end of it is the end of the server, whatever ended that.
Rule 3: a process is the server's if it has MARK in its variable VARIABLE, which every shell was started with and hands
        on, or is in the session of one of its shells. So detached processes are, too. Nothing else is signalled: a
        process is held by a descriptor before it is looked at, so a reused number is never signalled.
Rule 4: first they are asked to end (HUP and TERM), then they are killed.
Rule 5: a shell whose server is gone becomes our child. How it ended is told to the next server, and is forgotten only
        when that has said `drop`.

What the server says:

    put NAME SHELL BORN CHILD   a terminal with this shell, which began at this tick of the machine. CHILD is the shell
                            or what has started it and ends with it. With the pty's master: it is to be kept
    drop NAME               it is closed
    waits                   it has started, and waits for the terminals
    lend NAME               with a descriptor, a listening socket: the next server is to have it; return NAME: no more
    ready                   it serves: if it ends, that is no failure of its start
    renew PROGRAM ARGUMENT...   another server is to follow it, started so. NUL stands between the words
    stop                    the server is about to leave, and no other is to be started

What `keep` says to a server:

    held NAME SHELL BORN CHILD   with the master: a terminal of a server before
    lent NAME               with the descriptor
    ended NAME CODE SIGNAL  CHILD has ended, as a child of ours; one of the two is "-"
    begin                   those were all that there are
    leave                   the server that is to follow waits for the terminals: end, and leave them
    stay                    the server that was to follow has ended: go on
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import select
import signal
import socket
import sys
import time

GRACE = 0.5  # seconds that programs get to end by themselves
KILL_LIMIT = 5.0  # seconds that the kernel gets to end them
LONGEST_MESSAGE = 1 << 14
FIRST_PAUSE = 0.05  # seconds after a server that has ended before it was ready: it has failed. The pause doubles
LONGEST_PAUSE = 5.0
MOST_FAILURES = 5  # so many in a row end a keeper that holds no terminal
PIPE_SIZE = 1 << 20
F_SETPIPE_SZ = 1031
PR_SET_CHILD_SUBREAPER = 36

Processes = dict[int, int]  # a descriptor of each, and its number


class Terminal:
    def __init__(self, name: bytes, shell: int, born: int, child: int, master: int | None) -> None:
        self.name, self.shell, self.born, self.child = name, shell, born, child
        self.master = master  # None: it is not kept
        self.end: bytes | None = None  # CODE and SIGNAL, if its shell has ended as our child

    def close(self) -> None:
        if self.master is not None:
            os.close(self.master)
        if self.end is not None:
            os.waitid(os.P_PID, self.child, os.WEXITED | os.WNOHANG)


class Terminals:
    """What the server has said of its terminals."""

    def __init__(self) -> None:
        self._by_name: dict[bytes, Terminal] = {}
        self.stopping = False  # no other server is to be started
        self.ready = False  # the server of now has served
        self.loans: dict[bytes, int] = {}  # descriptors for the next server
        self.renewal: list[str] | None = None  # how the server is started that is to follow

    def take(self, message: bytes, descriptors: list[int]) -> None:
        verb, *words = message.split()
        if verb == b"put":
            master = descriptors.pop() if descriptors else None
            shell, born, child = map(int, words[1:])
            self._by_name[words[0]] = Terminal(words[0], shell, born, child, master)
        elif verb == b"drop" and (dropped := self._by_name.pop(words[0], None)) is not None:
            dropped.close()
        elif verb in (b"lend", b"return"):
            descriptors += [self.loans.pop(words[0])] if words[0] in self.loans else []
            if verb == b"lend":
                self.loans[words[0]] = descriptors.pop(0)
        elif verb == b"ready":
            self.ready = True
        elif verb == b"renew":
            self.renewal = message.removeprefix(b"renew ").decode(errors="surrogateescape").split("\0")
        elif verb == b"stop":
            self.stopping = True
        for descriptor in descriptors:
            os.close(descriptor)

    @property
    def kept(self) -> list[Terminal]:
        return [one for one in self._by_name.values() if one.master is not None]

    @property
    def shells(self) -> dict[int, int]:
        """Of those that are not kept: when each began."""
        return {one.shell: one.born for one in self._by_name.values() if one.master is None or self.stopping}

    def forget_unkept(self) -> None:
        self._by_name = {one.name: one for one in self.kept}


def main() -> None:
    mode, variable, mark, *rest = sys.argv[1:]
    if mode != "foreground" and os.fork():
        os._exit(0)
    os.chdir("/")
    for ignored in (signal.SIGHUP, signal.SIGINT):
        signal.signal(ignored, signal.SIG_IGN)
    ending = Ending(variable.encode() + b"=", mark.encode())
    if mode == "watch":
        watch(int(rest[0]), ending)
    else:
        Keeper(ending, rest).run()


def watch(server: int, ending: Ending) -> None:
    terminals = Terminals()
    while message := os.read(server, LONGEST_MESSAGE):
        terminals.take(message, [])
    ending.end(terminals.shells)


class Server:
    """A process that has just been started, and our socket to it."""

    def __init__(self, command: list[str], shared: tuple[int, ...], mark: bytes) -> None:
        self.socket, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with its:
            its.set_inheritable(True)
            numbers = ",".join(str(number) for number in (its.fileno(), *shared))
            argv = [*command, f"--keeper={numbers},{mark.decode()}"]
            reset = set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP}
            self.pid = os.posix_spawn(argv[0], argv, os.environ, setsigdef=reset)
        self.socket.setblocking(False)

    def say(self, message: bytes, *descriptors: int) -> None:
        with contextlib.suppress(OSError):  # it has ended: the next one will be told
            select.select([], [self.socket], [])
            socket.send_fds(self.socket, [message], descriptors)

    def heard(self) -> tuple[bytes, list[int]] | None:
        """Its next message. None: it is gone. Raises BlockingIOError where it has said nothing more."""
        try:
            message, descriptors, _, _ = socket.recv_fds(self.socket, LONGEST_MESSAGE, 1, socket.MSG_CMSG_CLOEXEC)
        except ConnectionResetError:  # it had not read all that we said. What it said before comes next
            return self.heard()
        return (message, descriptors) if message else None

    def end(self) -> int:
        """It is gone: how it ended."""
        self.socket.close()
        return os.waitpid(self.pid, 0)[1]


class Keeper:
    def __init__(self, ending: Ending, command: list[str]) -> None:
        self._ending = ending
        self._command = command
        self._terminals = Terminals()
        # A server's bytes on their way from a pty to a file, and whose they are: `store/lasting.py`.
        self._shared = (*os.pipe(), os.memfd_create("whose"))
        with contextlib.suppress(OSError):  # more than a user may have: then as it is
            fcntl.fcntl(self._shared[1], F_SETPIPE_SZ, PIPE_SIZE)
        os.ftruncate(self._shared[2], 8)
        for descriptor in self._shared:
            os.set_inheritable(descriptor, True)
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self._woken, self._wakes = socket.socketpair()
        for end in (self._woken, self._wakes):
            end.setblocking(False)
        signal.set_wakeup_fd(self._wakes.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, self._on_term)
        self._server: Server | None = None
        self._next: Server | None = None  # which has been started to follow

    def run(self) -> None:
        failures = 0
        while not self._terminals.stopping:
            self._terminals.ready = False
            status = self._live()
            if self._next is not None:
                continue
            failed = not self._terminals.ready
            failures = failures + 1 if failed else 0
            if not self._terminals.kept and (status == 0 or failures >= MOST_FAILURES):
                break
            if failed and not self._terminals.stopping:
                self._pause(min(FIRST_PAUSE * 2 ** (failures - 1), LONGEST_PAUSE))
        self._terminals.stopping = True
        if self._next is not None:
            os.kill(self._next.pid, signal.SIGKILL)
        self._ending.end(self._terminals.shells)

    def _on_term(self, *_: object) -> None:
        self._terminals.stopping = True
        if self._server is not None:
            with contextlib.suppress(OSError):
                os.kill(self._server.pid, signal.SIGTERM)

    def _live(self) -> int:
        """One server's life; returns how it ended."""
        server, self._next = self._next or Server(self._command, self._shared, self._ending.mark), None
        self._server = server
        for one in self._terminals.kept:
            assert one.master is not None
            server.say(b"held %s %d %d %d" % (one.name, one.shell, one.born, one.child), one.master)
            if one.end is not None:
                server.say(b"ended %s %s" % (one.name, one.end))
        for name, descriptor in self._terminals.loans.items():
            server.say(b"lent %s" % name, descriptor)
        server.say(b"begin")
        self._follow(server)
        status = server.end()
        self._server = None
        if unkept := self._terminals.shells:
            self._ending.end(unkept, by_mark=False)
        self._terminals.forget_unkept()
        self._look_at_children()
        return status

    def _follow(self, server: Server) -> None:
        """Until it is gone."""
        while True:
            sockets = [self._woken, server.socket, *([] if self._next is None else [self._next.socket])]
            select.select(sockets, [], [])
            # First what the server has said: it may have dropped the shell that has just ended.
            with contextlib.suppress(BlockingIOError):
                while (heard := server.heard()) is not None:
                    self._terminals.take(*heard)
                return
            if self._next is not None:
                self._hear_next(self._next, server)
            elif self._terminals.renewal is not None:
                self._command, self._terminals.renewal = self._terminals.renewal, None
                self._next = Server(self._command, self._shared, self._ending.mark)
            self._drain_wakes()
            self._look_at_children()

    def _hear_next(self, following: Server, server: Server) -> None:
        """The one that is to follow has started, or has failed to."""
        with contextlib.suppress(BlockingIOError):
            if following.heard() is not None:
                server.say(b"leave")
            else:
                following.end()
                self._next = None
                server.say(b"stay")

    def _look_at_children(self) -> None:
        """Those of a server that is gone: how a shell ended is kept, every other process is reaped."""
        for one in self._terminals.kept:
            if one.end is None and (end := _end_of(one.child)) is not None:
                one.end = end
                if self._server is not None:
                    self._server.say(b"ended %s %s" % (one.name, end))
        with contextlib.suppress(ChildProcessError):
            while (found := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)) is not None:
                # One of these is forgotten later, and hides those behind it until then.
                servers = [one.pid for one in (self._server, self._next) if one is not None]
                if found.si_pid in (*servers, *(one.child for one in self._terminals.kept)):
                    return
                os.waitid(os.P_PID, found.si_pid, os.WEXITED)

    def _pause(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and not self._terminals.stopping:
            select.select([self._woken], [], [], left)
            self._drain_wakes()

    def _drain_wakes(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while self._woken.recv(64):
                pass


def _end_of(child: int) -> bytes | None:
    """How it has ended, if it is a child of ours and has."""
    try:
        found = os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:  # a server's own
        return None
    if found is None:
        return None
    return b"%d -" % found.si_status if found.si_code == os.CLD_EXITED else b"- %d" % found.si_status


class Ending:
    """Ends processes that are a server's. `variable` and `mark`: how they are recognised."""

    def __init__(self, variable: bytes, mark: bytes) -> None:
        self._variable = variable
        self.mark = mark

    def end(self, shells: dict[int, int], *, by_mark: bool = True) -> None:
        """Those in the sessions of these shells; `by_mark`: and all others that are the server's."""
        signals: tuple[int, ...] = (signal.SIGHUP, signal.SIGTERM, signal.SIGCONT)
        patience, until = GRACE, time.monotonic() + GRACE + KILL_LIMIT
        # A process may have started another while it was looked for: only a second look that finds none is believed.
        empty_looks = 0
        while empty_looks < 2 and time.monotonic() < until:
            found = self._look(shells, by_mark=by_mark)
            for descriptor in found:
                for number in signals:
                    _send(descriptor, number)
            _wait(found, patience)
            for descriptor in found:
                os.close(descriptor)
            empty_looks = 0 if found else empty_looks + 1
            signals, patience = (signal.SIGKILL,), KILL_LIMIT

    def _look(self, shells: dict[int, int], *, by_mark: bool) -> Processes:
        """Those that are the server's and live."""
        found: Processes = {}
        reused = {shell for shell, born in shells.items() if (now := _stat(shell)) is not None and int(now[19]) != born}
        sessions = shells.keys() - reused
        for name in os.listdir("/proc"):
            if not name.isdigit() or int(name) == os.getpid():
                continue
            try:
                descriptor = os.pidfd_open(int(name))
            except OSError:  # gone
                continue
            stat = _stat(int(name))
            if (
                stat is not None
                and stat[0] not in (b"Z", b"X")
                and (int(stat[3]) in sessions or (by_mark and self._is_marked(int(name))))
            ):
                found[descriptor] = int(name)
            else:
                os.close(descriptor)
        return found

    def _is_marked(self, pid: int) -> bool:
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                variables = file.read().split(b"\0")
        except OSError:
            return False
        size = len(self._variable)
        return any(one.startswith(self._variable) and self.mark in one[size:].split(b":") for one in variables)


def _stat(pid: int) -> list[bytes] | None:
    """The fields behind its name: its state, its parent, its group, its session; at 19 when it began."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()
    except OSError:
        return None


def _send(descriptor: int, number: int) -> None:
    with contextlib.suppress(OSError):  # gone, or of another user
        signal.pidfd_send_signal(descriptor, number)


def _wait(processes: Processes, patience: float) -> None:
    """Until all have ended."""
    waiting, until = set(processes), time.monotonic() + patience
    poll = select.poll()
    for descriptor in waiting:
        poll.register(descriptor, select.POLLIN)
    while waiting and (left := until - time.monotonic()) > 0:
        for descriptor, _ in poll.poll(left * 1000):
            poll.unregister(descriptor)
            waiting.discard(descriptor)


if __name__ == "__main__":
    main()
