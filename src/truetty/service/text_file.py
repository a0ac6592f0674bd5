"""A person's text file, of which one part is changed.

Rule 1: a file is written whole or not at all, with its mode, through links. It is not written if another program has
        changed it meanwhile: some programs write their own file all the time.
Rule 2: a mark that the file begins with is no part of its text, and stays.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable
from typing import Final

from truetty import files
from truetty.core.errors import HostError, Misuse

MOST_TRIES: Final = 5
_MARK: Final = "\ufeff"  # some editors begin a file with it


def read(path: str) -> str | None:
    """Its text; None: there is no file."""
    data = _read(path)
    return None if data is None else _text(path, data)


def change(path: str, edit: Callable[[str | None], str | None], mode: int = files.PRIVATE) -> bool:
    """Apply it to the file's text, None for no file on either side. False: nothing was to be changed.

    `mode` is for a file that is made.
    """
    for _ in range(MOST_TRIES):
        before = _read(path)
        mark = _MARK if before is not None and before.startswith(_MARK.encode()) else ""
        try:
            after = edit(None if before is None else _text(path, before))
            wanted = None if after is None else (mark + after).encode()
        except UnicodeEncodeError as error:
            raise HostError(f"{path}: our own path is not UTF-8", path=path) from error
        except Misuse as error:
            raise Misuse(f"{path}: {error}", **{**error.facts, "path": path}) from error
        if wanted == before:
            return False
        if _replace(os.path.realpath(path), before, wanted, mode):
            return True
    raise HostError(f"{path}: another program keeps changing it; nothing was written", path=path)


def _text(path: str, data: bytes) -> str:
    try:
        return data.decode().removeprefix(_MARK)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Misuse(f"line {line}: it is not UTF-8", path=path, line=line) from error


def _read(path: str) -> bytes | None:
    try:
        return files.read_plain(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _host_error(path, error) from error


class _Changed(Exception):
    """The file is no longer as it was read."""


def _replace(path: str, before: bytes | None, after: bytes | None, mode: int) -> bool:
    """False: the file is no longer as it was `before`."""
    try:
        if after is None:
            if _read(path) == before:
                os.unlink(path)
                return True
            return False
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with files.replacement(path) as new:
            with open(files.create(new, mode), "wb") as file:
                file.write(after)
                file.flush()
                _as_it_was(path, file.fileno())
                os.fsync(file.fileno())
            if _read(path) != before:
                raise _Changed
        return True
    except _Changed:
        return False
    except OSError as error:
        raise _host_error(path, error) from error


def _as_it_was(path: str, descriptor: int) -> None:
    """The mode and the owner of the file that is replaced."""
    try:
        old, new = os.stat(path), os.fstat(descriptor)
    except FileNotFoundError:
        return
    if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        with contextlib.suppress(PermissionError):
            os.fchown(descriptor, old.st_uid, old.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode))


def _host_error(path: str, error: OSError) -> HostError:
    reason = error.strerror or str(error)
    return HostError(f"{path}: {reason}", path=path, reason=reason)
