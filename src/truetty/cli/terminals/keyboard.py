"""The keyboard of a person who follows a command of the server: what is typed goes to the program that asks.

    closed ──the command waits──▸ open ──keys──▸ begun ──Enter──▸ closed

Rule 1: while it is followed, the person's tty echoes nothing and takes keys as they come. The tty of the terminal
        echoes, where the program lets it. So a password is not shown, however early it is typed.
Rule 2: keys are typed while the command waits, and each answer is for the question that was open (`episode`). Keys
        that come earlier wait for the next question. What was not taken is thrown away at the end: the shell from
        which we were started does not get it.
Rule 3: the first keys of a line belong to a question. The rest of that line is typed behind them, up to its Enter.
Rule 4: a program that has the whole screen, and a shell in the terminal, get no keys here: `truetty attach` is for
        them.
Rule 5: Ctrl-C and Ctrl-Z are signals, for us. The tty is as it was before at every end, and while we are stopped.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import signal
import sys
import termios
from collections.abc import Iterator
from typing import Any, Final, Literal

from truetty.cli.attach.tty import LEAVE
from truetty.cli.person import stop_ourselves
from truetty.cli.terminals.ending import Ended
from truetty.cli.terminals.server import Server, command
from truetty.cli.terminals.standing import asked
from truetty.cli.terminals.starting import type_keys
from truetty.cli.terminals.wakeful import ignore, listen
from truetty.core.errors import TruettyError

READ_SIZE: Final = 4096
ENDS: Final = ("\r", "\n", "\x04")  # keys after which a program that reads lines has one
ELSEWHERE: Final = {"fullscreen": "has the whole screen", "shell": "is a shell"}  # kinds that get no keys here
_NO_KEY: Final = b"\0"  # a signal's key in the modes that no key sends


class Keyboard:
    """Of the person at standard input. `is_shown`: the person sees what the command prints."""

    def __init__(self, server: Server, id: str, *, is_shown: bool) -> None:
        self._server = server.again()
        self._id = id
        self._is_shown = is_shown
        self._tty = sys.stdin.fileno()
        self._before = termios.tcgetattr(self._tty)
        self._is_ours = False  # the modes are the ones that we have set
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._keys = ""  # that were read and not typed yet
        self._line: Literal["closed", "open", "begun"] = "closed"  # whether keys are typed
        self._elsewhere: str | None = None  # the sentence about a program that gets no keys here
        self._has_screen = False  # the program has the whole screen, and so the person's

    # -- what happens

    def on_waiting(self, waiting: Any) -> None:
        """The command waits for input."""
        self._has_screen = waiting["kind"] == "fullscreen"
        if not self._is_in_front():
            _say(f"it asks: {asked(waiting)}; truetty answer{self._server.on} {self._id}")
            return
        if (why := ELSEWHERE.get(waiting["kind"])) is not None:
            self._send_elsewhere(f"{waiting['program'] or 'a program'} {why}")
            return
        self._elsewhere = None
        if not self._is_shown and self._line != "begun":
            _say(f"it asks: {asked(waiting)} (what you type is not shown)")
        if self._line == "closed":
            self._line = "open"
        self._type()

    def on_keys(self) -> None:
        """There is something to read."""
        data = os.read(self._tty, READ_SIZE)
        if not data:
            raise Ended(signal.SIGHUP)  # the terminal is gone
        if self._elsewhere is None:
            self._keys += self._decode(data)
            self._type()

    def on_continue(self) -> None:
        """After a stop. The shell has set modes of its own."""
        ignore(self._tty)
        self._is_ours = False
        self._enter()

    # -- typing

    def _type(self) -> None:
        while self._keys and self._line != "closed":
            text, is_line = _first_line(self._keys)
            try:
                taken = self._answer(text, ends=is_line)
            except TruettyError as error:
                if error.code != "stale":
                    self._keys, self._line = "", "closed"
                    _say(str(error))
                return
            if not taken:
                return
            self._keys = self._keys[len(text) :]

    def _answer(self, text: str, *, ends: bool) -> bool:
        """Whether it was typed."""
        stands = self._server.get(command(self._id))
        episode, waiting = stands["episode"], stands["waiting"]
        if episode is not None and waiting is not None:
            if waiting["kind"] in ELSEWHERE:
                return False
            type_keys(self._server, command(self._id, "/answer"), episode=episode, text=text, enter=False)
            ends = ends or waiting["kind"] == "key"  # it takes each key, and asks anew
        elif self._line == "begun" and not stands["finished"]:
            type_keys(self._server, command(self._id, "/type"), text=text)
        else:
            self._line = "closed"
            return False
        self._line = "closed" if ends else "begun"
        return True

    def _send_elsewhere(self, why: str) -> None:
        self._keys, self._line = "", "closed"
        if why != self._elsewhere:
            self._elsewhere = why
            terminal = self._id.rpartition("-")[0]
            _say(f"{why}; truetty attach{self._server.on} {terminal} --take is for that. Ctrl-C twice leaves it.")

    # -- the person's tty

    def _is_in_front(self) -> bool:
        """Whether our job has the terminal. One in the background that sets its modes is stopped."""
        with contextlib.suppress(OSError):
            return os.tcgetpgrp(self._tty) == os.getpgrp()
        return False

    def _enter(self) -> None:
        if not self._is_ours and self._is_in_front():
            self._is_ours = True
            termios.tcsetattr(self._tty, termios.TCSADRAIN, _silent(self._before))
            listen(self._tty, self.on_keys)

    def _leave(self, when: int) -> None:
        ignore(self._tty)
        if self._is_ours:
            self._is_ours = False
            with contextlib.suppress(OSError, termios.error):  # the terminal may be gone
                if self._is_in_front():
                    termios.tcsetattr(self._tty, when, self._before)

    def _stop(self) -> None:
        self._leave(termios.TCSADRAIN)
        stop_ourselves()
        self.on_continue()

    @contextlib.contextmanager
    def hold(self) -> Iterator[None]:
        handlers = {
            signal.SIGTSTP: lambda number, frame: self._stop(),
            signal.SIGCONT: lambda number, frame: self.on_continue(),
        }
        before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
        try:
            self._enter()
            yield
        except BaseException:
            if self._has_screen:
                sys.stdout.buffer.write(LEAVE)
                sys.stdout.buffer.flush()
            raise
        finally:
            self._leave(termios.TCSAFLUSH)
            for number, handler in before.items():
                signal.signal(number, handler)


def _first_line(keys: str) -> tuple[str, bool]:
    """The keys up to the first that ends a line, and whether there is one."""
    ends = [at for end in ENDS if (at := keys.find(end)) >= 0]
    return (keys[: min(ends) + 1], True) if ends else (keys, False)


def _silent(modes: list[Any]) -> list[Any]:
    """Keys come at once, without echo and as they were pressed. Ctrl-C and Ctrl-Z are signals still."""
    iflag, oflag, cflag, lflag, ispeed, ospeed, characters = modes
    iflag &= ~(termios.ICRNL | termios.INLCR | termios.IGNCR)
    lflag &= ~(termios.ECHO | termios.ECHONL | termios.ICANON | termios.IEXTEN)
    characters = list(characters)
    characters[termios.VMIN], characters[termios.VTIME] = 1, 0
    characters[termios.VQUIT] = _NO_KEY
    return [iflag, oflag, cflag, lflag, ispeed, ospeed, characters]


def _say(what: str) -> None:
    print(f"\r\ntruetty: {what}", file=sys.stderr)
