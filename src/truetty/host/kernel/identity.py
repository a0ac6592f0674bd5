"""What identifies a process, by facts that it cannot choose: its file, its user, the process that traces it.

Rule 1: a process chooses its name. The kernel says which file it runs.
Rule 2: a file of the system is root's, may be written by root alone, and stands where systems put their programs: a
        hard link to such a file may stand anywhere.
"""

from __future__ import annotations

import os
import pwd
import stat
from typing import Final

from truetty.host.base import Identity
from truetty.host.kernel import proc

_SYSTEM: Final = ("/bin/", "/sbin/", "/usr/", "/lib/", "/opt/", "/nix/store/", "/snap/")


def identify(pid: int) -> Identity | None:
    """None: it is gone, or /proc does not tell."""
    try:
        lines = proc.read(f"/proc/{pid}/status").decode("utf-8", "replace").split("\n")
    except OSError:
        return None
    facts = {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}
    try:
        user, tracer = int(facts["Uid"].split()[1]), int(facts["TracerPid"])
    except (KeyError, IndexError, ValueError):
        return None
    path, of_system = _file(pid)
    traced_by = None if tracer == 0 else _name(tracer)
    return Identity(pid, facts["Name"], path, _user(user), of_system, traced_by)


def _file(pid: int) -> tuple[str | None, bool | None]:
    """The program's path, and whether it is the system's. For another user's program only root can read this."""
    try:
        path, found = os.readlink(f"/proc/{pid}/exe"), os.stat(f"/proc/{pid}/exe")
    except OSError:
        return None, None
    return path, path.startswith(_SYSTEM) and found.st_uid == 0 and not stat.S_IMODE(found.st_mode) & 0o022


def _name(pid: int) -> str:
    try:
        found = proc.stat(pid)
    except OSError:
        found = None
    return f"process {pid}" if found is None else f"{found.name} ({pid})"


def _user(number: int) -> str:
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:  # a user without an entry, as in many containers
        return f"user {number}"
