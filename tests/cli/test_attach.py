"""`truetty attach`, on real terminals: what a person sees, types, and gets back."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import shlex
import signal
import struct
import termios
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import truetty
from tests.acceptance.watched import PATIENCE, TRUETTY, Watched
from tests.server.live import Live
from tests.server.storm import reached
from truetty.cli.attach.keyboard import DetachKeys
from truetty.text.screen import Model, Screen

LEAVE = "\x1d\x1d"


@pytest.fixture
def server(own_server: Live) -> Live:
    size = [80, 24]
    own_server.post("/v1/terminals", name="one", shell="bash", rc=False, environ=dict(os.environ), size=size)
    return own_server


class Person(Watched):
    """At a terminal of this size, which is drawn. `sh -c` has started what they attach with."""

    def __init__(self, *words: object, size: tuple[int, int] = (80, 24), then: str = "") -> None:
        self.size = size
        self.seen = b""
        self.status: int | None = None
        line = f"stty cols {size[0]} rows {size[1]}; {shlex.join([*TRUETTY, *map(str, words)])}{then}"
        self.pid, self.tty = pty.fork()
        if self.pid == 0:
            os.execv("/bin/sh", ["sh", "-c", line])

    def screen(self) -> Screen:
        return self._model().screen()

    def _model(self) -> Model:
        model = Model(self.size)
        model.feed(self.seen)
        return model

    def cells(self) -> tuple[Any, tuple[int, int]]:
        return self._model().rows(), self._model().cursor

    def sees(self, what: Callable[[Screen], bool]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not what(self.screen()):
            assert time.monotonic() < deadline, self.screen()
            assert self._read(), f"ended: {self.screen()}"

    def shows(self, text: str) -> None:
        self.sees(lambda screen: text in screen.text)

    def resize(self, columns: int, rows: int) -> None:
        self.size = (columns, rows)
        fcntl.ioctl(self.tty, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def is_sane(self) -> bool:
        modes = termios.tcgetattr(self.tty)[3]
        return bool(modes & termios.ICANON and modes & termios.ECHO and modes & termios.ISIG)


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def cells_of(server: Live) -> tuple[Any, tuple[int, int]]:
    screen = server.get("/v1/terminals/one/screen")
    model = Model(tuple(screen["size"]))
    model.feed(screen["dump"].encode())
    return model.rows(), model.cursor


def same(person: Person, server: Live) -> None:
    """The person's screen becomes what the terminal shows: every cell, with its colours, and the cursor."""
    deadline = time.monotonic() + PATIENCE
    while person.cells() != cells_of(server):
        assert time.monotonic() < deadline, (person.screen(), server.get("/v1/terminals/one/screen"))
        assert person._read()


def size_of(server: Live) -> Any:
    return server.get("/v1/terminals/one")["size"]


def test_watching_types_nothing(server: Live) -> None:
    server.post("/v1/run", command="printf '\\033[1;31mred\\033[0m\\n'", terminal="one", wait=60)
    with Person("attach", "one") as person:
        person.shows("t1: read only; --take to type. To leave: C-] C-]")
        person.type("echo no\r\x03")
        server.post("/v1/run", command="echo after", terminal="one", wait=60)
        person.shows("\nafter")
        person.sees(lambda screen: "read only" not in screen.text)
        same(person, server)
        assert "echo no" not in server.get("/v1/terminals/one/screen")["dump"]
        person.type(LEAVE)
        assert person.ends() == 0
        assert b"truetty: t1 goes on: truetty attach t1" in person.seen
        assert person.screen().alternate is False
    assert server.get("/v1/terminals/one")["lease"] is None


def test_two_places_one_with_the_lease(server: Live) -> None:
    with Person("attach", "one", "--take", size=(90, 30)) as holder, Person("attach", "one", size=(90, 30)) as watcher:
        holder.shows("t1: you have it. To leave: C-] C-]")
        until(lambda: size_of(server) == [90, 30])
        watcher.shows("read only")
        holder.type("printf 'a\\033[44mb\\033[0m\\033[38;2;1;2;3mc\\033[0m 漢字\\n'; echo en''d\r")
        watcher.shows("\nend")
        watcher.resize(40, 10)
        watcher.resize(90, 30)
        holder.resize(70, 20)
        until(lambda: size_of(server) == [70, 20])
        watcher.resize(70, 20)
        watcher.sees(lambda screen: "read only" not in screen.text)
        holder.sees(lambda screen: "you have it" not in screen.text)
        same(holder, server)
        same(watcher, server)
        assert holder.cells() == watcher.cells()
        refused = server.ask("POST", "/v1/run", {"command": "true", "terminal": "one"})
        assert refused.code == "held" and "@" in refused.json["error"]["facts"]["holder"]
        holder.type(LEAVE)
        assert holder.ends() == 0
        until(lambda: size_of(server) == [80, 24])
        report = server.post("/v1/run", command="true", terminal="one", wait=60)
        assert re.search(r"had this terminal and ran: .*echo en''d \(exit code 0\)", report["notes"][0])
        watcher.type(LEAVE)
        assert watcher.ends() == 0


def test_a_second_holder_is_refused(server: Live) -> None:
    server.post("/v1/terminals/one/lease", holder="ana", reason="a look")
    with Person("attach", "one", "--take") as person:
        assert person.ends() == 125
        assert b"terminal t1 is held by ana (a look)" in person.seen and b"1049h" not in person.seen


