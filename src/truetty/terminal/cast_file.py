"""The file of a recording.

Rule 1: the file is ours alone (0600) and made new, never through a link. If that was asked for it takes the place of
        another regular file; of anything else (a link, a pipe, a device) never.
Rule 2: it ends with a whole line. What the disk refuses closes it after the last one, and `trouble` says why.
"""

from __future__ import annotations

import contextlib
import os
import stat

from truetty import files
from truetty.core.errors import HostError, Misuse


class CastFile:
    def __init__(self, path: str, *, overwrite: bool) -> None:
        self.trouble: str | None = None  # why it was closed before its time, if it was
        self._end = 0  # of the last whole line
        self._descriptor: int | None = _create(path, overwrite=overwrite)

    @property
    def closed(self) -> bool:
        return self._descriptor is None

    def write(self, lines: str) -> None:
        if self._descriptor is None or not lines:
            return
        data = lines.encode()
        written = 0
        try:
            with memoryview(data) as view:
                while written < len(data):
                    written += os.write(self._descriptor, view[written:])
        except OSError as error:
            self._end += data.rfind(b"\n", 0, written) + 1
            self.fail(error.strerror or str(error))
        else:
            self._end += written

    def fail(self, reason: str) -> None:
        self.trouble = reason
        if self._descriptor is not None:
            with contextlib.suppress(OSError):
                os.ftruncate(self._descriptor, self._end)
        self.close()

    def close(self) -> None:
        if self._descriptor is not None:
            descriptor, self._descriptor = self._descriptor, None
            try:
                os.close(descriptor)
            except OSError as error:  # where files lie on another machine, a full disk may be told only now
                self.trouble = self.trouble or error.strerror or str(error)


def _create(path: str, *, overwrite: bool) -> int:
    try:
        try:
            return files.create(path)
        except FileExistsError as error:
            if not (regular := stat.S_ISREG(os.lstat(path).st_mode)) or not overwrite:
                hint = "overwrite replaces it" if regular else "nothing replaces it, since it is no regular file"
                raise Misuse(f"{path} is there already; {hint}", path=path) from error
        return _replace(path)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise HostError(f"cannot record to {path}: {reason}", path=path, reason=reason) from error


def _replace(path: str) -> int:
    """The old file stays until the new one is there."""
    with contextlib.ExitStack() as undo:
        with files.replacement(path) as new:
            file = files.create(new)
            undo.callback(os.close, file)
        undo.pop_all()
        return file
