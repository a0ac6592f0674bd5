"""What a client of MCP gets beside the verbs: live output, and a page for the user to type on."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from types import MappingProxyType
from typing import Final

from truetty.functions.result import Result
from truetty.functions.table import RUN_WAIT
from truetty.functions.verbs import Invitation, Surface, Verbs
from truetty.mcp import cut, words
from truetty.mcp.caller import Caller, LinkOffer
from truetty.mcp.progress import show_progress
from truetty.mcp.session import Session
from truetty.service.handoffs import Handoff, secrecy
from truetty.service.reader import look
from truetty.terminal.command import Command

NOTHING: Final[Mapping[str, object]] = MappingProxyType({})


class ClientVerbs:
    """The verbs for one call of a client, in its session. `mark`: what came with the call beside the protocol."""

    def __init__(self, session: Session, caller: Caller, mark: Mapping[str, object] = NOTHING) -> None:
        self._session = session
        self._caller = caller
        self._mark = mark
        self._again = mark.get("again") is True
        face, budget = session.setup.face, session.setup.budget
        asker = caller.permit if session.desk is None else session.desk.asker(caller)
        surface = Surface(
            asker, self._watch, budget, face.patience, face.prefix, face.reads_files, self._invite,
            shares=session.is_guest, again=self._again,
        )  # fmt: skip
        self._verbs = Verbs(session.service, session.task, surface)

    async def call(self, name: str, call: Mapping[str, object]) -> Result:
        with self._session.count_call():
            if self._again and not cut.may_be_repeated(name):
                return cut.lost_call(self._session.service, name, call, self._session.setup.face.prefix)
            if self._session.is_guest and name == "run":
                call = cut.with_key(call, self._mark.get("key"))
            return await self._verbs.call(name, call)

    @asynccontextmanager
    async def _watch(self, command: Command) -> AsyncIterator[None]:
        with self._session.watch(command):
            async with show_progress(self._caller, command, lambda: self._holder(command)):
                yield

    def _holder(self, command: Command) -> str | None:
        lease = self._session.service.leases.of(command.terminal_id)
        return None if lease is None else lease.holder

    async def _invite(self, handoff: Handoff, command: Command) -> Invitation:
        page, service = self._session.setup.page, self._session.service
        if (where := self._session.setup.face.answer_on) is not None:
            return Invitation(next=words.answer_elsewhere(where, command.id), taken=False)
        if (desk := self._session.desk) is not None:
            return await desk.invite(self._caller, handoff, command)

        async def link() -> str:
            return await page.link(page.visits.offer(service, handoff, command))

        message = words.invitation(look(command, handoff.reason, secrecy(command)), handoff.reason, command.text)
        offered = page.visits.unopened(command)
        offer = LinkOffer(
            message, f"{command.id}: {handoff.reason}", again=offered is not None and not offered.accepted
        )
        reply = await self._caller.show_link(link, offer)
        if reply == "accepted":
            if (offered := page.visits.unopened(command)) is not None:
                offered.accepted = True
            return Invitation(wait=RUN_WAIT, next=words.PAGE_SHOWN, taken=False)
        note = words.DECLINED if reply == "declined" else None
        return Invitation(await link(), next=words.SHOW_URL, note=note, taken=False)
