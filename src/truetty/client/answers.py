"""`on_waiting` of a terminal elsewhere: the callback is called here, and what it says is typed there.

Rule 1: each waiting is asked about once. An answer that comes late is not typed to another waiting: the server refuses
        it, since it carries the waiting's number.
Rule 2: a wait that would return such a waiting waits for the callback, and goes on if it has answered.
Rule 3: what the server says of a wait may arrive together with what followed the answer: another waiting, or the end of
        the command. So a wait that came back for a question goes on if any waiting was answered that is behind the last
        one it has returned. If a later one is open, the server returns that at once.
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
        self._seen: dict[str, int] = {}  # by command: the last waiting that was asked about
        self._tasks: dict[tuple[str, int], asyncio.Task[None]] = {}  # callbacks that run, by command and waiting

    async def __call__(self, command: Command, after: int) -> bool:
        """Whether a waiting behind this one was answered. Callbacks that run may do so yet."""
        while command.answered <= after:
            running = [task for (id, number), task in self._tasks.items() if id == command.id and number > after]
            if not running:
                return False
            await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
        return True

    def look(self, command: Command) -> None:
        """It may have begun to wait."""
        episode, waiting = command.form.episode, command.waiting
        if command.finished:
            self._seen.pop(command.id, None)
        elif episode is not None and waiting is not None and self._seen.get(command.id) != episode:
            self._seen[command.id] = episode
            which = command.id, episode
            self._tasks[which] = asyncio.ensure_future(self._answer(command, episode, waiting))
            self._tasks[which].add_done_callback(lambda _: self._tasks.pop(which))

    async def _answer(self, command: Command, episode: int, waiting: Waiting) -> None:
        try:
            answer = self._callback(waiting)
            text = await answer if inspect.isawaitable(answer) else answer
            if not text:
                return
            fields = {"command_id": command.id, "exact": True, "episode": episode, "text": text, "enter": False}
            await self._link.call("answer", forms.CommandForm, fields, Again.NEVER)
            command.answered = max(command.answered, episode)
        except Stale:
            pass
        except Exception as error:  # it is the callback's own, or the connection's
            asyncio.get_running_loop().call_exception_handler(
                {"message": f"on_waiting of {command.terminal_id} failed", "exception": error}
            )
