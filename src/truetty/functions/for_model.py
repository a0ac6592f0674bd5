"""An outcome as the text that a model reads: `Outcome.for_model()`."""

from __future__ import annotations

from truetty.core.outcome import Outcome
from truetty.functions.verbs import model_budget
from truetty.functions.words import Report, text
from truetty.service.answer import Answer
from truetty.store.part import Part
from truetty.text.digest import Budget, digest


def for_model(outcome: Outcome, budget: int | Budget | None = None) -> str:
    shown = digest(outcome.output, model_budget() if budget is None else Budget.of(budget))
    part = Part(shown.text, shown.omitted + outcome.omitted)
    return text(Report(Answer(outcome, outcome.reached, part)))
