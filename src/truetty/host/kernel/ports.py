"""Which TCP ports are listened on, and by which process: read from /proc, never tried by connecting.

Rule 1: nothing is sent to a server. It would see a connection, and some servers take only one.
Rule 2: a port belongs to the network of the process that listens: its own /proc/PID/net is read, so a container or
        `unshare -n` is told apart from this machine.
Rule 3: what may not be seen is `None`. A port that was found is a fact; that none was is one only if all was seen.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import Final

# The kernel lists listening sockets before all others: what follows is connections.
LONGEST_TABLE: Final = 1 << 20
# A fork bomb, or a server with a descriptor for each client, must not make one look take long.
MOST_PROCESSES: Final = 256
MOST_DESCRIPTORS: Final = 4096

_LISTEN: Final = b"0A"
_SOCKET: Final = "socket:["
_TABLES: Final = ("tcp", "tcp6")

Sockets = dict[str, int]  # a listening socket's inode, as links name it, and its port


def listening(pids: Iterable[int]) -> frozenset[int] | None:
    """The ports that these processes listen on; None when that is unknown."""
    if sys.platform != "linux":
        return None
    found: set[int] = set()
    hidden = False
    networks: dict[str, Sockets | None] = {}
    for count, pid in enumerate(dict.fromkeys(pids)):
        if count == MOST_PROCESSES:
            hidden = True
            break
        try:
            sockets = _network(pid, networks)
            if sockets is None:
                hidden = True
            elif sockets:
                found |= _ports_of(pid, sockets)
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has ended: it listens to nothing
        except OSError:
            hidden = True
    return None if hidden and not found else frozenset(found)


def is_open(port: int) -> bool | None:
    """Whether a process listens on this port, in the network we are in ourselves; None when that is unknown."""
    if sys.platform != "linux":
        return None
    sockets = _sockets("self")
    return None if sockets is None else port in sockets.values()


def _network(pid: int, known: dict[str, Sockets | None]) -> Sockets | None:
    """The listening sockets in the network of this process. It is read once for all that share it."""
    try:
        name = os.readlink(f"/proc/{pid}/ns/net")
    except PermissionError:  # another user's: its table may be read all the same
        name = str(pid)
    if name not in known:
        known[name] = _sockets(str(pid))
    return known[name]


def _sockets(process: str) -> Sockets | None:
    """None when no table could be read. There is none for IPv6 where that is switched off."""
    sockets: Sockets = {}
    read = 0
    for table in _TABLES:
        try:
            rows = _rows(f"/proc/{process}/net/{table}")
        except OSError:
            continue
        read += 1
        for row in rows:
            fields = row.split(None, 10)
            if len(fields) > 9 and fields[3] == _LISTEN:
                sockets[fields[9].decode()] = int(fields[1].rpartition(b":")[2], 16)
    return sockets if read else None


def _rows(path: str) -> list[bytes]:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        parts: list[bytes] = []
        left = LONGEST_TABLE
        while left > 0 and (part := os.read(fd, left)):  # it comes a page at a time
            parts.append(part)
            left -= len(part)
    finally:
        os.close(fd)
    return b"".join(parts).split(b"\n")[1:-1]  # without the heading, and without a row that was cut


def _ports_of(pid: int, sockets: Sockets) -> set[int]:
    """The ports of those sockets that the process has open."""
    found: set[int] = set()
    folder = f"/proc/{pid}/fd"
    for name in os.listdir(folder)[:MOST_DESCRIPTORS]:
        try:
            link = os.readlink(f"{folder}/{name}")
        except FileNotFoundError:  # closed since
            continue
        if link.startswith(_SOCKET) and (port := sockets.get(link[len(_SOCKET) : -1])) is not None:
            found.add(port)
    return found
