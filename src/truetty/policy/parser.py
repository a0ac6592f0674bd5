"""Command text → syntax tree, by `shfmt --to-json` in a process of its own.

Rule 1: text, answer and CPU time have limits. What is above a limit is `Unreadable`.
Rule 2: nothing of the project or the user is looked at: an empty environment, the root as working directory, the
        dialect said, so that no .editorconfig is read; and no program from a relative PATH.
Rule 3: a text for a shell whose language the parser does not know is `Unreadable`, never read as another language.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from typing import Final

from truetty.policy.tree import Node, Unreadable
from truetty.shells import table
from truetty.shells.row import Dialect

PROGRAM: Final = "shfmt"
MOST_TEXT: Final = 16 * 1024  # bytes: longer texts are programs, not command lines
MOST_ANSWER: Final = 16 * 1024 * 1024  # bytes: the tree is indented, so deep nesting grows with its square
MOST_DEPTH: Final = 500  # brackets within brackets, and `|` and `&&`, each of which is a level of the tree as well
CPU_SECONDS: Final = 2  # 3 ms is usual; the kernel ends a parser that takes more
PATIENCE: Final = 60.0  # seconds: for a parser that hangs without using CPU time; a busy machine is faster than that
CHUNK: Final = 64 * 1024

# From text and dialect to a tree; raises `Unreadable`.
Parser = Callable[[bytes, Dialect], Node]


def dialect_of(shell: str) -> Dialect:
    name = os.path.basename(shell).lstrip("-")
    row = table.lookup(name)
    if row is None or row.dialect is None:
        raise Unreadable(
            f"The language of {name or 'this shell'} cannot be checked.",
            "Run it in a shell whose language can be checked, such as a POSIX shell.",
        )
    return row.dialect


def parse(text: bytes, dialect: Dialect) -> Node:
    program = find()
    if program is None:
        reason = f"The parser ({PROGRAM}) is not installed: pip install '.[policy]' in a checkout of truetty."
        raise Unreadable(reason, "Install the parser.")
    if len(text) > MOST_TEXT:
        raise Unreadable(f"It is longer than {MOST_TEXT // 1024} kB, too long to be checked.")
    if max(_deepest(text), text.count(b"|") + text.count(b"&&")) > MOST_DEPTH:
        raise Unreadable("It is nested too deeply to be checked.")
    status, answer = _run([program, "-ln", dialect, "--to-json"], text)
    if status == -signal.SIGKILL:
        raise Unreadable(f"It does not parse within {CPU_SECONDS} s.")
    if status != 0:
        raise Unreadable(f"It does not parse: {_complaint(answer)}.", "Mend its syntax.")
    try:
        tree = json.loads(answer)
    except (ValueError, RecursionError):
        raise Unreadable("The parser's answer cannot be read.") from None
    if not isinstance(tree, Mapping):
        raise Unreadable("The parser's answer cannot be read.")
    return tree


def find() -> str | None:
    """Next to our own Python first, then on the PATH, but only in its absolute directories."""
    directories = [os.path.dirname(sys.executable), *os.environ.get("PATH", "").split(os.pathsep)]
    for directory in directories:
        path = os.path.join(directory, PROGRAM)
        if os.path.isabs(path) and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return None


def _run(command: list[str], text: bytes) -> tuple[int, bytes]:
    try:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={}, cwd="/"
        )
    except OSError as error:
        raise Unreadable(f"The parser cannot be started: {error.strerror}.") from None
    with process:
        try:
            _limit(process.pid)
            answer = _converse(process, text)
            status = process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise Unreadable("The parser does not come to an end.") from None
        except OSError as error:
            raise Unreadable(f"The parser cannot be spoken to: {error.strerror}.") from None
        finally:
            process.kill()
    return status, answer


def _limit(pid: int) -> None:
    """The parser has read nothing yet, so it has used no CPU time for it either."""
    if sys.platform == "linux":  # elsewhere only its own process can limit itself
        # The hard limit is SIGKILL. shfmt is a Go program, and those pass over SIGXCPU, which the soft limit is.
        with contextlib.suppress(ProcessLookupError):  # it has ended already
            resource.prlimit(pid, resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))


def _converse(process: subprocess.Popen[bytes], text: bytes) -> bytes:
    """Give all the text and take all of the answer, at the same time: either side may fill its pipe."""
    assert process.stdin is not None and process.stdout is not None
    end = time.monotonic() + PATIENCE
    answer = bytearray()
    os.set_blocking(process.stdin.fileno(), False)
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        selector.register(process.stdin, selectors.EVENT_WRITE)
        while True:
            left = end - time.monotonic()
            ready = {key.fileobj for key, _ in selector.select(left)} if left > 0 else set()
            if not ready:
                raise subprocess.TimeoutExpired(PROGRAM, PATIENCE)
            if process.stdin in ready:
                try:
                    text = text[os.write(process.stdin.fileno(), text[:CHUNK]) :] if text else b""
                except BrokenPipeError:  # it has seen enough to complain
                    text = b""
                if not text:
                    selector.unregister(process.stdin)
                    process.stdin.close()
            if process.stdout in ready:
                chunk = os.read(process.stdout.fileno(), CHUNK)
                if not chunk:
                    return bytes(answer)
                answer += chunk
                if len(answer) > MOST_ANSWER:
                    raise Unreadable("It is nested too deeply to be checked.")


def _deepest(text: bytes) -> int:
    depth = deepest = 0
    for sign in text:
        if sign in b"({[":
            depth += 1
            deepest = max(deepest, depth)
        elif sign in b")}]":
            depth = max(depth - 1, 0)
    return deepest


def _complaint(answer: bytes) -> str:
    """`<standard input>:1:6: reached EOF without closing quote` without the name and the place."""
    line = answer.decode("utf-8", "replace").strip().partition("\n")[0]
    return line.partition(": ")[2].strip().rstrip(".") or line.rstrip(".") or "no reason is given"
