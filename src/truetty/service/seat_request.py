"""What a caller asks of a registry, complete: what it did not name is as the registry was made with.

Rule 1: a host elsewhere is asked for the shell; a directory there is as the caller wrote it.
Rule 2: what cannot be had is refused here, before anything is opened or closed for it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from truetty.core.errors import SpawnFailed
from truetty.host.environment import instead
from truetty.host.local import LocalHost
from truetty.service.reuse import Wish
from truetty.shells import table
from truetty.terminal.options import STARTUP, Arguments, Making, Options, ShellName
from truetty.terminal.terminal import Terminal

Directory = str | os.PathLike[str] | None
# How a terminal is made, unopened: `Terminal` itself, or what puts one on another channel.
Make = Callable[[Options], Terminal]


@dataclass(frozen=True, slots=True)
class Program:
    """The shell that is started."""

    name: str
    path: str  # without links
    arguments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SeatRequest:
    wish: Wish
    options: Options  # what a new terminal is made with
    kind: Options  # what else two terminals must have in common for one to stand for the other
    program: Program | None  # None: a host elsewhere was not asked yet

    @property
    def here(self) -> bool:
        return _is_here(self.options)


def complete(
    defaults: Options,
    cwd: Directory = None,
    *,
    task: str | None = None,
    require_cwd: bool = False,
    shell: ShellName = None,
    arguments: Making | None = None,
    inherited: Mapping[str, str] | None = None,
) -> SeatRequest:
    """`inherited` are the variables of a new terminal. One that is there already has inherited its own, and fits."""
    named = _options(defaults, cwd, task, shell, arguments or {})
    options = named if inherited is None else replace(named, env={**instead(os.environ, inherited), **named.env})
    place, program = options.cwd or "", None
    if _is_here(options):
        if options.cwd is not None and not os.path.isdir(options.cwd):
            reason = "no such directory"
            raise SpawnFailed(f"{reason}: {cwd or options.cwd}", shell=options.shell, cwd=cwd, reason=reason)
        here = options.cwd or _absolute(os.curdir)
        place, program = os.path.realpath(here) if here else "", _find_here(options)
    kind = replace(named, shell=None, cwd=None, name=None, task=None, startup=STARTUP)
    return SeatRequest(Wish(place, task, cwd is None, require_cwd), options, kind, program)


async def locate(request: SeatRequest) -> SeatRequest:
    """With the program that its host has for the shell. Raises `SpawnFailed` where it has none."""
    host = request.options.host
    if host is None or request.program is not None:
        return request
    found = await host.find(request.options.shell, request.options.env)
    return replace(request, program=Program(found.row.name, found.program, found.arguments))


def _is_here(options: Options) -> bool:
    return options.host is None or isinstance(options.host, LocalHost)


def _find_here(options: Options) -> Program:
    # All that finding a shell depends on; to build the whole environment would take longer than all the rest.
    looked_up = {name: options.env.get(name, os.environ.get(name)) for name in ("PATH", "SHELL")}
    found = table.find(options.shell, {name: value for name, value in looked_up.items() if value is not None})
    return Program(found.row.name, os.path.realpath(found.program), found.arguments)


def _options(defaults: Options, cwd: Directory, task: str | None, shell: ShellName, named: Making) -> Options:
    """Raises TypeError for what no terminal takes."""
    arguments: Arguments = {**defaults.arguments(), **named}
    columns, rows = arguments["size"]
    arguments["size"] = (columns, rows)
    arguments["env"] = {**defaults.env, **(named.get("env") or {})}
    arguments["cwd"] = defaults.cwd if cwd is None else cwd
    arguments["task"] = task
    return with_absolute_cwd(Options.of(shell if shell is not None else defaults.shell, **arguments))


def with_absolute_cwd(options: Options) -> Options:
    """A directory of this machine is what it is now, whatever directory we are in later; `~` is a home."""
    here = options.cwd is not None and _is_here(options)
    return replace(options, cwd=_absolute(os.path.expanduser(options.cwd or ""))) if here else options


def _absolute(path: str) -> str:
    """Empty, which is nowhere, for one that is relative to a directory that is gone."""
    try:
        return os.path.abspath(path) if path else ""
    except FileNotFoundError:
        return ""
