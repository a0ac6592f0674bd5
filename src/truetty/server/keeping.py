"""The terminals of a server that outlive it: what of each is written down, and how the next server gets them.

Rule 1: what a terminal prints is in its file and what is known of it in the journal, before any caller learns of it.
Rule 2: a terminal is handed over by the keeper and known from the journal. One that only the keeper has was never told
        to a caller, and is ended. Of one that only the journal has, the shell is gone: both died, or the machine did.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from truetty import files
from truetty.core.standing import Standing
from truetty.host.kept_hold import HeldPty, KeeperLink, KeptHold, KeptHost
from truetty.questions.replies import Reply
from truetty.server import journal
from truetty.server.journal import Journal, Line
from truetty.store.lasting import Carrier, LastingFile, LastingTranscript
from truetty.terminal.command import Command
from truetty.terminal.keeping import CommandRecord, TerminalRecord
from truetty.terminal.options import Options
from truetty.terminal.terminal import Terminal
from truetty.text.digest import Budget

PIECE: Final = 1 << 20
# Of each terminal so many commands are remembered.
MOST_COMMANDS: Final = 1000

_PLAIN: Final = ("shell", "cwd", "rc", "history", "size", "name", "task", "startup", "quota", "coalesce")


class KeptTerminal:
    """What makes one terminal outlive this process (`terminal/keeping.py`)."""

    def __init__(self, id: str, folder: str, link: KeeperLink, carrier: Carrier, journal: Journal) -> None:
        self.id: Final = id
        self.file: Final = LastingFile(os.path.join(folder, id), int(id[1:]), carrier)
        self.transcript: Final = LastingTranscript(self.file)
        self.hold: Final = KeptHold(link, id, self.file)
        self.host: Final = KeptHost(self.hold)
        self.options: Standing = {}
        self._journal = journal

    def printed_since(self, offset: int) -> Iterator[bytes]:
        self.transcript.skip_to(offset)
        end = self.file.size
        return (self.file.read(at, min(at + PIECE, end)) for at in range(offset, end, PIECE))

    def on_open(self, record: Standing) -> None:
        self._write("open", {**record, "options": self.options})

    def on_ask(self, record: Standing) -> None:
        self._write("begun", record)

    def on_send(self, record: Standing) -> None:
        self._write("begun", record)

    def on_end(self, record: Standing) -> None:
        self._write("end", record)
        self.transcript.settle()

    def on_exit(self, code: int | None, signal: int | None) -> None:
        self._write("exit", [code, signal])

    def on_resize(self, size: tuple[int, int]) -> None:
        self._write("size", size)

    def on_close(self) -> None:
        self._write("close", True)

    def _write(self, what: str, value: object) -> None:
        self._journal.write({"t": self.id, what: value})


@dataclass(slots=True)
class Adopted:
    """A terminal of the server before, and its commands, the oldest first."""

    terminal: Terminal
    commands: list[Command]


class Keep:
    """`folder`: where the journal and the transcripts lie."""

    def __init__(self, folder: str, link: KeeperLink, carrier: Carrier) -> None:
        self._transcripts: Final = os.path.join(folder, "transcripts")
        files.make_folder(self._transcripts)
        self._link = link
        self._carrier = carrier
        path = os.path.join(folder, "journal")
        self._records, self.damaged = _records(journal.read(path)[0]), 0
        self._journal = Journal(path)
        newest = max((int(id[1:]) for id in (*self._records, *link.held)), default=0)
        self._numbers = itertools.count(newest + 1)
        self.gone: Final[list[str]] = []  # terminals whose shell did not outlive the server before

    def make(self, options: Options) -> Terminal:
        """A terminal that outlives this process."""
        kept = self._kept(f"t{next(self._numbers)}")
        kept.options = _to_json(options)
        return Terminal(options.shell, **replace(options, keeping=kept).arguments())

    def adopt(self) -> list[Adopted]:
        """All that the keeper has handed over. Called once, in the event loop."""
        self._compact()  # first: what is taken over is written about at once
        adopted = []
        for name, held in self._link.held.items():
            if (record := self._records.get(name)) is not None:
                adopted.append(self._adopt(held, record))
            else:
                _hang_up(held)
                self._link.drop(name)
        self.gone.extend(id for id in self._records if id not in self._link.held)
        return adopted

    def close(self) -> None:
        self._journal.close()
        self._carrier.close()
        self._link.close()

    def _kept(self, id: str) -> KeptTerminal:
        return KeptTerminal(id, self._transcripts, self._link, self._carrier, self._journal)

    def _adopt(self, held: HeldPty, record: TerminalRecord) -> Adopted:
        kept = self._kept(held.name)
        kept.options = record.opened["options"]
        kept.file.finish()
        options = replace(_from_json(kept.options), keeping=kept)
        channel = kept.hold.adopt(held, record.opened["folder"])
        return Adopted(*Terminal.adopt(options, channel, record))

    def _compact(self) -> None:
        """The journal begins anew with what is still needed of it."""
        lines: list[Line] = [journal.header()]
        for id in self._link.held:
            if (record := self._records.get(id)) is None:
                continue
            lines.append({"t": id, "open": record.opened})
            for command in record.commands[-MOST_COMMANDS:]:
                lines.append({"t": id, "begun": command.begun})
                if command.ended is not None:
                    lines.append({"t": id, "end": command.ended})
        self._journal.rewrite(lines)
        for name in os.listdir(self._transcripts):
            if name not in self._link.held:
                with contextlib.suppress(OSError):
                    os.unlink(os.path.join(self._transcripts, name))


def _records(lines: list[Line]) -> dict[str, TerminalRecord]:
    """By terminal; those that were closed are left out, and so is everything from before the machine's last start."""
    records: dict[str, TerminalRecord] = {}
    if not lines or lines[0].get("boot") != journal.boot():
        return records
    for line in lines[1:]:
        match line:
            case {"t": str(id), "open": opened}:
                records[id] = TerminalRecord(opened)
            case {"t": str(id), "begun": begun} if id in records:
                commands = records[id].commands
                if commands and commands[-1].begun["serial"] == begun["serial"]:
                    commands[-1].begun = begun
                else:
                    commands.append(CommandRecord(begun))
            case {"t": str(id), "end": ended} if id in records and records[id].commands:
                records[id].commands[-1].ended = ended
            case {"t": str(id), "close": True}:
                records.pop(id, None)
    return records


def _to_json(options: Options) -> Standing:
    plain = {name: getattr(options, name) for name in _PLAIN}
    return {**plain, "budget": asdict(options.budget), "replies": [asdict(one) for one in options.replies]}


def _from_json(values: Standing) -> Options:
    given: dict[str, Any] = {name: values[name] for name in _PLAIN if name in values}
    shell = given.pop("shell", None)
    given["size"] = tuple(given["size"])
    given["budget"] = Budget(**values["budget"])
    given["replies"] = [Reply(**one) for one in values["replies"]]
    return Options.of(shell, **given)


def _hang_up(held: HeldPty) -> None:
    os.close(held.master)
