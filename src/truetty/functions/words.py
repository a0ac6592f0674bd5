"""What a model reads of an answer: how things stand, what a program printed, and what can be done next.

Rule 1: text of truetty is above the first empty line, text of a program below it. So no program can pretend to be
        truetty. Where text of a program is quoted above, it is on one line.
Rule 2: a result reads as success only if the exit code is known to be 0. A running command never reads as finished.
Rule 3: a model reads every word at every call. So a command that has ended gets no advice, a time is named from a
        second on, and the directory only if it has changed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from truetty.core import lazy
from truetty.core.checks import NOTHING_RAN
from truetty.core.errors import TruettyError
from truetty.core.outcome import Outcome, Waiting
from truetty.questions.description import SECRETS
from truetty.service.answer import Answer
from truetty.service.move import Move
from truetty.service.notices import Notice
from truetty.store.part import Part
from truetty.terminal.report import UNSEEN
from truetty.terminal.stop import NOT_REACTING
from truetty.terminal.wire.survivors import STOPPED
from truetty.text.screen import Screen

NO_OUTPUT: Final = "no output"
ONLY_BLANKS: Final = "only blank lines"
NO_NEW_OUTPUT: Final = "no new output"
NO_MORE_OUTPUT: Final = "no more output"
NO_MATCH: Final = "no line matches"
ON_SCREEN: Final = "its screen is below"
GO_ON: Final = "wait, read or stop"
HANDED_OVER: Final = "wait: the user has the terminal; do not ask for the secret"
NO_REASON: Final = "it asks for something that only you should type"
# What a refused call of a verb has not done.
UNDONE: Final = {"run": "Nothing ran.", "bash": "Nothing ran.", "send": "Nothing was typed."}
# Of a prompt or a command that is quoted in a line.
LONGEST_QUOTE: Final = 200
# Of an error's message, which may hold what was sent.
LONGEST_MESSAGE: Final = 1000
# Shorter times are not said, in seconds.
_WORTH_SAYING: Final = 1.0


@dataclass(frozen=True, slots=True)
class Report:
    """What a model reads: the facts of an answer (None where no command is meant), and what is said beside them."""

    answer: Answer | None = None
    headline: str | None = None  # instead of the command's state
    nothing: str = NO_OUTPUT  # said of an output that is empty
    printed: str | None = None  # said of one that is not
    place: str | None = None  # the directory, where the model does not know it
    notes: Sequence[str] = ()
    notices: Sequence[Notice] = ()
    next: str | None = None
    screen: Screen | None = None
    terminals: Sequence[Mapping[str, object]] | None = None
    url: str | None = None
    file: str | None = None  # with the whole output, where some is left out
    error: TruettyError | None = None
    prefix: str = ""  # of the verbs' names, in advice
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
    printed = report.printed
    if output is not None and not output.strip():
        printed, output = ONLY_BLANKS if output else report.nothing, None
    lines = [report.headline or (state(answer, printed, report.place) if answer is not None else "")]
    if report.error is not None:
        lines, output = [_refusal(report.error, report.undone)], None
    if report.terminals is not None:
        lines += [_row(one) for one in report.terminals]
    if report.screen is not None:
        lines.append(_screen(report.screen))
    if answer is not None and answer.visible.omitted:
        lines.append(_named(omission_note(answer), report.prefix))
    if report.file is not None:
        lines.append(f"file: {report.file}")
    if answer is not None and not answer.outcome.complete:
        lines.append("note: some of its output is lost")
    lines += [f"note: {note}" for note in report.all_notes]
    if report.url is not None:
        lines.append(f"url: {report.url}")
    lines += [f"notice: {notice(one, report.prefix)}" for one in report.all_notices]
    if report.next:
        lines.append(f"next: {_named(report.next, report.prefix)}")
    head = "\n".join(" ".join(line.splitlines()) for line in lines if line)
    return sendable(f"{head}\n\n{output}" if output is not None else head)


_CALL: Final = lazy.pattern(r"\b(?:run|read|wait|send|screen|stop|terminals|handoff)(?=\()")


def _named(advice: str, prefix: str) -> str:
    """With the verbs as they are called here."""
    named = advice.replace(GO_ON, f"{prefix}wait, {prefix}read or {prefix}stop")
    return _CALL.sub(rf"{prefix}\g<0>", named)


def _refusal(error: TruettyError, undone: str | None) -> str:
    said = message_of(error)
    message = f"error: {said}" if error.code in _WRONG_CALLS else f"error: {error.code}: {said}"
    if undone is None:
        return message
    return f"{message} {undone}" if message.endswith((".", "?", "!")) else f"{message}. {undone}"


def message_of(error: TruettyError) -> str:
    """What it says, without the middle of a long value that was sent."""
    message = str(error).removesuffix(NOTHING_RAN)  # `UNDONE` says it here
    half = LONGEST_MESSAGE // 2
    return message if len(message) <= LONGEST_MESSAGE else f"{message[:half]} … {message[-half:]}"


def omission_note(answer: Answer) -> str:
    """That not all of what was asked for is shown, how much is missing, and how to get it."""
    if answer.matches is not None:
        return f"note: {len(answer.matches):,} of {answer.match_count:,} matching lines are shown; the rest is left out"
    visible, id = answer.visible, answer.outcome.command_id
    where = visible.next_offset or 0  # without an offset, `read` shows what is new
    return f"note: {visible.omitted:,} characters are left out; read(id={_quote(id)}, offset={where}) has them"


def sendable(text: str) -> str:
    """Without what is no text: bytes that were read as such."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return text


