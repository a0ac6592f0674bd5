"""`truetty map TASKS.jsonl`: tasks by the thousand, each in a terminal of its own.

Rule 1: every line of the tasks is read and checked before the first one runs.
Rule 2: results are JSON lines, in the file of `--out` or on standard output. What is for a person is on standard error.
Rule 3: Ray prints a paragraph to standard output for each worker that dies. It is dropped: the results have it.
Rule 4: Ctrl-C ends the terminals, and says what was begun and how to go on. One more changes nothing.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import sys
from collections.abc import AsyncIterator, Iterator
from shlex import quote
from typing import Any, Final, TextIO

from truetty import Misuse, Registry, Settings, Task, connect
from truetty.batch.map import Map
from truetty.cli.map.progress import Progress, Tally
from truetty.cli.signals import ENDING, ended_by, run_until_signalled
from truetty.core.errors import HostError
from truetty.core.kinds import quoted

LOCAL: Final = "local"
RAY: Final = "ray"  # alone, or with an address behind a colon
INCOMPLETE: Final = 1  # some task is not done


def map(
    tasks: str,
    out: str | None,
    on: str | None,
    at_once: int,
    attempts: int,
    retry: list[str],
    again: bool,
    shell: str | None,
    no_rc: bool,
) -> int:
    if again and out is None:
        raise Misuse("--again goes with --out, the file of the earlier run")
    found = read_tasks(tasks)
    made: dict[str, Any] = {"shell": shell} if shell is not None else {}
    if no_rc:
        made["rc"] = False
    rules: dict[str, Any] = {"at_once": at_once, "attempts": attempts, "again": again, "out": out}
    if retry:
        rules["retry"] = retry

    output = sys.stdout

    async def running() -> int:
        tally = Tally([task.id for task in found], has_file=out is not None)
        with ended_by(*ENDING):  # until everything is closed
            async with _registry(on, at_once) as registry:
                results = registry.map(found, **rules, **made, on_start=tally.start)
                tally.begin(results.finished, [] if again else results.begun)
                with Progress(tally):
                    try:
                        await _take(results, tally, output if out is None else None)
                    finally:
                        await results.aclose()
                        tally.stop()
        return 0 if tally.is_complete else INCOMPLETE

    status = run_until_signalled(running())
    if status > 128 and out is not None:
        print(f"To go on: truetty map {quote(tasks)} --out {quote(out)}", file=sys.stderr)
    return status


async def _take(results: Map, tally: Tally, output: TextIO | None) -> None:
    async for result in results:
        tally.take(result)
        if output is not None:
            print(json.dumps(dataclasses.asdict(result), ensure_ascii=False), file=output, flush=True)


@contextlib.asynccontextmanager
async def _registry(on: str | None, at_once: int) -> AsyncIterator[Any]:
    if on in (None, LOCAL):
        async with Registry.from_settings(Settings.load(terminals=at_once)) as here:
            yield here
    elif on is not None and on.partition(":")[0] == RAY:
        from truetty.ray.registry import MOST_TERMINALS, TERMINALS, cluster

        each = min(max(at_once, TERMINALS), MOST_TERMINALS)
        where = on if on.startswith("ray://") else on.partition(":")[2] or None
        with _silence():
            async with cluster(where, terminals_per_node=each) as nodes:
                yield nodes
    else:
        async with connect(on) as there:
            yield there


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        yield


def read_tasks(path: str) -> list[Task]:
    """Of a file of JSON lines; "-" is standard input."""
    if path == "-" and sys.stdin is None:
        raise HostError("cannot read standard input: it is closed", path=path, reason="closed")
    try:
        with contextlib.nullcontext(sys.stdin) if path == "-" else open(path, encoding="utf-8") as file:
            found = {number: _task(path, number, line) for number, line in enumerate(file, 1) if line.strip()}
    except OSError as error:
        raise HostError(f"cannot read {path}: {error.strerror}", path=path, reason=error.strerror) from error
    except UnicodeDecodeError as error:
        raise HostError(f"cannot read {path}: it is not UTF-8", path=path, reason=str(error)) from error
    lines: dict[str, int] = {}
    for number, task in found.items():
        if (first := lines.setdefault(task.id, number)) != number:
            about = f"the id {quoted(task.id)} is that of line {first} too"
            raise Misuse(f"{_where(path, number)}: {about}. Nothing was run.", path=path, line=number)
    return list(found.values())


def _where(path: str, number: int) -> str:
    return f"{'standard input' if path == '-' else path}:{number}"


def _task(path: str, number: int, line: str) -> Task:
    where = _where(path, number)
    try:
        return Task.of(json.loads(line))
    except (ValueError, RecursionError) as error:  # wrong, or too deep
        raise Misuse(f"{where} is no JSON: {error}. Nothing was run.", path=path, line=number) from error
    except Misuse as error:
        raise Misuse(f"{where}: {error}. Nothing was run.", path=path, line=number) from error
