"""What each tool does: which verb of the service it is, and what of the answer is shown.

Rule 1: a tool translates. What may be done and what it means is decided by `Service`.
Rule 2: a call that is cancelled ends its wait, never the command.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from truetty.command import Command
from truetty.core import until as untils
from truetty.core.errors import Denied, Misuse, UnknownTerminal
from truetty.core.until import Until
from truetty.mcp import words
from truetty.mcp.caller import Caller
from truetty.mcp.parameters import Arguments
from truetty.mcp.progress import reported
from truetty.mcp.session import TASK, Session
from truetty.mcp.shape import Result
from truetty.output.digest import SMALLEST
from truetty.service import PAGE, Report
from truetty.terminal import Terminal
from truetty.window import Match

# Most commands are over by then, and no client's own time-out is.
RUN_WAIT: Final = 30.0
SEND_WAIT: Final = 5.0
# A command in the background that fails at once should say so in the same answer.
BACKGROUND_WAIT: Final = 0.5
LARGEST_PAGE: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Call:
    session: Session
    arguments: Arguments
    caller: Caller


# -- run, wait, send


async def run(call: Call) -> Result:
    given, service = call.arguments, call.session.service
    command_text = given.text("command") or ""
    background = given.flag("background")
    command = await service.start(
        command_text,
        terminal=given.text("terminal_id"),
        cwd=given.text("cwd"),
        task=TASK,
        shell=given.text("shell"),
        timeout=given.number("kill_after"),
        key=given.text("key"),
        asker=call.caller.permit,
    )
    wait = given.number("wait")
    patience = BACKGROUND_WAIT if background else RUN_WAIT
    return await _waited(call, command, patience if wait is None else wait, untils.Settled())


async def wait(call: Call) -> Result:
    command = call.session.service.command(_id(call))
    wait = call.arguments.number("wait")
    return await _waited(call, command, RUN_WAIT if wait is None else wait, _until(call.arguments))


async def send(call: Call) -> Result:
    given, service = call.arguments, call.session.service
    command = service.command(_id(call))
    text, keys = given.text("text") or "", [*given.texts("keys"), *(["Enter"] if given.flag("enter") else [])]
    wait = given.number("wait")
    patience = SEND_WAIT if wait is None else wait
    if not text and not keys:
        return await _waited(call, command, patience, untils.Settled())
    with call.session.watching(command):
        async with reported(call.caller, command):
            report = await service.send(command.id, text, keys=keys, wait=patience, asker=call.caller.permit)
    return _told(call, command, report)


async def _waited(call: Call, command: Command, wait: float, until: Until) -> Result:
    session = call.session
    with session.watching(command):
        async with reported(call.caller, command):
            report = await session.service.wait(command.id, timeout=wait, until=until)
    return _told(call, command, report)


def _told(call: Call, command: Command, report: Report) -> Result:
    """The report, with as much of the output as the caller wants."""
    session, outcome, given = call.session, report.outcome, call.arguments
    tokens = given.whole("max_output_tokens")
    budget = session.setup.budget(tokens)
    output = None
    if given.flag("only_new"):
        output = session.fresh(command, budget)
    else:
        session.given(command)
        if tokens is not None:
            summary = command.output.summary(budget)
            outcome = dataclasses.replace(outcome, output=summary.text, omitted=summary.omitted)
    return Result(
        outcome=outcome,
        output=output,
        nothing=words.NO_OUTPUT if output is None else words.NO_NEW_OUTPUT,
        reached=report.reached,
        notes=given.notes,
        notices=report.notices,
        next=words.next_step(outcome),
    )


def _until(given: Arguments) -> Until:
    """`for` in words, or the parameter that is named like one."""
    match = given.text("match")
    named: list[Until] = []
    if (what := given.text("for")) is not None:
        bare = what.strip()
        if not (bare in ("match", "idle", "port") and _has(given, bare)):
            named.append(untils.read(what))
    if match is not None:
        named.append(untils.matching(match))
    if (seconds := given.number("idle")) is not None:
        named.append(untils.Idle(seconds))
    if (number := given.whole("port")) is not None:
        named.append(untils.read(f"port:{number}"))
    if len(named) > 1:
        raise Misuse("wait is for one thing: for, match, idle or port", known=["for", "match", "idle", "port"])
    return named[0] if named else untils.Settled()


def _has(given: Arguments, name: str) -> bool:
    return given.text(name) is not None or given.number(name) is not None


def _id(call: Call) -> str:
    if (id := call.arguments.text("id")) is None:
        service = call.session.service
        known = [terminal.id for terminal in service.terminals()]
        told = f"there are {', '.join(known)}" if known else "there are none: run starts one"
        raise UnknownTerminal(f"which command or terminal? {told}", terminal_id=None, known=known)
    return id


# -- read, screen


async def read(call: Call) -> Result:
    given, service = call.arguments, call.session.service
    command = service.command(_id(call))
    limit = given.whole("limit")
    limit = PAGE if limit is None else max(1, min(limit, LARGEST_PAGE))
    page = await service.read(
        command.id,
        offset=given.whole("offset"),
        limit=max(limit, SMALLEST) if given.whole("offset") is None else limit,
        grep=given.text("grep"),
        context=given.whole("context") or 0,
        tail=given.whole("tail"),
    )
    outcome = command.snapshot()
    service.notices.told(command)
    output, matches = page.text, None
    if given.text("grep") is not None:
        matches = [dataclasses.asdict(match) for match in page.matches]
        output = _lines(page.matches)
    next_step = words.next_step(outcome)
    if page.next_offset is not None:
        next_step = words.next_page(command.id, page.next_offset)
    return Result(
        outcome=outcome,
        output=output,
        nothing=words.NO_MATCH if matches is not None else words.NO_MORE_OUTPUT,
        notes=given.notes,
        notices=page.notices,
        next=next_step,
        offset=page.offset,
        next_offset=page.next_offset,
        matches=matches,
    )


def _lines(matches: Sequence[Match]) -> str:
    """As grep prints them, with their numbers."""
    found: dict[int, str] = {}
    for match in matches:
        number = match.line_number
        for at, line in enumerate((*match.before, match.line, *match.after), number - len(match.before)):
            if at == number or at not in found:
                found[at] = f"{at}{':' if at == number else '-'}{line}"
    return "".join(f"{found[at]}\n" for at in sorted(found))


async def screen(call: Call) -> Result:
    service = call.session.service
    id = _id(call)
    terminal, command = _at(call, id)
    screen = service.screen(terminal.id)
    outcome = command.snapshot() if command is not None else None
    if command is not None:
        service.notices.told(command)
    return Result(
        outcome=outcome,
        headline=None if outcome is not None else words.idle(terminal.id, terminal.cwd),
        output=screen.text,
        omitted=0,
        notices=service.notices.news(),
        next=words.next_step(outcome) if outcome is not None else words.NOTHING_RAN,
        screen=screen,
    )


def _at(call: Call, id: str) -> tuple[Terminal, Command | None]:
    """A terminal, by its id or a command's, and the command that is meant."""
    service = call.session.service
    try:
        command = service.command(id)
    except UnknownTerminal:
        raise
    except Misuse:  # nothing has run there yet
        return service.registry.get(id), None
    return service.registry.get(command.terminal_id), command


