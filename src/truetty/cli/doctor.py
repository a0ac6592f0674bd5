"""`truetty doctor`: which shells are here, how well each works (tried, not assumed), what the kernel lets us see."""

from __future__ import annotations

import asyncio
import dataclasses
import json as format
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from truetty import TruettyError
from truetty.cli.opening import OpeningOptions
from truetty.cli.report import HostReport, ReportWriter, ShellReport
from truetty.host.folder import place
from truetty.host.sandbox import problem
from truetty.host.wall import Sandbox
from truetty.service.guard import ALONE
from truetty.shells import table
from truetty.shells.row import Recipe, Row

# Shells do each of these in milliseconds. After so many seconds a shell is reported as it is then.
SHELL_PATIENCE: Final = 10.0


def doctor(json: bool, no_rc: bool) -> int:
    opening = OpeningOptions(rc=not no_rc)
    opening.settings()  # an error in them is raised here, before a shell is tried
    return asyncio.run(_report(opening, json=json))


async def _report(opening: OpeningOptions, *, json: bool) -> int:
    host, candidates = _host(), list(_candidates())
    if json:
        reports = [await _try(candidate, opening) for candidate in candidates]
        document = {"host": dataclasses.asdict(host), "shells": [dataclasses.asdict(report) for report in reports]}
        print(format.dumps(document, indent=2))
    else:
        reports = await _show(host, candidates, opening)
    return 0 if any(report.works for report in reports) else 1


async def _show(host: HostReport, candidates: list[Candidate], opening: OpeningOptions) -> list[ShellReport]:
    writer = ReportWriter([one.name for one in candidates], [one.path for one in candidates if one.path])
    writer.host(host)
    reports = []
    for candidate in candidates:
        writer.begin(candidate.name)
        reports.append(report := await _try(candidate, opening))
        writer.shell(report)
    writer.conclude(host, reports)
    return reports


@dataclass(frozen=True, slots=True)
class Candidate:
    name: str
    path: str | None
    row: Row


def _candidates() -> Iterator[Candidate]:
    """Every shell that has marks, under the first of its names that is here, and the user's own if it is another."""
    for row in table.ROWS:
        if row.has_marks and row.name not in row.shared_names:
            paths = {name: table.which(name, os.environ) for name in row.names}
            name = next((name for name, path in paths.items() if path and _recipe(path) is row.recipe), row.name)
            yield Candidate(name, paths[name], row)
    own = os.environ.get("SHELL", "")
    row = table.lookup(own) or table.UNKNOWN
    if own and not row.has_marks:
        yield Candidate(os.path.basename(own), shutil.which(own) if os.path.isabs(own) else None, row)


def _recipe(path: str) -> Recipe:
    """Of the program itself: `ksh` may be mksh."""
    return table.find(path, os.environ).row.recipe


async def _try(candidate: Candidate, opening: OpeningOptions) -> ShellReport:
    name, path = candidate.name, candidate.path
    if path is None:
        return ShellReport(name, None, problem="not installed")
    try:
        async with opening.terminal(shell=path) as terminal:
            echo = await terminal.run(f"{candidate.row.says} truetty", wait=SHELL_PATIENCE)
            if echo.state != "finished":
                return ShellReport(name, path, strategy=echo.strategy, problem=f"a plain echo is {echo.state}")
            code = await terminal.run("sh -c 'exit 7'", wait=SHELL_PATIENCE)
            read = await terminal.run("sh -c 'read x'", wait=SHELL_PATIENCE)
            if read.state == "waiting" and terminal.command is not None:
                await terminal.command.send("\n")
                await terminal.command.wait(SHELL_PATIENCE)
            return ShellReport(
                name,
                path,
                works=True,
                strategy=echo.strategy,
                exit_codes=code.exit_code == 7,
                output_exact=echo.output == "truetty\n",
                waiting_seen=read.waiting is not None and read.waiting.kind == "line",
            )
    except TruettyError as error:
        return ShellReport(name, path, problem=str(error))


def _host() -> HostReport:
    problems: list[str] = []
    scope = _text("/proc/sys/kernel/yama/ptrace_scope")
    calls, memory = _child_visible()
    if sys.platform != "linux":
        problems.append("not Linux: ends are known by marks and exits only; this platform is untested")
    elif not calls:
        problems.append("blocked calls cannot be seen: waiting and lost marks are known less surely")
    no_wall = problem(Sandbox("workspace"))
    if no_wall is not None:
        problems.append(ALONE)
    return HostReport(
        system=f"{platform.system()} {platform.release()} {platform.machine()}",
        sees_blocked_calls=calls,
        sees_memory=memory,
        pidfd=hasattr(os, "pidfd_open"),
        ptrace_scope=scope,
        private_files=place(),
        ptys=_text("/proc/sys/kernel/pty/max"),
        sandbox=no_wall is None,
        sandbox_problem=no_wall,
        problems=tuple(problems),
    )


def _child_visible() -> tuple[bool, bool]:
    """A child of ours is what a shell will be: ask the kernel about one."""
    reading, writing = os.pipe()
    pid = os.posix_spawn("/bin/cat", ["cat"], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, reading, 0)])
    try:
        return _readable(f"/proc/{pid}/syscall"), _readable(f"/proc/{pid}/mem")
    finally:
        os.close(writing)
        os.close(reading)
        os.waitpid(pid, 0)


def _readable(path: str) -> bool:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return path.endswith("mem") or bool(os.read(descriptor, 64))
    except OSError:
        return False
    finally:
        os.close(descriptor)


def _text(path: str) -> str | None:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return None
