"""Commands with standard input, output and error apart, and files: where the terminals are.

Rule 1: a command gets a shell of its own, and its three streams are files of a new folder there. So a terminal, which
        has one stream, gives two; and bytes are bytes.
Rule 2: elsewhere than in this program, files travel through a terminal, as base64. What is needed there is `bash`,
        `base64` and `mktemp`.
"""

from __future__ import annotations

import base64
import os
import shlex
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from truetty import sync
from truetty.adapters.places import Place

# Characters of base64 in one command; a server takes a command of a million.
PIECE: Final = 600_000
# What `sh` says when it cannot read or write a file, and the error that Python has for it.
REASONS: Final[tuple[tuple[str, type[OSError]], ...]] = (
    ("No such file", FileNotFoundError),
    ("Permission denied", PermissionError),
    ("Is a directory", IsADirectoryError),
    ("Not a directory", NotADirectoryError),
)


@dataclass(frozen=True, slots=True)
class Apart:
    """How a command has ended, and what it has written to each stream."""

    exit_code: int | None
    stdout: bytes
    stderr: bytes
    timed_out: bool


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a command begins with."""

    input: bytes = b""
    cwd: str | None = None
    env: Mapping[str, str] | None = None  # beside what the shell has
    replaced: bool = False  # `env` is all there is
    merged: bool = False  # standard error goes to standard output


class Machine:
    def __init__(self, place: Place) -> None:
        self._place = place

    def run(self, words: Sequence[str], around: Surroundings, timeout: float | None = None) -> Apart:
        with self._open() as terminal:
            folder = tempfile.mkdtemp() if self._place.is_here else terminal.run("mktemp -d").check().output.strip()
            names = tuple(f"{folder}/{name}" for name in ("in", "out", "err"))
            try:
                self._write(terminal, names[0], around.input)
                command = terminal.start(_line(words, around, names), timeout=timeout)
                outcome = command.wait(until="finished")
                streams = [self._stream(terminal, name) for name in names[1:]]
            finally:
                self._remove(terminal, folder)
            return Apart(outcome.exit_code, streams[0], streams[1], command.timed_out)

    def read(self, path: str) -> bytes:
        if self._place.is_here:
            return Path(path).read_bytes()
        with self._open() as terminal:
            return self._read(terminal, path)

    def write(self, path: str, data: bytes) -> None:
        """With the folders above it."""
        if self._place.is_here:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_bytes(data)
            return
        with self._open() as terminal:
            _checked(terminal, f"mkdir -p {shlex.quote(os.path.dirname(path) or '.')}", path)
            self._write(terminal, path, data)

    def upload(self, source: str, target: str) -> None:
        """A file or a folder of this machine."""
        if not os.path.isdir(source):
            self.write(target, Path(source).read_bytes())
            return
        for folder, _, names in os.walk(source):
            for name in names:
                file = os.path.join(folder, name)
                self.write(os.path.join(target, os.path.relpath(file, source)), Path(file).read_bytes())

    def _open(self) -> sync.Terminal:
        return self._place.registry.open("bash", rc=False, budget=None)

    def _read(self, terminal: sync.Terminal, path: str) -> bytes:
        if self._place.is_here:
            return Path(path).read_bytes()
        return base64.b64decode(_checked(terminal, f"base64 < {shlex.quote(path)}", path))

    def _stream(self, terminal: sync.Terminal, path: str) -> bytes:
        """Empty, if the command was not begun."""
        try:
            return self._read(terminal, path)
        except FileNotFoundError:
            return b""

    def _write(self, terminal: sync.Terminal, path: str, data: bytes) -> None:
        if self._place.is_here:
            Path(path).write_bytes(data)
            return
        text, name = base64.b64encode(data).decode(), shlex.quote(path)
        _checked(terminal, f": > {name}", path)
        for start in range(0, len(text), PIECE):
            _checked(terminal, f"printf %s {text[start : start + PIECE]} | base64 -d >> {name}", path)

    def _remove(self, terminal: sync.Terminal, folder: str) -> None:
        if self._place.is_here:
            shutil.rmtree(folder, ignore_errors=True)
        else:
            terminal.run(f"rm -rf {shlex.quote(folder)}")


def _line(words: Sequence[str], around: Surroundings, names: tuple[str, ...]) -> str:
    variables = [f"{name}={value}" for name, value in (around.env or {}).items()]
    prefix = ["env", *(["-i"] if around.replaced else []), *variables] if variables or around.replaced else []
    begin = f"cd -- {shlex.quote(around.cwd)} && " if around.cwd else ""
    source, out, err = map(shlex.quote, names)
    errors = "2>&1" if around.merged else f"2> {err}"
    return f"( {begin}exec {shlex.join([*prefix, *words])} ) < {source} > {out} {errors}"


def _checked(terminal: sync.Terminal, text: str, path: str) -> str:
    """The output of a command on a file; its failure as Python's error."""
    outcome = terminal.run(text)
    if outcome.ok:
        return outcome.output
    message = outcome.output.strip() or f"exit code {outcome.exit_code}"
    kind = next((kind for words, kind in REASONS if words in message), OSError)
    raise kind(f"{path}: {message}")
