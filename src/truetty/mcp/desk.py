"""An MCP client of a server of terminals and the people at the server's page.

Rule 1: what the policy asks is asked at the page where one is open, and of the client too if it can ask its user. The
        first answer counts. Without a page that is open the client alone is asked; so is one of the revision in which
        a client asks its user between two calls, if it can: then no call waits for the page.
Rule 2: `handoff` links to the page, at the terminal, by a ticket for that terminal alone. A page that is open shows it
        without a link. The call waits while a person may come, and while a person has the terminal.
Rule 3: while a person is asked or has the terminal, a client that wants progress hears of it each ten seconds.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Final

from truetty.functions.table import RUN_WAIT
from truetty.functions.verbs import Invitation
from truetty.mcp import words
from truetty.mcp.caller import Caller, LinkOffer
from truetty.mcp.progress import SIGN_OF_LIFE
from truetty.policy import Asker, Decision
from truetty.server.acts.desk import Desk
from truetty.server.acts.handoffs import HandoffEnd, Offer
from truetty.server.caller import HttpCaller
from truetty.service.answer import Answer
from truetty.service.handoffs import Handoff, secrecy
from truetty.service.reader import look
from truetty.service.service import Service
from truetty.terminal.command import Command

# For a person to come and to be done. A client without progress would end a call that takes so long.
PERSON_WAIT: Final = 600.0


@dataclass(slots=True)
class _Link:
    url: str
    accepted: bool = False  # the client has said that it shows it to the user


class ClientDesk:
    """`name` is what the client calls itself, `service` the one that its session has. `policy` is the name of its own,
    or `settings`."""

    def __init__(self, desk: Desk, service: Service, name: str, task: str, policy: str) -> None:
        self._desk = desk
        self._policy = policy
        self._service = service
        self._name = name
        self._task = task
        self._links: dict[str, _Link] = {}  # by command

    # -- approvals

    def asker(self, caller: Caller) -> Asker:
        async def ask(decision: Decision) -> bool | None:
            if not self._desk.is_attended():
                return await caller.permit(decision)
            return await self._race(caller, decision)

        return ask

    def _page(self, decision: Decision) -> asyncio.Future[bool | None]:
        asker = self._desk.questions.asker(
            HttpCaller(self._name),
            task=self._task,
            permissions=self._service.permissions,
            is_kept=self._policy == "settings",
        )
        return asyncio.ensure_future(asker(decision))

    async def _race(self, caller: Caller, decision: Decision) -> bool | None:
        page, client = self._page(decision), asyncio.ensure_future(caller.permit(decision))
        both = {page, client}
        try:
            async with _signs_of_life(caller, lambda: "a person is asked whether this may run"):
                await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
                if not page.done() and client.result() is None:  # the client cannot ask
                    await asyncio.wait({page})
            return page.result() if page.done() else client.result()
        finally:
            for one in both:
                one.cancel()
            await asyncio.gather(*both, return_exceptions=True)

    # -- hand-offs

    async def invite(self, caller: Caller, handoff: Handoff, command: Command) -> Invitation:
        seen = look(command, handoff.reason, secrecy(command))
        offer = self._desk.handoffs.offer(handoff, command, seen.sentence, seen.warnings)
        attendance = PageAttendance(self._service, offer)
        known = self._links.get(command.id)

        async def link() -> str:
            url = await self._desk.invite(command.terminal_id, None if known is None else known.url)
            if known is None or known.url != url:
                self._links = {command.id: _Link(url), **self._links}
            return url

        message = words.invitation(seen, handoff.reason, command.text)
        again = known is not None and not known.accepted
        reply = await caller.show_link(link, LinkOffer(message, f"{command.id}: {handoff.reason}", again=again))
        patience = PERSON_WAIT if caller.wants_progress else RUN_WAIT
        if reply == "accepted":
            if (made := self._links.get(command.id)) is not None:
                made.accepted = True
            return Invitation(wait=patience, next=words.PAGE_SHOWN, taken=False, attendance=attendance)
        note = words.DECLINED if reply == "declined" else None
        wait = patience if self._desk.is_attended() else 0.0
        return Invitation(await link(), wait, words.SHOW_PAGE, note, taken=False, attendance=attendance)


class PageAttendance:
    """A person who was asked to take a terminal over, at the page."""

    def __init__(self, service: Service, offer: Offer) -> None:
        self._service = service
        self._offer = offer
        self._end: HandoffEnd | None = None

    @property
    def is_over(self) -> bool:
        return self._end is not None

    @property
    def note(self) -> str | None:
        end = self._end
        if end is None or end.how in ("went on", "finished"):
            return None
        if end.how == "declined":
            return words.not_now(end.word)
        lease = end.lease
        if lease is None or (lease.note is not None and lease.note in self._offer.command.standing().notes):
            return None
        return lease.note or words.untouched(lease.lease.holder)

    async def wait(self, seconds: float) -> Answer:
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        await asyncio.wait({self._offer.over}, timeout=seconds)
        if self._offer.over.done():
            self._end = self._offer.over.result()
            if self._end.lease is not None:
                self._end.lease.take_note()
        goes_on = self._end is not None and self._end.how == "went on"
        left = max(0.0, until - loop.time()) if goes_on else 0.0
        return await self._service.wait(self._offer.command.id, timeout=left)


@contextlib.asynccontextmanager
async def _signs_of_life(caller: Caller, text: Callable[[], str]) -> AsyncIterator[None]:
    """While inside, a caller that wants progress hears this now and then."""
    loop = asyncio.get_running_loop()
    begun = loop.time()

    async def tell() -> None:
        never: asyncio.Future[None] = loop.create_future()
        while True:
            await asyncio.wait({never}, timeout=SIGN_OF_LIFE)
            await caller.progress(loop.time() - begun, f"({text()})")

    telling = asyncio.ensure_future(tell()) if caller.wants_progress else None
    try:
        yield
    finally:
        if telling is not None:
            telling.cancel()
            await asyncio.gather(telling, return_exceptions=True)
