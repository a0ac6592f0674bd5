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
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Final, cast

from truetty import files
from truetty.host.base import Channel, Ended
from truetty.host.kept_hold import HeldPty, KeeperLink
from truetty.host.past import PastChannel
from truetty.server.start.place import boot
from truetty.server.starter import Starter
from truetty.server.state import journal, kept_options
from truetty.server.state.journal import Journal, Line
from truetty.server.state.kept_terminal import KeptTerminal
from truetty.server.state.keys import PastKey
from truetty.server.state.past_records import Label, keys_of, lines_of, records_of, unlabelled
from truetty.server.state.shortage import Shortage
from truetty.server.state.spare import Spare
from truetty.server.state.stray import Stray, undescribed
from truetty.server.state.web_book import NAME as WEB
from truetty.server.state.web_book import WebBook
from truetty.service.leases import LeaseRecord
from truetty.service.notices import NewsRecord
from truetty.store.lasting import Carrier
from truetty.terminal.command import Command
from truetty.terminal.keeping import TerminalRecord
from truetty.terminal.options import Options
from truetty.terminal.terminal import Terminal

LOG: Final = logging.getLogger("truetty.server")

# So many terminals that were closed are remembered.
MOST_CLOSED: Final = 32
MOST_BYTES: Final = 1 << 30  # that these have printed


@dataclass(frozen=True, slots=True)
class Adopted:
    """A terminal of the server before, and its commands, the oldest first."""

    terminal: Terminal
    commands: dict[Command, NewsRecord]
    label: Label
    started_at: dict[str, float]  # by command, in seconds since 1970
    starters: dict[str, Starter]  # by command
    lease: LeaseRecord | None  # of a person who has typed there, and of which no outcome tells yet
    waiting_since: float | None  # of its last command


class Keep:
    """`folder`: where the journal and the transcripts lie."""

    def __init__(self, folder: str, link: KeeperLink, carrier: Carrier) -> None:
        self._transcripts: Final = os.path.join(folder, "transcripts")
        files.make_folder(self._transcripts)
        self._link = link
        self._carrier = carrier
        path = os.path.join(folder, "journal")
        spare = Spare(link)
        past = journal.read(path, spare.read())
        self.damaged: Final = past.damaged  # lines of it that could not be read
        # What the keeper holds is of this run of the machine, though the journal may no longer say so.
        self._is_ours = past.boot == boot() or (past.boot is None and bool(link.held))
        records = records_of(past.lines) if self._is_ours else {}
        self._records = {id: one for id, one in records.items() if one.label is not None or one.commands}
        self.keys: Final = keys_of(past.lines, self._records.keys())  # retry keys of servers before this one
        self.last_question = max((line.get("question", 0) for line in past.lines), default=0)  # its number
        # By terminal, why it could not be taken over.
        self._strays: dict[str, str] = {line["t"]: str(line["stray"]) for line in past.lines if "stray" in line}
        self.strays: Final[list[Stray]] = []
        self.shortage: Final = Shortage()
        self._journal = Journal(path, spare, self.shortage)
        self.web: Final = WebBook(past.lines if self._is_ours else (), self._journal.note, link.mark)
        self._noted = {id for id, one in self._records.items() if one.label is not None}  # terminals, with labels
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
            why = "damaged lines of the journal may have described it"
            self._strays |= {name: why for name in unknown if name not in self._strays}
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
        self._journal.write(key.line())

    def note_question(self, number: int) -> None:
        """A person is about to be asked the question with this number."""
        self._journal.note({"question": number})

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
        if id in self._noted:
            self._journal.note({"t": id, "label": label})
        else:
            self._journal.write({"t": id, "label": label})
            self._noted.add(id)

    def note_lease(self, id: str, lease: LeaseRecord) -> None:
        """A person has this terminal, or had it."""
        self._journal.note({"t": id, "lease": asdict(lease)})

    def note_news(self, command_id: str, record: NewsRecord) -> None:
        """What the agent of a command knows of it."""
        id, _, serial = command_id.rpartition("-")
        self._journal.note({"t": id, "news": [int(serial), record.agent, record.state]})

    def note_waiting(self, command_id: str, since: float | None) -> None:
        """A command waits for input since then, or no longer."""
        id, _, serial = command_id.rpartition("-")
        self._journal.note({"t": id, "waits": [int(serial), since]})

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
        self._journal.finish()
        self._link.stop()
        self.leave()

    def _kept(self, id: str, options: Options, record: TerminalRecord | None = None) -> KeptTerminal:
        return KeptTerminal(
            id,
            options,
            self._transcripts,
            self._link,
            self._carrier,
            self._journal,
            self.shortage,
            self._on_closed,
            record,
        )

    def _leave_alone(self, held: HeldPty) -> None:
        why = self._strays[held.name]
        LOG.warning("terminal %s was not taken over: %s; process %d goes on", held.name, why, held.shell)
        self.strays.append(Stray(self._link, held, self._nowhere(held), why, self.strays.remove))

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
            self._strays[id] = "what the journal says of it cannot be read"
            self._journal.note({"t": id, "stray": self._strays[id]})
            self._leave_alone(held)
        return None

    def _adopt(self, id: str, record: TerminalRecord) -> Adopted:
        options = kept_options.from_json(record.opened["options"])
        kept = self._kept(id, options, record)
        kept.file.finish()
        held = self._link.held.get(id)
        channel: Channel
        if record.closed:
            self._closed[id] = kept.file.stored
        if record.exit is not None or record.closed or held is None:
            channel = PastChannel(Ended(*record.exit) if record.exit is not None else Ended())
        else:
            channel = kept.hold.adopt(held, record.opened["folder"])
        label = cast(Label, record.label) if record.label is not None else unlabelled(record)
        terminal, commands = Terminal.adopt(replace(options, keeping=kept), channel, record)
        terminal.name, terminal.task = label["name"], label["task"]
        known = {f"{id}-{one.begun['serial']}": one for one in record.commands}
        started = {name: one.started_at for name, one in known.items() if one.started_at is not None}
        starters = {name: Starter.of(one.starter) for name, one in known.items() if one.starter is not None}
        news = [NewsRecord(label["task"]) if one.news is None else NewsRecord(*one.news) for one in record.commands]
        lease = None if record.lease is None else LeaseRecord.of(record.lease)
        since = record.commands[-1].waiting_since if record.commands else None
        return Adopted(terminal, dict(zip(commands, news, strict=True)), label, started, starters, lease, since)

    def _on_closed(self, kept: KeptTerminal) -> None:
        """It is remembered, and the oldest are forgotten."""
        self._closed[kept.id] = kept.file.stored
        while len(self._closed) > MOST_CLOSED or sum(self._closed.values()) > MOST_BYTES:
            oldest = next(iter(self._closed))
            del self._closed[oldest]
            self._journal.note({"t": oldest, "forget": True})
            self._remove(oldest)

    def _remove(self, name: str) -> None:
        with contextlib.suppress(OSError):
            os.unlink(os.path.join(self._transcripts, name))

    def _compact(self) -> None:
        """The journal begins anew with what is still needed of it."""
        lines: list[Line] = [journal.header(), {"question": self.last_question}, *(key.line() for key in self.keys)]
        lines += self.web.lines()
        lines += [{"t": name, "stray": why} for name, why in self._strays.items() if name in self._link.held]
        for id, record in self._records.items():
            lines += lines_of(id, record)
        self._journal.rewrite(lines, needed=not self._is_ours)
        for name in os.listdir(self._transcripts):
            if name not in self._records:
                self._remove(name)
