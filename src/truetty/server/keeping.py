"""The terminals of a server that outlive it: what of each is written down, and how the next server gets them.

Rule 1: what a terminal prints is in its file and what is known of it in the journal, before any caller learns of it.
Rule 2: a terminal is handed over by the keeper and known from the journal. One without a label there, in which nothing
        was run, was never told to a caller, and is ended. Of one that only the journal has, the shell is gone: the
        keeper has died too.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import os
import socket
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, NotRequired, TypedDict, cast

from truetty import files
from truetty.core.standing import Standing
from truetty.host.base import Channel, Ended
from truetty.host.kept_hold import HeldPty, KeeperLink, KeptHold, host_for
from truetty.host.past import PastChannel
from truetty.server import journal, kept_options, keys, limits, starter
from truetty.server.journal import Journal, Line
from truetty.server.keys import PastKey
from truetty.server.starter import Starter
from truetty.server.stray import Stray, undescribed
from truetty.server.web_book import NAME as WEB
from truetty.server.web_book import WebBook
from truetty.service.leases import LeaseRecord
from truetty.store.lasting import Carrier, LastingFile, LastingTranscript
from truetty.terminal.command import Command
from truetty.terminal.keeping import CommandRecord, TerminalRecord
from truetty.terminal.options import Options
from truetty.terminal.terminal import Terminal

LOG: Final = logging.getLogger("truetty.server")

PIECE: Final = 1 << 20
# Of each terminal so many commands are remembered.
MOST_COMMANDS: Final = 100
# And so many terminals that were closed.
MOST_CLOSED: Final = 32
MOST_BYTES: Final = 1 << 30  # that these have printed


class KeptTerminal:
    """What makes one terminal outlive this process (`terminal/keeping.py`). `options`: what it is made with."""

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


class Label(TypedDict):
    """What callers know of a terminal beside what the shell does."""

    name: str | None
    task: str | None
    client: str | None  # which has opened it
    opened_at: float
    own: bool  # as in `service.registry.Origin`
    usual: bool
    until_finished: NotRequired[bool]  # it is closed when its first command has ended


@dataclass(frozen=True, slots=True)
class Adopted:
    """A terminal of the server before, and its commands, the oldest first."""

    terminal: Terminal
    commands: list[Command]
    label: Label
    started_at: dict[str, float]  # by command, in seconds since 1970
    starters: dict[str, Starter]  # by command
    lease: LeaseRecord | None  # of a person who has typed there, and of which no outcome tells yet


class Keep:
    """`folder`: where the journal and the transcripts lie."""

    def __init__(self, folder: str, link: KeeperLink, carrier: Carrier) -> None:
        self._transcripts: Final = os.path.join(folder, "transcripts")
        files.make_folder(self._transcripts)
        self._link = link
        self._carrier = carrier
        path = os.path.join(folder, "journal")
        past = journal.read(path)
        self.damaged: Final = past.damaged  # lines of it that could not be read
        # What the keeper holds is of this run of the machine, though the journal may no longer say so.
        self._is_ours = past.boot == journal.boot() or (past.boot is None and bool(link.held))
        records = _records(past.lines) if self._is_ours else {}
        self._records = {id: one for id, one in records.items() if one.label is not None or one.commands}
        self.keys: Final = _keys(past.lines, self._records.keys())  # retry keys of servers before this one
        self.web: Final = WebBook(past.lines if self._is_ours else (), self._note_web, link.mark)
        self.last_question = max((line.get("question", 0) for line in past.lines), default=0)  # its number
        self._strays = {line["t"] for line in past.lines if "stray" in line}
        self._journal = Journal(path)
        newest = max((int(id[1:]) for id in (*self._records, *link.held)), default=0)
        self._numbers = itertools.count(newest + 1)
        self._closed: dict[str, int] = {}  # how much each has printed, of those that are remembered

    def make(self, options: Options) -> Terminal:
        """A terminal that outlives this process."""
        kept = self._kept(f"t{next(self._numbers)}", options)
        return Terminal(options.shell, **replace(options, keeping=kept).arguments())

    async def adopt(self) -> list[Adopted]:
        """All that the keeper has handed over, and those that were closed or have ended and are remembered."""
        unknown = self._link.held.keys() - self._records.keys()
        if self.damaged:
            self._strays |= unknown
        self._compact()  # first: what is taken over is written about at once
        for held in [self._link.held[name] for name in unknown]:
            if held.name in self._strays:
                self._leave_alone(held)
            else:
                await undescribed(self._link, held, self._nowhere(held)).close()
        adopted = [self._try_to_adopt(id, record) for id, record in self._records.items()]
        return [one for one in adopted if one is not None]

    def note_key(self, key: PastKey) -> None:
        """Something is about to be done for a request with this key."""
        self._journal.write(asdict(key))

    def note_question(self, number: int) -> None:
        """A person is about to be asked the question with this number."""
        self._try_to_write({"question": number}, f"the number of question q{number}")

    def _note_web(self, line: Line) -> None:
        self._journal.write(line)

    def lend(self, listening: socket.socket) -> None:
        """The page's: the next server has it, too."""
        self._link.lend(WEB, listening.fileno())

    def take_back(self) -> None:
        self._link.take_back(WEB)

    def lent(self) -> socket.socket | None:
        found = self._link.lent.pop(WEB, None)
        return None if found is None else socket.socket(fileno=found)

    def note(self, id: str, label: Label) -> None:
        """A caller is about to be told of this terminal, or its label has changed."""
        self._journal.write({"t": id, "label": label})

    def note_lease(self, id: str, lease: LeaseRecord) -> None:
        """A person has this terminal, or had it."""
        self._try_to_write({"t": id, "lease": asdict(lease)}, f"terminal {id}: its lease")

    def _try_to_write(self, line: Line, what: str) -> None:
        try:
            self._journal.write(line)
        except OSError as error:
            LOG.warning("%s cannot be written down: %s", what, error.strerror)

    @property
    def is_kept(self) -> bool:
        """Whether there is a keeper: without one terminals end with this process."""
        return self._link.alive

    def attach(self, on_loss: Callable[[], None]) -> None:
        """From now on in the event loop; `on_loss` is called when the keeper is gone."""
        self._link.attach(on_loss)

    def ready(self) -> None:
        """This process serves."""
        self._link.ready()

    async def renew(self, command: Sequence[str]) -> bool:
        """Start the process that is to follow this one; True when it waits for the terminals, False if it failed."""
        answered: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._link.renew(command, answered.set_result)
        return await answered

    def leave(self) -> None:
        """This process is about to leave, and another takes its terminals over."""
        self._journal.close()
        self._carrier.close()
        self._link.close()

    def stop(self) -> None:
        """This process is about to leave, and no other is to follow."""
        self._link.stop()
        self.leave()

    def _kept(self, id: str, options: Options) -> KeptTerminal:
        return KeptTerminal(id, options, self._transcripts, self._link, self._carrier, self._journal, self._on_closed)

    def _leave_alone(self, held: HeldPty) -> None:
        LOG.warning("terminal %s is not described by the journal: process %d goes on", held.name, held.shell)
        Stray(self._link, held, self._nowhere(held))

    def _nowhere(self, held: HeldPty) -> str:
        return os.path.join(self._transcripts, held.name, "none")

    def _try_to_adopt(self, id: str, record: TerminalRecord) -> Adopted | None:
        held = self._link.held.get(id)
        if held is not None and record.exit is not None:
            os.close(held.master)
            self._link.drop(id)
        try:
            return self._adopt(id, record)
        except Exception:  # what the record says is not what a server has written
            LOG.exception("terminal %s cannot be taken over", id)
        if held is not None and record.exit is None:
            self._journal.write({"t": id, "stray": True})
            self._leave_alone(held)
        return None

    def _adopt(self, id: str, record: TerminalRecord) -> Adopted:
        options = kept_options.from_json(record.opened["options"])
        kept = self._kept(id, options)
        kept.file.finish()
        held = self._link.held.get(id)
        channel: Channel
        if record.closed:
            self._closed[id] = kept.file.size
        if record.exit is not None or record.closed or held is None:
            channel = PastChannel(Ended(*record.exit) if record.exit is not None else Ended())
        else:
            channel = kept.hold.adopt(held, record.opened["folder"])
        label = cast(Label, record.label) if record.label is not None else _unlabelled(record)
        terminal, commands = Terminal.adopt(replace(options, keeping=kept), channel, record)
        terminal.name, terminal.task = label["name"], label["task"]
        known = {f"{id}-{one.begun['serial']}": one for one in record.commands}
        started = {name: one.started_at for name, one in known.items() if one.started_at is not None}
        starters = {name: Starter.of(one.starter) for name, one in known.items() if one.starter is not None}
        lease = None if record.lease is None else LeaseRecord.of(record.lease)
        return Adopted(terminal, commands, label, started, starters, lease)

    def _on_closed(self, kept: KeptTerminal) -> None:
        """It is remembered, and the oldest are forgotten."""
        self._closed[kept.id] = kept.file.size
        while len(self._closed) > MOST_CLOSED or sum(self._closed.values()) > MOST_BYTES:
            oldest = next(iter(self._closed))
            del self._closed[oldest]
            self._journal.write({"t": oldest, "forget": True})
            self._remove(oldest)

    def _remove(self, name: str) -> None:
        with contextlib.suppress(OSError):
            os.unlink(os.path.join(self._transcripts, name))

    def _compact(self) -> None:
        """The journal begins anew with what is still needed of it."""
        lines: list[Line] = [journal.header(), {"question": self.last_question}, *map(asdict, self.keys)]
        lines += self.web.lines()
        lines += [{"t": name, "stray": True} for name in self._strays & self._link.held.keys()]
        for id, record in self._records.items():
            lines.append({"t": id, "open": record.opened})
            if record.label is not None:
                lines.append({"t": id, "label": record.label})
            record.forget(MOST_COMMANDS)
            for command in record.commands:
                lines.append({"t": id, "begun": command.begun, "at": command.started_at, "by": command.starter})
                lines.append({"t": id, "given": [command.begun["serial"], *command.given]})
                if command.ended is not None:
                    lines.append({"t": id, "end": command.ended})
            if record.lease is not None:
                lines.append({"t": id, "lease": record.lease})
            if record.exit is not None:
                lines.append({"t": id, "exit": record.exit})
            if record.closed:
                lines.append({"t": id, "close": True})
        self._journal.rewrite(lines, needed=not self._is_ours)
        for name in os.listdir(self._transcripts):
            if name not in self._records:
                self._remove(name)


