"""Reaching the server of a state folder, which is started if there is none.

Rule 1: a connection is used when its other end is a process of the same user.
Rule 2: what starts a server is imported when there is none: the command line's quick verbs come through here.
"""

from __future__ import annotations

import errno
import fcntl
import os
import select
import socket
import stat
import struct
from collections.abc import Iterator, Mapping
from typing import Final

from truetty.core.errors import HostError
from truetty.server.start.place import Place, boot, owner

FIRST_PAUSE: Final = 0.02  # seconds between two tries while another process starts the server; each is twice as long
PATIENCE: Final = 5.0
_ABSENT: Final = frozenset({errno.ENOENT, errno.ECONNREFUSED, errno.ENOTDIR})


def reach(
    place: Place, *, start: bool = True, idle: float | None = None, environ: Mapping[str, str] | None = None
) -> socket.socket:
    """A connection to the server. Not `start`: raises HostError where there is none.

    `idle`: after so many seconds without a terminal and a client a server that is started here ends.
    """
    pause, waited = FIRST_PAUSE, 0.0
    while True:
        if (found := connect(place)) is not None:
            return found
        if not start:
            raise HostError(f"no server runs for {place.folder}", path=place.folder, reason="no server")
        from truetty.server.start import starting

        with starting.lock(place) as held:
            if held is not None:
                if (found := connect(place)) is not None:  # it was started between the first try and the lock
                    return found
                with starting.listening(place) as (bound, path):
                    starting.start(place, held, bound, path, idle, os.environ if environ is None else environ)
                    return _connected(path)
        if waited >= PATIENCE:
            raise _silent(place)
        select.select([], [], [], pause)
        # The pauses count, not the time that imports take on a busy machine: nine tries are made in any case.
        pause, waited = 2 * pause, waited + pause


def connect(place: Place) -> socket.socket | None:
    """A connection to the server that runs. None: there is none, or it does not listen yet."""
    for path in _paths(place):
        try:
            return _connected(path)
        except OSError as error:
            if error.errno not in _ABSENT:
                raise HostError(f"{path}: {error.strerror}", path=path, reason=error.strerror) from error
    return None


def _paths(place: Place) -> Iterator[str]:
    """Where it may listen, first what it says itself."""
    info = place.read_info()
    if info is not None:
        yield info["socket"]
    for path in place.sockets():
        if (info is None or path != info["socket"]) and _is_own_folder(os.path.dirname(path)):
            yield path


def _is_own_folder(path: str) -> bool:
    """In /tmp another user may have made the folder that has our name: no server of ours is in it."""
    try:
        return os.stat(path).st_uid == os.geteuid()
    except OSError:
        return False


def _connected(path: str) -> socket.socket:
    check_socket(path)
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        made.connect(path)
        check_peer(made, path)
    except BaseException:
        made.close()
        raise
    return made


def check_socket(path: str) -> None:
    """It is a socket of ours, and not a link to another one. Raises HostError, and OSError where nothing is."""
    found = os.lstat(path)
    if not stat.S_ISSOCK(found.st_mode):
        raise HostError(f"{path} is no socket", path=path, reason="it is no socket")
    if found.st_uid != os.geteuid():
        reason = f"it belongs to another user ({owner(found.st_uid)})"
        raise HostError(f"{path} is not used: {reason}", path=path, reason=reason)


def peer(connection: socket.socket) -> int:
    """The user of the process at the other end."""
    size = struct.calcsize("3i")
    credentials = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
    return int(credentials[1])


def check_peer(connection: socket.socket, path: str) -> None:
    if (uid := peer(connection)) != os.geteuid():
        reason = f"another user listens there ({owner(uid)})"
        raise HostError(f"{path} is not used: {reason}", path=path, reason=reason)


def find(place: Place) -> socket.socket | None:
    """A connection to the server that runs; None: there is none. Raises HostError for one that does not answer."""
    pause, waited = FIRST_PAUSE, 0.0
    while (found := connect(place)) is None and _is_held(place):
        if waited >= PATIENCE:  # it was not about to end
            raise _silent(place)
        select.select([], [], [], pause)
        pause, waited = 2 * pause, waited + pause
    return found


def _is_held(place: Place) -> bool:
    """Whether a process has the lock."""
    try:
        descriptor = os.open(place.lock, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _silent(place: Place) -> HostError:
    info = place.read_info() or {}
    pid, machine = info.get("pid"), info.get("machine")
    if machine is not None and info.get("boot_id") not in (None, boot()):
        # A lock ends with its machine. So this one is held by another machine, which sees the same folder.
        reason = f"its server runs on the machine {machine}"
        message = f"no server answers for {place.folder}: {reason}. Let TRUETTY_STATE name a folder of this machine"
        return HostError(message, path=place.folder, reason=reason, pid=pid, machine=machine)
    whose = f"process {pid} has its lock" if pid is not None else "another process has its lock"
    reason = "it does not answer"
    return HostError(f"no server answers for {place.folder}, but {whose}", path=place.folder, reason=reason, pid=pid)
