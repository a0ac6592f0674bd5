"""The arguments of a new terminal, as they travel.

Rule 1: they are checked here as `Terminal` checks them, before anything is sent.
Rule 2: only what was named is sent: the rest is as the server makes its terminals.
Rule 3: a server on this machine gets this program's environment and directory, as a local terminal would inherit them.
        A far one gets neither.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from truetty.core.errors import Misuse
from truetty.core.kinds import MOST
from truetty.host.wall import Sandbox
from truetty.server.limits import MOST_VARIABLES
from truetty.service.seat_request import Directory
from truetty.terminal.options import Making, Options, ShellName
from truetty.text.digest import Budget

# What belongs to a program and its machine.
HERE_ONLY: Final = ("host", "channel", "keeping", "total")


def making_fields(
    shell: ShellName,
    cwd: Directory,
    task: str | None,
    arguments: Making,
    inherited: Mapping[str, str] | None,
    *,
    is_here: bool,
) -> dict[str, Any]:
    given: dict[str, Any] = dict(arguments)
    if strange := [name for name in HERE_ONLY if given.get(name) is not None]:
        message = f"{strange[0]} belongs to the program that has the terminal: over a connection there is none"
        raise Misuse(f"{message}. Nothing was opened.", argument=strange[0])
    Options.of(shell, cwd=cwd, task=task, **arguments)
    place = None if cwd is None else os.fspath(cwd)
    if is_here:
        place = _here(place)
    found: dict[str, Any] = {
        "shell": shell if shell is None or isinstance(shell, str) else list(shell),
        "cwd": place,
        "task": task,
        "environ": _environ(inherited, is_here=is_here),
    }
    for name in ("env", "rc", "history", "size", "name", "startup", "memory", "coalesce"):
        found[name] = given.get(name)
    if "quota" in given:
        found["quota"] = MOST if given["quota"] is None else given["quota"]
    if "budget" in given:
        found["budget"] = asdict(Budget.of(given["budget"]))
    if "replies" in given:
        rules = map(asdict, given["replies"])
        found["replies"] = [{name: value for name, value in rule.items() if value is not None} for rule in rules]
    if given.get("sandbox") is not None:
        found["sandbox"] = _sandbox(given["sandbox"])
    return {name: value for name, value in found.items() if value is not None}


def _here(place: str | None) -> str | None:
    try:
        return os.getcwd() if place is None else os.path.abspath(os.path.expanduser(place))
    except FileNotFoundError:
        return place


def _environ(inherited: Mapping[str, str] | None, *, is_here: bool) -> dict[str, str] | None:
    if inherited is not None:
        return dict(inherited)
    return dict(list(os.environ.items())[:MOST_VARIABLES]) if is_here else None


def _sandbox(sandbox: str | Sandbox) -> str:
    if isinstance(sandbox, str):
        return sandbox
    more = [word for word, allowed in (("network", sandbox.network), ("sockets", sandbox.unix_sockets)) if allowed]
    name = "+".join([sandbox.profile, *more])
    if Sandbox.of(name) != sandbox:
        message = (
            "over a connection a sandbox is named, as workspace+network: its workspace is the terminal's directory"
        )
        raise Misuse(f"{message}. Nothing was opened.", sandbox=sandbox.profile)
    return name
