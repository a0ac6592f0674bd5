"""The actor of a node: it starts the node's server below a guard, and carries the bytes of its clients.

    Ray worker (this)  ─▸ guard_program ─▸ truetty.ray.node ─▸ shells
         ╚═ Lines ═════ unix socket ══════════╝

Rule 1: every call names the life that it is meant for, a random id made at birth. Another life does nothing.
Rule 2: a host ends by itself when its Ray daemon is gone, when its server has ended or does not answer, and when its
        client has not called for `OWNER_SECONDS`. It says so to a client that still calls.
Rule 3: a server does not answer if three requests, one a second, have no answer, and it neither uses the CPU nor waits
        for it. One that is busy is not ended.
Rule 4: the guard ends everything. This process only stops writing to the guard's pipe.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import platform
import resource
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from truetty.client.http import ask
from truetty.core.errors import HostError
from truetty.core.version import VERSION
from truetty.host.kernel import proc
from truetty.ray import environment
from truetty.ray.lines import Batch, Lines
from truetty.server.start import starting
from truetty.server.start.place import Place

PROGRAM: Final = os.path.join(os.path.dirname(__file__), "guard_program.py")
BEAT: Final = 1.0  # seconds: a call that has nothing to bring comes back after so long
MISSES: Final = 3
MOMENT: Final = 0.2  # seconds
SERVER_ENDED: Final = "its server has ended"
OWNER_SECONDS: Final = 60.0
END_SECONDS: Final = 25.0  # more than the guard takes
OWN_FILES: Final = 200  # descriptors of a server without terminals, and some to spare
FILES_EACH: Final = 10  # of one terminal: eight were counted


class Birth(NamedTuple):
    """Who a host is."""

    life: str
    pid: int
    truetty: str
    python: str
    ray: str


class Parcel(NamedTuple):
    """What a host says to its client."""

    batch: Batch
    end: str | None = None  # why it has ended


@dataclass(frozen=True, slots=True)
class Order:
    """What a host is made with."""

    terminals: int
    last: int  # behind which the numbers of its terminals begin
    variables: Mapping[str, str]  # that the owner has named for the worker


class WrongLife(HostError):
    """The call was meant for another life of the host. Nothing was done."""

    code = "wrong_life"


class Host:
    def __init__(self, order: Order) -> None:
        self._order = order
        self._life = secrets.token_hex(8)
        self._lines = Lines()
        self._end: str | None = None
        self._called = time.monotonic()
        self._raylet = os.getppid()
        self._place = Place(tempfile.mkdtemp(prefix="truetty-ray-"))
        self._path = ""
        self._pipe = -1
        self._guard = self._server = 0  # process ids
        self._guard_ended, self._server_ended = asyncio.Event(), asyncio.Event()
        self._watching: asyncio.Task[None] | None = None

    async def begin(self) -> Birth:
        """When its server answers. Raises HostError."""
        import ray

        self._check_limits()
        await asyncio.to_thread(self._start)
        _follow(self._guard, self._guard_ended)
        _follow(self._server, self._server_ended)
        self._watching = asyncio.ensure_future(self._watch())
        return Birth(self._life, os.getpid(), VERSION, platform.python_version(), ray.__version__)

    async def send(self, life: str, batch: Batch) -> None:
        """What has come from the client. An item with a new number opens a connection."""
        self._check(life)
        for item in batch:
            if item.line not in self._lines and item.data is not None and self._end is None:
                with contextlib.suppress(OSError):  # the server is gone: that is said by `receive`
                    self._lines.add(item.line, await self._connect())
        self._lines.put(batch)

    async def receive(self, life: str) -> Parcel:
        """What goes to the client: at once if there is something, and in any case after a beat."""
        self._check(life)
        if self._end is not None:
            return Parcel([], self._end)
        batch = await self._lines.take(BEAT)
        if any(item.data is None for item in batch):
            # A connection ends alone, or with the server: its connections end a moment before it does.
            await pause(MOMENT, self._server_ended)
            if self._server_ended.is_set():
                self._break_off(SERVER_ENDED)
        return Parcel(batch, self._end)

    async def end(self, life: str) -> None:
        """Come back when nothing of its terminals is left."""
        self._check(life)
        await self._finish("it was ended")

    # -- inside

    def _check(self, life: str) -> None:
        self._called = time.monotonic()
        if life != self._life:
            raise WrongLife(f"this call was meant for another host ({life}). Nothing was done.", life=life)

    def _check_limits(self) -> None:
        needed = OWN_FILES + FILES_EACH * self._order.terminals
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        if hard != resource.RLIM_INFINITY and hard < needed:
            message = f"{self._order.terminals} terminals need {needed} open files, and {platform.node()} allows {hard}"
            raise HostError(f"{message}: raise `ulimit -Hn` there", reason="open files", limit=hard, needed=needed)

    def _start(self) -> None:
        variables = environment.clean(os.environ, environment.of_process(self._raylet), self._order.variables)
        reading, self._pipe = os.pipe()
        try:
            with starting.listening(self._place) as (bound, path):
                self._path = path
                numbers = [str(bound.fileno()), str(self._order.terminals), str(self._order.last)]
                files = str(OWN_FILES + FILES_EACH * self._order.terminals)
                started = subprocess.run(
                    [
                        *(sys.executable, "-S", "-I", PROGRAM, str(reading), str(self._raylet), files),
                        *(self._place.folder, sys.executable, "-P", "-m", "truetty.ray.node"),
                        *(self._place.folder, path, *numbers),
                    ],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    check=True,
                    env=variables,
                    cwd="/",
                    umask=0o077,
                    start_new_session=True,
                    pass_fds=(reading, bound.fileno()),
                )
                self._guard = int(started.stdout)
        finally:
            os.close(reading)
        try:
            self._server = self._ask("/v1/hello")["pid"]
        except (HostError, OSError) as error:
            raise HostError(f"the server of {platform.node()} has not started: {error}", reason=str(error)) from error

    def _ask(self, path: str) -> dict[str, Any]:
        with socket.socket(socket.AF_UNIX) as made:
            made.connect(self._path)
            found: dict[str, Any] = ask(made, "GET", path)
            return found

    async def _connect(self) -> socket.socket:
        made = socket.socket(socket.AF_UNIX)
        made.setblocking(False)
        try:
            await asyncio.get_running_loop().sock_connect(made, self._path)
        except BaseException:
            made.close()
            raise
        return made

    async def _watch(self) -> None:
        asking: asyncio.Future[Any] | None = None
        misses = 0
        while self._end is None:
            with contextlib.suppress(OSError):
                os.write(self._pipe, b".")
            worked = _work(self._server)
            if asking is None:
                asking = asyncio.ensure_future(asyncio.to_thread(self._ask, "/v1/hello"))
            if (await asyncio.wait([asking], timeout=BEAT))[0]:
                asking.exception()  # the end of the guard says why
                asking, misses = None, 0
                await pause(BEAT, self._server_ended)
            elif _work(self._server) == worked:
                misses += 1
            if self._server_ended.is_set() or self._guard_ended.is_set():
                await self._finish(SERVER_ENDED)
            elif os.getppid() != self._raylet:
                await self._finish("the Ray daemon of its node is gone")
            elif misses >= MISSES:
                await self._finish("its server does not answer")
            elif time.monotonic() - self._called > OWNER_SECONDS:
                await self._finish("its client is gone")
        if os.getppid() != self._raylet:
            os._exit(1)  # no daemon ends this worker

    def _break_off(self, why: str) -> None:
        """From now on clients are told why, and the guard ends everything."""
        if self._end is None:
            self._end = why
            os.close(self._pipe)
            self._lines.close()

    async def _finish(self, why: str) -> None:
        self._break_off(why)
        await pause(END_SECONDS, self._guard_ended)


def _follow(pid: int, ended: asyncio.Event) -> None:
    """Say when this process has ended."""
    loop = asyncio.get_running_loop()
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        ended.set()
        return

    def on_end() -> None:
        loop.remove_reader(descriptor)
        os.close(descriptor)
        ended.set()

    loop.add_reader(descriptor, on_end)


def _work(pid: int) -> float:
    """What changes as long as a process works or waits for the CPU."""
    found = proc.stat(pid)
    if found is None:
        return 0.0
    return time.monotonic() if found.state in proc.ON_CPU else found.ticks


async def pause(seconds: float, end: asyncio.Event | None = None) -> None:
    """At most so long; `end` ends it."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await (end or asyncio.Event()).wait()
