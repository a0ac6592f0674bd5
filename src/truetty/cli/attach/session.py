"""One person at one terminal of the server: what is shown, what is typed, and how it ends.

Rule 1: the live view is shown. A connection that is cut is made again, and goes on where it was cut. A server that was
        killed has a next one, which has the terminal, and begins with a picture.
Rule 2: with a lease the terminal has the size of the window, and gets the keys. Modes that change what keys send are
        passed on to the person's terminal.
Rule 3: without a lease, keys other than those for leaving show the notice again.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import struct
from typing import Any, Final

from truetty.cli.attach.keyboard import DetachKeys
from truetty.cli.attach.painter import Painter
from truetty.cli.attach.tty import Tty
from truetty.cli.signals import ENDING, ended_by
from truetty.cli.terminals.server import Server, terminal
from truetty.cli.username import username
from truetty.client.view import View, ViewCut
from truetty.core import lazy
from truetty.core.errors import Held, TruettyError
from truetty.text.screen import Model

NOTICE_SECONDS: Final = 3.0
MOST_KEYS: Final = 16 << 10  # bytes read at once
GIVING_BACK_SECONDS: Final = 5.0
HEAD: Final = struct.Struct(">IQQ")
# Cursor keys, mouse, focus, pastes and keypad: what they send depends on these.
_MODES: Final = lazy.pattern(r"(?:\x1b\[|\x9b)\?([0-9;]{1,40})([hl])|\x1b([=>])")
_PASSED: Final = frozenset({"1", "1000", "1002", "1003", "1004", "1005", "1006", "1015", "2004"})
_HALF: Final = lazy.pattern(r"(?:\x1b|\x9b)[^A-Za-z=>]{0,40}\Z")


class Detached(Exception):
    """The person has left."""


class Session:
    def __init__(self, tty: Tty, server: Server, id: str, *, take: bool, keys: DetachKeys) -> None:
        self.ended = False  # the terminal has
        self.exit_code: int | None = None
        self._tty = tty
        self._server = server
        self._id = id
        self._takes = take
        self._keys = keys
        self._lease: str | None = None
        self._has_joined = False  # the server has said on this connection that the lease is ours
        self._model = Model((80, 24))
        self._epoch: str | None = None  # of the server that was heard last
        self._seq: int | None = None  # drawn up to here
        self._painter = Painter(tty.write)
        self._notice: str | None = None
        self._notice_end: asyncio.TimerHandle | None = None
        self._keystrokes: asyncio.Queue[bytes | None] = asyncio.Queue()  # None: the window has another size
        self._departure: asyncio.Future[None] | None = None
        self._half = ""  # of a sequence for a mode

    async def run(self) -> int:
        """Until the terminal has ended. Raises Detached."""
        if self._takes:
            await asyncio.to_thread(self._take)
        loop = asyncio.get_running_loop()
        self._departure = loop.create_future()
        view = await self._connect()
        with ended_by(*ENDING), self._at_the_tty(loop):
            self._tell(self._welcome())
            while not self.ended:
                try:
                    await self._follow(view)
                except ViewCut:
                    view = await self._connect()
        return self.exit_code or 0

    @contextlib.contextmanager
    def _at_the_tty(self, loop: asyncio.AbstractEventLoop) -> Any:
        self._tty.enter()
        loop.add_reader(self._tty.input, self._on_keys)
        loop.add_signal_handler(signal.SIGWINCH, self._on_size)
        loop.add_signal_handler(signal.SIGCONT, self._on_continue)
        try:
            yield
        finally:
            for number in (signal.SIGWINCH, signal.SIGCONT):
                loop.remove_signal_handler(number)
            loop.remove_reader(self._tty.input)

    # -- the lease

    def _take(self) -> None:
        made = self._server.again().post(terminal(self._id, "/lease"), holder=username(), reason="attached")
        self._lease = made["lease"]

    def give_back(self) -> None:
        """If it is still ours. Raises nothing: the lease is over soon by itself."""
        lease, self._lease = self._lease, None
        if lease is not None and not self.ended:
            with contextlib.suppress(TruettyError):
                self._server.again(patience=GIVING_BACK_SECONDS).delete(terminal(self._id, f"/lease/{lease}"))

    # -- the view

    async def _connect(self) -> View:
        last = None if self._epoch is None or self._seq is None else (self._epoch, self._seq)
        view = await View.over(self._server.address, self._id, last)
        self._has_joined = False
        if self._lease is not None:
            await view.say({"t": "lease", "lease": self._lease})
            await view.say({"t": "size", "size": list(self._tty.size)})
        return view

    async def _follow(self, view: View) -> None:
        assert self._departure is not None
        tasks = [asyncio.ensure_future(self._show(view)), asyncio.ensure_future(self._type(view))]
        try:
            done, _ = await asyncio.wait([*tasks, self._departure], return_when=asyncio.FIRST_COMPLETED)
            for one in done:
                one.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            await view.close()

    async def _show(self, view: View) -> None:
        while True:
            frame = await view.take()
            if isinstance(frame, bytes):
                _, _, seq = HEAD.unpack_from(frame)
                self._model.feed(frame[HEAD.size :])
                self._pass_modes(frame[HEAD.size :].decode("utf-8", "replace"))
                await self._draw(view, seq)
                continue
            match frame["t"]:
                case "hello":
                    self._epoch = frame["epoch"]
                case "picture":
                    self._model = Model(tuple(frame["size"]), title=frame["title"])
                    self._model.feed(frame["dump"].encode("utf-8", "replace"))
                    self._painter.forget()
                    self._pass_modes(frame["dump"])
                    await self._draw(view, frame["seq"])
                case "lease":
                    await self._on_lease(view, frame)
                case "error" if frame["code"] == "held" and self._lease is not None:
                    await self._take_again(view)
                case "end":
                    self.ended, self.exit_code = True, frame["exit_code"]
                    return

    async def _draw(self, view: View, seq: int) -> None:
        self._paint()
        self._seq = seq
        await view.say({"t": "ack", "seq": seq})

    async def _on_lease(self, view: View, frame: dict[str, Any]) -> None:
        """A lease that we have taken again is told to viewers before the server knows that this one is its holder's."""
        if frame["mine"]:
            self._has_joined = True
        elif self._lease is not None and self._has_joined:
            self._lease, self._has_joined = None, False
            self._tell(f"You no longer have {self._id}: {frame['reason'] or 'it was given back'}. Read only.")

    async def _take_again(self, view: View) -> None:
        """The server no longer knows the lease: another one has followed it."""
        self._lease, self._has_joined = None, False
        try:
            await asyncio.to_thread(self._take)
        except Held as held:
            self._tell(f"{self._id} is held by {held.facts['holder']}. Read only.")
            return
        await view.say({"t": "lease", "lease": self._lease})
        self._keystrokes.put_nowait(None)

    def _paint(self) -> None:
        self._painter.paint(self._model, self._tty.size, self._notice)

    def _pass_modes(self, text: str) -> None:
        if self._lease is None:
            return
        text = self._half + text
        found = []
        for numbers, switch, keypad in _MODES.findall(text):
            if keypad:
                found.append(f"\x1b{keypad}")
            found += [f"\x1b[?{number}{switch}" for number in numbers.split(";") if number in _PASSED]
        half = _HALF.search(text)
        self._half = half[0] if half else ""
        if found:
            self._tty.write("".join(found).encode())

    # -- the person

    def _on_keys(self) -> None:
        assert self._departure is not None
        try:
            data = os.read(self._tty.input, MOST_KEYS)
        except OSError:
            data = b""
        passed, leaves = self._keys.take(data)
        if passed and self._lease is not None:
            self._keystrokes.put_nowait(passed)
        elif passed:
            self._tell(self._welcome())
        if (leaves or not data) and not self._departure.done():
            self._departure.set_exception(Detached())

    def _on_size(self) -> None:
        self._keystrokes.put_nowait(None)
        self._paint()

    def _on_continue(self) -> None:
        self._tty.enter()
        self._painter.forget()
        self._on_size()

    async def _type(self, view: View) -> None:
        while True:
            data = await self._keystrokes.get()
            if self._lease is None:
                continue
            if data is None:
                await view.say({"t": "size", "size": list(self._tty.size)})
            else:
                await view.say(data)

    def _welcome(self) -> str:
        how = "you have it" if self._lease is not None else "read only; --take to type"
        return f" {self._id}: {how}. To leave: {self._keys.name} "

    def _tell(self, notice: str) -> None:
        """For some seconds."""
        if self._notice_end is not None:
            self._notice_end.cancel()
        self._notice = notice
        self._notice_end = asyncio.get_running_loop().call_later(NOTICE_SECONDS, self._hush)
        self._paint()

    def _hush(self) -> None:
        self._notice = None
        self._paint()
