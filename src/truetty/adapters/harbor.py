"""Harbor: `TruettyTerminus` in place of its agent Terminus 2: a truetty terminal in place of tmux.

Rule 1: nothing is installed in the environment but truetty. Theirs installs tmux and asciinema, by apt, pip or make.
Rule 2: keys that end in Enter at a prompt are a command. So a call returns when the command has finished or asks, and
        waits as long as the agent said only for what still runs.
Rule 3: new output is known by its place, not by comparing screens.
Rule 4: no text is typed into a program that asks for a secret, unless `types_secrets` is true. Keys such as C-c are.
Rule 5: after `exit 7` the agent reads exit code 7, and its next keys go to a new shell. A terminal that is lost ends
        the session.

`harbor run --agent-import-path truetty.adapters.harbor:TruettyTerminus --agent-kwarg on=ADDRESS`
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Any, Final, Unpack, cast

from harbor.agents.terminus_2.terminus_2 import Terminus2
from harbor.environments.base import BaseEnvironment

from truetty import Command, Registry, Terminal, connect
from truetty.core.errors import BadKey
from truetty.terminal.keys import encode
from truetty.terminal.options import Arguments

ENTER: Final = frozenset({"Enter", "C-m", "KPEnter", "C-j", "^M", "^J"})
REFUSED: Final = "refused: the command asks for a secret. Nothing was typed"


class Session:
    """What their agent calls on a `TmuxSession`."""

    def __init__(
        self, on: str | Sequence[str] | None = None, *, types_secrets: bool = False, **making: Unpack[Arguments]
    ) -> None:
        self._on = on
        self._types_secrets = types_secrets
        self._making: Arguments = {"size": (160, 40), "rc": False, **making}
        self._open = AsyncExitStack()
        self._place: Registry | None = None
        self._terminal: Terminal | None = None
        self._refusal: str | None = None  # of the last keys, until the agent has read it
        self._has_typed = False  # keys stand at the prompt, and Enter was not pressed
        self._shown: Command | None = None  # whose output was given last

    async def start(self) -> None:
        # What a connection gives has the names of a local registry.
        place = Registry() if self._on is None else cast(Registry, connect(self._on))
        self._place = await self._open.enter_async_context(place)
        self._terminal = await self._place.open("bash", **self._making)

    async def stop(self) -> None:
        terminal, self._terminal = self._terminal, None
        if terminal is not None:
            await terminal.close()
        await self._open.aclose()

    async def is_session_alive(self) -> bool:
        """Whether keys can be sent: to this shell, or to a new one after it has exited."""
        return self._terminal is not None and (not self._terminal.closed or _has_exited(self._terminal))

    async def send_keys(
        self,
        keys: str | list[str],
        block: bool = False,
        min_timeout_sec: float = 0.0,
        max_timeout_sec: float = 180.0,
    ) -> None:
        terminal = self._started()
        pressed = [keys] if isinstance(keys, str) else list(keys)
        if _has_exited(terminal):
            if not any(pressed):
                return
            terminal = await self._reopen()
        has_enter = bool(pressed) and (pressed[-1] in ENTER or pressed[-1].endswith(("\n", "\r")))
        text = "".join(key for key in pressed if key not in ENTER).strip("\r\n")
        is_plain = not any(_is_name(key) for key in pressed if key not in ENTER)
        if has_enter and is_plain and text.strip() and not terminal.busy and not self._has_typed:
            command = await terminal.start(text)
        elif self._asks_for_secret(terminal) and any(_is_text(key) for key in pressed):
            self._refusal = REFUSED
            return
        else:
            await self._type(terminal, pressed, has_enter=has_enter)
            if terminal.command is None or not terminal.busy:
                return
            command = terminal.command
        outcome = await command.wait(max_timeout_sec if block else min_timeout_sec, "finished" if block else "settled")
        if block and outcome.state != "finished":
            raise TimeoutError(f"Command timed out after {max_timeout_sec} seconds")

    async def _reopen(self) -> Terminal:
        """A new shell in place of one that has exited."""
        assert self._place is not None
        self._has_typed, self._shown = False, None
        self._terminal = await self._place.open("bash", **self._making)
        return self._terminal

    def _asks_for_secret(self, terminal: Terminal) -> bool:
        command = terminal.command
        return not self._types_secrets and terminal.busy and command is not None and command.hides_typing

    async def _type(self, terminal: Terminal, keys: list[str], *, has_enter: bool) -> None:
        for key in keys:
            if key in ENTER:
                await terminal.press("Enter")
            elif _is_name(key):
                await terminal.press(key)
            else:
                await terminal.send(key)
        stays = not terminal.busy and not has_enter and "C-c" not in keys
        self._has_typed = stays and (self._has_typed or any(keys))  # an agent that waits sends no keys

    async def capture_pane(self, capture_entire: bool = False) -> str:
        terminal = self._started()
        if not capture_entire:
            return "\n".join(terminal.screen().lines)
        return terminal.transcript.read(0).decode(errors="replace")

    async def get_incremental_output(self) -> str:
        command = self._started().command
        new = "" if command is None else command.output.unread(30_000)
        if command is not None and command is not self._shown:
            new = f"$ {command.text}\n{new}"
            self._shown = command
        refusal, self._refusal = self._refusal, None
        if refusal is not None:
            return f"New Terminal Output:\n{new}\n[{refusal}]"
        if command is None or not new.strip():
            screen = f"Current Terminal Screen:\n{await self.capture_pane()}"
            return screen if command is None else f"{screen}\n[{_standing(command)}]"
        return f"New Terminal Output:\n{new}\n[{_standing(command)}]"

    def _started(self) -> Terminal:
        if self._terminal is None:
            raise RuntimeError("the session was not started")
        return self._terminal


def _is_name(key: str) -> bool:
    """Whether tmux would press it rather than type it."""
    if len(key) < 2 or "\n" in key or " " in key:
        return False
    try:
        encode(key)
    except BadKey:
        return False
    return True


def _is_text(key: str) -> bool:
    return key not in ENTER and not _is_name(key) and bool(key.strip("\r\n"))


def _has_exited(terminal: Terminal) -> bool:
    """Whether the shell itself has ended, as by `exit`."""
    return terminal.closed and terminal.exit_code is not None


def _standing(command: Command) -> str:
    if command.finished:
        return f"exit code {command.exit_code}"
    return "still running" if command.waiting is None else f"waits for input: {command.waiting.prompt!r}"


class TruettyTerminus(Terminus2):
    """`on` is where the environment's truetty is reached: what `truetty.connect` takes, as one text."""

    def __init__(self, *arguments: Any, on: str | None = None, types_secrets: bool = False, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._on = shlex.split(on) if on is not None and " " in on else on
        self._types_secrets = types_secrets

    async def setup(self, environment: BaseEnvironment) -> None:
        size = (self.options.tmux_pane_width, self.options.tmux_pane_height)
        self._session = Session(self._on, types_secrets=self._types_secrets, size=size, env=self._extra_env)
        await self._session.start()
