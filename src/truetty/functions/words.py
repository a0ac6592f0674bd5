"""What a model reads of an answer: how things stand, what a program printed, and what can be done next.

Rule 1: what we say stands above the first empty line, what a program printed below it. So nothing that is printed can
        look like a word of ours; what comes from a program and stands above is in quotes, on one line.
Rule 2: nothing said here sounds like success unless an exit code of 0 is known; what runs is never said to be done.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from truetty.core.errors import TruettyError
from truetty.core.outcome import Outcome, Waiting
from truetty.questions.prompts import SECRETS
from truetty.service.answer import Answer
from truetty.service.move import Move
from truetty.service.notices import Notice
from truetty.store.part import Part
from truetty.terminal.stop import NOT_REACTING
from truetty.text.screen import Screen

NO_OUTPUT: Final = "(no output)"
ONLY_BLANKS: Final = "(nothing but blanks and empty lines)"
NO_NEW_OUTPUT: Final = "(no new output)"
NO_MORE_OUTPUT: Final = "(no more output)"
NO_MATCH: Final = "(no line matches)"
NOTHING_RAN: Final = "run a command"
NONE_OPEN: Final = "run opens one"
SOME_OPEN: Final = "run(terminal_id=…) uses one of them; wait, read, send, screen and stop take its id"
HANDED_OVER: Final = "wait for it: the user has the terminal; do not ask for the secret"
NO_REASON: Final = "it asks for something that only you should type"
# What a refused call of a verb has not done.
UNDONE: Final = {"run": "Nothing ran.", "bash": "Nothing ran.", "send": "Nothing was typed."}
# Of a prompt or a command that is quoted in a line.
LONGEST_QUOTE: Final = 200


@dataclass(frozen=True, slots=True)
class Report:
    """What a model is told: the facts of an answer (None where no command is meant), and what is said beside them."""

    answer: Answer | None = None
    headline: str | None = None  # instead of the command's state
    nothing: str = NO_OUTPUT  # said of an output that is empty
    notes: Sequence[str] = ()
    notices: Sequence[Notice] = ()
    next: str | None = None
    screen: Screen | None = None
    terminals: Sequence[Mapping[str, object]] | None = None
    url: str | None = None
    error: TruettyError | None = None
    undone: str | None = None  # what the error has kept from being done

    @property
    def visible(self) -> Part | None:
        """What a program printed, as far as it is sent."""
        if self.answer is not None:
            return self.answer.visible
        return Part(self.screen.text) if self.screen is not None else None

    @property
    def all_notes(self) -> Sequence[str]:
        return self.notes if self.answer is None else (*self.answer.outcome.notes, *self.notes)

    @property
    def all_notices(self) -> Sequence[Notice]:
        return self.notices if self.answer is None else (*self.answer.notices, *self.notices)


def text(report: Report) -> str:
    """What a model reads first."""
    answer, visible = report.answer, report.visible
    output = visible.text if visible is not None else None
    lines = [report.headline or (state(answer.outcome, answer.reached) if answer is not None else "")]
    if report.error is not None:
        lines, output = [_refusal(report.error, report.undone)], None
    elif output is not None and not output.strip():
        lines, output = [*lines, ONLY_BLANKS if output else report.nothing], None
    if report.terminals is not None:
        lines += [_row(one) for one in report.terminals]
    if report.screen is not None:
        lines.append(_screen(report.screen))
    if answer is not None and answer.visible.omitted:
        lines.append(omission_note(answer))
    if answer is not None and not answer.outcome.complete:
        lines.append("note: some of its output is lost")
    lines += [f"note: {note}" for note in report.all_notes]
    if answer is not None and answer.outcome.waiting is not None and answer.outcome.waiting.hint:
        lines.append(f"hint: {answer.outcome.waiting.hint}")
    if report.url is not None:
        lines.append(f"url: {report.url}")
    lines += [f"notice: {notice(one)}" for one in report.all_notices]
    if report.next:
        lines.append(f"next: {report.next}")
    head = "\n".join(" ".join(line.splitlines()) for line in lines if line)
    return sendable(f"{head}\n\n{output}" if output is not None else head)


def _refusal(error: TruettyError, undone: str | None) -> str:
    message = f"error: {error.code}: {error}"
    if undone is None:
        return message
    return f"{message} {undone}" if message.endswith((".", "?", "!")) else f"{message}. {undone}"


def omission_note(answer: Answer) -> str:
    """That not all of what was asked for is shown, and how much is missing."""
    if answer.matches is not None:
        return f"note: {len(answer.matches):,} of {answer.match_count:,} matching lines are shown; the rest is left out"
    return f"note: {answer.visible.omitted} characters are left out below; read has them"


def sendable(text: str) -> str:
    """Without what is no text: bytes that were read as such."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return text


