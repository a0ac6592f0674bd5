"""Who answers a command that waits: reply rules first, then a callback, then whoever waits for it.

Rule 1: each waiting is looked at once. A rule's answer is typed at once; while a callback thinks, nobody is told that
        the command waits, since it may not for long.
Rule 2: no rule answers a secret. A callback may: it is the owner's own code, and what it says is not kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from truetty.core.outcome import Waiting
from truetty.core.prompts import Description
from truetty.replies import OnWaiting, Replies, Reply


class Answers:
    """Those of one command."""

    def __init__(
        self,
        rules: Sequence[Reply],
        callback: OnWaiting | None,
        type: Callable[[bytes], None],
        told: Callable[[], None],
    ) -> None:
        self._replies = Replies(rules) if rules else None
        self._callback = callback
        self._type = type
        self._told = told  # something changed that nobody else tells of
        self._seen = 0  # the last waiting that was looked at
        self._task: asyncio.Task[str | None] | None = None
        self._failed: str | None = None

    @property
    def any(self) -> bool:
        return self._replies is not None or self._callback is not None

    @property
    def thinking(self) -> bool:
        return self._task is not None

    @property
    def notes(self) -> tuple[str, ...]:
        rules = self._replies.notes if self._replies is not None else ()
        return rules if self._failed is None else (*rules, self._failed)

    def consider(self, episode: int, describe: Callable[[], tuple[Waiting, Description, list[str]]]) -> None:
        """Somebody waits: see whether it can be answered."""
        if episode == self._seen or self._task is not None:
            return
        self._seen = episode
        waiting, description, said = describe()
        if self._replies is not None and (answer := self._replies.answer(waiting, description, said)) is not None:
            self._type(answer.text.encode())
        elif self._callback is not None:
            self._task = asyncio.ensure_future(self._ask(self._callback, waiting))
            self._task.add_done_callback(self._answered)

    async def _ask(self, callback: OnWaiting, waiting: Waiting) -> str | None:
        return await callback(waiting)

    def forget(self) -> None:
        """The command has ended, or its terminal: nobody needs an answer."""
        if self._task is not None:
            self._task.cancel()

    def _answered(self, task: asyncio.Task[str | None]) -> None:
        self._task = None
        if not task.cancelled():
            if (error := task.exception()) is not None:
                self._failed = f"on_waiting failed: {type(error).__name__}: {error}"
            elif text := task.result():
                self._type(text.encode("utf-8", "surrogateescape"))
        self._told()
