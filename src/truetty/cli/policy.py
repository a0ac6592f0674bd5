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
from typing import Final

from truetty.cli.command_line import command_line
from truetty.cli.opening import OpeningOptions
from truetty.cli.style import Look, has_colours, styled
from truetty.core.errors import Misuse
from truetty.policy import Decision, Policy
from truetty.policy.decision import VERDICTS
from truetty.service.policies import policy_of
from truetty.shells import table
from truetty.text.quoting import on_one_line

NOT_SET: Final = "Your settings have no policy: every command is allowed."
WIDEST_COMMAND: Final = 48  # columns: a longer one moves its own reason to the right, and no other
_COLOURS: Final[dict[str, Look]] = {"allow": "green", "ask": "yellow", "deny": "red"}


def policy_check(command: list[str], policy: str, shell: str | None, cwd: str | None, json: bool) -> int:
    decision = _Judge(policy, shell, cwd).decide(command_line(command))
    if json:
        _print_json(dataclasses.asdict(decision))
    else:
        print(f"{_verdict(decision)}  {decision.reason}")
        if decision.advice:
            print(f"{'':5}  {decision.advice}")
    return VERDICTS.index(decision.verdict)


def policy_try(file: str, policy: str, shell: str | None, cwd: str | None, json: bool) -> int:
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
        self._is_set = policy != "settings" or settings.policy is not None
        self._cwd = settings.workspace or os.getcwd()
        match settings.shell:
            case str(name) | [str(name), *_]:
                self._shell = name  # it need not be here: its language is asked for
            case _:
                self._shell = table.find(None, os.environ).program

    def decide(self, command: str) -> Decision:
        decision = self._policy.decide(command, cwd=self._cwd, shell=self._shell)
        return decision if self._is_set else dataclasses.replace(decision, reason=NOT_SET)


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
    return styled(f"{decision.verdict:5}", "bold", _COLOURS[decision.verdict], on=has_colours(sys.stdout))


def _print_json(value: object) -> None:
    print(format.dumps(value, ensure_ascii=False, indent=2 if sys.stdout.isatty() else None))
