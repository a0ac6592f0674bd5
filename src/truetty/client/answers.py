"""`on_waiting` of a terminal elsewhere: the callback is called here, and what it says is typed there.

Rule 1: each waiting is asked about once. An answer that comes late is not typed to another waiting: the server refuses
        it, since it carries the waiting's number.
Rule 2: a wait that would return such a waiting waits for the callback, and goes on if it has answered.
"""

from __future__ import annotations

import asyncio
import inspect

from truetty.client.command import Command
from truetty.client.link import Again, Link
from truetty.core.outcome import Waiting
from truetty.questions.replies import OnWaiting
from truetty.server import forms
from truetty.server.refusals import Stale


class Answers:
    """Those of one terminal."""

    def __init__(self, link: Link, callback: OnWaiting) -> None:
        self._link = link
        self._callback = callback
        self._callbacks: dict[str, tuple[int, asyncio.Task[bool]]] = {}  # by command: the last waiting

    async def __call__(self, command: Command, episode: int) -> bool:
        """Whether this waiting was answered."""
        number, task = self._callbacks.get(command.id, (0, None))
        if task is None or number != episode:
            return False
        return await asyncio.shield(task)

    def look(self, command: Command) -> None:
        """It may have begun to wait."""
        episode, waiting = command.form.episode, command.waiting
        if command.finished:
            self._callbacks.pop(command.id, None)
        elif episode is not None and waiting is not None and self._callbacks.get(command.id, (0, None))[0] != episode:
            self._callbacks[command.id] = episode, asyncio.ensure_future(self._answer(command, episode, waiting))

    async def _answer(self, command: Command, episode: int, waiting: Waiting) -> bool:
        try:
            answer = self._callback(waiting)
            text = await answer if inspect.isawaitable(answer) else answer
            if not text:
                return False
            fields = {"command_id": command.id, "exact": True, "episode": episode, "text": text, "enter": False}
            await self._link.call("answer", forms.CommandForm, fields, Again.NEVER)
        except Stale:
            return False
        except Exception as error:  # it is the callback's own, or the connection's
            asyncio.get_running_loop().call_exception_handler(
                {"message": f"on_waiting of {command.terminal_id} failed", "exception": error}
            )
            return False
        return True
