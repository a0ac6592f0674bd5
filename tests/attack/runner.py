"""Runs behind the wall: one line after another, each in a shell of its own, whatever it is.

Rule 1: what it says is believed by nobody: a line may end it, or answer in its place. Whether the wall has held is seen
        from outside (`warden.py`).
Rule 2: a line that does not end is ended. What it leaves running ends with the wall.
Rule 3: behind a line that has removed what the next ones need, no more are run here.

One JSON object per line comes in (the arguments of `run`), and one goes out: how many programs have tried the wall,
whether the line has ended by itself, and whether the next one finds what it needs.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import signal
import sys

ATTEMPTS = "/tmp/attempts"  # behind a wall: a private place
LIMITS = {
    resource.RLIMIT_FSIZE: 1 << 20,
    resource.RLIMIT_CORE: 0,
    resource.RLIMIT_NOFILE: 64,
    resource.RLIMIT_CPU: 5,
    resource.RLIMIT_NPROC: 500,
}


def is_furnished() -> bool:
    """Whether the two names still lead where the lines of the attack want to get."""
    return os.path.islink("F") and os.access("evil", os.X_OK)


def run(command: list[str], environment: dict[str, str], patience: float) -> dict[str, object]:
    files = [(os.POSIX_SPAWN_OPEN, number, "/dev/null", os.O_RDWR, 0) for number in range(3)]
    pid = os.posix_spawnp(command[0], command, environment, file_actions=files, setsid=True)
    descriptor = os.pidfd_open(pid)
    ready, _, _ = select.select([descriptor], [], [], patience)
    os.close(descriptor)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    attempts = 0
    with contextlib.suppress(OSError):
        with open(ATTEMPTS, "rb") as file:
            attempts = len(file.readlines())
        os.unlink(ATTEMPTS)
    return {"attempts": attempts, "finished": bool(ready), "furnished": is_furnished()}


def main() -> None:
    for kind, most in LIMITS.items():
        resource.setrlimit(kind, (most, most))
    for line in sys.stdin:
        answer = run(**json.loads(line))
        print(json.dumps(answer), flush=True)
        if not answer["furnished"]:
            return


if __name__ == "__main__":
    main()
