"""The evidence of an outcome in plain words: what was seen of a command, and when."""

from __future__ import annotations

from typing import Final

from truetty.core.journal import Ends, Event, GoesOn, Journal, Keys, Sent, Waits
from truetty.core.life import Fact
from truetty.core.outcome import Outcome

_EVIDENCE: Final = {
    "mark": "The shell printed a mark with a secret that was made for this command alone.",
    "exit": "The shell itself has ended, and the kernel said how.",
    "kernel": "The kernel showed the shell reading at its prompt again. No mark of the end came.",
    "prompt": "The shell printed the mark of its prompt and is in front. The kernel could not be asked.",
}
_NO_CODE: Final = {
    "kernel": "No mark carried the exit code: the program in the terminal prints none, or was replaced.",
    "exit": "The kernel did not say how the shell ended.",
}
_FACTS: Final = {
    Fact.START: "the shell said that it runs the text (mark C)",
    Fact.END: "the shell said that it has ended (mark D)",
    Fact.PROMPT: "the shell was at its prompt (mark P)",
    Fact.UNSEEN: "the shell printed the mark of its prompt (mark P)",
    Fact.BACK: "the kernel showed the shell reading at its prompt",
    Fact.ANSWER: "the shell was asked for the exit code, and answered",
    Fact.REFUSED: "the shell's editor refused the text; it is sent again in the other way",
    Fact.EMPTY: "the line was empty when the shell read it",
    Fact.LATE: "the shell was asked for the exit code, and did not answer",
    Fact.LOST: "another program has read the line that was to run the command",
}


def explain(text: str | None, outcome: Outcome, journal: Journal, began: float) -> str:
    """How things stand, how that is known, and the events with their times. Without `text`, no prompt is in it."""
    name = "The command" if text is None else f"{outcome.command_id} {text[:200]!r}"
    lines = [f"{name} {_standing(outcome)}", "", *_reasons(outcome), "", "What was seen:"]
    lines += [f"  {time - began:9.3f} s  {_words(event)}" for time, event in journal.entries]
    if journal.left_out:
        lines.append(f"  and {journal.left_out:,} events more")
    size = f"{outcome.output_bytes:,} bytes of output"
    whole = "all of it is kept" if outcome.complete else "some of it was lost"
    lines += ["", f"{size}; {whole}."]
    return "\n".join([*lines, *(f"Note: {note}." for note in outcome.notes)])


def _standing(outcome: Outcome) -> str:
    match outcome.state:
        case "finished":
            code = "an unknown exit code" if outcome.exit_code is None else f"exit code {outcome.exit_code}"
            signal = f", by {outcome.signal}" if outcome.signal else ""
            return f"finished with {code}{signal} after {outcome.duration:.3f} s."
        case "waiting":
            return f"waits for input. It began {outcome.duration:.3f} s ago."
        case "lost":
            return "is lost: its terminal vanished."
        case "running":
            return f"is running, for {outcome.duration:.3f} s."


def _reasons(outcome: Outcome) -> list[str]:
    match outcome.state:
        case "finished":
            known = _EVIDENCE.get(outcome.evidence or "", "")
            unknown = _NO_CODE.get(outcome.evidence or "") if outcome.exit_code is None else None
            return [f"Evidence: {outcome.evidence}. {known}", *([f"Exit code: {unknown}"] if unknown else [])]
        case "waiting" if outcome.waiting is not None:
            who, kind = outcome.waiting.program or "a program", outcome.waiting.kind
            sure = "" if outcome.waiting.certain else " It listens to other things too, so it may go on by itself."
            return [f"The kernel shows that {who} is blocked reading the terminal ({kind}).{sure}"]
        case "running":
            return [
                "No mark of its end has come, the kernel does not show the shell at its prompt, and no program is seen "
                "to wait for input. Silence is no evidence: a command that prints nothing is running."
            ]
    return ["How it ended is unknown."]


def _words(event: Event) -> str:
    match event:
        case Sent(by_editor=by_editor):
            return "sent to the shell's editor, as if typed" if by_editor else "sent by a line that evaluates the text"
        case Waits(reader=reader):
            sure = "" if reader.certain else ", not surely"
            return f"{reader.program or 'a program'} reads the terminal ({reader.kind}){sure}"
        case GoesOn():
            return "it no longer reads the terminal"
        case Keys():
            return "keys were sent to it"
        case Ends(code=code):
            return "it has ended" if code is None else f"it has ended with exit code {code}"
        case Fact():
            return _FACTS[event]
