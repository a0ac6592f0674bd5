"""What answers a command that waits: reply rules first, then a callback, then the caller who waits for it.

Rule 1: each waiting is looked at once. A rule's answer is typed at once. While a callback runs, the waiting is not
        open: no stream, no wait and no notice reports it. An answer that comes late is not typed to another waiting.
Rule 2: no rule answers a secret. A callback may: it is the owner's own code, and what it says is not kept.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Sequence

from truetty.core.outcome import Waiting
from truetty.questions.replies import MOST_NOTES, OnWaiting, Replies, Reply
from truetty.terminal.changes import Changes
from truetty.terminal.question import Question, describe_waiting
from truetty.terminal.viewer import Viewer
from truetty.terminal.wire.conversation import Conversation
from truetty.terminal.wire.run import Run


class Answers:
    """Those of one command."""

    def __init__(
        self,
        run: Run,
        conversation: Conversation,
        viewer: Viewer,
        changes: Changes,
        rules: Sequence[Reply] = (),
        callback: OnWaiting | None = None,
    ) -> None:
        self._run = run
        self._conversation = conversation
        self._viewer = viewer
        self._changes = changes
        self._replies = Replies(rules) if rules else None
        self._callback = callback
        self._seen = 0  # the number of the last waiting that was looked at
        self._answered = 0  # the number of the last one for which an answer was typed
        self._task: asyncio.Task[str | None] | None = None  # while the callback runs
        self._notes: list[str] = []

    @property
    def open_waiting(self) -> int | None:
        """The number of the waiting that is left to callers; None if no program waits, or it is answered here."""
        if self._run.reader.waiting is None or self._task is not None:
            return None
        number = self._run.reader.number
        if number == self._answered:
            return None
        looked_at = number == self._seen or (self._replies is None and self._callback is None)
        return number if looked_at else None

    @property
    def waiting(self) -> Waiting | None:
        """Which program reads the keyboard, and what it asks; None if there is none. Only the output's end is read."""
        question = self._question()
        return question.waiting if question is not None else None

    @property
    def notes(self) -> tuple[str, ...]:
        return (*(self._replies.notes if self._replies is not None else ()), *self._notes)

    def on_change(self) -> None:
        """A program may wait: see whether it can be answered."""
        if self._run.reader.waiting is None or self._task is not None or self._run.reader.number == self._seen:
            return
        number = self._run.reader.number
        self._seen = number
        question = self._question()
        if question is None:
            return
        if (answer := self._rule_for(question)) is not None:
            self._answer(number, answer)
        elif self._callback is not None:
            waiting = question.waiting
            self._task = asyncio.ensure_future(self._ask(self._callback, waiting))
            self._task.add_done_callback(lambda task: self._on_answer(task, waiting, number))

    def forget(self) -> None:
        """The command has ended, or its terminal: no answer is needed."""
        if self._task is not None:
            self._task.cancel()

    def _rule_for(self, question: Question) -> bytes | None:
        if self._replies is None:
            return None
        answer = self._replies.answer(question.waiting, question.description, question.lines)
        return answer.text.encode() if answer is not None else None

    def _question(self) -> Question | None:
        reader = self._run.reader.waiting
        return describe_waiting(reader, self._run.span, self._viewer) if reader is not None else None

    def _answer(self, number: int, data: bytes) -> None:
        self._answered = number
        self._conversation.answer(self._run, data)

    async def _ask(self, callback: OnWaiting, waiting: Waiting) -> str | None:
        answer = callback(waiting)
        return await answer if inspect.isawaitable(answer) else answer

    def _on_answer(self, task: asyncio.Task[str | None], waiting: Waiting, number: int) -> None:
        self._task = None
        try:
            if task.cancelled() or not (text := task.result()):
                return
            data = text.encode("utf-8", "surrogateescape")
            if self._run.reader.waiting is not None and self._run.reader.number == number:
                self._answer(number, data)
            else:
                self._note(f"an answer to {waiting.prompt.strip()!r} came too late and was not typed")
        except Exception as error:  # it is the callback's own, or what it gave was no text
            self._note(f"on_waiting failed: {type(error).__name__}: {error}")
        finally:
            self._changes.tell()

    def _note(self, note: str) -> None:
        if len(self._notes) < MOST_NOTES:
            self._notes.append(note)
