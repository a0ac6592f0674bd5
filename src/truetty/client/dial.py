"""From an address to a byte stream on which a server answers.

    None             the user's own server on this machine, which is started if need be
    unix:PATH        the one that listens there
    ssh://host       the one of that machine: `ssh -T host truetty dial`
    [words]          the one that these words reach: they end in `truetty dial`, run by docker, kubectl, sudo, …; they
                     may be one text, as a shell would split it
    http://host      one that listens on a TCP port, with a token, which may be in TRUETTY_TOKEN

Rule 1: each of them is a socket. A program has the other end of a pair as its input and its output.
Rule 2: `truetty dial` says `truetty dial 1` first, and nothing of the server's comes before the client has asked. So
        what stands before that line is noise of start-up files, and is passed over.
Rule 3: an error says what is wrong there and what to do about it.
Rule 4: nothing slow is imported before it is needed: the command line's quick verbs come through here.
"""

from __future__ import annotations

import os
import socket
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Final

from truetty.core import lazy
from truetty.core.errors import HostError, Misuse

GREETING: Final = "truetty dial"
PROTOCOL: Final = 1  # of what stands behind the greeting
MOST_NOISE: Final = 64 << 10  # bytes of start-up files before the greeting
SHOWN_NOISE: Final = 200  # characters of it in an error
KEPT_ERRORS: Final = 2000  # bytes of what the program says on its standard error
TOKEN: Final = "TRUETTY_TOKEN"  # the variable
NO_TOKEN: Final = "no token"  # a reason
NOT_FOUND: Final = 127  # the exit status of a shell that has no such program
_SSH: Final = lazy.pattern(
    r"ssh://(?:(?P<user>[^@/:]+)@)?(?P<host>\[[0-9A-Fa-f:.%\w]+\]|[^@/:\[\]]+)(?::(?P<port>\d{1,5}))?/?"
)
_HTTP: Final = lazy.pattern(r"http://(?P<host>\[[0-9A-Fa-f:.]+\]|[^@/:\[\]]+)(?::(?P<port>\d{1,5}))?/?")
FORMS: Final = "unix:PATH, ssh://[user@]host[:port], http://host:port with a token, or a list of words"

Where = str | Sequence[str] | None


class Address(ABC):
    """Where a server is. `is_here`: terminals get the environment and the directory of this program."""

    is_here = False
    host = "truetty"  # what the server's clients call it

    def __init__(self, where: str) -> None:
        self.where: Final = where

    @abstractmethod
    def dial(self, *, start: bool = True) -> socket.socket:
        """A connection. `start`: a server may be started. Raises HostError."""

    def headers(self) -> dict[str, str]:
        return {"Host": self.host}

    def __repr__(self) -> str:
        return self.where


class Own(Address):
    is_here = True

    def __init__(self) -> None:
        from truetty.server.start.place import Place

        self._place = Place.of(os.environ)
        super().__init__(self._place.folder)

    def dial(self, *, start: bool = True) -> socket.socket:
        from truetty.server.start import launch

        return launch.reach(self._place, start=start)


class Unix(Address):
    is_here = True

    def __init__(self, where: str) -> None:
        super().__init__(where)
        self._path = where.removeprefix("unix:")
        if not self._path:
            raise Misuse("unix: needs the path of a socket behind it, such as unix:/run/user/1000/truetty/sock")

    def dial(self, *, start: bool = True) -> socket.socket:
        from truetty.server.start import launch

        made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            launch.check_socket(self._path)
            made.connect(self._path)
            launch.check_peer(made, self._path)
        except OSError as error:
            made.close()
            raise _unreachable(self.where, error) from error
        except BaseException:
            made.close()
            raise
        return made


class Tcp(Address):
    def __init__(self, where: str, token: str | None) -> None:
        super().__init__(where)
        found = _HTTP.fullmatch(where)
        if found is None:
            raise _no_address(where, "it is http://host:port")
        token = token or os.environ.get(TOKEN) or None
        if token is None:
            message = f"a server at {where} needs a token: connect({where!r}, token=…), or the variable {TOKEN}"
            raise Misuse(message, where=where, reason=NO_TOKEN)
        if not (token.isascii() and token.isprintable()):
            raise Misuse("a token is printable ASCII, on one line", where=where)
        self._token = token
        self._port = int(found["port"] or 80)
        self.host = where.removeprefix("http://").rstrip("/")
        self._name = found["host"].strip("[]")

    def dial(self, *, start: bool = True) -> socket.socket:
        try:
            made = socket.create_connection((self._name, self._port))
        except OSError as error:
            raise _unreachable(self.where, error) from error
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return made

    def headers(self) -> dict[str, str]:
        return {"Host": self.host, "Authorization": f"Bearer {self._token}"}


