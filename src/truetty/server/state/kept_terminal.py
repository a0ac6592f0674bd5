"""What makes one terminal of a server outlive it (`terminal/keeping.py`)."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterator
from typing import Final

from truetty.core.standing import Standing
from truetty.host.kept_hold import KeeperLink, KeptHold, host_for
from truetty.server import starter
from truetty.server.state import kept_options, keys
from truetty.server.state.journal import Journal
from truetty.store.lasting import Carrier, LastingFile, LastingTranscript
from truetty.terminal.options import Options

LOG: Final = logging.getLogger("truetty.server")

PIECE: Final = 1 << 20


class KeptTerminal:
    """`options`: what it is made with."""

    def __init__(
        self,
        id: str,
        options: Options,
        folder: str,
        link: KeeperLink,
        carrier: Carrier,
        journal: Journal,
        on_closed: Callable[[KeptTerminal], None],
    ) -> None:
        self.id: Final = id
        self.file: Final = LastingFile(os.path.join(folder, id), int(id[1:]), carrier, quota=options.quota)
        self.transcript: Final = LastingTranscript(self.file)
        self.hold: Final = KeptHold(link, id, self.file)
        self.host: Final = host_for(self.hold, options.sandbox)
        self._options = kept_options.to_json(options)
        self._journal = journal
        self._on_closed = on_closed

    def printed_since(self, offset: int) -> Iterator[bytes]:
        self.transcript.skip_to(offset)
        end = self.file.size
        return (self.file.read(at, min(at + PIECE, end)) for at in range(offset, end, PIECE))

    def on_open(self, record: Standing) -> None:
        self._journal.write({"t": self.id, "open": {**record, "options": self._options}, "key": keys.current.get()})

    def on_typed(self, serial: int) -> None:
        self._write("typed", serial)

    def on_ask(self, record: Standing) -> None:
        self._journal.write(
            {"t": self.id, "begun": record, "at": time.time(), "key": keys.current.get(), "by": starter.current.get()}
        )

    on_send = on_ask  # its record has more in it, and replaces the first

    def on_end(self, record: Standing) -> None:
        self._write("end", record)
        self.transcript.settle()

    def on_given(self, serial: int, waited: int, read: int | None) -> None:
        self._write("given", [serial, waited, read])

    def on_exit(self, code: int | None, signal: int | None) -> None:
        self._write("exit", [code, signal])

    def on_resize(self, size: tuple[int, int]) -> None:
        self._write("size", size)

    def on_close(self) -> None:
        self._write("close", True)
        self._on_closed(self)

    def _write(self, what: str, value: object) -> None:
        """What has happened already. Where it cannot be written, the next server finds it in what was printed, or says
        that it is not known."""
        try:
            self._journal.write({"t": self.id, what: value})
        except OSError as error:
            LOG.warning("terminal %s: its %s cannot be written down: %s", self.id, what, error.strerror)
