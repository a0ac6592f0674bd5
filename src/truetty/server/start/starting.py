"""Starting a server: the lock, the socket that listens, the process.

Rule 1: the process that has the lock starts the server, and hands it the lock and the listening socket. So of any
        number of processes that start at once exactly one starts a server, and the others reach it.
Rule 2: a socket is bound under another name and renamed, under the lock. So no socket that listens is ever removed, and
        a stale one is replaced.
Rule 3: the server inherits nothing that would tie it to its starter: no terminal, no pipe, no directory, no TRUETTY_…
"""

from __future__ import annotations

import contextlib
import fcntl
import importlib.util
import os
import secrets
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from typing import Final, NoReturn

from truetty import files
from truetty.core.errors import HostError
from truetty.host.environment import KEEPER_MARKS
from truetty.host.keeper import PROGRAM
from truetty.server.limits import LARGEST_LOG
from truetty.server.start.place import TEMPORARY, Place, make_private

BACKLOG: Final = 128
NEEDED: Final = ("starlette", "uvicorn", "websockets")


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


def start(
    place: Place, held: int, bound: socket.socket, path: str, idle: float | None, environ: Mapping[str, str]
) -> None:
    log = open_log(place)
    try:
        ended = subprocess.run(
            _command("keep", place, held, bound, path, idle),
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


def become(place: Place, held: int, bound: socket.socket, path: str, idle: float | None) -> NoReturn:
    """This process becomes the keeper, with a server below it that writes its log to standard error."""
    command = [*_command("foreground", place, held, bound, path, idle), "--no-log"]
    for descriptor in (held, bound.fileno()):
        os.set_inheritable(descriptor, True)
    os.execve(command[0], command, _environ(os.environ))


def _command(mode: str, place: Place, held: int, bound: socket.socket, path: str, idle: float | None) -> list[str]:
    """Of the keeper, which starts the server, and starts it again when it is killed."""
    if missing := [name for name in NEEDED if importlib.util.find_spec(name) is None]:
        reason = f"{missing[0]} is missing: the extra brings it, pip install '.[server]' in a checkout of truetty"
        raise HostError(f"the server cannot be started: {reason}", reason=reason)
    return [
        *(sys.executable, "-S", "-I", str(PROGRAM), mode, KEEPER_MARKS, secrets.token_hex(8)),
        *(sys.executable, "-P", "-m", "truetty.server", "--state", place.folder, "--path", path),
        *("--lock", str(held), "--socket", str(bound.fileno())),
        *(["--idle", str(idle)] if idle is not None else []),
    ]


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