class Program(Address):
    """A program whose input and output are the server's."""

    def __init__(self, where: str, words: Sequence[str], machine: str | None = None) -> None:
        super().__init__(where)
        self.words: Final = list(words)
        self._machine = machine or "the far side"

    def dial(self, *, start: bool = True) -> socket.socket:
        import subprocess

        ours, theirs = socket.socketpair()
        with theirs:
            try:
                process = subprocess.Popen(
                    self.words, stdin=theirs.fileno(), stdout=theirs.fileno(), stderr=subprocess.PIPE
                )
            except OSError as error:
                ours.close()
                name = self.words[0]
                reason = "it is not installed here" if isinstance(error, FileNotFoundError) else error.strerror
                raise HostError(f"{name} cannot be run: {reason}", where=self.where, reason=reason) from error
        end = _End(process)
        try:
            self._greet(ours, end)
        except BaseException:
            ours.close()
            raise
        return ours

    def _greet(self, stream: socket.socket, end: _End) -> None:
        """Read up to the greeting."""
        noise = b""
        while len(noise) <= MOST_NOISE:
            *lines, _ = noise.split(b"\n")
            for line in lines:
                words = line.decode("utf-8", "replace").strip()
                if words.startswith(f"{GREETING} "):
                    self._check(words.removeprefix(f"{GREETING} "))
                    return
            try:
                data = stream.recv(MOST_NOISE)
            except ConnectionResetError:
                data = b""
            if not data:
                break
            noise += data
        raise self._silent(noise, end)

    def _check(self, protocol: str) -> None:
        if protocol != str(PROTOCOL):
            from truetty.core.version import VERSION

            message = (
                f"truetty of {self._machine} speaks dial {protocol[:20]}, and truetty {VERSION} here dial {PROTOCOL}"
            )
            raise HostError(
                f"{message}: install the same version", where=self.where, reason="versions", protocol=protocol
            )

    def _silent(self, noise: bytes, end: _End) -> HostError:
        status, errors = end.wait() if len(noise) <= MOST_NOISE else (None, b"")
        said = _shown(errors)
        facts = {"where": self.where, "exit_code": status}
        if status == NOT_FOUND:
            install = f"install it there: pipx install '.[server]' in a checkout of truetty on {self._machine}"
            return HostError(f"there is no truetty at {self.where}; {install}", reason="no truetty", **facts)
        answered = f'; it printed "{_shown(noise)}" instead' if noise.strip() else ""
        complained = f": {said}" if said else ""
        what = "" if status is None else f" (exit status {status})"
        message = f"{self.where} does not answer as truetty dial{what}{complained}{answered}"
        return HostError(message, reason=said or "no greeting", noise=_shown(noise), **facts)


class _End:
    """Of a program: it is waited for in a thread, so that no zombie stays, and its last words are kept."""

    def __init__(self, process: object) -> None:
        self._process: Final = process
        self._errors = b""
        self._status: int | None = None
        import threading

        self._thread = threading.Thread(target=self._follow, name="truetty dial", daemon=True)
        self._thread.start()

    def _follow(self) -> None:
        import subprocess

        assert isinstance(self._process, subprocess.Popen)
        assert self._process.stderr is not None
        with self._process.stderr as errors:
            while data := os.read(errors.fileno(), KEPT_ERRORS):
                self._errors = (self._errors + data)[-KEPT_ERRORS:]
        self._status = self._process.wait()

    def wait(self) -> tuple[int | None, bytes]:
        self._thread.join()
        return self._status, self._errors


def address(where: Where = None, token: str | None = None) -> Address:
    """What `where` means. Raises Misuse."""
    if token is not None and not (isinstance(where, str) and where.startswith("http://")):
        raise Misuse("a token is for an address that begins with http://", where=where)
    if where is None:
        return Own()
    if isinstance(where, str):
        return _named(where, token)
    if not isinstance(where, list | tuple) or not where or not all(isinstance(word, str) for word in where):
        raise _no_address(where, f"an address is {FORMS}")
    from shlex import join

    return Program(join(where), where)


def _named(where: str, token: str | None) -> Address:
    scheme, colon, _ = where.partition(":")
    if colon and scheme == "unix":
        return Unix(where)
    if colon and scheme == "http":
        return Tcp(where, token)
    if colon and scheme == "ssh":
        found = _SSH.fullmatch(where)
        if found is None or found["host"].startswith("-") or (found["user"] or "").startswith("-"):
            raise _no_address(where, "it is ssh://[user@]host[:port]")
        host = found["host"].strip("[]")
        target = f"{found['user']}@{host}" if found["user"] else host
        port = ["-p", found["port"]] if found["port"] else []
        return Program(where, ["ssh", "-T", *port, target, "truetty dial"], host)
    if where.split()[1:]:
        return Program(where, _words(where))
    raise _no_address(where, f"an address is {FORMS}")


def _words(where: str) -> list[str]:
    """A list of words as one text, as a command line has it."""
    from shlex import split

    try:
        return split(where)
    except ValueError as error:  # a quote is not closed
        raise _no_address(where, f"its words cannot be told apart: {error}") from None


def _no_address(where: object, but: str) -> Misuse:
    from truetty.core import kinds  # an address that is right is dialled without it

    said = kinds.quoted(where) if isinstance(where, str) else kinds.described(where)
    return Misuse(f"{said} is no address: {but}", where=where)


def _unreachable(where: str, error: OSError) -> HostError:
    reason = error.strerror or str(error)
    return HostError(f"no server answers at {where}: {reason}", where=where, reason=reason)


def _shown(data: bytes) -> str:
    """Its beginning, on one line, without what could steer a terminal."""
    text = data.decode("utf-8", "replace").strip()[:SHOWN_NOISE]
    return "".join(one if one.isprintable() else repr(one)[1:-1] for one in text)
