"""How a command stands, as an `Outcome`.

Rule: everything that takes long was done before: the text comes as a `Summary`, which can be made in slices.
"""

from __future__ import annotations

from typing import Final

from truetty.core.outcome import Outcome, Reached
from truetty.core.patterns import Found
from truetty.store.clean_text import Summary
from truetty.store.output import Output
from truetty.terminal import exit_codes
from truetty.terminal.answers import Answers
from truetty.terminal.stop import Stop
from truetty.terminal.wire.conversation import Conversation
from truetty.terminal.wire.run import Run
from truetty.text.clean import clean

# How much of the end of the output is read for the line a shell may have said last.
LAST: Final = 2048
UNTOLD: Final = "it is unknown whether it waits for input: the kernel does not show what its processes read"
UNSEEN: Final = "if it has asked something, the question is still there"
IN_PIPE: Final = f"{{}} prints into a pipe to {{}}: {UNSEEN}"
NO_ENTER: Final = "it reads lines, and no Enter was pressed"
STOPPED: Final = "stopped: nothing runs until it is continued"


def report(
    command_id: str,
    terminal_id: str,
    run: Run,
    summary: Summary,
    *,
    stop: Stop,
    answers: Answers,
    conversation: Conversation,
    reached: Reached | None,
    match: Found | None,
) -> Outcome:
    """`reached` and `match`: what the wait that it is for came back for."""
    ending, output, waiting = run.machine.ending, run.span.output, answers.waiting
    shell = run.shell_then or conversation.link.facts()
    code, number = exit_codes.of_command(ending, conversation.link.shell)
    left, meaning = run.survivors, exit_codes.ExitMeaning(None)
    if code:
        stopped = left is not None and left.job_is_stopped
        meaning = exit_codes.read(code, number, _last_line(output), stop.sent, stopped=stopped)
    missing = output.missing
    notes = [
        *run.notes,
        *(left.notes() if left is not None else ()),
        *stop.notes,
        *answers.notes,
        *meaning.notes,
        *summary.notes,
    ]
    if missing:
        why = conversation.link.transcript.trouble or "the file was lost"
        notes.append(f"{missing:,} bytes of the output could not be kept: {why}")
    if ending is None and waiting is None and not run.reader.can_tell:
        notes.append(UNTOLD)
    reader = run.reader.waiting
    if waiting is not None and not waiting.prompt.strip() and reader is not None and reader.pipe_to is not None:
        notes.append(IN_PIPE.format(reader.program, reader.pipe_to))
    if waiting is not None and run is conversation.run and conversation.link.typist.awaits_enter():
        notes.append(NO_ENTER)
    if run.reader.stopped:
        notes.append(STOPPED)
    return Outcome(
        command_id=command_id,
        terminal_id=terminal_id,
        state=run.state,
        exit_code=code,
        signal=exit_codes.name(meaning.signal) if meaning.signal is not None else None,
        evidence=ending.evidence if ending is not None else None,
        strategy=run.machine.strategy,
        output=summary.text,
        output_bytes=output.bytes,
        output_lines=summary.lines,
        omitted=summary.omitted,
        original_tokens=summary.tokens,
        complete=not missing,
        waiting=waiting,
        duration=(ending.time if ending is not None else conversation.now()) - run.machine.asked_at,
        cwd=shell.cwd,
        closed=shell.closed,
        notes=tuple(notes),
        reached=reached,
        match=match,
    )


def _last_line(output: Output) -> str:
    """The last line that is not empty, if it ends the output."""
    return clean(output.read(max(0, output.bytes - LAST))).rstrip("\n").rpartition("\n")[2]
