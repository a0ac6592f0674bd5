"""`truetty shot`: a picture of what a command shows, or of a moment of a recording."""

from __future__ import annotations

import asyncio
import re
import signal
from dataclasses import dataclass
from typing import Final

from truetty import HostError, Misuse, Terminal, files
from truetty.cli.clean import write
from truetty.cli.replay import opened
from truetty.cli.run import Request as Run
from truetty.cli.signals import interrupts
from truetty.text.asciicast import OUTPUT, RESIZE
from truetty.text.picture import check, fitted, picture
from truetty.text.screen import Model

# What is on a screen was printed last.
REACH: Final = 1 << 20
_SIZE: Final = re.compile(r"([0-9]{1,5})x([0-9]{1,5})")


@dataclass(frozen=True, slots=True)
class Request:
    file: str
    command: list[str]
    cast: str | None
    at: float | None
    size: str
    title: str | None
    whole: bool
    wait: float | None
    shell: str | None
    cwd: str | None
    rc: bool


def main(request: Request) -> int:
    if request.file != "-" and not request.file.lower().endswith(".svg"):
        raise Misuse(f"{request.file}: pictures are SVG, and the name of one ends in .svg", path=request.file)
    if bool(request.command) == (request.cast is not None):
        raise Misuse("of what? Give a COMMAND, or a recording by --cast")
    if request.at is not None and (request.cast is None or not request.at >= 0):
        raise Misuse("--at is a number of seconds into the recording of --cast")
    if request.cast is not None:
        drawn = _of_recording(request.cast, request.at, request.title)
    else:
        try:
            drawn = asyncio.run(_of_command(request))
        except asyncio.CancelledError as error:
            return 128 + next((number for number in error.args if isinstance(number, int)), signal.SIGTERM)
    _save(request.file, drawn)
    return 0


def _of_recording(name: str, at: float | None, title: str | None) -> str:
    with opened(name) as (header, events):
        check(*header.size)
        model = Model(header.size)
        for event in events:
            if at is not None and event.time > at:
                break
            if event.code == OUTPUT:
                model.feed(event.data.encode("utf-8", "replace"))
            elif event.code == RESIZE:
                check(*event.size)
                model.resize(event.size)
        return picture(model, title=title)


async def _of_command(request: Request) -> str:
    size = _size(request.size)
    asked = Run(request.command, request.shell, request.cwd, [], request.wait, None, True, request.rc)
    async with Terminal(request.shell, cwd=request.cwd, rc=request.rc, size=size) as terminal:
        command = await terminal.start(asked.text)
        with interrupts(command):
            outcome = await command.wait(request.wait)
        cursor = outcome.state != "finished"
        if request.whole or terminal.screen().alternate:
            return terminal.picture(title=request.title, cursor=cursor)
        printed = command.output.bytes
        model = fitted(command.output.read(max(0, printed - REACH)), size)
        return picture(model, title=request.title, cursor=cursor)


def _size(text: str) -> tuple[int, int]:
    sides = _SIZE.fullmatch(text)
    if sides is None:
        raise Misuse(f"not a size: {text!r}; a size is COLUMNSxROWS", size=text)
    size = int(sides[1]), int(sides[2])
    check(*size)
    return size


def _save(path: str, drawn: str) -> None:
    """Whole or not at all: whoever looks at the file meanwhile sees the old picture."""
    if path == "-":
        write(drawn.encode())
        return
    try:
        with files.replacement(path) as new, open(files.create(new, 0o666), "wb") as file:
            file.write(drawn.encode())
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise HostError(f"cannot write {path}: {reason}", path=path, reason=reason) from error