def _records(lines: list[Line]) -> dict[str, TerminalRecord]:
    """By terminal, in the order in which they were opened."""
    records: dict[str, TerminalRecord] = {}
    for line in lines:
        match line:
            case {"t": str(id), "stray": True}:
                records.pop(id, None)
            case {"t": str(id), "open": dict(opened)}:
                records[id] = TerminalRecord(opened)
            case {"t": str(id), "forget": True}:
                records.pop(id, None)
            case {"t": str(id), **what} if id in records:
                _add(records[id], what)
    return records


def _unlabelled(record: TerminalRecord) -> Label:
    """The server before was killed when a command was typed into a new terminal, and before it had answered."""
    options = record.opened["options"]
    opened_at = record.commands[0].started_at or time.time()
    return Label(name=options["name"], task=options["task"], client=None, opened_at=opened_at, own=False, usual=False)


def _keys(lines: list[Line], terminals: Collection[str]) -> list[PastKey]:
    """Those that are young enough, the newest last, and what was made with each: of these terminals."""
    found: dict[str, PastKey] = {}
    youngest = time.time() - limits.KEY_SECONDS
    for line in lines:
        match line:
            case {"key": str(key), "digest": digest, "verb": verb, "at": at, "made": made} if at > youngest:
                found[key] = PastKey(key, digest, verb, at, made)
            case {"key": str(key), "t": id, "begun": {"serial": serial}} if key in found:
                found[key] = replace(found[key], made=f"{id}-{serial}")
            case {"key": str(key), "t": id, "open": _} if (
                key in found and found[key].verb == "open" and id in terminals
            ):
                found[key] = replace(found[key], made=id)
    return list(found.values())[-limits.MOST_KEYS :]


def _add(record: TerminalRecord, what: Mapping[str, Any]) -> None:
    commands = record.commands
    match what:
        case {"begun": {"serial": serial} as begun} if commands and commands[-1].begun["serial"] == serial:
            commands[-1].begun = begun
        case {"begun": {"serial": _} as begun}:
            commands.append(CommandRecord(begun, started_at=what.get("at"), starter=what.get("by")))
        case {"typed": serial} if commands and commands[-1].begun["serial"] == serial:
            commands[-1].begun = {**commands[-1].begun, "typed": True}
        case {"end": ended} if commands:
            commands[-1].ended = ended
            if record.lease is not None and record.lease["state"] != "held":
                record.lease = None  # the notes of this command tell of it
        case {"given": [serial, waited, read]}:
            for command in reversed(commands):
                if command.begun["serial"] == serial:
                    command.given = (waited, read)
                    break
        case {"exit": [code, signal]}:
            record.exit = (code, signal)
        case {"close": True}:
            record.closed = True
        case {"label": label}:
            record.label = label
        case {"lease": lease}:
            record.lease = lease
