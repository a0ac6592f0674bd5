"""One run of one command in a terminal elsewhere. Names, arguments and meanings are those of `truetty.Command`."""

from __future__ import annotations

import asyncio
import base64
import re
from collections import ChainMap
from collections.abc import Awaitable, Callable
from dataclasses import replace
from math import inf
from typing import Any, Final

from truetty.client.link import Again, Link
from truetty.client.output import Output
from truetty.client.stream import Stream
from truetty.client.waits import until_field
from truetty.core.checks import check_finite, check_wait
from truetty.core.errors import ChannelLost, Misuse
from truetty.core.outcome import Outcome, Reached, State, Waiting
from truetty.core.until import Exit, Screen, Settled, Until, of
from truetty.host.base import Identity
from truetty.server import forms
from truetty.terminal import keys
from truetty.terminal.command import Activity
from truetty.text.digest import tokens
from truetty.text.screen import Screen as ScreenValue

# Answers waitings in place of the caller: True if one behind this number was answered.
Answers = Callable[["Command", int], Awaitable[bool]]


class Command:
    """Made by `Terminal.start`. Everything it says is live until `outcome` is there; then it is final."""

    def __init__(self, link: Link, form: forms.CommandForm) -> None:
        self.id: Final[str] = form.id  # such as "t1-3"
        self.terminal_id: Final[str] = form.terminal_id  # such as "t1"
        self.text: Final[str] = form.text  # as it was given
        self.output: Final[Output] = Output(link, form.id)  # all it has printed so far
        self.reached: Reached | None = None  # what the last wait came back for
        self.answers: Answers | None = None  # of a terminal with a callback
        self.answered = 0  # the number of the last waiting for which these have typed an answer
        self._link = link
        self._form = form
        self._outcome: Outcome | None = None  # once it has ended and its text was read
        self._known = {"after_episode": 0, "after_byte": 0}  # what the last wait has returned, as fields of the next
        self._which = {"command_id": form.id, "exact": True}

    def __repr__(self) -> str:
        return f"<Command {self.id} {self.state} {self.text[:40]!r}>"

    @property
    def form(self) -> forms.CommandForm:
        """How it stands, as the server has said last."""
        return self._form

    def stand(self, form: forms.CommandForm) -> None:
        """How it stands now. An end is final."""
        if not self.finished:
            self._form = form

    def lose(self, note: str) -> None:
        """How it has ended will never be known."""
        form = self._form
        lost = replace(form, state="lost", finished=True, waiting=None, episode=None, closed=True)
        self.stand(replace(lost, complete=False, notes=(*form.notes, note)))
        self._outcome = self.standing()

    def forget_waitings(self) -> None:
        """Another server may have it, which counts them anew."""
        self._known["after_episode"] = self.answered = 0

    @property
    def state(self) -> State:
        """finished, running, waiting or lost, at this moment."""
        return self._form.state

    @property
    def outcome(self) -> Outcome | None:
        """None until the end, then final."""
        return self.snapshot() if self.finished else None

    @property
    def exit_code(self) -> int | None:
        """None while it runs, and where it is unknown."""
        return self._form.exit_code

    @property
    def finished(self) -> bool:
        """Whether it has ended, in whatever way."""
        return self._form.finished

    @property
    def timed_out(self) -> bool:
        """Whether its own time-out has passed."""
        return self._form.timed_out

    @property
    def waiting(self) -> Waiting | None:
        """The program that reads the keyboard, and what it asks; None if none does."""
        return self._form.waiting

    @property
    def reader(self) -> Identity | None:
        """The program that reads the keyboard, as the kernel says. None: none does, or that is unknown."""
        return self._activity.reader

    @property
    def unread(self) -> bool:
        """Whether there is output that neither a wait nor `output.unread()` has returned."""
        form = self._link.ask("command", forms.CommandForm, self._which)
        return form.unread and self._known["after_byte"] < form.output_bytes

    @property
    def reads_lines(self) -> bool:
        """Whether the tty gathers what is typed into lines."""
        return self._activity.reads_lines

    @property
    def is_full_screen(self) -> bool:
        """Whether it has taken the alternate screen, as editors, pagers and dialogs do, and has not left it."""
        return self._activity.is_full_screen

    @property
    def hides_typing(self) -> bool:
        """Whether what is typed now would not be shown, as at a password prompt."""
        return self._activity.hides_typing

    @property
    def activity(self) -> Activity:
        """What it is doing: a build uses the CPU, a stuck program does not. No processes once it has ended."""
        now = self._activity
        return Activity(now.output_bytes, now.quiet_seconds, now.cpu_seconds, now.processes)

    @property
    def _activity(self) -> forms.ActivityForm:
        return self._link.ask("activity", forms.ActivityForm, self._which)

    def events(self, coalesce: float | None = None) -> Stream:
        """What happens to it, as it happens: `async for event in command.events()`; see `truetty.events`.

        Output comes in pieces at least `coalesce` seconds apart, the terminal's if none are named; everything else,
        and the last piece, at once.
        """
        if coalesce is not None:
            check_finite("coalesce", coalesce)
        return Stream(self._link, self.id, coalesce)

    # -- waiting

    async def wait(self, timeout: float | None = None, until: str | re.Pattern[str] | Until = "settled") -> Outcome:
        """Wait, at most `timeout` seconds, and return how things stand. It never ends the command.

        `until` is what it is for `truetty.Command.wait`. A function of the screen is called here, on every screen that
        the server sends; everything else is waited for by the server.

        The command's end ends every wait. `outcome.reached` says what came: None, if `timeout` was over.
        A wait goes on after a cut: the connection is made anew.
        """
        check_wait(timeout, "timeout")
        wanted = of(until)
        deadline = None if timeout is None or timeout == inf else asyncio.get_running_loop().time() + timeout
        return await self.wait_until(wanted, deadline)

    async def wait_until(self, wanted: Until, deadline: float | None) -> Outcome:
        """The same, up to a time of the event loop's clock."""
        if isinstance(wanted, Screen) and callable(wanted.wanted):
            return self._returned(await self._wait_for_screen(wanted, deadline))
        return self._returned(await self._wait(wanted, deadline))

    async def take(self, outcome: Outcome, deadline: float | None) -> Outcome:
        """What `run` has answered, as a wait would return it: a callback may answer a question first."""
        if await self._is_answered(outcome):
            outcome = await self._wait(Settled(), deadline)
        else:
            self._known["after_byte"] = outcome.output_bytes
        return self._returned(outcome)

    def _returned(self, outcome: Outcome) -> Outcome:
        self.reached = outcome.reached
        if outcome.state in ("finished", "lost"):
            self._outcome = replace(outcome, reached=None, match=None)
        return outcome

    async def _wait(self, wanted: Until, deadline: float | None) -> Outcome:
        fields = ChainMap({"until": until_field(wanted)}, self._which, self._known)  # read anew by each call
        while True:
            try:
                outcome = await self._link.call("wait", Outcome, fields, deadline=deadline)
            except ChannelLost:
                if self._outcome is None:
                    raise
                return replace(self._outcome, reached="exit")
            if not await self._is_answered(outcome):
                self._known["after_byte"] = outcome.output_bytes
                return outcome

    async def _is_answered(self, outcome: Outcome) -> bool:
        """Whether the callback of its terminal has answered the question that this wait came back for."""
        known, episode = self._known["after_episode"], self._form.episode
        if outcome.reached == "input" and self.answers is not None and await self.answers(self, known):
            self._known["after_episode"] = self.answered
            return True
        if episode is not None:
            self._known["after_episode"] = episode
        return False

    async def _wait_for_screen(self, wanted: Screen, deadline: float | None) -> Outcome:
        which: dict[str, Any] = {"terminal_id": self.terminal_id, "exact": True}
        reached: Reached | None = None
        loop = asyncio.get_running_loop()
        while True:
            found = await self._link.call("screen", forms.ScreenForm, which, deadline=deadline)
            if self.finished:
                reached = "exit"
            elif wanted.holds(screen_value(found)):
                reached = "screen"
            if reached is not None or (deadline is not None and loop.time() >= deadline):
                break
            which["after"] = found.seq
        return replace(await self._wait(Exit(), loop.time()), reached=reached)

    async def report(self) -> Outcome:
        """How things stand now."""
        if self._outcome is None:
            outcome = await self._link.call("report", Outcome, self._which)
            if not self.finished:
                return outcome
            self._outcome = outcome
        return self._outcome

    def snapshot(self) -> Outcome:
        """How things stand now, made at once."""
        if self._outcome is None:
            finished = self.finished
            outcome = self._link.ask("report", Outcome, self._which)
            if not finished:
                return outcome
            self._outcome = outcome
        return self._outcome

    def explain(self, *, text: bool = True) -> str:
        """Why its outcome says what it says: the evidence in plain words, what was seen and when.

        Without `text`, the command itself is left out of it.
        """
        return self._link.ask("explain", forms.Text, {**self._which, "text": text}).text

    def standing(self) -> Outcome:
        """How things stand now, without the text: however much was printed, none of it is read for this."""
        if self._outcome is not None:
            return self._outcome
        form = self._form
        return Outcome(
            command_id=form.id,
            terminal_id=form.terminal_id,
            state=form.state,
            exit_code=form.exit_code,
            signal=form.signal,
            evidence=form.evidence,
            strategy=form.strategy,
            output="",
            output_bytes=form.output_bytes,
            output_lines=0,
            omitted=0,
            original_tokens=tokens(form.output_bytes),
            complete=form.complete,
            waiting=form.waiting,
            duration=form.duration,
            cwd=form.cwd,
            closed=form.closed,
            notes=form.notes,
        )

    # -- talking

    async def send(self, text: str | bytes) -> None:
        """Type `text` as it is. A finished command takes nothing: that is an error, not a silent loss.

        So is a line of more than 4,095 bytes while the terminal is in line mode: it would keep no more of it.
        """
        await self._type(typing_fields(text))

    async def press(self, *names: str) -> None:
        """Press keys by name: "Enter", "C-c", "Up", "F5"."""
        keys.encode(*names)
        await self._type({"keys": list(names)})

    async def type(self, text: str, *names: str) -> None:
        """Type `text`, then press keys by name, in one write. A name that no key has is refused before that."""
        if not isinstance(text, str):
            raise Misuse(f"only text can be typed, not {text!r}", text=text)
        keys.encode(*names)
        await self._type({"text": text, "keys": list(names)})

    async def _type(self, fields: dict[str, Any]) -> None:
        self._require_running()
        await self._link.call("type", forms.CommandForm, {**self._which, **fields}, Again.NEVER)

    async def interrupt(self) -> bool:
        """Ctrl-C, or SIGINT to the foreground where the tty would not make it one. False: it had finished already."""
        answer = await self._link.call("interrupt", forms.Interrupted, self._which, Again.NEVER)
        return answer.interrupted

    async def stop(self) -> Outcome:
        """End it: Ctrl-C, then SIGTERM, then SIGKILL to the command's processes. The shell goes on.

        The outcome says how it ended. If even that did not end it, a note says so.
        """
        outcome = await self._link.call("stop", Outcome, self._which)
        self.reached = outcome.reached
        return outcome

    async def kill(self) -> Outcome:
        """The same as `stop`."""
        return await self.stop()

    def _require_running(self) -> None:
        if self.finished:
            code = "unknown" if self.exit_code is None else self.exit_code
            what = f"command {self.id} has finished (exit code {code}): nothing reads what is sent to it"
            raise Misuse(what, command_id=self.id, exit_code=self.exit_code)


def typing_fields(text: str | bytes) -> dict[str, Any]:
    if not isinstance(text, str | bytes):
        raise Misuse(f"only text or bytes can be typed, not {text!r}", text=text)
    return {"text": text} if isinstance(text, str) else {"base64": base64.b64encode(text).decode()}


def screen_value(form: forms.ScreenForm) -> ScreenValue:
    return ScreenValue(form.lines, form.cursor, form.cursor_visible, form.size, form.title, form.alternate, form.dump)
