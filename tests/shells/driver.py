"""A small pty driver of the tests' own: it types what a recipe says and reads until a mark of that recipe appears.

It knows no kernel and no asyncio. Every wait is bounded, and a wait that fails shows the bytes on the screen.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import secrets
import select
import shutil
import signal
import struct
import tempfile
import termios
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.patience import PATIENCE
from truetty.core.chain import Chain
from truetty.core.marks import opening
from truetty.core.scanner import Scanner
from truetty.core.signs import Mark
from truetty.shells.row import HealRequest, LaunchRequest, Request, Row, Typed
from truetty.shells.table import find
from truetty.shells.writing import own_name

_SEQUENCES = re.compile(rb"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-9;?>]*[A-Za-z]|\x1b[()][A-Z0-9]|\x1b[=>78]|\x0f")


def visible(raw: bytes) -> str:
    """Printed text without escape sequences: some shells colour, name windows and mark by themselves."""
    return _SEQUENCES.sub(b"", raw).decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "")


def code_of(mark: Mark) -> int:
    assert mark.code is not None, mark
    return mark.code


@dataclass(frozen=True, slots=True)
class Ended:
    by: str  # "D", "P" or "exit"
    code: int
    output: str
    raw: bytes
    flags: str


class Session:
    """One shell on one pty."""

    def __init__(
        self,
        shell: str | Sequence[str],
        *,
        home: Path,
        rc: bool = True,
        env: Mapping[str, str] | None = None,
        path: str | None = None,
        columns: int = 200,
    ) -> None:
        self.key, self.serial, self.code, self.flags = str(secrets.randbits(62)), 0, 0, ""
        self.name = own_name(self.key)
        self.lines = Chain(self.key)
        self.own = {self.key}  # every secret that a line of this shell has had
        self.scanner = Scanner()
        self.paste = False
        self.buffer = b""
        self.status: int | None = None
        self.folder = tempfile.mkdtemp(prefix="t", dir="/dev/shm")
        given = {
            "HOME": str(home),
            "PATH": path or os.environ["PATH"],
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            "USER": "someone",
            **(env or {}),
        }
        found = find(shell, given)
        self.shell: Row = found.row
        launch = self.shell.launch(
            LaunchRequest(found.program, found.arguments, self.folder, self.key, self.name, rc, given)
        )
        self.write(launch.files)
        for name, value in launch.env.items():
            given.pop(name, None)
            if value is not None:
                given[name] = value
        self.argv = (os.path.basename(found.program), *launch.arguments)
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            try:
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 30, columns, 0, 0))
                for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
                    signal.signal(number, signal.SIG_DFL)
                os.chdir(home)
                os.execve(found.program, self.argv, given)
            finally:
                os._exit(127)

    def write(self, files: Mapping[str, bytes]) -> None:
        for name, content in files.items():
            path = Path(self.folder, name)
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)

    def type(self, line: bytes) -> None:
        while line:
            written = os.write(self.fd, line[:1024])
            line = line[written:]
            if line:
                self.pump(0)

    def pump(self, seconds: float) -> bool:
        """Read once. False: nothing came in that time, or the shell's side is closed."""
        if self.status is not None or not select.select([self.fd], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            data = b""
        if not data:
            _, status = os.waitpid(self.pid, 0)
            self.status = os.waitstatus_to_exitcode(status)
            return False
        self.buffer += data
        for sign in self.scanner.feed(data):
            if isinstance(sign, Mark):
                self.lines.follow(sign)
                self.own.add(self.lines.current)
        if b"\x1b[?2004" in data or b"\x1b[?2004h" in self.buffer[-80:]:
            self.paste = self.buffer.rfind(b"\x1b[?2004h") > self.buffer.rfind(b"\x1b[?2004l")
        if self.shell.asks_terminal:
            for question, answer in ((b"\x1b[6n", b"\x1b[1;1R"), (b"\x1b[c", b"\x1b[?62c"), (b"\x1b[0c", b"\x1b[?62c")):
                for _ in range(data.count(question)):
                    os.write(self.fd, answer)
        return True

    def until(self, letters: str, secret: str | Mapping[str, str] | None, since: int) -> Mark:
        """The first mark after `since` that has one of the letters and its secret; P and 2 have one of the shell's."""
        deadline = time.monotonic() + PATIENCE
        seen = since
        while True:
            for mark in self.marks(seen):
                wanted = secret.get(mark.letter) if isinstance(secret, Mapping) else secret
                ours = mark.secret in self.own if mark.letter in "P2" else mark.secret == wanted
                if mark.letter in letters and ours:
                    return mark
            seen = max(since, len(self.buffer) - 1000)
            if not self.pump(max(0.0, min(1.0, deadline - time.monotonic()))) and (
                self.status is not None or time.monotonic() >= deadline
            ):
                raise AssertionError(f"no {letters} mark (shell status {self.status}); screen: {self.screen(since)!r}")

    def marks(self, since: int) -> list[Mark]:
        """Marks of ours that were printed from there on, whole."""
        signs = Scanner().feed(self.buffer[since:])
        return [
            sign._replace(start=since + sign.start, end=since + sign.end) for sign in signs if isinstance(sign, Mark)
        ]

    def screen(self, since: int = 0) -> bytes:
        return self.buffer[since:][-3000:]

    def text(self, wanted: bytes, since: int = 0) -> int:
        """Wait until these bytes were printed; the offset behind them."""
        deadline = time.monotonic() + PATIENCE
        while (at := self.buffer.find(wanted, since)) < 0:
            if not self.pump(0.5) and (self.status is not None or time.monotonic() >= deadline):
                raise AssertionError(f"{wanted!r} never came (status {self.status}); screen: {self.screen(since)!r}")
        return at + len(wanted)

    def prompt(self, since: int = 0) -> Mark:
        mark = self.until("P", None, since)
        self.code = code_of(mark)
        self.flags = mark.flags or self.flags
        return mark

    def seen(self, letter: str, since: int) -> bool:
        """Whether a prompt's or the running command's mark came already."""
        return opening(letter) in self.buffer[max(0, since) :]

    def settle(self) -> None:
        """Until nothing more comes: for keys that must meet the shell's editor, not the tty."""
        while self.pump(0.15):
            pass

    def words(self) -> list[str]:
        """The command line of the process now."""
        return Path(f"/proc/{self.pid}/cmdline").read_bytes().decode().split("\0")

    def replaced(self, before: list[str]) -> list[str]:
        """Until the process runs with another command line, as it does after exec."""
        deadline = time.monotonic() + PATIENCE
        while (now := self.words()) == before or now == [""]:
            assert time.monotonic() < deadline, f"still {now}; screen: {self.screen()!r}"
            self.pump(0.02)
        return now

    def start(self, text: str, *, probe: bool = False) -> Started:
        self.serial += 1
        request = Request(
            folder=self.folder,
            name=self.name,
            serial=self.serial,
            text=text,
            start=secrets.token_hex(8),
            end=secrets.token_hex(8),
            last_code=self.code,
            flags=self.flags,
            paste=self.paste,
            probe=probe,
        )
        typed = self.shell.recipe.trigger(request)
        self.write(typed.files)
        since = len(self.buffer)
        self.type(typed.line)
        return Started(self, request, typed, since)

    def run(self, text: str) -> Ended:
        return self.start(text).end()

    def heal(self) -> Mark:
        self.serial += 1
        secret = secrets.token_hex(8)
        key = str(secrets.randbits(62))
        typed = self.shell.recipe.heal(HealRequest(self.folder, self.name, self.serial, secret, key))
        assert typed is not None
        self.write(typed.files)
        since = len(self.buffer)
        self.type(typed.line)
        self.own.add(key)
        self.lines.restart(key)
        mark = self.until("H", secret, since)
        self.code, self.flags = code_of(mark), mark.flags
        return mark

    def ended(self) -> int:
        deadline = time.monotonic() + PATIENCE
        while self.status is None:
            self.pump(0.5)
            assert time.monotonic() < deadline, f"the shell lives on; screen: {self.screen()!r}"
        return self.status

    def close(self) -> None:
        if self.status is None:
            for number in (signal.SIGHUP, signal.SIGKILL):
                try:
                    os.kill(self.pid, number)
                    group = os.tcgetpgrp(self.fd)
                    if group > 1 and group != os.getpgrp():
                        os.killpg(group, number)
                except OSError:
                    pass
            os.waitpid(self.pid, 0)
        os.close(self.fd)
        shutil.rmtree(self.folder, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class Started:
    session: Session
    request: Request
    typed: Typed
    since: int

    def began(self) -> int:
        """Where the output begins: behind the last C that no other byte precedes."""
        session = self.session
        end = session.until("C", self.request.start, self.since).end
        for mark in session.marks(end):
            if (mark.start, mark.secret) == (end, self.request.start):
                end = mark.end
        return end

    def end(self) -> Ended:
        session = self.session
        try:
            first = session.until("C", self.request.start, self.since)
            mark = session.until("DP", {"D": self.request.end}, first.end)
        except AssertionError:
            if session.status is None:
                raise
            return Ended("exit", session.status, "", session.buffer[self.since :], "")
        raw = session.buffer[self.began() : mark.start]
        session.code = code_of(mark)
        session.flags = mark.flags or session.flags
        return Ended(mark.letter, session.code, raw.decode("utf-8", "replace").replace("\r\n", "\n"), raw, mark.flags)
