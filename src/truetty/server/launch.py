"""Reaching the server of a state folder, which is started if there is none.

Rule 1: the process that has the lock starts the server, and hands it the lock and the listening socket. So of any
        number of processes that start at once exactly one starts a server, and the others reach it.
Rule 2: a socket is bound under another name and renamed, under the lock. So no socket that listens is ever removed, and
        a stale one is replaced.
Rule 3: a connection is used when its other end is a process of the same user.
Rule 4: the server inherits nothing that would tie it to its starter: no terminal, no pipe, no directory, no TRUETTY_…
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import importlib.util
import os
import secrets
import select
import socket
import stat
import struct
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from typing import Final

from truetty import files
from truetty.core.errors import HostError
from truetty.host.environment import KEEPER_MARKS
from truetty.host.keeper import PROGRAM
from truetty.server.limits import LARGEST_LOG
from truetty.server.place import TEMPORARY, Place, make_private, owner

BACKLOG: Final = 128
FIRST_PAUSE: Final = 0.02  # seconds between two tries while another process starts the server; each is twice as long
PATIENCE: Final = 5.0
NEEDED: Final = ("starlette", "uvicorn", "websockets")
_ABSENT: Final = frozenset({errno.ENOENT, errno.ECONNREFUSED, errno.ENOTDIR})


def reach(
    place: Place, *, start: bool = True, idle: float | None = None, environ: Mapping[str, str] | None = None
) -> socket.socket:
    """A connection to the server. Not `start`: raises HostError where there is none.

    `idle`: after so many seconds without a terminal and a client a server that is started here ends.
    """
    pause, end = FIRST_PAUSE, time.monotonic() + PATIENCE
    while True:
        if (found := connect(place)) is not None:
            return found
        if not start:
            raise HostError(f"no server runs for {place.folder}", path=place.folder, reason="no server")
        with lock(place) as held:
            if held is not None:
                if (found := connect(place)) is not None:  # it was started between the first try and the lock
                    return found
                with listening(place) as (bound, path):
                    _start(place, held, bound, path, idle, os.environ if environ is None else environ)
                    return _connected(path)
        if time.monotonic() >= end:
            raise _silent(place)
        select.select([], [], [], pause)
        pause *= 2


def connect(place: Place) -> socket.socket | None:
    """A connection to the server that runs. None: there is none, or it does not listen yet."""
    info = place.read_info()
    paths = [*([info["socket"]] if info is not None else []), *place.sockets()]
    for path in dict.fromkeys(paths):
        try:
            return _connected(path)
        except OSError as error:
            if error.errno not in _ABSENT:
                raise HostError(f"{path}: {error.strerror}", path=path, reason=error.strerror) from error
    return None


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


@contextlib.contextmanager
def lock(place: Place) -> Iterator[int | None]:
    """A descriptor with the lock; None: another process has it. A child that inherits it keeps the lock."""
    place.make()
    try:
        descriptor = os.open(place.lock, os.O_RDWR | os.O_CREAT | files.SAFE, files.PRIVATE)
    except OSError as error:
        raise HostError(f"{place.lock}: {error.strerror}", path=place.lock, reason=error.strerror) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield None
        else:
            yield descriptor
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def listening(place: Place) -> Iterator[tuple[socket.socket, str]]:
    """A socket that listens, 0600, in the first place that takes one. Only with the lock."""
    refused: OSError | None = None
    for path in place.sockets():
        make_private(os.path.dirname(path))
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as bound:
            new = path + TEMPORARY.replace("XXXXXXXX", os.urandom(4).hex())
            try:
                bound.bind(new)
                os.chmod(new, files.PRIVATE)
                bound.listen(BACKLOG)
                os.replace(new, path)
            except OSError as error:
                with contextlib.suppress(OSError):
                    os.unlink(new)
                refused = error
                continue
            yield bound, path
            return
    reason = "its path is too long" if refused is None else refused.strerror
    raise HostError(f"{place.folder}: no socket can be made there: {reason}", path=place.folder, reason=reason)


def _start(
    place: Place, held: int, bound: socket.socket, path: str, idle: float | None, environ: Mapping[str, str]
) -> None:
    server = [
        *(sys.executable, "-P", "-m", "truetty.server", "--state", place.folder, "--path", path),
        *("--lock", str(held), "--socket", str(bound.fileno())),
        *(["--idle", str(idle)] if idle is not None else []),
    ]
    if missing := [name for name in NEEDED if importlib.util.find_spec(name) is None]:
        reason = f"{missing[0]} is missing: pip install 'truetty[server]' brings it"
        raise HostError(f"the server cannot be started: {reason}", reason=reason)
    # The keeper starts the server, and starts it again when it is killed.
    command = [sys.executable, "-S", "-I", str(PROGRAM), "keep", KEEPER_MARKS, secrets.token_hex(8), *server]
    log = open_log(place)
    try:
        ended = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=_environ(environ),
            cwd="/",
            umask=0o077,
            start_new_session=True,
            pass_fds=(held, bound.fileno()),
            check=False,
        )
    finally:
        os.close(log)
    if ended.returncode != 0:
        reason = f"the server could not be started; {place.log} says why"
        raise HostError(reason, path=place.log, reason=reason, exit_code=ended.returncode)


def open_log(place: Place) -> int:
    """A descriptor at its end. One that has grown too large is the one before from now on."""
    try:
        with contextlib.suppress(FileNotFoundError):
            if os.lstat(place.log).st_size > LARGEST_LOG:
                os.replace(place.log, f"{place.log}.1")
        return files.append(place.log)
    except OSError as error:
        reason = error.strerror or str(error)
        raise HostError(f"{place.log}: {reason}", path=place.log, reason=reason) from error


def _environ(environ: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in environ.items() if not name.startswith("TRUETTY_")}
    if "PYTHONPATH" in kept:  # the server's directory is another one
        kept["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, kept["PYTHONPATH"].split(os.pathsep)))
    return kept


def _silent(place: Place) -> HostError:
    info = place.read_info()
    pid = None if info is None else info.get("pid")
    whose = f"process {pid} has its lock" if pid is not None else "another process has its lock"
    reason = "it does not answer"
    return HostError(f"no server answers for {place.folder}, but {whose}", path=place.folder, reason=reason, pid=pid)
