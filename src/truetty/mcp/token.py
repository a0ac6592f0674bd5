"""The token of the HTTP server: a file that only its owner can read.

Rule 1: a file that others could have read or written is refused, not mended: whoever read it has the token.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Mapping
from typing import Final

from truetty.core.errors import Misuse

FILE: Final = "mcp-token"
# What people choose themselves; ours is 43 characters long.
SHORTEST: Final = 8
LONGEST: Final = 4096


def place(environ: Mapping[str, str]) -> str:
    """In the user's state folder."""
    home = environ.get("HOME") or os.path.expanduser("~")
    folder = environ.get("XDG_STATE_HOME", "")
    if not os.path.isabs(folder):  # as its specification says
        folder = os.path.join(home, ".local", "state")
    return os.path.join(folder, "truetty", FILE)


def read_or_make(path: str) -> str:
    """The token in this file; one is made if there is none."""
    folder = os.path.dirname(os.path.abspath(path))
    try:
        os.makedirs(folder, 0o700, exist_ok=True)
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except FileExistsError:
            return _read(path)
        token = secrets.token_urlsafe(32)
        with open(descriptor, "w") as file:
            file.write(token + "\n")
    except OSError as error:
        raise Misuse(f"{path}: {error.strerror}", path=path, reason=error.strerror) from error
    return token


def _read(path: str) -> str:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    with open(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            reason = "it is no file"
        elif found.st_uid != os.geteuid():
            reason = f"it belongs to another user ({found.st_uid})"
        elif stat.S_IMODE(found.st_mode) & 0o077:
            mode = stat.S_IMODE(found.st_mode)
            reason = f"others may use it (mode {mode:o}): remove it, and a new one is made, or chmod 600 if it is safe"
        else:
            token = file.read(LONGEST + 1).decode("ascii", "replace").strip()
            if len(token) >= SHORTEST and len(token) <= LONGEST and token.isprintable() and " " not in token:
                return token
            reason = f"a token is one word of {SHORTEST} ASCII characters or more"
    raise Misuse(f"{path}: {reason}", path=path, reason=reason)
