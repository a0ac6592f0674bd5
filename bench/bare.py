"""The floors: a shell on a pty driven by a bare blocking loop, with nothing of ours but the trigger itself."""

from __future__ import annotations

import os
import select
from collections.abc import Mapping

from truetty.core.marks import opening
from truetty.host import environment
from truetty.host.folder import Folder
from truetty.shells import table
from truetty.shells.row import LaunchRequest, Request

SECRET = "0123456789abcdef012345"
KEY = "0123456789abcdefKEYKEY"


class Bare:
    """Blocking, no event loop, no scanner: writes a line, reads until a byte string is there."""

    def __init__(self, shell: str) -> None:
        env = environment.build(os.environ, {}, None)
        found = table.find(shell, env)
        self._row = found.row
        self._folder = Folder()
        request = LaunchRequest(found.program, found.arguments, self._folder.path, KEY, False, env)
        launch = self._row.launch(request)
        self._folder.write(launch.files)
        for name, value in launch.env.items():
            if value is None:
                env.pop(name, None)
            else:
                env[name] = value
        self.master, self.pid = spawn(found.program, (os.path.basename(found.program), *launch.arguments), env)
        self._serial = 0
        self._flags = ""
        self.until(opening("P") + KEY.encode())

    def until(self, wanted: bytes) -> bytes:
        data = b""
        while wanted not in data or not data.rpartition(wanted)[2].count(b"\x07"):
            data += os.read(self.master, 65536)
        return data

    def trigger(self, text: str) -> None:
        """The same trigger as the library's: files, one typed line, until the end mark."""
        self._serial += 1
        request = Request(
            folder=self._folder.path, serial=self._serial, text=text, start="s" + SECRET, end="e" + SECRET,
            flags=self._flags, paste=self._row.name == "zsh",
        )  # fmt: skip
        typed = self._row.recipe.trigger(request)
        self._folder.write(typed.files)
        os.write(self.master, typed.line)
        self.until(opening("D") + b"e" + SECRET.encode())
        for name in typed.files:
            self._folder.drop(name)

    def settle(self) -> None:
        """Read whatever of the prompt is still on its way."""
        while select.select([self.master], [], [], 0.02)[0]:
            os.read(self.master, 65536)

    def hook(self, text: str) -> None:
        """Typed as a person would, until the prompt hook's mark."""
        os.write(self.master, text.encode() + b"\n")
        self.until(opening("P") + KEY.encode())

    def close(self) -> None:
        os.close(self.master)
        os.kill(self.pid, 9)
        os.waitpid(self.pid, 0)
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
