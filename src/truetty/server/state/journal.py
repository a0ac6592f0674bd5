"""What the next server must know, as lines of JSON at the end of one file.

Rule 1: a line is one write, so that a process that is killed leaves whole lines, and at most a part of the last.
Rule 2: nothing is forced to the disk: the journal outlives a process, not the machine. Terminals do not either.
Rule 3: what has happened already is noted also where the disk has no room: in memory that outlives this process
        (`spare.py`), and in the file as soon as that has room. What is about to be done is refused then.
Rule 4: a line that cannot be read is left out and counted. What it told is unknown, and the rest is not.
"""

from __future__ import annotations

import errno
import json
import logging
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from truetty import files
from truetty.core.errors import HostError
from truetty.core.version import VERSION as TRUETTY
from truetty.server.events import encoded
from truetty.server.start.place import boot
from truetty.server.state.shortage import Shortage
from truetty.server.state.spare import Spare

Line = Mapping[str, Any]

VERSION: Final = 1
NAME: Final = "the journal"
LOG: Final = logging.getLogger("truetty.server")


@dataclass(frozen=True, slots=True)
class Past:
    """What was written. `boot`: the run of the machine in which it was; None: its first line is damaged."""

    lines: list[Line]
    damaged: int  # lines that could not be read
    boot: str | None


class Journal:
    def __init__(self, path: str, spare: Spare, shortage: Shortage) -> None:
        self._path = path
        self._fd = files.append(path)
        self._spare = spare
        self._shortage = shortage

    def write(self, line: Line) -> None:
        """Of what is about to be done. Raises OSError where it cannot be written."""
        self.settle()
        self._append(_encode(line))

    def note(self, line: Line) -> None:
        """Of what has happened already."""
        try:
            self.write(line)
        except OSError as error:
            self._shortage.begin(NAME, error, self.settle)
            try:
                self._spare.add(_encode(line))
            except OSError as full:
                LOG.warning("a line of the journal is lost: %s", full.strerror)

    def settle(self) -> None:
        """What is in the spare memory is written. Raises OSError where it cannot be."""
        if self._spare.size:
            self._append(self._spare.read())
            self._spare.clear()
            self._shortage.end(NAME)

    def finish(self) -> None:
        """No other process will have the spare memory. What has no room by now is lost, and the log names it.

        Behind a line that is lost, no other line about the same terminal is written: a command whose end is lost would
        seem to have ended with its shell.
        """
        try:
            self.settle()
            return
        except OSError as error:
            why = error.strerror
        lost: dict[str, None] = {}  # what the lines are about, in their order
        for line in self._spare.read().splitlines(keepends=True):
            about = json.loads(line).get("t", "the server")
            try:
                if about not in lost:
                    self._append(line)
            except OSError:
                lost[about] = None
        self._spare.clear()
        if lost:
            LOG.warning("lines of the journal are lost, about %s: %s", ", ".join(lost), why)

    def _append(self, data: bytes) -> None:
        """All of it, or nothing and OSError."""
        done = os.write(self._fd, data)
        if done < len(data):
            os.ftruncate(self._fd, os.fstat(self._fd).st_size - done)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def rewrite(self, lines: Sequence[Line], *, needed: bool) -> None:
        """Instead of all that was written before. Not `needed`: that stays where there is no room for a new file."""
        try:
            with files.replacement(self._path) as new, open(files.create(new), "wb") as file:
                file.writelines(map(_encode, lines))
        except OSError as error:
            if needed or not os.fstat(self._fd).st_size:
                self._begin_anew(lines)
            else:
                LOG.warning("the journal cannot be written anew, and goes on as it is: %s", error.strerror)
            return
        self._spare.clear()
        os.close(self._fd)
        self._fd = files.append(self._path)

    def _begin_anew(self, lines: Iterable[Line]) -> None:
        """In the same file: nothing that was written is needed."""
        os.ftruncate(self._fd, 0)
        self._spare.clear()
        for line in lines:
            self.note(line)

    def close(self) -> None:
        os.close(self._fd)


def header() -> Line:
    return {"journal": VERSION, "boot": boot()}


def read(path: str, spare: bytes = b"") -> Past:
    """`spare`: lines behind those of the file. Raises HostError for a journal of a newer version."""
    try:
        with open(path, "rb") as file:
            raw = [*file.read().split(b"\n"), *spare.split(b"\n")]
    except FileNotFoundError:
        return Past([], 0, boot())
    lines: list[Line] = []
    damaged = 0
    for one in raw:
        if not one:
            continue
        try:
            line = json.loads(one)
        except ValueError:
            line = None
        if isinstance(line, dict):
            lines.append(line)
        else:
            damaged += 1
    first = next((line for line in lines if "journal" in line), None)
    if first is None:
        return Past(lines, damaged, None if lines or damaged else boot())
    if (version := first["journal"]) != VERSION:
        message = f"{path} has version {version}, and truetty {TRUETTY} knows {VERSION}: start the newer truetty again"
        raise HostError(message, path=path, reason="versions", version=version)
    return Past(lines, damaged, first.get("boot"))


def _encode(line: Line) -> bytes:
    return encoded(line).encode() + b"\n"
