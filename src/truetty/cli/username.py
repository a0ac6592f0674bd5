"""Who sits at this command line, as others read it: USER@MACHINE."""

from __future__ import annotations

import os
from typing import Final

LONGEST: Final = 100


def username() -> str:
    """ASCII only: it stands in a header of HTTP."""
    import pwd

    try:
        user = pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # this user has no name
        user = str(os.getuid())
    return f"{user}@{os.uname().nodename}".encode("ascii", "replace").decode()[:LONGEST]
