"""What the first picture shows: four commands in one shell, and what truetty says of each."""

from __future__ import annotations

import sys

from truetty import Outcome
from truetty.sync import Terminal

BOLD, GREEN, YELLOW, PLAIN = "\033[1m", "\033[32m", "\033[33m", "\033[0m"


def show(line: str, outcome: Outcome) -> None:
    print(f"{BOLD}{line}{PLAIN}")
    last = (outcome.output.rstrip().splitlines() or [""])[-1]
    if outcome.state == "finished":
        print(f"  {last}\n  {GREEN}finished, exit code {outcome.exit_code}{PLAIN}, proved by its {outcome.evidence}")
    elif outcome.waiting is not None:
        print(f"  {last}\n  {YELLOW}waiting{PLAIN} for a {outcome.waiting.kind}: {outcome.waiting.asks}")
    else:
        print(f"  {YELLOW}running{PLAIN}, and silent")
    sys.stdout.flush()


with Terminal("bash", rc=False) as terminal:
    show('terminal.run("build")', terminal.run("build"))
    show('terminal.run("deploy")', terminal.run("deploy"))
    terminal.send("y\n")
    assert terminal.command is not None
    show(r'terminal.send("y\n")', terminal.command.wait(30))
    terminal.send("secret\n")
    show("terminal.send(password)", terminal.command.wait(30))
    show('terminal.run("sleep 1000", wait=2)', terminal.run("sleep 1000", wait=2))
