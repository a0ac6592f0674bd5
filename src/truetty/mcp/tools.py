"""What a client of MCP gets beside the verbs: live output, only what is new, and a page for the user to type on."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from truetty.core.errors import Denied
from truetty.core.until import Settled
from truetty.functions.answer import Answer
from truetty.functions.arguments import Arguments
from truetty.functions.desk import Desk
from truetty.functions.verbs import RUN_WAIT
from truetty.functions.words import NO_NEW_OUTPUT
from truetty.mcp import words
from truetty.mcp.caller import Caller
from truetty.mcp.progress import reported
from truetty.mcp.session import TASK, Session
from truetty.service.service import Report
from truetty.terminal.command import Command
from truetty.text.digest import Budget


class ClientDesk(Desk):
    """One call of a client, in its session."""

    def __init__(self, session: Session, caller: Caller) -> None:
        super().__init__(session.service, task=TASK, asker=caller.permit)
        self._session = session
        self._caller = caller

    @asynccontextmanager
    async def watching(self, command: Command) -> AsyncIterator[None]:
        with self._session.watching(command):
            async with reported(self._caller, command):
                yield

    def budget(self, tokens: int | None) -> Budget:
        return self._session.setup.budget(tokens)

    def told(self, given: Arguments, command: Command, report: Report) -> Answer:
        answer = super().told(given, command, report)
        if given.flag("only_new"):
            output = self._session.fresh(command, self.budget(given.whole("max_output_tokens")))
            return dataclasses.replace(answer, output=output, nothing=NO_NEW_OUTPUT)
        self._session.given(command)
        return answer

    async def hand_over(self, given: Arguments, command: Command, reason: str) -> Answer:
        setup = self._session.setup
        visit = setup.visits.offer(self.service, self.service.handoff(command.id, reason), command)
        url = await setup.page.link(visit)
        reply = await self._caller.show_link(url, words.invitation(reason, command.text))
        if reply == "declined":
            setup.visits.give_back(visit)
            raise Denied("the user declined to type", command=command.text, rule=None, reason="declined")
        shown = url if reply == "nobody" else None
        patience = given.number("wait", 0.0 if reply == "nobody" else RUN_WAIT)
        answer = await self.waited(given, command, patience, Settled())
        if command.finished or answer.reached is not None:
            return answer
        return dataclasses.replace(answer, url=shown, next=words.handed_over(shown))
