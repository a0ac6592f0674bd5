"""Runs one client against the scripted model, in a network namespace that has a loopback and nothing else.

    unshare --net python -m tests.clients.drive CLIENT FOLDER

`FOLDER` gets the client's home, its project, what it printed, what passed between it and the server (`wire.jsonl`), and
what the model has read (`report.json`).
"""

from __future__ import annotations

import fcntl
import json
import os
import shlex
import signal
import socket
import struct
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

from tests.clients.model import Model, serving
from tests.clients.plans import HERE, PLANS
from tests.clients.project import make_project
from tests.clients.script import CUT

LIMIT = 400  # seconds: for a whole run, on a busy machine
TRUETTY = str(Path(sys.executable).with_name("truetty"))
SIOCSIFFLAGS, UP, RUNNING = 0x8914, 0x1, 0x40
KEPT = ("PATH", "LANG", "TERM")


def raise_loopback() -> None:
    """In a new namespace it is down."""
    with socket.socket() as any:
        fcntl.ioctl(any, SIOCSIFFLAGS, struct.pack("16sH14s", b"lo", UP | RUNNING, b""))


def main(name: str, where: str) -> int:
    raise_loopback()
    folder = Path(where)
    home, project, server = folder / "home", folder / "project", folder / "truetty"
    home.mkdir()
    make_project(project)
    tap = shlex.join((sys.executable, str(HERE / "tap.py"), str(folder / "wire.jsonl"), TRUETTY))
    server.write_text(f'#!/bin/sh\nexec {tap} "$@"\n')
    server.chmod(0o755)
    model = Model()
    with serving(model) as port:
        plan = PLANS[name](port)
        environ = {key: os.environ[key] for key in KEPT if key in os.environ}
        environ |= {"HOME": str(home), "SHELL": "/bin/bash", "NO_COLOR": "1", "SERVER": str(server), "CUT": str(CUT)}
        environ |= plan.environ
        for file, text in plan.files.items():
            (home / file).parent.mkdir(parents=True, exist_ok=True)
            (home / file).write_text(text)
        if plan.setup is not None:
            subprocess.run((TRUETTY, "setup", plan.setup), env=environ, cwd=project, check=True, stdout=sys.stderr)
            entry = (home / plan.entry).read_text()
            assert TRUETTY in entry and plan.change[0] in entry, entry
            (home / plan.entry).write_text(entry.replace(TRUETTY, str(server)).replace(*plan.change))
        status = run(plan.command, environ, project, folder)
    report = {
        "status": status,
        "readings": {label: asdict(reading) for label, reading in model.readings.items()},
        "tools": len(json.dumps(list(model.tools.values()), ensure_ascii=False, separators=(",", ":"))),
        "strange": model.strange,
    }
    (folder / "report.json").write_text(json.dumps(report, indent=1, ensure_ascii=False))
    return 0


def run(command: tuple[str | Path, ...], environ: dict[str, str], project: Path, folder: Path) -> int:
    with (folder / "out.txt").open("wb") as out, (folder / "err.txt").open("wb") as err:
        client = subprocess.Popen(
            command, env=environ, cwd=project, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True
        )
        try:
            return client.wait(LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(client.pid, signal.SIGKILL)
            return client.wait()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
