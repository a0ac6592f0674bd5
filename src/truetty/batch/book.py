"""The file of results: JSON lines from which a second run takes up where the first stopped.

Rule 1: `started` is written before the first command of a task, `done` after its last. So a task with neither was never
        begun, and one with the first only was begun and not finished, whatever ended the run.
        One that was refused has a `done` and no `started`: nothing of it has run, so the next run begins it.
        A `done` has the result as standard output has it. `task` is the `id` once more: no task has that field, so a
        file of tasks is not taken for one of results.
Rule 2: a line is written at once and whole. The last one may be cut all the same, by a full disk or a machine that went
        down: it counts as not written, and the next line begins on a line of its own.
Rule 3: one run writes a file at a time.
Rule 4: what is no regular file (/dev/stdout, a FIFO) is written and not read: no earlier run can be known.
"""

from __future__ import annotations

import dataclasses
import fcntl
import hashlib
import io
import json
import os
import platform
import stat
import time
from typing import Any, Final, Self

from truetty.batch.task import TaskResult
from truetty.core.errors import HostError, Misuse


class Book:
    """`path` is made if it is not there. Raises Misuse where it is no such file, HostError where it cannot be used."""

    def __init__(self, path: str) -> None:
        self.path: Final = path
        self.finished: Final[dict[str, str]] = {}  # how tasks of earlier runs ended, by their ids
        self.begun: Final[dict[str, int]] = {}  # those that no run has finished, and how often they were begun
        self.refused: Final[set[str]] = set()  # those that no run has begun, and an earlier run has refused
        try:
            self._file = io.FileIO(path, "a+", opener=lambda name, flags: os.open(name, flags, 0o600))
        except OSError as error:
            raise _trouble(path, error) from error
        self._is_cut = False  # the last line in the file has no end
        try:
            self._lock()
            if stat.S_ISREG(os.fstat(self._file.fileno()).st_mode):
                self._read()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        self._file.close()

    def start(self, id: str, attempt: int) -> None:
        self._write({"id": id, "task": id, "event": "started", "attempt": attempt, "at": time.time()})

    def end(self, result: TaskResult) -> None:
        self._write({"task": result.id, "event": "done", "at": time.time(), **dataclasses.asdict(result)})

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Misuse(f"{self.path}: another run writes its results there", path=self.path) from None

    def _read(self) -> None:
        with open(self.path, "rb") as file:
            for number, line in enumerate(file, 1):
                self._is_cut = not line.endswith(b"\n")
                if number == 1 and not line.startswith(b"{"):
                    raise self._strange(number)
                if not self._is_cut:
                    self._take(number, line)

    def _take(self, number: int, line: bytes) -> None:
        try:
            found: Any = json.loads(line)
        except ValueError:
            return  # a line that was cut in an earlier run
        match found:
            case {"task": str(id), "event": "started"}:
                self.begun[id] = self.begun.get(id, 0) + 1
                self.refused.discard(id)
            case {"task": str(id), "event": "done", "state": "refused"} if id not in self.begun:
                self.refused.add(id)
            case {"task": str(id), "event": "done", "state": str(state)}:
                self.finished[id] = state
                self.begun.pop(id, None)
                self.refused.discard(id)
            case _:
                raise self._strange(number)

    def _strange(self, number: int) -> Misuse:
        return Misuse(f"{self.path}:{number} is no result of a map: give another file", path=self.path)

    def _write(self, line: dict[str, Any]) -> None:
        # What was cut is kept for its reader, and told apart by its line.
        data = b"\n" * self._is_cut + json.dumps(line, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
        try:
            while data:
                data = data[self._file.write(data) :]
                self._is_cut = bool(data)
        except OSError as error:
            raise _trouble(self.path, error) from error


def mark(path: str) -> str:
    """What the terminals of a map on a server are called, with a number behind it: for this file always the same."""
    where = f"{platform.node()}\0{os.path.realpath(path)}\0{os.stat(path).st_ino}"
    return f"map-{hashlib.sha256(os.fsencode(where)).hexdigest()[:8]}"


def _trouble(path: str, error: OSError) -> HostError:
    return HostError(f"cannot write {path}: {error.strerror}", path=path, reason=error.strerror)
