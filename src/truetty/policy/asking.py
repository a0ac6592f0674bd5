"""Asking a person; if no person can be asked, the answer is no.

Rule 1: an asker returns True, False, or None if no person can be asked. Silence, errors and cancellation are no yes.
Rule 2: a refusal says what was refused, why, and what would make it allowed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal

from truetty.core.errors import Denied
from truetty.policy.decision import Decision

Asker = Callable[[Decision], Awaitable[bool | None]]


async def ask_or_deny(decision: Decision, asker: Asker | None = None) -> Literal["rule", "answer"]:
    """Returns when the command may run, and says whether a rule or an answer allowed it. Otherwise raises `Denied`."""
    if decision.verdict == "allow":
        return "rule"
    if decision.verdict == "deny":
        raise _denied(decision, decision.reason, answered=None)
    answer = await asker(decision) if asker is not None else None
    if answer is True:
        return "answer"
    if answer is False:
        raise _denied(decision, f"{decision.reason} The answer was no.", answered=False)
    message = f"{decision.reason} It must be asked, and no person can be asked here. {decision.advice}"
    raise _denied(decision, message.rstrip(), answered=None)


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
