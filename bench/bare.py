"""The floors: a shell on a pty driven by a bare blocking loop, with nothing of ours but what is typed."""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
from collections.abc import Mapping

from truetty.host import environment
from truetty.host.folder import Folder
from truetty.shells import table, way
from truetty.shells.row import LaunchRequest, Request
from truetty.shells.writing import draw_key, own_name

SECRET = "0123456789abcdef012345"
PROMPT = b"\x1b]7717;P;bare\x07"
END = b"\x1b]7717;D;"
# A prompt that says where it is, in a shell that has read no file of a person's; fish's own runs git in both.
PLAIN = {
    "bash": (("--norc", "--noprofile", "-i"), r"PS1='\[\e]7717;P;bare\a\]$ '"),
    "zsh": (("-f", "-i"), r"PS1=$'%{\e]7717;P;bare\a%}%# '"),
    "fish": (("-i",), r"functions -c fish_prompt shown; function fish_prompt; printf '\e]7717;P;bare\a'; shown; end"),
    "dash": (("-i",), r"PS1=$(printf '\033]7717;P;bare\007$ ')"),
}
_MARK = re.compile(rb"\x1b\]7717;([DP]);[^;\x07]*(?:;\d*;[^;\x07]*(?:;([^;\x07]*)[^\x07]*)?)?\x07")


class Pty:
    """Blocking: writes keys, reads until something is there."""

    def __init__(self, program: str, argv: tuple[str, ...], env: Mapping[str, str]) -> None:
        self.master, self.pid = spawn(program, argv, env)

    def write(self, keys: bytes) -> None:
        os.write(self.master, keys)

    def read(self) -> bytes:
        return os.read(self.master, 65536)

    def close(self) -> None:
        os.close(self.master)
        os.kill(self.pid, 9)
        os.waitpid(self.pid, 0)


class PlainLine:
    """A shell without anything of ours but a mark in its prompt: a line is typed as a person would."""

    def __init__(self, shell: str) -> None:
        self._home = tempfile.TemporaryDirectory()
        env = environment.build(os.environ, {}, None)
        arguments, setup = PLAIN[shell]
        program = table.find(shell, env).program
        self._pty = Pty(program, (os.path.basename(program), *arguments), {**env, "HOME": self._home.name})
        self._pty.write(setup.encode() + b"\r")
        self._until_prompt()

    def run(self, text: str) -> None:
        """Return at the next prompt: nothing before it says that the line has ended."""
        self._pty.write(text.encode() + b"\r")
        self._until_prompt()

    end = run

    def settle(self) -> None:
        """It is at its prompt."""

    def _until_prompt(self) -> None:
        data = b""
        while PROMPT not in data:
            data += self._pty.read()

    def close(self) -> None:
        self._pty.close()
        self._home.cleanup()


class SentLine:
    """The shell as the library starts it, given what the library types: by its editor if it has one, or the trigger."""

    def __init__(self, shell: str) -> None:
        env = environment.build(os.environ, {}, None)
        found = table.find(shell, env)
        self._row = found.row
        self._folder = Folder()
        self._key = draw_key()
        self._name = own_name(self._key)
        request = LaunchRequest(
            found.program, found.arguments, self._folder.path, self._key, self._name, rc=False, env=env
        )
        launch = self._row.launch(request)
        self._folder.write(launch.files)
        env = dict(environment.with_changes(env, launch.env))
        self._pty = Pty(found.program, (os.path.basename(found.program), *launch.arguments), env)
        self._serial = 0
        self._options = ""
        self._written: tuple[str, ...] = ()
        self._seen = b""
        self.settle()

    def run(self, text: str) -> None:
        """Return at the next prompt."""
        self.end(text)
        self.settle()

    def end(self, text: str) -> None:
        """Return when the shell has said that the text has ended."""
        self._type(text)
        while END not in self._seen:
            self._seen += self._pty.read()

    async def end_in_loop(self, text: str) -> None:
        """The same in an event loop, which tells when there is something to read."""
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[None] = loop.create_future()

        def read() -> None:
            self._seen += self._pty.read()
            if END in self._seen and not ended.done():
                ended.set_result(None)

        loop.add_reader(self._pty.master, read)
        self._type(text)
        await ended
        loop.remove_reader(self._pty.master)

    def _type(self, text: str) -> None:
        self._serial += 1
        request = Request(
            self._folder.path, self._name, self._serial, text, "s" + SECRET, "e" + SECRET,
            paste=self._row.name == "zsh", at_editor=True, options=self._options,
        )  # fmt: skip
        editor = way.editor_for(self._row, request)
        typed = self._row.recipe.trigger(request) if editor is None else editor.keys(request)
        self._folder.write(typed.files)
        self._written = tuple(typed.files)
        self._seen = b""
        self._pty.write(typed.line)

    def settle(self) -> None:
        """Until P; of a shell with an editor, the one that tells the next secret."""
        while not any(
            letter == b"P" and (following or self._row.editor is None)
            for letter, following in _MARK.findall(self._seen)
        ):
            self._seen += self._pty.read()
        self._learn(self._seen)
        for name in self._written:
            self._folder.drop(name)

    def _learn(self, data: bytes) -> None:
        if not self._options and self._row.editor is not None:
            mark = data[data.rfind(b"\x1b]7717;", 0, data.rfind(b":")) :]
            self._options = mark.partition(b"\x07")[0].rpartition(b";")[2].decode()

    def close(self) -> None:
        self._pty.close()
        self._folder.remove()


def spawn(program: str, argv: tuple[str, ...], env: Mapping[str, str]) -> tuple[int, int]:
    master, slave = os.openpty()
    pid = os.posix_spawn(
        program,
        argv,
        dict(env),
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.ttyname(slave), os.O_RDWR, 0),
            (os.POSIX_SPAWN_DUP2, 0, 1),
            (os.POSIX_SPAWN_DUP2, 0, 2),
        ],
        setsid=True,
    )
    os.close(slave)
    return master, pid
