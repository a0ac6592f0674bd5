"""`truetty attach`: watch a terminal of the server, or take it and type.

Rule 1: without `--take` nothing is typed and the terminal keeps its size. A smaller window shows the part with the
        cursor.
Rule 2: whatever ends it, the person's terminal is as it was before (`tty.py`).
"""

from __future__ import annotations

import sys

from truetty.cli.attach.keyboard import DetachKeys
from truetty.cli.attach.session import Detached, Session
from truetty.cli.attach.tty import Tty
from truetty.cli.commands import OURS
from truetty.cli.person import has_person
from truetty.cli.signals import run_until_signalled
from truetty.cli.terminals.server import Server, terminal
from truetty.core.errors import Closed, Misuse


def attach(id: str, take: bool, detach_keys: str | None, on: str | None) -> int:
    keys = DetachKeys.read(detach_keys)
    check_person()
    with Tty() as tty:
        server = Server(on, start=False)
        found = server.get(terminal(id))
        if found["closed"]:
            code = found["exit_code"]
            raise Closed(f"{found['id']} is closed: its exit code is {code}", terminal_id=found["id"], exit_code=code)
        return follow(tty, server, found["id"], take=take, keys=keys)


def check_person() -> None:
    """Before anything is done."""
    if not has_person():
        raise Misuse("attach needs a terminal as its input and its output; truetty log prints what was printed")


def follow(tty: Tty, server: Server, id: str, *, take: bool, keys: DetachKeys) -> int:
    session = Session(tty, server, id, take=take, keys=keys)
    try:
        status = run_until_signalled(session.run())
    except Detached:
        status = None
    finally:
        tty.leave()
        session.give_back()
    if status is None:
        print(f"truetty: {id} goes on: truetty attach{server.on} {id}", file=sys.stderr)
        return 0
    if session.ended:
        code = session.exit_code
        how = "exit code unknown" if code is None else f"exit code {code}"
        print(f"truetty: {id} has ended, {how}", file=sys.stderr)
        return OURS if code is None else code
    return status