def _quote(text: str) -> str:
    """So that it cannot be taken for truetty's own text."""
    return json.dumps(text[-LONGEST_QUOTE:], ensure_ascii=False)


# -- how it stands


def state(answer: Answer, printed: str | None = None, place: str | None = None) -> str:
    """One line: how it stands, and where. `printed`: what is said of the output, where there is none."""
    outcome = answer.outcome
    id = outcome.command_id
    after = f" after {outcome.duration:.1f} s" if outcome.duration >= _WORTH_SAYING else ""
    said = f", {printed}" if printed else ""
    where = f" in {_quote(place)}" if place else ""
    match outcome.state:
        case "finished":
            closed = f"; its shell ended: {outcome.terminal_id} is closed" if outcome.closed else ""
            if outcome.exit_code is None:
                return f"exit unknown{after}{said} [{id}]{where}: it may have failed{closed}"
            signal = f" ({outcome.signal})" if outcome.signal else ""
            return f"exit {outcome.exit_code}{signal}{after}{said} [{id}]{where}{closed}"
        case "waiting":
            shown = f", {ON_SCREEN}" if printed == ON_SCREEN else ""
            return f"waiting{after}{shown} [{id}]{where}: {question(outcome.waiting)}"
        case "lost":
            return f"lost{after}{said} [{id}]: its terminal vanished, and how it ended is unknown"
        case "running":
            come = {"match": ", the pattern was found", "idle": ", it went quiet", "port": ", the port is open"}
            return f"running {outcome.duration:.1f} s{come.get(answer.reached or '', '')}{said} [{id}]{where}"


def question(waiting: Waiting | None) -> str:
    if waiting is None:
        return "for what is unknown"
    parts: list[str] = [waiting.asks or waiting.kind]
    if waiting.prompt and waiting.asks != "screen":  # where no question is known, the cursor's line is none
        parts.append(_quote(waiting.prompt))
    elif waiting.program:
        parts.append(f"by {_quote(waiting.program)}")
    if waiting.choices and not all(choice in waiting.prompt for choice in waiting.choices):
        parts.append(f"choices {', '.join(map(_quote, waiting.choices))}")
    if waiting.default is not None and waiting.default.lower() not in waiting.prompt.lower():
        parts.append(f"default {_quote(waiting.default)}")
    if not waiting.certain:
        parts.append("(it may go on by itself)")
    return " ".join(parts)


def notice(notice: Notice, prefix: str = "") -> str:
    happened = _happened(notice)
    if notice.command is None:
        return happened
    cut_off = f"{happened} ({_quote(notice.command)}), its call was cut off"
    return f"{cut_off}: {prefix}wait(id={_quote(notice.command_id)})" if notice.what == "running" else cut_off


def _happened(notice: Notice) -> str:
    match notice.what:
        case "finished":
            return f"{notice.command_id} finished, exit {'unknown' if notice.exit_code is None else notice.exit_code}"
        case "waiting":
            return f"{notice.command_id} waits for input: {_quote(notice.prompt or '')}"
        case "lost":
            return f"{notice.command_id} is lost: its terminal vanished"
        case "running":
            return f"{notice.command_id} still runs"


def idle_line(id: str, cwd: str | None) -> str:
    return f"nothing has run in {id} yet" + (f" in {_quote(cwd)}" if cwd else "")


def closed_line(id: str) -> str:
    return f"{id} is closed"


def count_line(number: int, others: int = 0) -> str:
    """`others`: so many of them are not the agent's own."""
    if not number:
        return "no terminal is open"
    theirs = f", {others} of them not yours: leave those alone unless the user means them" if others else ""
    return f"{number} terminal{'s' if number > 1 else ''} open{theirs}"


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
    whose = "" if row["own"] else f"  (of {_quote(str(row['task'])) if row['task'] else 'no task'})"
    return f"{row['terminal_id']}  {row['state']}  {row['shell']}  {_quote(str(row['cwd'] or ''))}  {last}{whose}"


