"""Everything that is typed at a shell's prompt, and the private files it needs.

Rule 1: what is typed depends on what the shell last said of itself: its options, its editor, its exit code.
Rule 2: the tty's modes are put right before a command runs. A shell with an editor restores, when a line is entered,
        whatever the last program left behind, and that is seen in two moments only: between the program's end and the
        editor's start, if we are quick, or when the shell, asked to, stops for us just before it runs the text (M).
Rule 3: files are dropped when they were read: texts once a command has run for a while, the rest at its end.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from enum import Enum, auto
from typing import ClassVar, Final, NamedTuple

from truetty.core import lazy
from truetty.core.chain import Chain
from truetty.core.observation import Observation
from truetty.core.signs import Mark
from truetty.core.standing import Stands
from truetty.core.testimony import Secrets
from truetty.host.base import USUAL, Channel, Modes
from truetty.shells import table, way
from truetty.shells.row import CTRL_C, HealRequest, Request, Row, Typed
from truetty.shells.writing import draw_key, own_name
from truetty.terminal.wire.modes import ScreenModes
from truetty.terminal.wire.open_line import LONGEST_LINE, OpenLine

# Programs that are there to change the tty's modes.
_CHANGES_MODES: Final = lazy.pattern(r"\b(?:stty|reset|tset)\b")

_LASTING: Final = "dr"  # files of a command that are read after C, by the first letter of their names


class ModesCheck(Enum):
    """Whether the tty's modes must be looked at before the next text runs: the last program may have left others."""

    UNNEEDED = auto()
    NEEDED = auto()
    ASKED = auto()  # the shell was asked, by the last trigger, to stop for it (mark M)
    MENDED = auto()  # before the last text; a shell that keeps modes of its own (zsh) sets the others again


class Sending(NamedTuple):
    """Keys that were written."""

    needed: int  # what the shell's count of bytes read must reach if it reads them
    wakes: bool  # they must wake the program that reads
    flushes: bool  # the interrupt key is among them: the tty drops what was typed before it and not read yet
    cut: int | None  # bytes of a line among them of which the tty keeps a part only


