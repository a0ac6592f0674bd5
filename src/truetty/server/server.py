"""The process that owns terminals: one service for all callers, on a socket that its starter has bound.

Rule 1: it holds the lock of its state folder as long as it lives. It takes away its socket and `server.json` itself, at
        its end, before it lets go of the lock.
Rule 2: without a terminal and without a client for a while, it ends. A terminal with an idle shell is a terminal.
Rule 3: SIGTERM, SIGINT and `stop` end it in the same way: no more calls, the listeners hear of it, every terminal is
        closed, and then the process ends.
Rule 4: below a keeper its terminals outlive it. A server that is killed has the next one take over: the same ids, and
        every command goes on. Calls wait in the socket meanwhile.
Rule 5: the other end of every connection is a process of the same user.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
from dataclasses import dataclass
from typing import Any, Final, NoReturn, cast

from truetty.core.version import VERSION
from truetty.server import limits
from truetty.server.acts.closing import Closing
from truetty.server.acts.commands import REST, CommandActs
from truetty.server.acts.desk import Desk
from truetty.server.acts.handoffs import HandoffActs
from truetty.server.acts.history import HistoryActs
from truetty.server.acts.questions import QuestionActs
from truetty.server.acts.server import ServerActs
from truetty.server.acts.terminals import TerminalActs
from truetty.server.acts.web import Site, WebActs
from truetty.server.dispatch import Act, Dispatch
from truetty.server.events import Events
from truetty.server.protocol import PROTOCOL
from truetty.server.start.failing import fail
from truetty.server.start.launch import peer
from truetty.server.start.place import Place, boot, identity
from truetty.server.state.keeping import Keep
from truetty.server.state.keys import PastKey
from truetty.server.state.past_records import Label
from truetty.server.state.shortage import Shortage
from truetty.server.state.web_book import WebBook
from truetty.server.verbs import BY_NAME
from truetty.server.watch import Watch
from truetty.server.wire import listener
from truetty.server.wire.app import Clients, application
from truetty.server.wire.connections import Connection
from truetty.server.wire.door import App
from truetty.server.wire.guests import Guests
from truetty.server.wire.views import Views
from truetty.service.registry import Origin
from truetty.service.rule_book import RuleBook
from truetty.service.service import Service
from truetty.settings import Settings
from truetty.terminal.command import Command
from truetty.terminal.terminal import Terminal

LOG: Final = logging.getLogger("truetty.server")
ENDING: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Peer(Connection):
    """A connection that is closed at once unless a process of the same user has made it."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        made = transport.get_extra_info("socket")
        if made.family == socket.AF_UNIX and peer(made) != os.geteuid():
            transport.abort()
            return
        super().connection_made(transport)


@dataclass(frozen=True, slots=True)
class Setup:
    """What a server is started with."""

    place: Place
    path: str  # of its socket
    listening: socket.socket
    idle: float = limits.IDLE_SECONDS


