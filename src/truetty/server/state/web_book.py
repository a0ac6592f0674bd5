"""What the next server must know of the page: where it listens, and who is logged in.

Rule 1: cookies, keys and links are in the journal as their SHA-256 alone.
Rule 2: only a server below the same keeper goes on with it. After `serve --stop`, or a start of the machine, no one
        listens until it is asked for again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

Entry = Mapping[str, Any]
NAME: Final = "web"  # of the listening socket, as the keeper knows it


@dataclass(frozen=True, slots=True)
class Address:
    host: str
    port: int


class WebBook:
    """`lines` are the journal's, `write` adds one. `keeper` names the keeper above this server."""

    def __init__(
        self,
        lines: Iterable[Mapping[str, Any]] = (),
        write: Callable[[Mapping[str, Any]], None] = lambda line: None,
        keeper: str | None = None,
    ) -> None:
        self.address: Address | None = None
        self.entries: dict[str, Entry] = {}  # logins and links, by their ids
        self._last = 0  # number of an id
        self._write = write
        self._keeper = keeper
        for line in lines:
            if isinstance(what := line.get("web"), dict):
                self._read(what)

    def _read(self, what: Mapping[str, Any]) -> None:
        match what:
            case {"listen": [str(host), int(port)], "keeper": keeper, "last": int(last)}:
                self.address, self.entries = (Address(host, port) if keeper == self._keeper else None), {}
                self._last = last
            case {"closed": True}:
                self.address, self.entries = None, {}
            case {"entry": {"id": str(id)}} if self.address is not None:
                self.entries[id] = what["entry"]
                self._last = max(self._last, int(id[1:]))
            case {"over": str(id)}:
                self.entries.pop(id, None)

    def lines(self) -> list[Mapping[str, Any]]:
        """For a journal that begins anew."""
        if self.address is None:
            return []
        return [self._listen(self.address), *({"web": {"entry": one}} for one in self.entries.values())]

    def open(self, address: Address) -> None:
        self.address = address
        self._write(self._listen(address))

    def close(self) -> None:
        self.address, self.entries = None, {}
        self._write({"web": {"closed": True}})

    def next_number(self) -> int:
        """For an id: one that no other has had, also with servers before this one."""
        self._last += 1
        return self._last

    def put(self, entry: Entry) -> None:
        self.entries[entry["id"]] = entry
        self._write({"web": {"entry": entry}})

    def drop(self, id: str) -> None:
        if self.entries.pop(id, None) is not None:
            self._write({"web": {"over": id}})

    def _listen(self, address: Address) -> Mapping[str, Any]:
        return {"web": {"listen": [address.host, address.port], "keeper": self._keeper, "last": self._last}}
