"""What `truetty doctor` has found, and how it is printed: a line for each shell, as soon as it was tried.

Rule 1: a line fits the terminal. Where it is narrow the path is left out, never the name.
Rule 2: the last line is one sentence: everything works, or what does not.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from truetty.cli.style import Look, has_colours, styled, terminal_width, wrapped

_HEADINGS: Final = ("works", "strategy", "codes", "exact", "asks")
_ANSWERS: Final[dict[bool | None, tuple[str, Look]]] = {
    True: ("yes", "green"),
    False: ("no", "red"),
    None: ("-", "dim"),
}


@dataclass(frozen=True, slots=True)
class ShellReport:
    name: str
    path: str | None
    works: bool = False
    strategy: str | None = None  # how a command's end was known: rich, basic, none
    exit_codes: bool | None = None  # a code of 7 came back as 7
    output_exact: bool | None = None
    waiting_seen: bool | None = None  # `read` was reported as waiting for a line
    problem: str | None = None

    @property
    def faults(self) -> list[str]:
        """What does not work in a shell that works otherwise."""
        checks = {
            "exit codes": self.exit_codes,
            "exact output": self.output_exact,
            "seeing that a command asks": self.waiting_seen,
        }
        return [what for what, right in checks.items() if right is False]


@dataclass(frozen=True, slots=True)
class HostReport:
    system: str
    sees_blocked_calls: bool  # what a process waits for
    sees_memory: bool  # needed to see into select and poll
    pidfd: bool
    ptrace_scope: str | None
    private_files: str
    ptys: str | None
    sandbox: bool  # a sandbox was tried, and could be made
    sandbox_problem: str | None
    problems: tuple[str, ...]


class ReportWriter:
    """Prints as things are found, for people."""

    def __init__(self, names: Iterable[str], paths: Iterable[str]) -> None:
        self._width = terminal_width()
        self._colours = has_colours(sys.stdout)
        self._live = sys.stdout.isatty() and sys.stderr.isatty()
        self._name = max(map(len, ["shell", *names]))
        used = self._name + sum(len(heading) + 2 for heading in _HEADINGS)
        self._shows_path = used + 2 + max(map(len, ["path", *paths])) <= self._width

    def host(self, host: HostReport) -> None:
        print(styled(host.system, "bold", on=self._colours))
        for what, answer in (
            ("what a process waits for can be seen", host.sees_blocked_calls),
            ("inside select and poll", host.sees_memory),
            ("exits by pidfd", host.pidfd),
            ("sandboxes (--sandbox)", host.sandbox),
        ):
            print(f"{what}: {self._answer(answer)}")
        self._print(f"private files in {host.private_files}; at most {host.ptys or 'an unknown number of'} terminals")
        for trouble in filter(None, (host.sandbox_problem, *host.problems)):
            self._print(trouble, "yellow")
        heading = "  ".join([f"{'shell':{self._name}}", *_HEADINGS, *(["path"] if self._shows_path else [])])
        print(f"\n{styled(heading, 'bold', on=self._colours)}", flush=True)

    def begin(self, name: str) -> None:
        if self._live:
            print(f"\r{name:{self._name}}  is being tried …\x1b[K", end="", file=sys.stderr, flush=True)

    def shell(self, report: ShellReport) -> None:
        if self._live:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
        name = f"{report.name:{self._name}}  "
        if report.problem is not None:
            text = report.problem if report.path is None else f"no: {report.problem}"
            for line in wrapped(text, self._width, name, " " * len(name)):
                print(styled(line, "dim" if report.path is None else "red", on=self._colours), flush=True)
            return
        strategy = f"{report.strategy or '-':8}"
        checks = (report.exit_codes, report.output_exact, report.waiting_seen)
        cells = [self._answer(report.works, 5), strategy, *map(self._answer, checks, (5, 5, 4))]
        if self._shows_path:
            cells.append(report.path or "-")
        print(f"{name}{'  '.join(cells)}".rstrip(), flush=True)

    def conclude(self, host: HostReport, reports: list[ShellReport]) -> None:
        faults = [f"{report.name} does not work" for report in reports if report.path and not report.works]
        lacking: dict[str, list[str]] = {}
        for report in reports:
            if report.faults:
                lacking.setdefault(", ".join(report.faults), []).append(report.name)
        faults += [
            f"{', '.join(names)} {'lacks' if len(names) == 1 else 'lack'} {what}" for what, names in lacking.items()
        ]
        if not any(report.path for report in reports):
            faults.append("no shell is installed")
        faults += host.problems
        print()
        self._print(f"Not everything works: {'; '.join(faults)}." if faults else "Everything works.")

    def _answer(self, answer: bool | None, width: int = 0) -> str:
        word, look = _ANSWERS[answer]
        return styled(f"{word:{width}}", look, on=self._colours)

    def _print(self, text: str, *looks: Look) -> None:
        for line in wrapped(text, self._width):
            print(styled(line, *looks, on=self._colours))
