"""What each verb does for one agent: which one of the service it is, and how its answer is put into words.

Rule 1: a verb translates. What may be done and what it means is decided by `Service`.
Rule 2: a call that is cancelled ends its wait, never the command.
Rule 3: a surface adds to the verbs by a `Surface`; there is no second way to do them.
Rule 4: whatever a model sends, it gets a `Result`. Errors become results in `as_result` and nowhere else.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from dataclasses import dataclass
from typing import assert_never

from truetty.core.errors import Denied, HostError, Misuse, TruettyError, UnknownTerminal
from truetty.core.until import Settled, Until
from truetty.functions import requests, words
from truetty.functions.requests import Listing, Look, Offer, Read, Request, Run, Send, Stop, Wait
from truetty.functions.result import Result, result
from truetty.functions.table import Verb
from truetty.policy import Asker
from truetty.service.answer import Answer
from truetty.service.handoffs import Handoff
from truetty.service.service import Service
from truetty.terminal.command import Command
from truetty.terminal.terminal import Terminal
from truetty.text.digest import Budget

# Calls whose answer is how a command stands.
Standing = Run | Wait | Send | Stop | Offer


@dataclass(frozen=True, slots=True)
class Invitation:
    """How a person was asked to type."""

    url: str | None = None  # for the model to show to the user
    wait: float = 0.0  # how long a call waits for the person, if it does not say
    next: str = words.HANDED_OVER


async def _keep(request: Standing, command: Command, answer: Answer) -> Answer:
    return answer


async def _invite(handoff: Handoff, command: Command) -> Invitation:
    return Invitation()


@dataclass(frozen=True, slots=True)
class Surface:
    """What a surface adds to the verbs."""

    asker: Asker | None = None  # asks the user where the policy says so
    watch: Callable[[Command], AbstractAsyncContextManager[None]] = lambda command: nullcontext()  # around every wait
    budget: Callable[[int], Budget] = Budget.of_tokens
    show: Callable[[Standing, Command, Answer], Awaitable[Answer]] = _keep  # what of the output is in an answer
    invite: Callable[[Handoff, Command], Awaitable[Invitation]] = _invite  # how a person gets the ticket


async def as_result(work: Awaitable[Result], refuse: Callable[[TruettyError], Result]) -> Result:
    """Refusals and failures are results too: a model can do something about them."""
    try:
        return await work
    except TruettyError as error:
        return refuse(error)
    except OSError as error:
        reason = error.strerror or str(error)
        return refuse(HostError(f"the machine could not do it: {reason}", reason=reason))
    except Exception as error:  # the agent's loop goes on, and the text says that it is not the model's fault
        return refuse(TruettyError(f"this failed inside truetty: {type(error).__name__}: {error}"))


class Verbs:
    """`result = await Verbs(service, "agent 7").call(verb, arguments)`."""

    def __init__(self, service: Service, agent: str, surface: Surface | None = None) -> None:
        self._service = service.for_agent(agent)
        self._agent = agent
        self._surface = surface or Surface()

    async def call(self, verb: Verb, sent: object) -> Result:
        """Do what a model asked for; `sent` is an object, or its JSON text."""
        return await as_result(self._call(verb, sent), self.refuse)

    def refuse(self, error: TruettyError) -> Result:
        return result(error=error, next=words.after_error(error), notices=self._service.news())

    async def _call(self, verb: Verb, sent: object) -> Result:
        return await self._do(requests.request(verb, sent))

    async def _do(self, request: Request) -> Result:
        match request:
            case Run():
                return await self._run(request)
            case Read():
                return await self._read(request)
            case Wait():
                command = self._service.command(self._id(request.id))
                return self._report(request, await self._wait(request, command, request.wait, request.until))
            case Send():
                return await self._send(request)
            case Look():
                return await self._screen(self._id(request.id))
            case Stop():
                return await self._stop(request)
            case Listing():
                return self._terminals()
            case Offer():
                return await self._hand_over(request)
            case never:
                assert_never(never)

    def _id(self, id: str | None) -> str:
        if id is None:
            ids = [terminal.id for terminal in self._service.terminals()]
            known = f"there are {', '.join(ids)}" if ids else "there are none: run starts one"
            raise UnknownTerminal(f"which command or terminal? {known}", terminal_id=None, known=ids)
        return id

    # -- run, wait, send

    async def _run(self, run: Run) -> Result:
        command = await self._service.start(
            run.command,
            terminal=run.terminal,
            cwd=run.cwd,
            task=run.task or self._agent,
            shell=run.shell,
            timeout=run.kill_after,
            key=run.key,
            asker=self._surface.asker,
        )
        return self._report(run, await self._wait(run, command, run.wait, run.until))

    async def _send(self, send: Send) -> Result:
        command = self._service.command(self._id(send.id))
        if not send.text and not send.keys:
            return self._report(send, await self._wait(send, command, send.wait, Settled()))
        asker = self._surface.asker
        typing = self._service.send(command.id, send.text, keys=send.keys, wait=send.wait, asker=asker)
        return self._report(send, await self._watched(send, command, typing))

    async def _wait(self, request: Standing, command: Command, wait: float, until: Until) -> Answer:
        return await self._watched(request, command, self._service.wait(command.id, timeout=wait, until=until))

    async def _watched(self, request: Standing, command: Command, work: Awaitable[Answer]) -> Answer:
        """The answer, with as much of the output as the caller wants. The text is made once for all who show it."""
        budget = None if request.tokens is None else self._surface.budget(request.tokens)
        with command.output.hold(budget):
            async with self._surface.watch(command):
                answer = await work
                if budget is not None:
                    summary = await command.output.slices.summary(budget)
                    outcome = dataclasses.replace(answer.outcome, output=summary.text, omitted=summary.omitted)
                    answer = dataclasses.replace(answer, outcome=outcome)
                return await self._surface.show(request, command, answer)

    def _report(self, request: Standing, answer: Answer) -> Result:
        nothing = words.NO_NEW_OUTPUT if isinstance(request, Wait | Send) and request.only_new else words.NO_OUTPUT
        return result(answer, notes=request.notes, nothing=nothing, next=words.next_step(answer.outcome))

    # -- read, screen

    async def _read(self, read: Read) -> Result:
        command = self._service.command(self._id(read.id))
        with command.output.hold():
            answer = await self._service.read(
                command.id,
                offset=read.offset,
                limit=read.limit,
                grep=read.grep,
                context=read.context,
                tail=read.tail,
            )
        following = words.next_step(answer.outcome)
        if answer.next_offset is not None:
            following = words.next_page(command.id, answer.next_offset)
        nothing = words.NO_MATCH if answer.matches is not None else words.NO_MORE_OUTPUT
        return result(answer, nothing=nothing, notes=read.notes, next=following)

    async def _screen(self, id: str) -> Result:
        terminal, command = self._service.terminal(id)
        screen = terminal.screen()
        if command is None:
            idle = words.idle(terminal.id, terminal.cwd)
            return result(headline=idle, notices=self._service.news(), next=words.NOTHING_RAN, screen=screen)
        outcome = await command.report() if command.finished else command.standing()
        answer = Answer(outcome, output=screen.text, notices=self._service.news(command))
        return result(answer, next=words.next_step(outcome), screen=screen)

    # -- stop, terminals, handoff

    async def _stop(self, stop: Stop) -> Result:
        terminal, command = self._service.terminal(self._id(stop.id))
        if command is not None:
            work = self._service.stop(command.id, close=stop.close)
            return self._report(stop, await self._watched(stop, command, work))
        if not stop.close:
            raise Misuse(f"nothing has run in terminal {terminal.id} yet", terminal_id=terminal.id)
        await terminal.close()
        return result(headline=words.closed(terminal.id), notices=self._service.news(), next=words.NOTHING_RAN)

    def _terminals(self) -> Result:
        rows = [_row(terminal) for terminal in self._service.terminals()]
        following = words.OPEN if rows else words.NONE_OPEN
        return result(headline=words.count(len(rows)), notices=self._service.news(), next=following, terminals=rows)

    async def _hand_over(self, offer: Offer) -> Result:
        command = self._service.command(self._id(offer.id))
        handoff = self._service.handoff(command.id, offer.reason or words.NO_REASON)
        try:
            invitation = await self._surface.invite(handoff, command)
        except Exception:  # no person has the ticket: the agent may type again
            with suppress(Denied):  # the surface may have given it back
                self._service.handoffs.give_back(handoff.ticket)
            raise
        wait = invitation.wait if offer.wait is None else offer.wait
        answer = await self._wait(offer, command, wait, Settled())
        if command.finished or answer.reached is not None:
            return self._report(offer, answer)
        return result(answer, notes=offer.notes, next=invitation.next, url=invitation.url)


def _row(terminal: Terminal) -> dict[str, object]:
    command = terminal.command
    return {
        "terminal_id": terminal.id,
        "state": command.state if command is not None and terminal.busy else "idle",
        "shell": terminal.shell,
        "cwd": terminal.cwd,
        "pid": terminal.pid,
        "task": terminal.task,
        "name": terminal.name,
        "command_id": command.id if command is not None else None,
        "command": command.text[: words.QUOTED] if command is not None else None,
        "exit_code": command.exit_code if command is not None else None,
    }