# -- stop, terminals, handoff


async def stop(call: Call) -> Result:
    service = call.session.service
    close = call.arguments.flag("close")
    terminal, command = _at(call, _id(call))
    if command is None:
        if not close:
            raise Misuse(f"nothing has run in terminal {terminal.id} yet", terminal_id=terminal.id)
        await terminal.close()
        return Result(headline=words.closed(terminal.id), notices=service.notices.news(), next=words.NOTHING_RAN)
    with call.session.watching(command):
        async with reported(call.caller, command):
            report = await service.stop(command.id, close=close)
    return _told(call, command, report)


async def terminals(call: Call) -> Result:
    service = call.session.service
    rows = [_row(terminal) for terminal in service.terminals()]
    text = "".join(f"{words.row(row)}\n" for row in rows)
    return Result(
        headline=words.count(len(rows)),
        output=text or None,
        notices=service.notices.news(),
        next=words.OPEN if rows else words.NONE_OPEN,
        terminals=rows,
    )


def _row(terminal: Terminal) -> dict[str, object]:
    command = terminal.command
    return {
        "terminal_id": terminal.id,
        "state": command.state if command is not None and terminal.busy else "idle",
        "shell": terminal.shell,
        "cwd": terminal.cwd,
        "pid": terminal.pid,
        "command_id": command.id if command is not None else None,
        "command": command.text[: words.QUOTED] if command is not None else None,
        "exit_code": command.exit_code if command is not None else None,
    }


async def handoff(call: Call) -> Result:
    session, given = call.session, call.arguments
    service, visits = session.service, session.setup.visits
    command = service.command(_id(call))
    reason = given.text("reason") or words.NO_REASON
    visit = visits.offer(service, service.handoff(command.id, reason), command)
    url = await session.setup.page.link(visit)
    reply = await call.caller.show_link(url, words.invitation(reason, command.text))
    wait = given.number("wait")
    if reply == "declined":
        visits.give_back(visit)
        raise Denied("the user declined to type", command=command.text, rule=None, reason="declined")
    shown = url if reply == "nobody" else None
    patience = (0.0 if reply == "nobody" else RUN_WAIT) if wait is None else wait
    result = await _waited(call, command, patience, untils.Settled())
    if command.finished or result.reached is not None:
        return result
    return dataclasses.replace(result, url=shown, next=words.handed_over(shown))
