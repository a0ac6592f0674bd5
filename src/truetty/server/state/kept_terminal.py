"""What makes one terminal of a server outlive it (`terminal/keeping.py`)."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Iterator
from typing import Final

from truetty.core.standing import Standing
from truetty.host.kept_hold import KeeperLink, KeptHold, host_for
from truetty.server import starter
from truetty.server.state import kept_options, keys
from truetty.server.state.journal import Journal
from truetty.server.state.shortage import Shortage
from truetty.store.lasting import FULL, Carrier, LastingFile, LastingTranscript
from truetty.store.transcript import spans_without
from truetty.terminal.keeping import TerminalRecord
from truetty.terminal.options import Options

PIECE: Final = 1 << 20


class KeptTerminal:
    """`options`: what it is made with. `record`: what was written of it, if it is of a server before."""

    def __init__(
        self,
        id: str,
        options: Options,
        folder: str,
        link: KeeperLink,
        carrier: Carrier,
        journal: Journal,
        shortage: Shortage,
        on_closed: Callable[[KeptTerminal], None],
        record: TerminalRecord | None = None,
    ) -> None:
        self.id: Final = id
        path, number = os.path.join(folder, id), int(id[1:])
        self.file: Final = LastingFile(path, number, carrier, quota=options.quota, on_gap=self._on_gap)
        self.transcript: Final = LastingTranscript(self.file)
        self.hold: Final = KeptHold(link, id, self.file)
        self.host: Final = host_for(self.hold, options.sandbox)
        self._options = kept_options.to_json(options)
        self._journal = journal
        self._shortage = shortage
        self._on_closed = on_closed
        self._is_over = record is not None and (record.closed or record.exit is not None)
        self._asked: int | None = None  # the command of which it is written that it is to be typed
        if record is not None:
            self._asked = record.commands[-1].begun["serial"] if record.commands else None
            self.file.take_over(record.gaps)

    def printed_since(self, offset: int) -> Iterator[bytes]:
        self.transcript.skip_to(offset)
        return self._printed(offset)

    def _printed(self, offset: int) -> Iterator[bytes]:
        stored = self.file.size - len(self.file.unstored)
        for start, end in spans_without(self.file.gaps, offset, stored):
            self.transcript.skip_to(start)
            for at in range(start, end, PIECE):
                yield self.file.read(at, min(at + PIECE, end))
        self.transcript.skip_to(stored)
        if self.file.unstored:
            yield self.file.unstored

    def on_open(self, record: Standing) -> None:
        self._journal.write({"t": self.id, "open": {**record, "options": self._options}, "key": keys.current.get()})

    def on_typed(self, serial: int) -> None:
        self._note("typed", serial)

    def on_ask(self, record: Standing) -> None:
        begun = {"begun": record, "at": time.time(), "key": keys.current.get(), "by": starter.current.get()}
        if record["serial"] == self._asked:  # its caller knows of it
            self._journal.note({"t": self.id, **begun})
        else:
            self._journal.write({"t": self.id, **begun})
            self._asked = record["serial"]

    on_send = on_ask  # its record has more in it, and replaces the first

    def on_end(self, record: Standing) -> None:
        self._note("end", record)
        self.transcript.settle()

    def on_given(self, serial: int, waited: int, read: int | None) -> None:
        self._note("given", [serial, waited, read])

    def on_exit(self, code: int | None, signal: int | None) -> None:
        self._note("exit", [code, signal])

    def on_resize(self, size: tuple[int, int]) -> None:
        self._journal.note({"t": self.id, "size": size, "at": self.transcript.size})

    def on_close(self) -> None:
        self._shortage.end(f"the output of {self.id}")
        self._note("close", True)
        self._on_closed(self)

    def _on_gap(self, start: int, end: int | None, why: str) -> None:
        """Of what it prints nothing is stored from `start` on, or nothing was up to `end`."""
        if end is None and why == FULL and not self._is_over:
            self._shortage.begin(f"the output of {self.id}", OSError(errno.ENOSPC, why), self.file.check_room)
        elif end is not None:
            self._shortage.end(f"the output of {self.id}")
        self._note("gap", [start, end, why])

    def _note(self, what: str, value: object) -> None:
        self._journal.note({"t": self.id, what: value})
