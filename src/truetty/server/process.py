"""From inherited descriptors to a server that runs."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import socket
from typing import Final

from truetty.host.kept_hold import KeeperLink
from truetty.server import limits
from truetty.server.server import Server, Setup
from truetty.server.start import starting
from truetty.server.start.failing import fail
from truetty.server.start.place import Place
from truetty.server.state.keeping import Keep
from truetty.settings import Settings
from truetty.store.lasting import Carrier

FORM: Final = "%(asctime)s %(name)s: %(message)s"


def serve(
    state: str, path: str, descriptor: int, idle: float | None, *, keeper: str | None = None, log: bool = True
) -> None:
    """Until it is ended. `keeper`: what the keeper has handed over; None: there is none, and terminals end with this
    process. `log`: standard error is the log's file; otherwise it is its starter's."""
    place = Place(state)
    handler = LogFile(place) if log else logging.StreamHandler()
    logging.basicConfig(handlers=[handler], format=FORM, level=logging.WARNING)
    logging.getLogger("truetty.server").setLevel(logging.INFO)
    with socket.socket(fileno=descriptor) as listening:
        setup = Setup(place, path, listening, limits.IDLE_SECONDS if idle is None else idle)
        try:
            asyncio.run(_run(setup, None if keeper is None else _handed(keeper)))
        except Exception:
            logging.getLogger("truetty.server").exception("the server has failed")
            raise SystemExit(1) from None


async def _run(setup: Setup, handed: tuple[KeeperLink, Carrier] | None) -> None:
    try:
        keep = None if handed is None else Keep(setup.place.folder, *handed)
        server = Server(setup, Settings.load(), keep)
    except Exception as error:
        fail(setup.listening, error, setup.place.log)
    await server.run()


def _handed(words: str) -> tuple[KeeperLink, Carrier]:
    """What the keeper has handed over. When it is here, no other server has the terminals and the socket."""
    link, out, into, word, mark = words.split(",")
    for descriptor in (out, into, word):
        os.set_inheritable(int(descriptor), False)
    return KeeperLink(int(link), mark), Carrier(int(out), int(into), int(word))


class LogFile(logging.Handler):
    """Standard error is the log's file: when that is full, it is moved away and a new one is begun."""

    def __init__(self, place: Place) -> None:
        super().__init__()
        self._place = place
        self._lost = 0  # messages for which there was no room

    def emit(self, record: logging.LogRecord) -> None:
        try:
            text = self.format(record).encode("utf-8", "backslashreplace") + b"\n"
            if os.fstat(2).st_size + len(text) > limits.LARGEST_LOG:
                descriptor = starting.open_log(self._place)
                os.dup2(descriptor, 2)
                os.dup2(descriptor, 1)
                os.close(descriptor)
            if self._lost:
                text = b"%d messages had no room here\n%b" % (self._lost, text)
            _write_whole(text)
            self._lost = 0
        except Exception:  # a full disk must not stop the server
            self._lost += 1


def _write_whole(text: bytes) -> None:
    """To the log's file: all of it, or nothing and OSError."""
    done = os.write(2, text)
    if done < len(text):
        os.ftruncate(2, os.fstat(2).st_size - done)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
