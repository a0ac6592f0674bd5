"""`truetty shot`: a picture of what a command shows, or of a moment of a recording."""

from __future__ import annotations

import os
from collections.abc import Callable
from shlex import quote
from typing import Final, NamedTuple

from truetty import HostError, Misuse, files
from truetty.cli.clean import write
from truetty.cli.command_line import command_line
from truetty.cli.opening import OpeningOptions
from truetty.cli.replay import open_recording
from truetty.cli.signals import interrupts, run_until_signalled
from truetty.text.asciicast import OUTPUT, RESIZE
from truetty.text.fit import fit
from truetty.text.picture import check
from truetty.text.screen import Model, Screen

# What is on a screen was printed last.
LARGEST_TAIL: Final = 1 << 20
LARGEST_SCALE: Final = 10.0


class Look(NamedTuple):
    title: str | None
    theme: str
    crop: bool

    def draw(self, screen: Screen, *, cursor: bool = True) -> str:
        return screen.picture(title=self.title, cursor=cursor, theme=self.theme, crop=self.crop)


def shot(
    file: str,
    command: list[str],
    cast: str | None,
    at: float | None,
    size: tuple[int, int] | None,
    title: str | None,
    screen: bool,
    full_width: bool,
    theme: str,
    scale: float,
    wait: float | None,
    shell: str | None,
    cwd: str | None,
    no_rc: bool,
) -> int:
    if file != "-" and not file.lower().endswith((".svg", ".png")):
        raise Misuse(f"{file}: the name of a picture ends in .svg or .png", path=file)
    if not 0 < scale <= LARGEST_SCALE:
        raise Misuse(f"--scale is a number up to {LARGEST_SCALE:g}, more than 0; got {scale:g}", scale=scale)
    encode = _png(scale) if file.lower().endswith(".png") else str.encode
    look = Look(title, theme, crop=not full_width)
    if bool(command) == (cast is not None):
        raise Misuse("of what? Give a COMMAND, or a recording by --cast")
    if len(command) == 1 and command[0].endswith(".cast") and os.path.isfile(command[0]):
        raise Misuse(f"{command[0]} is a recording: use --cast {quote(command[0])}", path=command[0])
    if at is not None and (cast is None or not at >= 0):
        raise Misuse("--at is a number of seconds into the recording of --cast")
    if cast is not None:
        _save(file, encode(_of_recording(cast, at, look)))
        return 0
    opening = OpeningOptions(shell, cwd, rc=not no_rc)

    async def taking() -> int:
        terminal = opening.terminal(size=size)
        check(*terminal.size)
        async with terminal:
            started = await terminal.start(command_line(command))
            with interrupts(started):
                outcome = await started.wait(wait)
            cursor = outcome.state != "finished"
            if screen or terminal.screen().alternate:
                image = look.draw(terminal.screen(), cursor=cursor)
            else:
                printed = started.output.read(max(0, started.output.bytes - LARGEST_TAIL))
                image = look.draw(fit(printed, terminal.size).screen(), cursor=cursor)
        _save(file, encode(image))
        return 0

    return run_until_signalled(taking())


def _of_recording(name: str, at: float | None, look: Look) -> str:
    with open_recording(name) as (header, events):
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
        return look.draw(model.screen())


def _png(scale: float) -> Callable[[str], bytes]:
    """From an SVG. The letters are those of the fonts on this machine."""
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        raise HostError(
            "a PNG needs resvg-py. Install the extra: pip install '.[png]' in a checkout of truetty; or write .svg"
        ) from None
    return lambda image: bytes(svg_to_bytes(svg_string=image, zoom=scale))


def _save(path: str, image: bytes) -> None:
    """Written whole or not at all: until then a viewer sees the old picture. Readable by its user only."""
    if path == "-":
        write(image)
        return
    try:
        with files.replacement(path) as new, open(files.create(new), "wb") as file:
            file.write(image)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise HostError(f"cannot write {path}: {reason}", path=path, reason=reason) from error
