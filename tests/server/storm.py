"""A server that is killed again and again while its callers run commands, and what becomes of each command.

Every caller has a terminal and runs one command after another, the last one behind the last blow. It knows what each
must print, how it must end, and that it must run once: each adds a line to a file. A request that was cut is sent again
with the same key.
"""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import os
import random
import secrets
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.patience import PATIENCE
from tests.server.live import Live, Reply
from truetty.core.errors import HostError
from truetty.host.kernel import proc

Blow = Callable[[Live, int], None]  # takes the keeper too
# How long a server lives from when it serves, in seconds; one in five from its start, which it may not survive.
LONGEST_LIFE = 0.6
SERVES = 0.8
SHELLS = ("bash", "zsh", "fish", "dash")


@dataclass
class Tally:
    """What the callers have seen."""

    count: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, *names: str) -> None:
        with self.lock:
            self.count.update(names)

    def complain(self, what: str) -> None:
        with self.lock:
            self.wrong.append(what)


class Caller(threading.Thread):
    def __init__(self, live: Live, shell: str, seed: int, folder: Path, over: threading.Event, tally: Tally) -> None:
        super().__init__()
        self._live = live
        self._shell = shell
        self._random = random.Random(seed)
        self._file = folder / f"{seed}.ran"
        self._over = over
        self._tally = tally

    def run(self) -> None:
        try:
            terminal = self._ask("POST", "/v1/terminals", shell=self._shell, rc=False)["id"]
            number, last = 0, False
            while not last:  # the last one begins behind the last blow
                number, last = number + 1, self._over.is_set()
                self._command(terminal, number)
        except Exception as error:
            self._tally.complain(f"{self._shell}: {error!r}")
            raise

    def _command(self, terminal: str, number: int) -> None:
        text, expected = self._made(number)
        code = self._random.randrange(0, 120)
        line = f"echo {number} >>{self._file}; {text}; sh -c 'exit {code}'"
        started = self._ask("POST", "/v1/commands", command=line, terminal=terminal, exact=True)
        found = self._until_ended(started["id"])
        raw = self._bytes(f"/v1/commands/{started['id']}/raw")
        seen = (started["id"], found["state"], found["exit_code"], found["complete"], _digest(raw))
        right = (f"{terminal}-{number}", "finished", code, True, _digest(expected))
        ran = self._file.read_text().split().count(str(number)) if self._file.exists() else 0
        self._tally.add("commands", str(found["evidence"]))
        if seen != right or ran != 1:
            what = f"{line!r} ran {ran} times, printed {len(raw)} of {len(expected)} bytes: {found}"
            self._tally.complain(f"{self._shell} {started['id']}: {what}")

    def _made(self, number: int) -> tuple[str, bytes]:
        """A command, and what it prints."""
        match self._random.randrange(5):
            case 0:
                return f"echo {number}", b"%d\r\n" % number
            case 1:
                last = self._random.randrange(1000, 30000)
                return f"seq {last}", b"".join(b"%d\r\n" % one for one in range(1, last + 1))
            case 2:
                last = self._random.randrange(3, 12)
                words = " ".join(str(one) for one in range(1, last + 1))
                text = f"sh -c 'for x in {words}; do echo s$x; sleep 0.03; done'"
                return text, b"".join(b"s%d\r\n" % one for one in range(1, last + 1))
            case 3:
                return "true", b""
            case _:
                return f"printf 'no newline {number}'", b"no newline %d" % number

    def _until_ended(self, id: str) -> Mapping[str, Any]:
        end = time.monotonic() + PATIENCE
        while True:
            found = self._ask("GET", f"/v1/commands/{id}/wait?timeout=10&until=finished")
            if found["state"] != "running" or time.monotonic() > end:
                return found

    # -- asking, until there is an answer

    def _ask(self, method: str, path: str, **body: Any) -> Any:
        reply = self._until_answered(method, path, body or None)
        assert reply.status == 200, (path, reply.status, reply.body)
        return reply.json

    def _bytes(self, path: str) -> bytes:
        reply = self._until_answered("GET", path, None)
        assert reply.status == 200, (path, reply.status, reply.body)
        return reply.body

    def _until_answered(self, method: str, path: str, body: Any) -> Reply:
        headers = {"Idempotency-Key": secrets.token_urlsafe(16)} if method == "POST" else {}
        end = time.monotonic() + PATIENCE
        while True:
            try:
                return self._live.ask(method, path, body, headers)
            except (OSError, HostError, http.client.HTTPException):
                self._tally.add("cut")
                assert time.monotonic() < end, f"{method} {path} was never answered"


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def reached(live: Live) -> int:
    """The server of now, once it answers."""
    while True:
        with contextlib.suppress(OSError, HostError, http.client.HTTPException):
            return live.pid()


def keeper_of(live: Live) -> int:
    found = proc.stat(live.pid())
    assert found is not None
    return found.parent


def upgrade(live: Live, keeper: int) -> None:
    with contextlib.suppress(OSError, HostError, http.client.HTTPException):  # one is on its way
        live.ask("POST", "/v1/upgrade", {})


def kill_keeper(live: Live, keeper: int) -> None:
    os.kill(keeper, signal.SIGKILL)


def kill_server(live: Live, keeper: int) -> None:
    """The server of now, whatever it does: it may be starting."""
    for child in Path(f"/proc/{keeper}/task/{keeper}/children").read_text().split():
        with contextlib.suppress(OSError):
            if b"truetty.server" in Path(f"/proc/{child}/cmdline").read_bytes():
                os.kill(int(child), signal.SIGKILL)


def storm(live: Live, folder: Path, kills: int, seed: int, blow: Blow = kill_server) -> Tally:
    """Ten callers in four shells; `blow` is dealt so many times, at moments that the seed chooses."""
    tally, over, moments = Tally(), threading.Event(), random.Random(seed)
    keeper = keeper_of(live)
    callers = [
        Caller(live, SHELLS[number % len(SHELLS)], seed * 1000 + number, folder, over, tally) for number in range(10)
    ]
    for caller in callers:
        caller.start()
    for _ in range(kills):
        if moments.random() < SERVES:
            reached(live)
        over.wait(moments.random() * LONGEST_LIFE)
        blow(live, keeper)
        tally.add("kills")
    over.set()
    for caller in callers:
        caller.join()
    return tally