def _quote(text: str) -> str:
    """So that it cannot be taken for ours."""
    return json.dumps(text[-LONGEST_QUOTE:], ensure_ascii=False)


# -- how it stands


def state(outcome: Outcome, reached: str | None = None) -> str:
    """One line: how it stands, where."""
    cwd = _quote(outcome.cwd) if outcome.cwd else "directory unknown"
    return f"{_state(outcome, reached)} [{outcome.command_id} in terminal {outcome.terminal_id}, {cwd}]"


def _state(outcome: Outcome, reached: str | None) -> str:
    seconds = f"{outcome.duration:.1f} s"
    match outcome.state:
        case "finished":
            closed = "; its shell has ended, and the terminal is closed" if outcome.closed else ""
            if outcome.exit_code is None:
                return f"finished after {seconds}, exit code unknown: nobody knows whether it succeeded{closed}"
            signal = f" ({outcome.signal})" if outcome.signal else ""
            return f"finished after {seconds}, exit code {outcome.exit_code}{signal}{closed}"
        case "waiting":
            return f"waiting for input after {seconds}: {question(outcome.waiting)}"
        case "lost":
            return f"lost after {seconds}: the terminal vanished, and nobody knows how the command ended"
        case "running":
            come = {"match": ", the pattern was found", "idle": ", it went quiet", "port": ", the port is open"}
            return f"running for {seconds}{come.get(reached or '', '')}"


def question(waiting: Waiting | None) -> str:
    if waiting is None:
        return "for what is unknown"
    parts: list[str] = [waiting.asks or waiting.kind]
    if waiting.program:
        parts.append(f"by {_quote(waiting.program)}")
    if waiting.prompt:
        parts.append(_quote(waiting.prompt))
    if waiting.choices:
        parts.append(f"choices {', '.join(map(_quote, waiting.choices))}")
    if waiting.default is not None:
        parts.append(f"default {_quote(waiting.default)}")
    if not waiting.certain:
        parts.append("(it may go on by itself)")
    return " ".join(parts)


def notice(notice: Notice) -> str:
    happened = _happened(notice)
    if notice.command is None:
        return happened
    cut_off = f"{happened} ({_quote(notice.command)}), its call was cut off"
    return f"{cut_off}: wait(id={_quote(notice.command_id)})" if notice.what == "running" else cut_off


def _happened(notice: Notice) -> str:
    match notice.what:
        case "finished":
            code = "unknown" if notice.exit_code is None else str(notice.exit_code)
            return f"{notice.command_id} has finished, exit code {code}"
        case "waiting":
            return f"{notice.command_id} waits for input: {_quote(notice.prompt or '')}"
        case "lost":
            return f"{notice.command_id} is lost: its terminal vanished"
        case "running":
            return f"{notice.command_id} still runs"


def idle_line(id: str, cwd: str | None) -> str:
    return f"nothing has run yet [terminal {id}, {_quote(cwd) if cwd else 'directory unknown'}]"


def closed_line(id: str) -> str:
    return f"closed [terminal {id}]"


def count_line(number: int) -> str:
    return "no terminal is open" if not number else f"{number} terminal{'s' if number > 1 else ''} open"