class Typist(Stands):
    STANDS: ClassVar = (
        "last_code",
        "interrupted",
        "_next_key",
        "_flags",
        "_options",
        "_count",
        "_at_editor",
        "_check",
        "_changes_modes",
        "_reaped",
        "_files",
    )

    def __init__(self, channel: Channel, shell: Row, key: str, modes: ScreenModes, *, history: bool) -> None:
        self.shell = shell
        self.last_code = 0
        self.interrupted = False  # Ctrl-C was sent, which may have cut the start-up files short
        self._channel = channel
        self._modes = modes
        self._history = history  # commands go to the file of the shell's history
        self.lines: Final = Chain(key)  # the secrets of what the shell itself prints
        self._name: Final = own_name(key)
        self._next_key = key  # of the hook that was installed last
        self._flags = ""
        self._options = ""
        self._count: int | None = None  # of the commands that the shell has run, as its last D said
        self._at_editor = False  # P came since the last line ended, of a hook that works with the editor
        self._image: object = None  # of the shell that is at the prompt; unknown before the first
        self._files: list[str] = []
        self._check = ModesCheck.UNNEEDED
        self._changes_modes = False  # the command says so, or it was seen
        self._reaped: int | None = None
        self._line = OpenLine()
        self._drawn = False  # the last look, of those that cannot show a prompt, found the editor at work
        self._listeners: list[Callable[[bytes], None]] = []

    @property
    def is_checking(self) -> bool:
        """The last trigger makes the shell stop for us, and it has not been let go on yet."""
        return self._check is ModesCheck.ASKED

    # -- what the shell said

    def on_prompt(self, mark: Mark) -> None:
        self._flags = mark.flags or self._flags  # zsh's hook has no way to tell them
        self._options = mark.options or self._options
        # If P shows the line before, the text has removed the hook that prints D.
        self._at_editor = bool(mark.next) and self.lines.knows(mark.secret)
        if self._image is None:
            self._image = self._channel.process.image()

    def on_first_prompt(self, mark: Mark) -> None:
        self.last_code = mark.code or 0
        self._channel.tty.adopt()  # a person's rc files may have chosen them

    def on_end(self, mark: Mark, *, of_command: bool) -> None:
        """The end mark: between the program and the editor, unless the shell was faster than we.

        That of a line which is no command of ours may come when the next command was typed already.
        """
        self._flags = mark.flags or self._flags
        self._count = mark.commands if mark.commands is not None else self._count
        self._at_editor = False
        if self.is_checking and not of_command:
            return
        before, self._reaped = self._reaped, self._channel.process.reaped()
        modes = self._channel.tty.modes() or USUAL
        if self._check is ModesCheck.MENDED:
            self._check = ModesCheck.NEEDED
        elif modes.canonical:
            self._check = ModesCheck.UNNEEDED if modes.sane else ModesCheck.NEEDED
        elif self._reaped is None or self._reaped != before:
            self._check = ModesCheck.NEEDED  # otherwise no program ran that could have changed them

    def on_look(self) -> None:
        """While a command runs."""
        editor = self.shell.editor
        if editor is not None and not editor.pauses and not (self._channel.tty.modes() or USUAL).signals:
            self._changes_modes = True

    def tells_end(self, mark: Mark) -> bool:
        """Whether the code of this D is surely the command's."""
        return self.shell.editor is None or self.shell.editor.tells_end(mark)

    def is_empty(self, mark: Mark, *, printed: bool) -> bool:
        """Whether this D, before any C, is of a line in which nothing was run."""
        return self.shell.editor is not None and self.shell.editor.is_empty(mark, self._count, printed=printed)

    def on_answer(self) -> None:
        """H: the hook was installed again."""
        self.lines.restart(self._next_key)

    def interrupts(self, data: bytes) -> bool:
        """Whether the interrupt key is among them, and the tty makes it a signal."""
        modes = self._channel.tty.modes() or USUAL
        return modes.signals and bool(modes.interrupt) and modes.interrupt in data

    def loses_interrupt(self) -> bool:
        """Whether the shell itself would get the signal now, and forget in its `$?` that it did."""
        editor = self.shell.editor
        return editor is not None and editor.loses_interrupt and self._channel.tty.shell_in_front() is True

    def on_keys(self, data: bytes, *, read: bool) -> bool:
        """Keys are sent. Whether some may be left to the prompt: no program reads now, or it is no whole line.

        A shell that gets Ctrl-C at its prompt, or on its way there, drops what is typed until it has drawn a new one.
        """
        modes = self._channel.tty.modes() or USUAL
        if data == modes.interrupt and modes.signals:
            self.interrupted = True
            return self._channel.tty.shell_in_front() is not False
        return not read or not _ends_read(data, modes)

    def listen(self, listener: Callable[[bytes], None]) -> Callable[[], None]:
        """Call it with keys at the moment the tty gets them; returns how to end that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def send(self, data: bytes) -> Sending:
        """Keys, as they are."""
        cut = self.cut_line(data)
        for listener in list(self._listeners):
            listener(data)
        modes = self._channel.tty.modes() or USUAL
        flushes = self.interrupts(data)
        wakes = _ends_read(data, modes) and not (flushes and data == modes.interrupt)
        self._line.on_keys(data) if modes.canonical else self._line.forget()
        return Sending(self._write(data, self.consumed()), wakes, flushes, cut)

    def awaits_enter(self) -> bool:
        """Whether the tty holds back what was typed, since no Enter was."""
        return self._line.is_open and (self._channel.tty.modes() or USUAL).canonical

    def cut_line(self, data: bytes) -> int | None:
        """Bytes of a line of which the tty would keep a part only, if these keys were typed now; None: it keeps all."""
        modes = self._channel.tty.modes()
        if modes is None or not modes.canonical:
            return None
        size = self._line.longest_with(data)
        return size if size > LONGEST_LINE else None

    def on_unmarked_prompt(self) -> bool:
        """The prompt is there without a mark. Whether it is the same shell's; if not, its program tells which it is."""
        self._check = ModesCheck.NEEDED
        image = self._channel.process.image()
        if image == self._image:
            return True
        self._image = image
        self._flags = self._options = ""
        self._at_editor = False
        self._modes.bracketed_paste = False
        if program := self._channel.process.program():
            words = self._channel.process.argv()
            self.shell = table.recognise(program, words[0] if words else None)
        return False

    def take_over(self, name: str) -> None:
        """From a process before this one. The shell may have been replaced by the one of this name."""
        if name != self.shell.name:
            self.shell = table.recognise(name)
        self._image = self._channel.process.image()

    def reads_before_hook(self) -> bool:
        """Its `read` looks like its prompt to the kernel, and no prompt was learnt yet. As we started it, it names our
        folder and is at no prompt before our hook has run: so it is a `read` of its start-up files."""
        unlike = self.shell.read_uses_editor or self.shell.editor is not None
        return unlike and self._channel.process.mentions(self._channel.files.path) is True

    @property
    def announces_editor(self) -> bool:
        """Whether the user's hooks run after P, and a mode of the screen tells when the editor reads."""
        return self.shell.editor is not None and self.shell.editor.announces(self._options)

    @property
    def editor_follows(self) -> bool:
        """The same, and that no hook runs after P: the next switch of that mode is the editor's."""
        return self.shell.editor is not None and self.shell.editor.follows(self._options)

    def reads_without_editor(self, seen: Observation) -> bool:
        """Whether a look shows the prompt of a shell that has switched its editor off. It reads as a program does."""
        editor = self.shell.editor
        return editor is not None and editor.is_off(self._options) and seen.reader == self._channel.pid

    @property
    def types_unasked(self) -> bool:
        """Whether neither a mark nor a look will ever tell that the prompt is free: then it is typed to at once."""
        return not self._channel.sees and not self.shell.has_marks

    def is_drawn_unseen(self) -> bool:
        """Where no look can show a prompt: whether the shell is in front and its editor at work, at two looks in a row.

        A mark P comes before the editor; zsh prints two. A look comes behind all bytes that were printed before it, so
        after the second no P is on its way that could be taken for the answer to the Ctrl-C that clears the line.
        """
        if self._channel.sees:
            return False
        before = self._drawn
        edits = not self.shell.edits_lines or not (self._channel.tty.modes() or USUAL).canonical
        self._drawn = edits and self._channel.tty.shell_in_front() is not False
        return before and self._drawn

    def is_echo(self, printed: bytes) -> bool:
        return self._channel.files.path.encode() in printed

    def has_end(self) -> bool:
        """Whether the end mark could come. Without its file, what the shell has in `$?` is our own failure."""
        name = next((name for name in self._files if name[0] == "d"), None)
        return name is None or self._channel.files.has(name) is not False

    @property
    def folder(self) -> str:
        """Where the private files lie."""
        return self._channel.files.path

    def end_pause(self) -> int:
        """The shell has paused for us (M): nothing runs, its editor is away, what we see is what the text will get.

        One newline ends the pause: a second one that the shell gets would be input of the command.
        Returns the count of bytes the shell must have read.
        """
        self._check = ModesCheck.MENDED if self._mend() else ModesCheck.UNNEEDED
        return self._write(b"\n", self.consumed())

    def _mend(self) -> bool:
        """Whether there was something to mend."""
        modes = self._channel.tty.modes()
        if modes is None or modes.sane:
            return False
        self._channel.tty.mend()
        return True

    # -- what is typed; each returns the count of bytes the shell must have read

    def clear(self, *, continuation: bool) -> bool:
        """Throw away what stands half-typed at the prompt. False: the shell answers with a new prompt, wait for it."""
        keys = CTRL_C if continuation else self.shell.clears_line
        self._channel.write(keys)
        return keys != CTRL_C

    def cancel(self) -> None:
        """The shell asks for the rest of a text that was complete as it seemed."""
        modes = self._channel.tty.modes() or USUAL
        self._channel.write(modes.interrupt or CTRL_C)

    def command(self, text: str, secrets: Secrets, serial: int, *, refused: bool, shared: bool) -> Typed:
        """The keys that make the shell run the text, by one of two ways.

        `refused`: its editor would not. `shared`: another process may read a key before the shell does.
        """
        if not self.shell.edits_lines:
            self._mend()
        if self._check is not ModesCheck.UNNEEDED:
            can_ask = self.shell.edits_lines and self.shell.has_marks and self._must_check()
            self._check = ModesCheck.ASKED if can_ask else ModesCheck.NEEDED
        self._changes_modes = _CHANGES_MODES.search(text) is not None
        secrets.use_own()
        modes = self._channel.tty.modes() or USUAL
        request = Request(
            folder=self._channel.files.path,
            name=self._name,
            serial=serial,
            text=text,
            start=secrets.start,
            end=secrets.end,
            last_code=self.last_code,
            flags=self._flags,
            paste=self._modes.bracketed_paste,
            probe=self.is_checking,
            at_editor=self._at_editor and not refused and self._channel.sees,
            options=self._options,
            special=modes.special,
            history=self._history,
            shared=shared,
        )
        if (editor := way.editor_for(self.shell, request)) is not None:
            secrets.use_line()
            typed = editor.keys(request)
            return typed if frozenset(modes.special).isdisjoint(typed.line) else typed._replace(frees_keys=True)
        return self.shell.recipe.trigger(request)

    def _must_check(self) -> bool:
        """An editor that cannot stop for us is passed over only if the last command has changed modes for sure."""
        editor = self.shell.editor
        return editor is None or editor.pauses or not self._at_editor or self._changes_modes

    def question(self, secrets: Secrets, serial: int) -> Typed | None:
        if not self.shell.has_marks:
            return None
        self._next_key = draw_key()
        folder, history = self._channel.files.path, self._history
        request = HealRequest(folder, self._name, serial, secrets.answer, self._next_key, history)
        return self.shell.recipe.heal(request)

    def type(self, typed: Typed, serial: int, consumed: int | None) -> int:
        """`consumed`: how many bytes the shell has read."""
        if typed.files:
            self._channel.files.write(typed.files)
            self.own(typed, serial)
        if typed.frees_keys:
            self._channel.tty.free_keys()
        self._line.forget()
        return self._write(typed.line, consumed)

    def own(self, typed: Typed, serial: int) -> None:
        """The files of this command are dropped in time."""
        number = str(serial)
        self._files += [name for name in typed.files if name[1:] == number]

    def consumed(self) -> int | None:
        """How many bytes the shell has read. None: that is unknown."""
        return self._channel.process.consumed()

    def _write(self, keys: bytes, consumed: int | None) -> int:
        """Returns the count of bytes the shell must have read before a look at it counts."""
        self._channel.write(keys)
        return consumed + len(keys) if consumed is not None else 0

    # -- files

    def drop_texts(self) -> None:
        """The command has started: its text was read. The end mark's file is needed to the end.

        So is the one that hands on `$?`: the shell reads it behind C. In busybox and dash a missing file ends the line.
        """
        if len(self._files) > 1:
            self._drop([name for name in self._files if name[0] not in _LASTING])
            self._files = [name for name in self._files if name[0] in _LASTING]

    def drop_all(self) -> None:
        """Soon, but after the callers that wait for the command were woken."""
        if self._files:
            asyncio.get_running_loop().call_soon(self._drop, self._files)
            self._files = []

    def _drop(self, names: list[str]) -> None:
        for name in names:
            self._channel.files.drop(name)


def _ends_read(keys: bytes, modes: Modes) -> bool:
    """Whether a program that reads the tty gets them now: every key at once, or the line that they end."""
    return not modes.canonical or keys[-1:] in (b"\n", b"\r", b"\x04")
