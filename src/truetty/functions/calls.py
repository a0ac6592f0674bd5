"""One call of a model, done on a `Service`.

Rule 1: whatever a model sends, the answer is a `Result`. What was wrong is in it, with what would be right.
Rule 2: the ticket of a handoff is the person's. The model is told that it was given, never what it is.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Final

from truetty.core import until
from truetty.core.errors import Misuse, TruettyError
from truetty.functions import arguments, words
from truetty.functions.arguments import Arguments
from truetty.functions.verbs import BY_NAME, RUN_WAIT, SEND_WAIT
from truetty.handoffs import Handoff
from truetty.service import PAGE, Report, Service

# An agent's next command finds the shell as the last one left it, so what it names no task for is one task.
TASK: Final = "agent"

OnHandoff = Callable[[Handoff], None]


@dataclass(frozen=True, slots=True)
class Result:
    """What goes back to the model: `text` to read, or `data` for who prefers JSON. `error` is an error's code."""

    text: str
    data: dict[str, object]
    error: str | None = None

    @property
    def json(self) -> str:
        return json.dumps(self.data, ensure_ascii=False)


async def call(
    service: Service, name: str, given: object = None, *, task: str = TASK, on_handoff: OnHandoff | None = None
) -> Result:
    """Do what a model asked for: the function's name and its arguments, as an object or as JSON text.

    `task` keeps the terminals of several agents on one service apart. `on_handoff` is told of a terminal that is left
    to a person, with the ticket that lets them type.
    """
    return await answered(_call(service, name, given, task, on_handoff))


async def answered(work: Awaitable[Result]) -> Result:
    try:
        return await work
    except TruettyError as error:
        return Result(words.error_text(error), words.error_data(error), error.code)
    except Exception as error:  # a loop that dies of one call helps nobody; it is said that it is not the model's fault
        failed = TruettyError(f"this failed inside truetty: {type(error).__name__}: {error}")
        return Result(words.error_text(failed), words.error_data(failed), failed.code)


def told(report: Report, advice: words.Advice = words.ADVICE) -> Result:
    return Result(words.report_text(report, advice), words.report_data(report))


async def _call(service: Service, name: str, given: object, task: str, on_handoff: OnHandoff | None) -> Result:
    verb = BY_NAME.get(name)
    if verb is None:
        raise Misuse(f"no function is called {name!r}: there are {', '.join(BY_NAME)}", name=name, known=[*BY_NAME])
    taken = arguments.read(verb, given)
    match name:
        case "run":
            result = await _run(service, taken, task)
        case "handoff":
            result = _handoff(service, taken, on_handoff)
        case _:
            result = await _VERBS[name](service, taken)
    return replace(result, text="\n".join([*(f"Note: {note}" for note in taken.notes), result.text]))


def _id(taken: Arguments) -> str:
    return taken.text("id") or ""


def _until(taken: Arguments) -> until.Until:
    return until.read(taken.text("for") or "settled")


async def _run(service: Service, taken: Arguments, task: str) -> Result:
    report = await service.run(
        taken.text("command") or "",
        terminal=taken.text("terminal_id"),
        cwd=taken.text("cwd"),
        task=taken.text("task") or task,
        shell=taken.text("shell"),
        wait=taken.number("wait", RUN_WAIT),
        until=_until(taken),
        timeout=taken.number("kill_after"),
        key=taken.text("key"),
    )
    return told(report)


async def _read(service: Service, taken: Arguments) -> Result:
    limit = taken.whole("limit")
    page = await service.read(
        _id(taken),
        offset=taken.whole("offset"),
        limit=PAGE if limit is None else limit,
        grep=taken.text("grep"),
        context=taken.whole("context") or 0,
        tail=taken.whole("tail"),
    )
    command = service.command(page.command_id)
    standing = command.state, command.exit_code
    return Result(words.page_text(page, *standing), words.page_data(page, *standing))


async def _wait(service: Service, taken: Arguments) -> Result:
    return told(await service.wait(_id(taken), timeout=taken.number("wait", RUN_WAIT), until=_until(taken)))


async def _send(service: Service, taken: Arguments) -> Result:
    keys = [*taken.texts("keys"), *(["Enter"] if taken.flag("enter") else [])]
    wait = taken.number("wait", SEND_WAIT)
    return told(await service.send(_id(taken), taken.text("text") or "", keys=keys, wait=wait))


async def _screen(service: Service, taken: Arguments) -> Result:
    screen = service.screen(_id(taken))
    return Result(words.screen_text(screen), words.screen_data(screen))


async def _stop(service: Service, taken: Arguments) -> Result:
    return told(await service.stop(_id(taken), close=taken.flag("close")))


async def _terminals(service: Service, taken: Arguments) -> Result:
    terminals = service.terminals()
    return Result(words.terminals_text(terminals), words.terminals_data(terminals))


def _handoff(service: Service, taken: Arguments, on_handoff: OnHandoff | None) -> Result:
    handoff = service.handoff(_id(taken), taken.text("reason") or "")
    if on_handoff is not None:
        on_handoff(handoff)
    text = (
        f"Terminal {handoff.terminal_id} is left to a person now, and nobody else can type into it. "
        f"Use wait with id {handoff.command_id} to see how it goes on."
    )
    told = {"terminal_id": handoff.terminal_id, "command_id": handoff.command_id, "reason": handoff.reason}
    return Result(text, {**told})


_VERBS: Final[dict[str, Callable[[Service, Arguments], Awaitable[Result]]]] = {
    "read": _read,
    "wait": _wait,
    "send": _send,
    "screen": _screen,
    "stop": _stop,
    "terminals": _terminals,
}
