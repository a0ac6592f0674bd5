"""Terminals and commands of a server, each one object, which stand as the server's events say.

Rule 1: events are the truth. A form in an answer may be older than an event that came before it, so it is used only for
        what no event has named.
Rule 2: open terminals are held here. A closed one, and an old command, live as long as a caller holds them.
Rule 3: after a reset, what the server no longer names is asked for, and is lost if it does not know it.
"""

from __future__ import annotations

import builtins
from dataclasses import replace
from typing import Any
from weakref import WeakValueDictionary

from truetty.client.command import Command
from truetty.client.link import Link
from truetty.client.terminal import Terminal
from truetty.client.wire import Wire
from truetty.core.errors import TruettyError
from truetty.core.outcome import State, Waiting
from truetty.server import forms, shapes


class Mirror:
    def __init__(self) -> None:
        self._open: dict[str, Terminal] = {}
        self._terminals: WeakValueDictionary[str, Terminal] = WeakValueDictionary()
        self._commands: WeakValueDictionary[str, Command] = WeakValueDictionary()
        self._link: Link | None = None

    def join(self, link: Link) -> None:
        self._link = link

    @property
    def link(self) -> Link:
        assert self._link is not None
        return self._link

    # -- what is there

    def list(self) -> builtins.list[Terminal]:
        return sorted(self._open.values(), key=lambda one: int(one.id[1:]))

    def find(self, id_or_name: str) -> Terminal | None:
        if (found := self._terminals.get(id_or_name)) is not None:
            return found
        named = [one for one in self._open.values() if one.name == id_or_name]
        return named[0] if len(named) == 1 else None

    def terminal(self, form: forms.TerminalForm) -> Terminal:
        """The one with this id; one that is new here stands as the form says."""
        found = self._terminals.get(form.id)
        if found is None:
            found = self._terminals[form.id] = Terminal(self.link, form, self.command)
            if not form.closed:
                self._open[form.id] = found
            if form.command is not None:
                found.begin(self.command(form.command))
        return found

    def command(self, form: forms.CommandForm) -> Command:
        found = self._commands.get(form.id)
        if found is None:
            found = self._commands[form.id] = Command(self.link, form)
        return found

    # -- what happens

    def on_event(self, event: dict[str, Any]) -> None:
        match event["event"]:
            case "opened" | "changed" | "closed":
                self._stand(shapes.made(forms.TerminalForm, event["terminal"]))
            case "started" | "finished":
                self._follow(shapes.made(forms.CommandForm, event["command"]))
            case "waiting" | "resumed":
                self._wait(event)
            case "downgraded" | "healed":
                terminal = self._open.get(event["terminal_id"])
                if terminal is not None:
                    terminal.stand(replace(terminal.form, strategy=event["strategy"]))
            case "reset":
                self._begin_anew([shapes.made(forms.TerminalForm, one) for one in event["terminals"]])

    def _stand(self, form: forms.TerminalForm) -> None:
        terminal = self.terminal(form)
        terminal.stand(form)
        if form.command is not None:
            self._follow(form.command)
        if form.closed:
            self._open.pop(form.id, None)

    def _follow(self, form: forms.CommandForm) -> None:
        command = self.command(form)
        command.stand(form)
        terminal = self._open.get(form.terminal_id)
        if terminal is None:
            return
        if terminal.command is not command:
            terminal.begin(command)
        if form.finished and form.cwd != terminal.cwd:
            terminal.stand(replace(terminal.form, cwd=form.cwd))
        terminal.look()

    def _wait(self, event: dict[str, Any]) -> None:
        command = self._commands.get(event["command_id"])
        if command is None:
            return
        waiting = None if event["waiting"] is None else shapes.made(Waiting, event["waiting"])
        state: State = "running" if event["episode"] is None else "waiting"
        command.stand(replace(command.form, state=state, waiting=waiting, episode=event["episode"]))
        terminal = self._open.get(command.terminal_id)
        if terminal is not None:
            terminal.look()

    # -- another connection

    def _begin_anew(self, found: builtins.list[forms.TerminalForm]) -> None:
        for id in self._open.keys() - {form.id for form in found}:
            gone = self._open.pop(id)
            gone.stand(replace(gone.form, closed=True))
        for command in self._commands.values():
            command.forget_waitings()
        for form in found:
            self._stand(form)

    def lose(self, note: str) -> None:
        """The server is gone for good."""
        for command in [one for one in self._commands.values() if not one.finished]:
            command.lose(note)
        for terminal in self._open.values():
            terminal.stand(replace(terminal.form, busy=False, closed=True))
        self._open.clear()

    async def settle(self, wire: Wire) -> None:
        """Commands of which the events say nothing more."""
        running = {one.command.id for one in self._open.values() if one.command is not None}
        for command in [one for one in self._commands.values() if not one.finished and one.id not in running]:
            try:
                answer = await wire.call("command", {"command_id": command.id, "exact": True})
                command.stand(shapes.made(forms.CommandForm, answer))
            except TruettyError:
                command.lose("its server does not know it any more")