def test_the_notice_does_not_cover_the_prompt_of_a_new_shell(server: Live) -> None:
    with Person("attach", "one", "--take", size=(80, 24)) as person:
        person.shows("you have it")
        person.sees(lambda screen: re.search("[$#]", screen.lines[0]) is not None)
        first, last = person.screen().lines[0], person.screen().lines[-1]
        assert "you have it" not in first and "you have it" in last
        server.ask("DELETE", "/v1/terminals/one")
        person.ends()


def test_the_notice_stands_above_where_the_cursor_is_below(server: Live) -> None:
    server.post("/v1/run", command="seq 1 100", terminal="one", wait=60)
    with Person("attach", "one") as person:
        person.sees(lambda screen: "read only" in screen.lines[0] and "\n100\n" in screen.text)


def test_the_end_of_the_shell(server: Live) -> None:
    with Person("attach", "--on", f"unix:{server.place.read_info()['socket']}", "one", "--take") as person:  # type: ignore[index]
        person.shows("you have it")
        person.type("exit 7\r")
        assert person.ends() == 7, person.seen
        assert b"truetty: t1 has ended, exit code 7" in person.seen


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_whatever_ends_it_the_tty_is_as_before(server: Live, number: int) -> None:
    with Person("attach", "one", "--take", then="; echo st''atus $?; read x") as person:
        person.shows("you have it")
        assert not person.is_sane()
        attached = int(Path(f"/proc/{person.pid}/task/{person.pid}/children").read_text().split()[0])
        os.kill(attached, number)
        until(person.is_sane)
        person.until(rf"status {128 + number}")
        person.sees(lambda screen: not screen.alternate)
        person.type("\r")
        person.ends()


def test_vim_inside(server: Live, tmp_path: Path) -> None:
    file = tmp_path / "file"
    with Person("attach", "one", "--take") as person:
        person.shows("you have it")
        person.type(f"vim -u NONE -N {file}\r")
        person.shows("[New]")
        person.type("ione\rthree\x1bOA\x1bOF-two")
        person.shows("one-two\nthree\n~")
        person.sees(lambda screen: "you have it" not in screen.text)
        same(person, server)
        assert server.get("/v1/terminals/one/screen")["alternate"]
        assert b"\x1b[?1h" in person.seen
        person.type("\x1b:wq\r")
        until(file.exists)
        person.sees(lambda screen: "~\n~" not in screen.text)
        same(person, server)
        person.type(LEAVE)
        assert person.ends() == 0
    assert file.read_text() == "one-two\nthree\n"


def test_it_goes_on_with_the_next_server(server: Live) -> None:
    with Person("attach", "one", "--take") as person:
        person.shows("you have it")
        before = server.pid()
        os.kill(before, signal.SIGKILL)
        until(lambda: server.pid() != before)
        until(lambda: server.get("/v1/terminals/one")["lease"] is not None)
        person.type("echo ag''ain\r")
        person.shows("\nagain")
        person.type(LEAVE)
        assert person.ends() == 0


@pytest.mark.parametrize("blow", ["kill", "upgrade"])
def test_the_next_server_keeps_the_size_of_the_window(server: Live, blow: str) -> None:
    with Person("attach", "one", "--take", size=(90, 30)) as person:
        person.shows("you have it")
        until(lambda: size_of(server) == [90, 30])
        for _ in range(2):
            before = server.pid()
            if blow == "kill":
                os.kill(before, signal.SIGKILL)
            else:
                server.post("/v1/upgrade")
            until(lambda: reached(server) != before)  # noqa: B023
            assert size_of(server) == [90, 30]
            assert server.get("/v1/terminals/one/screen")["size"] == [90, 30]
            until(lambda: server.get("/v1/terminals/one")["lease"] is not None)
            assert size_of(server) == [90, 30]
        person.resize(70, 20)
        until(lambda: size_of(server) == [70, 20])
        person.type("stty si''ze\r")
        person.shows("\n20 70")
        person.type(LEAVE)
        assert person.ends() == 0
        until(lambda: size_of(server) == [80, 24])


def test_a_smaller_window_shows_the_cursor(server: Live) -> None:
    server.post("/v1/run", command="seq 1 100", terminal="one", wait=60)
    with Person("attach", "one", size=(20, 5)) as person:
        person.sees(lambda screen: "100" in screen.text and "\n99\n" in screen.text)
        assert size_of(server) == [80, 24]


def test_open_and_attach(server: Live) -> None:
    with Person("open", "--name", "two", "--attach", "--no-rc", size=(66, 20)) as person:
        person.shows("t2: you have it")
        assert server.get("/v1/terminals/two")["size"] == [66, 20]
        person.type("exit\r")
        assert person.ends() == 0


def test_without_a_terminal(server: Live) -> None:
    for words in (("attach", "one"), ("open", "--attach")):
        with Watched(*words, person=False) as program:
            assert program.ends() == 125
    assert len(server.get("/v1/terminals")["terminals"]) == 1
    with Person("attach", "nowhere") as person:
        assert person.ends() == 125 and b"no terminal 'nowhere'" in person.seen
    with Person("attach", "one", "--detach-keys", "C-Nope") as person:
        assert person.ends() == 125


def test_detach_keys() -> None:
    usual = DetachKeys.read(None)
    assert usual.take(b"a\x1db") == (b"a\x1db", False)
    assert usual.take(b"a\x1d") == (b"a", False)
    assert usual.take(b"b") == (b"\x1db", False)
    assert usual.take(b"\x1d") == (b"", False)
    assert usual.take(b"\x1drest") == (b"", True)
    other = DetachKeys.read("C-a d")
    assert other.take(b"\x01\x01d") == (b"\x01", True)
    with pytest.raises(truetty.BadKey):
        DetachKeys.read("C-Nope")
