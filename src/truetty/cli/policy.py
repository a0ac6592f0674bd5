"""`truetty policy`: what a policy says of commands. Nothing is run, and nothing is recorded.

Rule 1: `check` exits with what it says: 0 allow, 1 ask, 2 deny. `try` exits with the strictest of all.
Rule 2: a decision is for a command in the shell and the directory in which an agent's terminal begins.
"""

from __future__ import annotations

import dataclasses
import json as format
import os
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Final

import typer

from truetty.cli.opening import OpeningOptions
from truetty.cli.options import Json, PolicyName, Shell, command_line
from truetty.core.errors import Misuse
from truetty.policy import Decision, Policy
from truetty.policy.decision import VERDICTS
from truetty.service.policies import policy_of
from truetty.shells import table
from truetty.text.quoting import on_one_line

WIDEST_COMMAND: Final = 48  # columns: a longer one moves its own reason to the right, and no other
_COLOURS: Final = {"allow": typer.colors.GREEN, "ask": typer.colors.YELLOW, "deny": typer.colors.RED}

Workspace = Annotated[
    str | None, typer.Option(metavar="D", help="The workspace, in which commands begin and may write. Default: yours.")
]


def policy() -> None:
    """Show what a policy says of commands: allow, ask or deny, and why. Nothing is run, nothing is recorded.

    The policy is that of your settings, or the one that --policy names.
    """


def policy_check(
    command: Annotated[
        list[str],
        typer.Argument(metavar="COMMAND", help="One shell command line; several words are quoted and joined."),
    ],
    policy: PolicyName = "settings",
    shell: Shell = None,
    cwd: Workspace = None,
    json: Json = False,
) -> int:
    """Say whether COMMAND is allowed, asked or denied, why, and what would make it allowed.

    The exit status is 0 for allow, 1 for ask, 2 for deny, 125 for an error.

    \b
    Examples:
      truetty policy check 'git status'
      truetty policy check --policy read-only 'ls | xargs rm'
      truetty policy check --json -- npm test --watch
    """
    decision = _Judge(policy, shell, cwd).decide(command_line(command))
    if json:
        _print_json(dataclasses.asdict(decision))
    else:
        print(f"{_verdict(decision)}  {decision.reason}")
        if decision.advice:
            print(f"{'':5}  {decision.advice}")
    return VERDICTS.index(decision.verdict)


def policy_try(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="Commands, one a line, or strings as JSON; - is standard input.")
    ],
    policy: PolicyName = "settings",
    shell: Shell = None,
    cwd: Workspace = None,
    json: Json = False,
) -> int:
    """Show the decision on every command of FILE, a line each, and how many there are of each kind.

    FILE has a command on each line that is not blank; or it is a JSON array of strings, or a JSON string a line. The
    exit status is 0 if all are allowed, 1 if one is asked, 2 if one is denied, 125 for an error.

    \b
    Examples:
      truetty policy try commands.txt
      truetty policy try --policy read-only --shell zsh commands.txt
      tail -100 ~/.bash_history | truetty policy try -
    """
    judge = _Judge(policy, shell, cwd)
    commands = _commands(_read(file))
    width = min(max((len(on_one_line(command)) for command in commands), default=0), WIDEST_COMMAND)
    decisions = []
    for command in commands:
        decisions.append(decision := judge.decide(command))
        if not json:
            print(f"{_verdict(decision)}  {on_one_line(command):{width}}  {decision.reason} {decision.advice}".rstrip())
    counts = Counter(decision.verdict for decision in decisions)
    if json:
        numbers = {verdict: counts[verdict] for verdict in VERDICTS}
        _print_json({"decisions": [dataclasses.asdict(decision) for decision in decisions], "counts": numbers})
    else:
        kinds = ", ".join(f"{verdict} {counts[verdict]}" for verdict in VERDICTS)
        print(f"{len(commands)} command{'' if len(commands) == 1 else 's'}: {kinds}")
    return max((VERDICTS.index(verdict) for verdict in counts), default=0)


class _Judge:
    """A policy, and where its commands would run."""

    def __init__(self, policy: str, shell: str | None, cwd: str | None) -> None:
        if cwd is not None and not os.path.isdir(cwd):
            raise Misuse(f"no such directory: {cwd}", cwd=cwd)
        settings = OpeningOptions(shell, cwd).settings()
        self._policy: Policy = policy_of(settings, policy)
        self._cwd = settings.workspace or os.getcwd()
        match settings.shell:
            case str(name) | [str(name), *_]:
                self._shell = name  # it need not be here: its language is asked for
            case _:
                self._shell = table.find(None, os.environ).program

    def decide(self, command: str) -> Decision:
        return self._policy.decide(command, cwd=self._cwd, shell=self._shell)


def _read(file: str) -> str:
    try:
        if file != "-":
            with open(file, "rb") as stream:
                data = stream.read()
        elif sys.stdin is None:
            raise Misuse("standard input is closed")
        else:
            data = sys.stdin.buffer.read()
    except OSError as error:
        name = "standard input" if file == "-" else file
        raise Misuse(f"{name}: {error.strerror}", path=file, reason=error.strerror) from error
    return data.decode("utf-8", "surrogateescape")


def _commands(text: str) -> list[str]:
    lines = [line for line in text.replace("\r\n", "\n").split("\n") if line.strip()]
    for candidate in _as_json(text, lines):
        if isinstance(candidate, list) and all(isinstance(item, str) for item in candidate):
            return candidate
    return lines


def _as_json(text: str, lines: list[str]) -> Iterator[object]:
    """The whole as one value, and the lines as one each, where they are JSON."""
    for join in (lambda: format.loads(text), lambda: [format.loads(line) for line in lines]):
        try:
            yield join()
        except ValueError:
            continue


def _verdict(decision: Decision) -> str:
    padded = f"{decision.verdict:5}"
    colours = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    return typer.style(padded, fg=_COLOURS[decision.verdict], bold=True) if colours else padded


def _print_json(value: object) -> None:
    print(format.dumps(value, ensure_ascii=False, indent=2 if sys.stdout.isatty() else None))