def _screen(screen: Screen) -> str:
    column, row = screen.cursor
    title = f", title {_quote(screen.title)}" if screen.title else ""
    kind = "a full-screen program's" if screen.alternate else "the terminal's"
    return f"screen: {kind}, cursor in line {row + 1}, column {column + 1}{title}"


# -- what can be done


def next_step(outcome: Outcome) -> str | None:
    """What can be done about a command, in a line; None: nothing that a model would not do by itself."""
    id = _quote(outcome.command_id)
    match outcome.state:
        case "running" if NOT_REACTING in outcome.notes:
            return f"stop(id={id}, close=true) ends it with its terminal; nothing less does"
        case "running":
            return GO_ON
        case "waiting":
            return _answer_advice(outcome.waiting, id, in_pipe=any(note.endswith(UNSEEN) for note in outcome.notes))
        case "lost":
            return "check what the command did before running it again"
        case "finished":
            if any(note.startswith(STOPPED) for note in outcome.notes):
                return 'run(command="fg") lets it go on, run(command="jobs -l") lists what is stopped'
            if any("this terminal's sandbox" in note for note in outcome.notes):
                return "run the command with outside=true if it must write or reach that: the user is asked"
            return None


_LINES: Final = ("line", "shell", "continuation")
_PLAIN_QUESTIONS: Final = ("yes-no", "choice", "text", "username")
# Of what takes a line, these need more than that line; what they need is said by their hint.
_LONG_INPUTS: Final = ("stdin", "more-input", "menu", "pager")


def takes_line(waiting: Waiting | None) -> bool:
    """Whether an answer is a line with its Enter."""
    return waiting is not None and (waiting.kind in _LINES or (waiting.kind == "key" and "and Enter" in waiting.hint))


def _answer_advice(waiting: Waiting | None, id: str, *, in_pipe: bool) -> str:
    """`in_pipe`: what it asks is not seen, so what its answer must be is not known."""
    if waiting is None:
        return f"screen(id={id})"
    if waiting.kind == "secret" or waiting.asks in SECRETS:
        return f"handoff(id={id}); never ask for it or type it"
    if waiting.asks == "press-key":
        return f'send(id={id}, keys=["Enter"])'
    if takes_line(waiting) or (waiting.asks in _PLAIN_QUESTIONS and waiting.kind == "key"):
        text = _quote(waiting.choices[0] if waiting.choices else "…")
        call = f"send(id={id}, text={text}{', enter=true' if takes_line(waiting) else ''})"
        more = waiting.hint if waiting.asks in _LONG_INPUTS and not in_pipe else waiting.hint.partition("; ")[2]
        return f"{call}: {more}" if more and not more.startswith("Enter alone") else call
    hint = "" if waiting.asks == "screen" else waiting.hint
    return f"send(id={id}, keys=[…])" + (f": {hint}" if hint else "")


def with_screen(id: str, next: str | None) -> str:
    """Where a program has the screen, and the result shows what was printed beside it."""
    look = f"screen(id={_quote(id)}) shows its screen"
    return look if next is None else f"{look}; {next}"


def press_enter(id: str) -> str:
    return f'send(id={_quote(id)}, keys=["Enter"])'


def next_page(id: str, offset: int) -> str:
    return f"read(id={_quote(id)}, offset={offset}) has the next page"


def from_the_beginning(id: str) -> str:
    return f"read(id={_quote(id)}, offset=0) has all of it"


# Errors whose message needs no code: it says what is wrong with the call.
_WRONG_CALLS: Final = ("misuse", "unknown_terminal", "bad_command", "bad_key")
_AFTER: Final = {
    "busy": "wait({id}) or stop({id}), or run without terminal_id",
    "held": "wait until the person has given it back, or run without terminal_id",
    "denied": "do not try to get around it: ask the user, or do something else",
    "limit_reached": "stop(id=…, close=true) what is no longer needed",
}


def after_error(error: TruettyError) -> str | None:
    """What can be done when nothing was done."""
    id = error.facts.get("command_id") or error.facts.get("terminal_id")
    named = f"id={_quote(id)}" if isinstance(id, str) else "id=…"
    match error.facts.get("why"):
        case "secret":
            return f"handoff({named})"
        case "handed over":
            return f"wait({named}): you can type again when the command has gone on or the user gave it back"
    advice = _AFTER.get(error.code)
    return None if advice is None else advice.format(id=named)
