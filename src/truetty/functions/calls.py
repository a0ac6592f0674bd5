"""One call of a model, done on a `Service`.

Rule 1: whatever a model sends, the answer is a `Result`. What was wrong is in it, with what would be right.
Rule 2: the ticket of a handoff is the person's. The model is told that it was given, never what it is.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from truetty.core.errors import Misuse, TruettyError
from truetty.functions import answer as answers
from truetty.functions import words
from truetty.functions.answer import Answer
from truetty.functions.desk import Desk, OnHandoff
from truetty.functions.verbs import BY_NAME
from truetty.service.service import Service

# An agent's next command finds the shell as the last one left it, so what it names no task for is one task.
TASK: Final = "agent"


@dataclass(frozen=True, slots=True)
class Result:
    """What goes back to the model: `text` to read, or `data` for who prefers JSON. `error` is an error's code."""

    text: str
    data: dict[str, object]
    error: str | None = None

    @property
    def json(self) -> str:
        return json.dumps(self.data, ensure_ascii=False)

    @classmethod
    def of(cls, answer: Answer) -> Result:
        return cls(words.text(answer), answers.data(answer), answer.error.code if answer.error is not None else None)


async def call(
    service: Service, name: str, given: object = None, *, task: str = TASK, on_handoff: OnHandoff | None = None
) -> Result:
    """Do what a model asked for: the function's name and its arguments, as an object or as JSON text.

    `task` keeps the terminals of several agents on one service apart. `on_handoff` is told of a terminal that is left
    to a person, with the ticket that lets them type.
    """
    desk = Desk(service, task=task, on_handoff=on_handoff)
    return await answered(_call(desk, name, given), desk.refused)


async def _call(desk: Desk, name: str, given: object) -> Answer:
    if name not in BY_NAME:
        known = [*BY_NAME]
        raise Misuse(f"no function is called {name!r}: there are {', '.join(known)}", name=name, known=known)
    return await desk.answer(BY_NAME[name], given)


async def answered(work: Awaitable[Answer], refused: Callable[[TruettyError], Answer]) -> Result:
    try:
        return Result.of(await work)
    except TruettyError as error:
        return Result.of(refused(error))
    except Exception as error:  # a loop that dies of one call helps nobody; it is said that it is not the model's fault
        return Result.of(refused(TruettyError(f"this failed inside truetty: {type(error).__name__}: {error}")))
