"""Who answers a command that waits: reply rules first, then a callback, then whoever waits for it.

Rule 1: each waiting is looked at once. A rule's answer is typed at once; while a callback thinks, nobody is told that
        the command waits, since it may not for long. An answer that comes late is for nobody else.
Rule 2: no rule answers a secret. A callback may: it is the owner's own code, and what it says is not kept.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Sequence

from truetty.core.outcome import Waiting
from truetty.questions.prompts import Description
from truetty.questions.replies import MOST_NOTES, OnWaiting, Replies, Reply


class Answers:
    """Those of one command."""

    def __init__(
        self,
        rules: Sequence[Reply],
        callback: OnWaiting | None,
        type: Callable[[Answers, bytes], None],
        told: Callable[[], None],
    ) -> None:
        self._replies = Replies(rules) if rules else None
        self._callback = callback
        self._type = type
        self._told = told  # something changed that nobody else tells of
        self._seen = 0  # the last waiting that was looked at
        self._task: asyncio.Task[str | None] | None = None
        self._notes: list[str] = []

    @property
    def any(self) -> bool:
        return self._replies is not None or self._callback is not None

    @property
    def thinking(self) -> bool:
        return self._task is not None

    @property
    def notes(self) -> tuple[str, ...]:
        return (*(self._replies.notes if self._replies is not None else ()), *self._notes)

    def consider(
        self,
        episode: int,
        describe: Callable[[], tuple[Waiting, Description, list[str]]],
        still: Callable[[], bool],
    ) -> None:
        """Somebody waits: see whether it can be answered. `still` says later whether it is the same waiting."""
        if episode == self._seen or self._task is not None:
            return
        self._seen = episode
        waiting, description, said = describe()
        if self._replies is not None and (answer := self._replies.answer(waiting, description, said)) is not None:
            self._type(self, answer.text.encode())
        elif self._callback is not None:
            self._task = asyncio.ensure_future(self._ask(self._callback, waiting))
            self._task.add_done_callback(lambda task: self._answered(task, waiting, still))

    async def _ask(self, callback: OnWaiting, waiting: Waiting) -> str | None:
        answer = callback(waiting)
        return await answer if inspect.isawaitable(answer) else answer

    def forget(self) -> None:
        """The command has ended, or its terminal: nobody needs an answer."""
        if self._task is not None:
            self._task.cancel()

    def _answered(self, task: asyncio.Task[str | None], waiting: Waiting, still: Callable[[], bool]) -> None:
        self._task = None
        try:
            if task.cancelled() or not (text := task.result()):
                return
            data = text.encode("utf-8", "surrogateescape")
            if still():
                self._type(self, data)
            else:
                self._note(f"an answer to {waiting.prompt.strip()!r} came too late and was not typed")
        except Exception as error:  # it is the callback's own, or what it gave was no text
            self._note(f"on_waiting failed: {type(error).__name__}: {error}")
        finally:
            self._told()

    def _note(self, note: str) -> None:
        if len(self._notes) < MOST_NOTES:
            self._notes.append(note)
