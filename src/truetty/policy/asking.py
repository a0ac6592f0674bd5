"""Asking whoever can answer; where nobody can, the answer is no.

Rule 1: an asker says True, False, or None when nobody is there. Silence, errors and cancellation are no yes.
Rule 2: a refusal says what was refused, why, and, where a rule would help, which.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal

from truetty.core.errors import Denied
from truetty.policy.decision import Decision
from truetty.text.quoting import on_one_line

Asker = Callable[[Decision], Awaitable[bool | None]]


async def ask_or_deny(decision: Decision, asker: Asker | None = None) -> Literal["rule", "answer"]:
    """Returns when the command may run, and says whose word that was. Raises `Denied` when it may not."""
    if decision.verdict == "allow":
        return "rule"
    if decision.verdict == "deny":
        raise _denied(decision, decision.reason, answered=None)
    answer = await asker(decision) if asker is not None else None
    if answer is True:
        return "answer"
    if answer is False:
        raise _denied(decision, f"{decision.reason} The answer was no.", answered=False)
    advice = ""
    if decision.suggestions:
        texts = ", ".join(f'"{on_one_line(text)}"' for text in decision.suggestions)
        advice = f" To allow it, add to the allow rules: {texts}."
    raise _denied(decision, f"{decision.reason} It must be asked, and nobody can answer here.{advice}", answered=None)


def _denied(decision: Decision, message: str, *, answered: bool | None) -> Denied:
    return Denied(
        message,
        command=decision.command,
        rule=decision.rule,
        reason=decision.reason,
        verdict=decision.verdict,
        suggestions=decision.suggestions,
        answered=answered,
    )
