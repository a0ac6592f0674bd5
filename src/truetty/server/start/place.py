"""Where a server is: its state folder, and the files in it that lead to it.

    lock          held by the server that runs, and by nothing else
    run/sock      where it listens
    server.json   who it is, written when it answers
    log           what it says; log.1 is the one before

Rule 1: one server for each state folder. The lock says whether there is one, never a file alone.
Rule 2: the folder is its user's and 0700, or it is refused: a user who may write there could put a socket of his own.
Rule 3: a path of more than 107 bytes is too long for a socket. Then the socket is in the user's runtime folder, below a
        name made from the state folder's.
Rule 4: nothing slow is imported here: the command line asks this before anything else.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple, Self

from truetty import files
from truetty.core.errors import HostError

LONGEST_PATH: Final = 107  # bytes of a socket's path, as Linux has it
LARGEST_INFO: Final = 64 << 10
TEMPORARY: Final = ".XXXXXXXX"  # a socket is bound under a longer name, and renamed


class Place(NamedTuple):
    folder: str
    runtime: str | None = None  # the user's runtime folder

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> Self:
        chosen = environ.get(files.STATE_FOLDER, "")
        if chosen and not os.path.isabs(chosen):
            raise HostError(
                f"{files.STATE_FOLDER} is an absolute path, not {chosen!r}", path=chosen, reason="it is relative"
            )
        folder = chosen or os.path.join(files.user_folder("XDG_STATE_HOME", environ), "truetty")
        runtime = environ.get("XDG_RUNTIME_DIR", "")
        return cls(folder, runtime if os.path.isabs(runtime) else None)

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    @property
    def lock(self) -> str:
        return self.path("lock")

    @property
    def info(self) -> str:
        return self.path("server.json")

    @property
    def log(self) -> str:
        return self.path("log")

    def sockets(self) -> Iterator[str]:
        """Where the socket may be, the best first."""
        import hashlib

        name = hashlib.sha256(os.fsencode(os.path.realpath(self.folder))).hexdigest()[:8]
        folders = [self.path("run")]
        if self.runtime is not None:
            folders.append(os.path.join(self.runtime, "truetty", name))
        folders.append(os.path.join(f"/tmp/truetty-{os.geteuid()}", name))
        for folder in folders:
            if len(os.fsencode(os.path.join(folder, f"sock{TEMPORARY}"))) <= LONGEST_PATH:
                yield os.path.join(folder, "sock")

    def make(self) -> None:
        """The folder, for its user alone. Raises HostError."""
        make_private(self.folder)

    def read_info(self) -> dict[str, Any] | None:
        """Who the server is, or was, as it wrote it. None: there is nothing that can be read."""
        try:
            found = json.loads(files.read_secret(self.info, LARGEST_INFO, ""))
        except (OSError, ValueError, RecursionError):
            return None
        return found if isinstance(found, dict) and isinstance(found.get("socket"), str) else None

    def write_info(self, info: Mapping[str, Any]) -> None:
        with files.replacement(self.info) as new, open(files.create(new), "w") as file:
            file.write(json.dumps(info) + "\n")


def make_private(folder: str) -> None:
    """Make a folder that only its user may enter, or see that it is one. Raises HostError."""
    try:
        files.make_folder(folder)
        found = os.stat(folder)
    except OSError as error:
        reason = error.strerror or str(error)
        raise HostError(f"{folder}: {reason}", path=folder, reason=reason) from error
    if not stat.S_ISDIR(found.st_mode):
        reason = "it is no folder"
        raise HostError(f"{folder} cannot be the folder of a server: {reason}", path=folder, reason=reason)
    if found.st_uid != os.geteuid():
        reason = f"it belongs to another user ({owner(found.st_uid)})"
        raise HostError(f"{folder} cannot be the folder of a server: {reason}", path=folder, reason=reason)
    if stat.S_IMODE(found.st_mode) & 0o077:
        reason = f"others may use it (mode {stat.S_IMODE(found.st_mode):o}); chmod 700 makes it yours alone"
        raise HostError(f"{folder} cannot be the folder of a server: {reason}", path=folder, reason=reason)


def owner(uid: int) -> str:
    import pwd

    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def identity(pid: int) -> str | None:
    """When the process with this id was started, in the kernel's count: a later process of the same id has another."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[19].decode()
    except (OSError, IndexError):
        return None


def boot() -> str:
    """Names this run of this machine. Empty: it has no name."""
    try:
        with open("/proc/sys/kernel/random/boot_id") as file:
            return file.read().strip()
    except OSError:
        return ""
