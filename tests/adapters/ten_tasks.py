"""Ten tasks of an agent, through a drop-in and through the framework's own shell: right, wrong or hung.

    ENVIRONMENT/bin/python -m tests.adapters.ten_tasks NAME     prints a JSON line for each task and each of the two

Rule 1: each task has a new shell. A task that has not ended after `LIMIT` seconds is hung.
Rule 2: right is what the agent needs to know: the exit code, the output of this command and of no other, the question;
        and that the next command runs.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable

from tests.adapters.shell import Reply, Shell
from tests.adapters.shells import SHELLS

LIMIT = 60.0
PATIENCE = 2.0  # seconds of the time-out in the tasks that exceed it
MARK = "echo after"


def is_usable(shell: Shell) -> bool:
    """The next command runs, and its output is its own."""
    return shell.run(MARK).text.strip() == "after"


def exit_code(shell: Shell) -> bool:
    return shell.run("(exit 3)").code == 3 and is_usable(shell)


def directory_and_variables(shell: Shell) -> bool:
    shell.run("cd /usr; x=5")
    return shell.run("pwd; echo $x").text.split() == ["/usr", "5"]


def last_status(shell: Shell) -> bool:
    shell.run("(exit 4)")
    return shell.run("echo status $?").text.strip() == "status 4"


def question(shell: Shell) -> bool:
    asked = shell.run("read -p 'name? ' x; echo hi $x", PATIENCE)
    if "name?" not in asked.text or asked.code == 0:
        return False
    if asked.is_open and "hi Ann" not in shell.type("Ann").text:
        return False
    return is_usable(shell)


def secret(shell: Shell) -> bool:
    """What a model types for a secret does not reach the program."""
    asked = shell.run("read -s -p 'Password: ' p; echo got ${#p}", PATIENCE)
    typed = shell.type("hunter2") if asked.is_open else asked
    shell.stop()
    return "Password" in asked.text and "got 7" not in typed.text and is_usable(shell)


def background_server(shell: Shell) -> bool:
    shell.run("timeout 90 python3 -m http.server --bind 127.0.0.1 0 >/dev/null 2>&1 & pid=$!")
    seen = shell.run("kill -0 $pid && echo lives; kill $pid")
    return "lives" in seen.text and is_usable(shell)


def time_out(shell: Shell) -> bool:
    """What was printed before the time-out is not lost, and the next command runs."""
    late = shell.run("echo begun; sleep 600", PATIENCE)
    stopped = shell.stop()
    return late.code != 0 and "begun" in late.text + stopped.text and is_usable(shell)


def one_megabyte(shell: Shell) -> bool:
    """Its end is shown, or how much there was."""
    seen = shell.run("seq 1 200000", 20.0)
    marks = ("\n200000", "200000)", "too large (1.2MB)")
    return seen.code == 0 and any(mark in seen.text for mark in marks) and is_usable(shell)


def quotes_and_lines(shell: Shell) -> bool:
    text = "cat <<'EOF'\nit's \"a\"\t$x `b`\nEOF\nfor i in 1 2; do\n  echo $i\ndone"
    return shell.run(text).text.rstrip("\n") == 'it\'s "a"\t$x `b`\n1\n2'


def shell_exits(shell: Shell) -> bool:
    return shell.run("exit 7").code == 7 and is_usable(shell)


TASKS: tuple[Callable[[Shell], bool], ...] = (
    *(exit_code, directory_and_variables, last_status, question, secret),
    *(background_server, time_out, one_megabyte, quotes_and_lines, shell_exits),
)


def verdict(make: Callable[[], Shell], task: Callable[[Shell], bool]) -> tuple[str, str]:
    found = ["hung", ""]

    def work() -> None:
        try:
            shell = make()
            found[0] = "right" if task(shell) else "wrong"
            shell.close()
        except BaseException as error:
            found[:] = ["wrong", f"{type(error).__name__}: {str(error)[:100]}"]

    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    worker.join(LIMIT)
    return found[0], found[1]


def main(name: str) -> None:
    for kind, make in SHELLS[name]().items():
        for task in TASKS:
            state, why = verdict(make, task)
            print(json.dumps({"kind": kind, "task": task.__name__, "verdict": state, "why": why}), flush=True)
    os._exit(0)  # what hangs is not waited for


__all__ = ["Reply", "main"]

if __name__ == "__main__":
    main(sys.argv[1])
