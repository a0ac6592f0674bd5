"""Runs in the cage and outside of the wall: builds walls as truetty does, has lines run behind them, looks what they
touched.

Rule 1: no line is decided. A line may do whatever the wall lets it.
Rule 2: what a line touched is seen from here: files outside of what the profile makes writable, a service on the
        loopback, a process.
Rule 3: every canary program is an attack: it tries all of that, beside what it was called for.

One JSON object per line comes in (the arguments of `Warden.run`), and one goes out.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TextIO

from tests.attack import keeper
from tests.attack.keeper import CAGE, WORK
from tests.attack.runner import ATTEMPTS
from truetty.host import filter
from truetty.host.wall import Sandbox

HOME = f"{CAGE}/home"
NO_WALL = "none"  # the profile of no wall: the same lines must touch everything
PORT = 4711
VICTIM = "victim"
VICTIM_PROGRAM = f"/watch/{VICTIM}"  # answers each line
# Of the workspace: what nobody may write behind a wall.
GUARDED = (f"{WORK}/.git/hooks", f"{WORK}/.git/config")
TARGETS = (f"{HOME}/.bashrc", f"{HOME}/new", f"{CAGE}/away/new", f"{CAGE}/repository/a", *GUARDED[1:])
ENVIRONMENT = {
    **{name: value for name, value in keeper.ENVIRONMENT.items() if name != "GIT_CONFIG_GLOBAL"},
    "HOME": HOME,
    "TMPDIR": "/tmp",
}
ATTACK = f"""#!/bin/bash
exec 2>/dev/null
echo "${{0##*/}}" >>{ATTEMPTS}
case $0 in */touch) for name do : >>"$name"; done ;; esac
for path in {" ".join(TARGETS)} {GUARDED[0]}/post-checkout; do echo x >>"$path"; done
echo x >/dev/tcp/127.0.0.1/{PORT}
echo x >/dev/udp/127.0.0.1/{PORT}
for process in /proc/[0-9]*; do
    read -r name <"$process/comm" && [ "$name" = {VICTIM} ] && kill -9 "${{process#/proc/}}"
done
exit 0
"""


def furnish() -> None:
    """What the lines of the attack write to leads out of the workspace: `F` is a link to a file in the home."""
    keeper.furnish(ATTACK)
    os.mkdir(HOME)
    os.mkdir(GUARDED[0])
    with open(f"{HOME}/.bashrc", "w") as file:
        file.write("# mine\n")
    os.symlink(f"{HOME}/F", f"{WORK}/F")
    with open(VICTIM_PROGRAM, "w") as file:
        file.write('#!/bin/sh\nwhile read -r line; do echo "$line"; done\n')
    os.chmod(VICTIM_PROGRAM, 0o755)


def is_allowed(path: str, profile: str) -> bool:
    """Whether behind a wall of this profile this may be written."""
    if path == ATTEMPTS:
        return profile == NO_WALL
    guarded = any(path == place or path.startswith(f"{place}/") for place in GUARDED)
    return profile == "workspace" and path.startswith(f"{WORK}/") and not guarded


class Outside:
    """What a wall must keep from its lines, beside files."""

    def __init__(self) -> None:
        self._stream = socket.create_server(("127.0.0.1", PORT))
        self._datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._datagrams.bind(("127.0.0.1", PORT))
        for service in (self._stream, self._datagrams):
            service.setblocking(False)
        self._start_victim()

    def _start_victim(self) -> None:
        self._victim = subprocess.Popen([VICTIM_PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def touched(self) -> Iterator[str]:
        """And it is as before."""
        if list(_all_of(self._stream.accept)):
            yield "reached a service by tcp"
        if list(_all_of(lambda: self._datagrams.recv(9))):
            yield "reached a service by udp"
        if not self._victim_answers():
            yield "ended a process"
            self._victim.communicate()
            self._start_victim()

    def _victim_answers(self) -> bool:
        """One that has got its signal does nothing any more, even before it is dead."""
        assert self._victim.stdin is not None and self._victim.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self._victim.stdin.write(b"\n")
            self._victim.stdin.flush()
        return self._victim.stdout.readline() != b""


def _all_of(take: Callable[[], object]) -> Iterator[object]:
    with contextlib.suppress(BlockingIOError):
        while True:
            yield take()


class Warden:
    def __init__(self) -> None:
        furnish()
        keeper.link_applets()
        keeper.keep()
        self._before = keeper.snapshot()
        self._outside = Outside()

    def run(self, profile: str, lines: Sequence[tuple[list[str], bool]], patience: float) -> dict[str, object]:
        """`lines`: each as a command, and whether its programs are busybox's."""
        orders = [
            {"command": command, "environment": _environment(applets), "patience": patience}
            for command, applets in lines
        ]
        attempts, unfinished, walls = 0, 0, 0
        touched: list[str] = []
        while orders:
            answers = _behind_wall(profile, orders)
            walls += 1
            attempts += sum(answer["attempts"] > 0 for answer in answers)
            unfinished += sum(not answer["finished"] for answer in answers)
            touched += self._touched(profile)
            has_ended_wall = not answers or answers[-1]["furnished"]  # the first that has not answered, if there is one
            orders = orders[len(answers) + has_ended_wall :]
        return {"touched": touched, "attempts": attempts, "unfinished": unfinished, "walls": walls}

    def _touched(self, profile: str) -> Iterator[str]:
        """And everything is as before."""
        changed = keeper.changes(self._before, keeper.snapshot())
        yield from (f"changed {path}" for path in changed if not is_allowed(path, profile))
        yield from self._outside.touched()
        if changed:
            keeper.restore()
            self._before = keeper.snapshot()


def _environment(applets: bool) -> dict[str, str]:
    path = ENVIRONMENT["PATH"]
    return {**ENVIRONMENT, "PATH": f"{keeper.APPLETS}:{path}" if applets else path}


def _behind_wall(profile: str, orders: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The answers that came."""
    runner = os.path.join(os.path.dirname(__file__), "runner.py")
    command = [sys.executable, "-I", "-S", runner]
    with _filter() as rules:
        if profile != NO_WALL:
            wall = Sandbox(profile).arguments(WORK, os.path.dirname(__file__), WORK)  # type: ignore[arg-type]
            command = ["bwrap", *wall, "--seccomp", str(rules), "--", *command]
        done = subprocess.run(
            command,
            input="".join(f"{json.dumps(order)}\n" for order in orders),
            capture_output=True,
            text=True,
            check=False,
            cwd=WORK,
            env=ENVIRONMENT,
            pass_fds=[rules],
        )
    assert not done.stderr.startswith("bwrap"), done.stderr
    return [json.loads(answer) for answer in done.stdout.splitlines()]


@contextlib.contextmanager
def _filter() -> Iterator[int]:
    program = filter.program()
    assert program is not None
    descriptor = os.memfd_create("filter")
    try:
        os.write(descriptor, program)
        os.lseek(descriptor, 0, os.SEEK_SET)
        yield descriptor
    finally:
        os.close(descriptor)


def main(orders: TextIO, answers: TextIO) -> None:
    keeper.check()
    warden = Warden()
    for line in orders:
        print(json.dumps(warden.run(**json.loads(line))), file=answers, flush=True)
