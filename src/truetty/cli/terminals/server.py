"""The server that a command is for: found by `--on` or TRUETTY_ON, else the user's own, which is started if need be."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
from collections.abc import Iterator, Mapping
from typing import Any, Final

from truetty.cli.terminals.wakeful import Wakeful
from truetty.cli.username import username
from truetty.client.dial import address
from truetty.client.http import Answer, Http, quoted
from truetty.core.errors import ChannelLost, Misuse
from truetty.core.version import VERSION
from truetty.server import protocol

WHERE: Final = "TRUETTY_ON"
_TOLD: Final[list[str]] = []  # the version of the older server that this program has named


class Server:
    """One thread at a time asks. `again()` gives another one, for a question while an answer is still coming.

    A server that was killed has a next one, which is asked again what may be asked twice. One that has ended for good
    is not started anew. Of one that is older than this program that is said, once.
    """

    def __init__(
        self, on: str | None, *, start: bool = True, patience: float | None = None, quiet: bool = False
    ) -> None:
        """Without `start` a server that does not run is a HostError. `patience`: seconds for each part of an answer.
        `quiet`: nothing is said on standard error."""
        self._where = on or os.environ.get(WHERE) or None
        self._start = start
        self._patience = patience
        self._quiet = quiet
        self.address: Final = address(self._where)
        client = f"{username()} with truetty/{VERSION}"
        self._http = Http(self._dial, {**self.address.headers(), "Truetty-Client": client}, self._heed)

    def again(self, *, patience: float | None = None) -> Server:
        return Server(self._where, start=self._start, patience=patience or self._patience, quiet=self._quiet)

    @property
    def is_here(self) -> bool:
        """Whether it is on this machine."""
        return self.address.is_here

    def surroundings(self, cwd: str | None) -> dict[str, object]:
        """Fields of a new terminal: on this machine it has our directory and our environment."""
        if not self.is_here:
            return {"cwd": cwd}
        return {"cwd": os.path.abspath(cwd or "."), "environ": dict(os.environ)}

    @property
    def words(self) -> list[str]:
        """Of a command line that asks the same server."""
        return ["--on", self._where] if self._where else []

    @property
    def on(self) -> str:
        """The same, as it stands in a command line."""
        from shlex import join

        return f" {join(self.words)}" if self._where else ""

    def get(self, path: str, **query: object) -> Any:
        return self.read(path, **query).json()

    def read(self, path: str, **query: object) -> Answer:
        """As it came: bytes are no JSON."""
        try:
            return self._http.ask("GET", path, _texts(query))
        except ChannelLost:
            if self._patience is not None:
                raise
            return self._http.ask("GET", path, _texts(query))

    def post(self, path: str, **body: object) -> Any:
        return self._http.ask("POST", path, None, body, again=False).json()

    def post_with_key(self, key: str, path: str, **body: object) -> Any:
        """`key`: a retry key, with which it may be asked again."""
        return self._http.ask("POST", path, None, body, key=key).json()

    def delete(self, path: str, **body: object) -> Any:
        return self._http.ask("DELETE", path, None, body, again=False).json()

    def stream(self, path: str, **query: object) -> Iterator[Any]:
        return self._http.lines(path, _texts(query))

    def close(self) -> None:
        """The connection. The next question makes another one."""
        self._http.close()

    def _heed(self, headers: Mapping[str, str]) -> None:
        version = headers.get(protocol.VERSION_HEADER.lower())
        if version is None or self._quiet or _TOLD or not protocol.is_older(version):
            return
        _TOLD.append(version)
        where = "" if self.is_here else f" at {self.address.where}"
        says = f"truetty: the server{where} is truetty {version}, and this is {VERSION}"
        there = "" if self.is_here else " there"
        with contextlib.suppress(OSError):  # nobody reads it
            print(f"{says}: truetty serve --upgrade{there} keeps every terminal", file=sys.stderr, flush=True)

    def _dial(self) -> socket.socket:
        made = Wakeful(fileno=self.address.dial(start=self._start).detach())
        made.settimeout(self._patience)
        self._start = False
        return made


def _texts(query: dict[str, object]) -> dict[str, str]:
    """Texts stand as they are, everything else as JSON has it. None is left out."""
    return {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in query.items()
        if value is not None
    }


def terminal(id: str, rest: str = "") -> str:
    """The path of a terminal."""
    return f"/v1/terminals/{_named(id)}{rest}"


def command(id: str, rest: str = "") -> str:
    """The path of a command. A terminal's id or name stands for its last one."""
    return f"/v1/commands/{_named(id)}{rest}"


def _named(id: str) -> str:
    if not id:
        raise Misuse("an id or a name is not empty", id=id)
    return quoted(id)