class Server:
    def __init__(self, setup: Setup, settings: Settings, keep: Keep | None = None) -> None:
        self._setup = setup
        self._keep = keep
        self._shortage = Shortage() if keep is None else keep.shortage
        make = None if keep is None else keep.make
        self._service = Service.from_settings(settings, rest=REST, cwd=_home(), make=make)
        self._events = Events(lambda: self._acts.state())
        self._closing = Closing()
        last_question = 0 if keep is None else keep.last_question
        rules = RuleBook(settings)
        questions = QuestionActs(self._service.permissions, self._events, last_question, self._note_question, rules)
        self._watch = Watch(
            self._events,
            self._service.leases,
            self._on_change,
            self._note,
            self._is_kept,
            questions.about,
            self._note_waiting,
        )
        handoffs = HandoffActs(self._service, self._events, self._watch.command)
        self._clients = Clients(self._on_change)
        self._views = Views()
        strays = () if keep is None else keep.strays
        terminals = TerminalActs(self._service, self._watch, settings, self._closing, strays, questions)
        commands = CommandActs(self._service, self._watch, terminals, questions)
        self._acts = ServerActs(
            self._service,
            self._watch,
            self._events,
            self._clients,
            setup.place,
            setup.path,
            self._stop,
            self._leave,
            keep,
            questions.waiting,
            handoffs.waiting,
            lambda: self._web.url,
            self._shortage,
        )
        self._web_book = WebBook() if keep is None else keep.web
        self._token_file = setup.place.path("web-token")
        self._web = WebActs(self._service, self._make_site, self._web_book, keep, self._write_info, self._token_file)
        history = HistoryActs(self._service, self._watch)
        acts = methods(self._acts, terminals, commands, questions, handoffs, history, self._web)
        self._dispatch = Dispatch(acts, self._note_key, questions.withdraw)
        self._app: App | None = None  # once it runs
        self._ended: asyncio.Event = asyncio.Event()
        self._timer: asyncio.TimerHandle | None = None
        self._leaves = False  # its terminals go to the next one
        desk = Desk(questions, rules, handoffs, lambda: self._events.pages > 0, self._web.invite)
        self._guests = Guests(lambda shared: shared(self._service, self._dispatch, self._watch, settings, desk))

    # -- its life

    async def run(self) -> None:
        """Until it is to end."""
        loop = asyncio.get_running_loop()
        for number in ENDING:
            loop.add_signal_handler(number, self._stop, signal.Signals(number).name)
        hello = await self._acts.hello(None)
        app = self._app = application(
            self._dispatch,
            self._events,
            hello,
            self._clients,
            self._service,
            self._watch.viewers,
            self._views,
            self._guests,
        )
        web = listener.Uvicorn(listener.config(app, Peer, at_once=limits.MOST_CONNECTIONS))
        async with self._service:
            try:
                await self._take_over()
            except Exception as error:
                fail(self._setup.listening, error, self._setup.place.log)
            serving = asyncio.ensure_future(web.serve(sockets=[self._setup.listening]))
            await self._web.take_over()
            self._write_info()
            if self._keep is not None:
                self._keep.ready()
            LOG.info("process %d serves %s", os.getpid(), self._setup.path)
            self._on_change()
            ended = asyncio.ensure_future(self._ended.wait())
            await asyncio.wait({serving, ended}, return_when=asyncio.FIRST_COMPLETED)
            ended.cancel()
            if self._leaves:
                self._events.publish("server", upgrading=True)
                await self._events.close()
                await self._views.part("upgrading")
                web.should_exit = True
                leaving = asyncio.ensure_future(self._web.leave())
                await asyncio.wait({serving, leaving}, timeout=limits.LEAVING_SECONDS)
                self._go()
            self._dispatch.is_stopping = True
            self._remove_files()
            self._events.publish("server", stopping=True)
            await self._events.close()
            await self._dispatch.keys.close()
            await self._closing.close()
            await self._views.part("closed")
            await self._web.end()
            web.should_exit = True
            await serving
        self._watch.close()
        if self._keep is not None:
            self._keep.stop()
        LOG.info("process %d has ended", os.getpid())

    async def _take_over(self) -> None:
        """What a server before this one has left, and the keeper has kept."""
        if self._keep is None:
            return
        self._service.leases.keep = self._keep.note_lease
        for one in await self._keep.adopt():
            self._service.adopt(one.terminal, one.commands, Origin(one.label["own"], one.label["usual"]))
            label = one.label
            times = one.started_at, one.starters, one.waiting_since
            self._watch.adopt(one.terminal, label["client"], label["opened_at"], *times)
            if one.lease is not None:
                self._service.leases.adopt(one.terminal, one.lease)
            if one.label.get("until_finished"):
                self._closing.mark(one.terminal)
            if not one.terminal.closed:
                LOG.info("terminal %s was taken over", one.terminal.id)
        self._service.notices.keep = self._keep.note_news
        self._dispatch.keys.take_over(self._keep.keys)
        if self._keep.damaged:
            LOG.warning("%d lines of the journal could not be read", self._keep.damaged)
        self._keep.attach(self._on_keeper_loss)

    def _make_site(self, kind: Any, listening: socket.socket, host: str) -> Site:
        made: Site = kind(self._app, listening, host, self._web_book, self._events.epoch, self._token_file)
        return made

    def _is_kept(self) -> bool:
        return self._keep is not None and self._keep.is_kept

    def _on_keeper_loss(self) -> None:
        LOG.warning("the keeper is gone: from now on terminals end with this process")
        self._events.publish("server", keeper=False)

    def _note_key(self, key: PastKey) -> None:
        if self._keep is not None:
            self._keep.note_key(key)

    def _note_question(self, number: int) -> None:
        if self._keep is not None:
            self._keep.note_question(number)

    def _note_waiting(self, command: Command, since: float | None) -> None:
        if self._keep is not None:
            self._keep.note_waiting(command.id, since)

    def _note(self, terminal: Terminal, client: str | None, opened_at: float) -> None:
        """What the next server must know of it."""
        if self._keep is not None:
            origin = self._service.registry.origin(terminal)
            label = Label(
                name=terminal.name,
                task=terminal.task,
                client=client,
                opened_at=opened_at,
                own=origin.own,
                usual=origin.usual,
                until_finished=self._closing.is_marked(terminal),
            )
            self._keep.note(terminal.id, label)

    def _leave(self) -> None:
        self._leaves = self._dispatch.is_leaving = True
        # Calls that are cut off now are made again by their clients.
        self._service.notices.keep = lambda command_id, record: None
        self._stop("another one follows")

    def _go(self) -> NoReturn:
        """Without closing anything: the next one has the terminals."""
        LOG.info("process %d has left its terminals to the next one", os.getpid())
        logging.shutdown()
        assert self._keep is not None
        self._keep.leave()
        os._exit(0)

    def _stop(self, why: str) -> None:
        if not self._ended.is_set():
            LOG.info("process %d ends: %s", os.getpid(), why)
            self._ended.set()

    def _on_change(self) -> None:
        """A client or a terminal has come or gone."""
        is_used = self._clients.count or self._service.registry.places > self._service.registry.warm
        if is_used and self._timer is not None:
            self._timer.cancel()
            self._timer = None
        elif not is_used and self._timer is None:
            # Its starter may still be on its way: before the first client it waits for longer.
            seconds = self._setup.idle if self._clients.ever else max(self._setup.idle, limits.IDLE_SECONDS)
            self._timer = asyncio.get_running_loop().call_later(seconds, self._on_idle)

    def _on_idle(self) -> None:
        self._timer = None
        if not self._clients.count and self._service.registry.places <= self._service.registry.warm:
            self._stop("nothing has used it")
        else:
            self._on_change()

    # -- its files

    def _write_info(self) -> None:
        """Clients find the socket without it, too."""
        try:
            self._try_to_write_info()
        except OSError as error:
            self._shortage.begin("server.json", error, self._try_to_write_info)

    def _try_to_write_info(self) -> None:
        info = {
            "socket": self._setup.path,
            "pid": os.getpid(),
            "start_time": identity(os.getpid()),
            "boot_id": boot() or None,
            "machine": os.uname().nodename,
            "version": VERSION,
            "protocol": PROTOCOL,
            "web": self._web.url,
        }
        self._setup.place.write_info(info)

    def _remove_files(self) -> None:
        for path in (self._setup.place.info, self._setup.path):
            with contextlib.suppress(OSError):
                os.unlink(path)
        with contextlib.suppress(OSError):  # one that is not empty stays
            os.rmdir(os.path.dirname(self._setup.path))


def methods(*objects: object) -> dict[str, Act]:
    """The method of each verb. `events` is none: a connection, or the stream of a response, takes from the ring."""
    found = {name: cast(Act, getattr(one, name)) for one in objects for name in BY_NAME if hasattr(one, name)}
    return {name: found[name] for name in BY_NAME if name != "events"}


def _home() -> str | None:
    """Where terminals are whose caller names no directory: the server itself is in /."""
    home = os.path.expanduser("~")
    return home if os.path.isdir(home) else None
