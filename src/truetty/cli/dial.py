"""`truetty dial`: standard input and output are the server's socket.

Rule 1: the first line says that truetty answers, and in which way. What stands before it is not ours.
Rule 2: the end of the input is passed on; the end of the server's answers ends this.
"""

from __future__ import annotations

import os
import select
import socket
from typing import Final

from truetty.client.dial import GREETING, PROTOCOL
from truetty.server.start import launch
from truetty.server.start.place import Place

PIECE: Final = 1 << 16


def dial() -> int:
    with launch.reach(Place.of(os.environ)) as server:
        _write(f"{GREETING} {PROTOCOL}\n".encode())
        readers: list[socket.socket | int] = [server, 0]
        while server in readers:
            ready, _, _ = select.select(readers, [], [])
            if server in ready:
                data = server.recv(PIECE)
                if not data:
                    return 0
                _write(data)
            if 0 in ready:
                data = os.read(0, PIECE)
                if data:
                    server.sendall(data)
                else:
                    readers.remove(0)
                    server.shutdown(socket.SHUT_WR)
    return 0


def _write(data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(1, rest) :]
