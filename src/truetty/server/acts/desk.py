"""How agents whose sessions run in the server reach people: at the page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from truetty.server.acts.handoffs import HandoffActs
from truetty.server.acts.questions import QuestionActs
from truetty.service.rule_book import RuleBook


@dataclass(frozen=True, slots=True)
class Desk:
    questions: QuestionActs
    rules: RuleBook  # what "always" has added
    handoffs: HandoffActs
    is_attended: Callable[[], bool]  # a page is open now by which questions can be answered
    # A URL that logs a browser in at one terminal, once; the same again while it works. The page is on from now on.
    invite: Callable[[str, str | None], Awaitable[str]]
