"""The token of a TCP port: a file that only its owner can read.

Rule 1: a file that others could have read or written is refused, not mended: a user who has read it has the token.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from typing import Final

from truetty import files
from truetty.core.errors import Misuse

TOKEN_FILE: Final = "mcp-token"
# What people choose themselves; ours is 43 characters long.
SHORTEST_TOKEN: Final = 8
LONGEST_TOKEN: Final = 4096


def place(environ: Mapping[str, str]) -> str:
    """In the user's state folder."""
    return os.path.join(files.user_folder("XDG_STATE_HOME", environ), "truetty", TOKEN_FILE)


def read_or_make(path: str) -> str:
    """The token in this file; one is made if there is none."""
    folder = os.path.dirname(os.path.abspath(path))
    try:
        files.make_folder(folder)
        try:
            descriptor = files.create(path)
        except FileExistsError:
            return _read(path)
        token = secrets.token_urlsafe(32)
        with open(descriptor, "w") as file:
            file.write(token + "\n")
    except OSError as error:
        reason = error.strerror or str(error)
        raise Misuse(f"{path}: {reason}", path=path, reason=reason) from error
    return token


def read(path: str) -> str | None:
    """The token in this file. None: there is none, or it is not safe to use."""
    try:
        return _read(path)
    except (OSError, Misuse):
        return None


def _read(path: str) -> str:
    data = files.read_secret(path, LONGEST_TOKEN, ": remove it, and a new one is made, or chmod 600 if it is safe")
    token = data.decode("ascii", "replace").strip()
    if len(token) >= SHORTEST_TOKEN and token.isprintable() and " " not in token:
        return token
    reason = f"a token is one word of {SHORTEST_TOKEN} ASCII characters or more"
    raise Misuse(f"{path}: {reason}", path=path, reason=reason)
