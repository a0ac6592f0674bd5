"""`truetty shot`: a picture of what a command shows, or of a moment of a recording."""

from __future__ import annotations

from typing import Final

from truetty import HostError, Misuse, files
from truetty.cli.clean import write
from truetty.cli.command_line import command_line
from truetty.cli.opening import OpeningOptions
from truetty.cli.replay import open_recording
from truetty.cli.signals import interrupts, run_until_signalled
from truetty.text.asciicast import OUTPUT, RESIZE
from truetty.text.picture import check, fit, picture
from truetty.text.screen import Model

# What is on a screen was printed last.
LARGEST_TAIL: Final = 1 << 20


def shot(
    file: str,
    command: list[str],
    cast: str | None,
    at: float | None,
    size: tuple[int, int] | None,
    title: str | None,
    screen: bool,
    wait: float | None,
    shell: str | None,
    cwd: str | None,
    no_rc: bool,
) -> int:
    if file != "-" and not file.lower().endswith(".svg"):
        raise Misuse(f"{file}: pictures are SVG, and the name of one ends in .svg", path=file)
    if bool(command) == (cast is not None):
        raise Misuse("of what? Give a COMMAND, or a recording by --cast")
    if at is not None and (cast is None or not at >= 0):
        raise Misuse("--at is a number of seconds into the recording of --cast")
    if cast is not None:
        _save(file, _of_recording(cast, at, title))
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
                image = terminal.picture(title=title, cursor=cursor)
            else:
                printed = started.output.read(max(0, started.output.bytes - LARGEST_TAIL))
                image = picture(fit(printed, terminal.size), title=title, cursor=cursor)
        _save(file, image)
        return 0

    return run_until_signalled(taking())


def _of_recording(name: str, at: float | None, title: str | None) -> str:
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
        return picture(model, title=title)


def _save(path: str, image: str) -> None:
    """Written whole or not at all: until then a viewer sees the old picture. Readable by its user only."""
    if path == "-":
        write(image.encode())
        return
    try:
        with files.replacement(path) as new, open(files.create(new), "wb") as file:
            file.write(image.encode())
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise HostError(f"cannot write {path}: {reason}", path=path, reason=reason) from error
