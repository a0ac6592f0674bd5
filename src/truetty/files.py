"""Files: private ones made, appended to and read with care; a file replaced as a whole; the user's own folders.

Rule 1: a private file is 0600 and never reached through a link: O_NOFOLLOW, and O_EXCL where it is made.
Rule 2: opening never waits: a pipe in a file's place is opened with O_NONBLOCK, seen, and refused.
Rule 3: a private folder is 0700, and so is each folder that must be made for it, whatever the umask is.
Rule 4: a trusted file stands in folders that no other user may write to, up to the root, as for ssh: a user who may
        write to a folder can replace the files in it. A sticky folder, such as /tmp, does not allow that.
Rule 5: `OSError` is raised to the caller, which knows what the file was for and can say so.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from typing import Final, Literal

PRIVATE: Final = 0o600
STATE_FOLDER: Final = "TRUETTY_STATE"  # the variable that names the server's folder, where it is not the usual one
SAFE: Final = os.O_NOFOLLOW | os.O_CLOEXEC

# The folders of the XDG base directory specification, in the home where the variable does not name another one.
_FOLDERS: Final = {"XDG_CONFIG_HOME": ".config", "XDG_STATE_HOME": ".local/state"}


class Refused(OSError):
    """Why a file is not used: its kind, its owner, its mode or its size."""


def create(path: str, mode: int = PRIVATE, *, access: int = os.O_WRONLY, folder: int | None = None) -> int:
    """A descriptor of a file that was not there before; `folder` is the descriptor that a relative path starts at."""
    return os.open(path, access | os.O_CREAT | os.O_EXCL | SAFE, mode, dir_fd=folder)


def make_folder(path: str) -> None:
    """A private folder, and those above it that are missing. One that is there stays as it is."""
    missing = []
    path = os.path.abspath(path)
    while not os.path.isdir(path):
        missing.append(path)
        path = os.path.dirname(path)
    for folder in reversed(missing):
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder, 0o700)


def append(path: str) -> int:
    """A descriptor at the end of a private file, which is made if it is missing; others lose their access to it."""
    descriptor, found = _opened(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | SAFE)
    if stat.S_IMODE(found.st_mode) & 0o077:
        os.fchmod(descriptor, PRIVATE)
    return descriptor


def read_plain(path: str) -> bytes:
    """All of a plain file, through links; raises Refused for any other kind."""
    with open(_opened(path, os.O_RDONLY | os.O_CLOEXEC)[0], "rb") as file:
        return file.read()


def read_secret(path: str, most: int, advice: str) -> bytes:
    """A file that no other user could have read or written, not through a link; raises Refused."""
    return _read(path, os.O_NOFOLLOW, most, (os.geteuid(),), 0o077, f"others may use it (mode {{:o}}){advice}")


def read_trusted(path: str, most: int, advice: str) -> bytes:
    """A file that only its user and root could have written or put there; raises Refused."""
    for folder in {os.path.dirname(os.path.abspath(path)), os.path.dirname(os.path.realpath(path))}:
        check_folders(folder, advice)
    return _read(path, 0, most, (os.geteuid(), 0), 0o022, f"others may write to it (mode {{:o}}){advice}")


def check_folders(folder: str, advice: str) -> None:
    """Refuse a folder in which another user could replace a file; one that is missing can be made in safety."""
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    while True:
        found = os.stat(folder)
        if found.st_uid not in (os.geteuid(), 0):
            raise Refused(f"its folder {folder} belongs to another user ({found.st_uid})")
        if found.st_mode & 0o022 and not found.st_mode & stat.S_ISVTX:
            mode = stat.S_IMODE(found.st_mode)
            raise Refused(f"others may write to its folder {folder} (mode {mode:o}){advice}")
        if folder == (above := os.path.dirname(folder)):
            return
        folder = above


def _opened(path: str, flags: int) -> tuple[int, os.stat_result]:
    """A plain file's descriptor, and what the kernel says of it. A pipe in its place must not keep us waiting."""
    descriptor = os.open(path, flags | os.O_NONBLOCK, PRIVATE)
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        os.close(descriptor)
        raise Refused("it is no file")
    return descriptor, found


def _read(path: str, flags: int, most: int, owners: tuple[int, ...], forbidden: int, open_to_others: str) -> bytes:
    descriptor, found = _opened(path, os.O_RDONLY | os.O_CLOEXEC | flags)
    with open(descriptor, "rb") as file:
        if found.st_uid not in owners:
            raise Refused(f"it belongs to another user ({found.st_uid})")
        if stat.S_IMODE(found.st_mode) & forbidden:
            raise Refused(open_to_others.format(stat.S_IMODE(found.st_mode)))
        data = file.read(most + 1)
    if len(data) > most:
        raise Refused("it is too large")
    return data


@contextlib.contextmanager
def replacement(path: str) -> Iterator[str]:
    """A name beside `path` for a new file, which replaces `path` at the end of the block; after an error it goes."""
    new = os.path.join(os.path.dirname(path), f".{os.urandom(8).hex()}.truetty")
    try:
        yield new
        os.replace(new, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(new)
        raise


def home_of(environ: Mapping[str, str]) -> str:
    return environ.get("HOME") or os.path.expanduser("~")


def user_folder(
    variable: Literal["XDG_CONFIG_HOME", "XDG_STATE_HOME"],
    environ: Mapping[str, str],
    home: Callable[[Mapping[str, str]], str] = home_of,
) -> str:
    """Where a user keeps files of this sort. A variable that holds no absolute path does not count, says XDG."""
    chosen = environ.get(variable, "")
    return chosen if os.path.isabs(chosen) else os.path.join(home(environ), _FOLDERS[variable])
