"""The variables that shells of a node inherit: those of its Ray worker, without what Ray has put there for itself.

Rule 1: names that begin with RAY_ are left out.
Rule 2: `BORROWED` have the values that they had for the node's Ray daemon, or are left out: Ray sets them in every
        worker. With PYTHONBREAKPOINT a `breakpoint()` would wait for Ray's debugger. OMP_NUM_THREADS is 1 for an actor
        that asks for no CPU, and makes numpy and builds slow.
Rule 3: what the owner names in `runtime_env` stays as it is named.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

BORROWED: Final = ("OMP_NUM_THREADS", "PYTHONBREAKPOINT", "PYTHONUNBUFFERED", "LD_PRELOAD")
OWN: Final = "SPT_NOENV"  # of the library by which Ray names its processes
ALLOCATOR: Final = "libjemalloc.so"  # Ray starts its daemon with one, from its own folder


def clean(worker: Mapping[str, str], daemon: Mapping[str, str], named: Mapping[str, str]) -> dict[str, str]:
    found = {name: value for name, value in worker.items() if not name.startswith(("RAY_", "TRUETTY_")) and name != OWN}
    for name in BORROWED:
        found.pop(name, None)
        if name in daemon:
            found[name] = daemon[name]
    libraries = [
        one for one in found.pop("LD_PRELOAD", "").split(":") if one and not one.endswith(f"/ray/core/{ALLOCATOR}")
    ]
    if libraries:
        found["LD_PRELOAD"] = ":".join(libraries)
    return {**found, **named}


def of_process(pid: int) -> dict[str, str]:
    """What a process was started with; nothing where that cannot be read."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            pairs = [entry.partition(b"=") for entry in file.read().split(b"\0") if entry]
    except OSError:
        return {}
    return {os.fsdecode(name): os.fsdecode(value) for name, _, value in pairs}