def moved(move: Move) -> str:
    """That a command runs in another terminal than the one before it."""
    where = f", in {_quote(move.cwd)}" if move.cwd else ""
    match move.why:
        case "closed":
            why = f"{move.before} is closed"
        case "busy":
            command = f" with {move.busy_with} ({_quote(move.busy_text)})" if move.busy_with else ""
            why = f"{move.before} is busy{command}"
        case "sandbox":
            why = f"{move.before} is on the other side of the sandbox's wall"
        case "shell":
            why = f"{move.before} has another shell"
        case "free":
            why = f"it is free, as is {move.before}"
    return f"ran in {move.terminal_id}{', new' if move.is_new else ''}{where}: {why}"


def _row(row: Mapping[str, object]) -> str:
    last = f"{row['command_id']}: {_quote(str(row['command']))}" if row["command_id"] else "nothing has run"
    return f"{row['terminal_id']}  {row['state']}  {row['shell']}  {_quote(str(row['cwd'] or ''))}  {last}"


def _screen(screen: Screen) -> str:
    column, row = screen.cursor
    title = f", title {_quote(screen.title)}" if screen.title else ""
    kind = "a full-screen program's" if screen.alternate else "the terminal's"
    return f"screen: {kind}, cursor in line {row + 1}, column {column + 1}{title}"


# -- what can be done


def next_step(outcome: Outcome) -> str:
    """What can be done about a command, in a line."""
    id = outcome.command_id
    match outcome.state:
        case "running" if NOT_REACTING in outcome.notes:
            return f"stop(id={id!r}, close=true) ends it with its terminal; nothing less does"
        case "running":
            return f"wait(id={id!r}) goes on waiting, read(id={id!r}) shows new output, stop(id={id!r}) ends it"
        case "waiting":
            return _answer_advice(outcome.waiting, id)
        case "lost":
            return "run opens a new terminal; check what the command did before running it again"
        case "finished":
            if outcome.omitted:
                return f"read(id={id!r}, offset=0) has all of the output, read(id={id!r}, grep=…) searches it"
            if any("this terminal's sandbox" in note for note in outcome.notes):
                return "run the command with outside=true if it must write or reach that: the user is asked"
            if outcome.exit_code is None:
                return "check what the command did before going on: its exit code is unknown"
            if outcome.closed:
                return "run opens a new terminal; this one's shell has ended"
            return "run the next command; the shell keeps its directory and variables"


def _answer_advice(waiting: Waiting | None, id: str) -> str:
    stop = f"stop(id={id!r}) ends it"
    if waiting is None:
        return f"screen(id={id!r}) shows it; {stop}"
    if waiting.kind == "secret" or waiting.asks in SECRETS:
        return f"handoff(id={id!r}) lets the user type it: never ask for the secret, never type it; {stop}"
    match waiting.kind:
        case "fullscreen":
            return f"screen(id={id!r}) shows it, send(id={id!r}, keys=[…]) presses keys; {stop}"
        case "key":
            return f"send(id={id!r}, text=…) presses a key, keys=[…] by name; {stop}"
        case "shell":
            return f"send(id={id!r}, text='…', enter=true) runs a line in it; {stop}"
        case "continuation":
            return f"send(id={id!r}, text='…', enter=true) completes the command; {stop}"
        case _:
            choice = waiting.choices[0] if waiting.choices else "…"
            return f"send(id={id!r}, text={choice!r}, enter=true) answers; {stop}"


def next_page(id: str, offset: int) -> str:
    return f"read(id={id!r}, offset={offset}) has the next page"


_AFTER: Final = {
    "busy": "wait({id}) or stop({id}), or run without terminal_id to use another terminal",
    "closed": "run without terminal_id opens a new terminal",
    "denied": "do not try to get around it: ask the user, or do something else",
    "limit_reached": "stop what is no longer needed with stop(id=…, close=true)",
}


def after_error(error: TruettyError) -> str | None:
    """What can be done when nothing was done."""
    match error.facts.get("why"):
        case "secret":
            return "handoff lets the user type the secret; stop ends the command"
        case "handed over":
            return "wait: the user has it; you can type again when the command has gone on or the user gave it back"
    id = error.facts.get("command_id") or error.facts.get("terminal_id")
    advice = _AFTER.get(error.code)
    return advice.format(id=f"id={id!r}" if isinstance(id, str) else "id=…") if advice is not None else None
