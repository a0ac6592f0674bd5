"""`truetty map`: stopped by Ctrl-C and by -9, and run again, each task is done once."""

from __future__ import annotations

import itertools
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.patience import PATIENCE

MAP = [sys.executable, "-m", "truetty", "map"]
BASH = ["--shell", "bash", "--no-rc"]


def start(*words: object) -> subprocess.Popen[str]:
    pipes: Any = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}

    # A shell that starts the suite with `&` has it ignore SIGINT, and so would this process.
    def begin() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    return subprocess.Popen([*MAP, *map(str, words)], preexec_fn=begin, **pipes)


def run(*words: object, patience: float = PATIENCE) -> tuple[int, str, str]:
    process = start(*words)
    out, error = process.communicate(timeout=patience)
    return process.returncode, out, error


def write(path: Path, tasks: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(task) + "\n" for task in tasks))
    return path


class Results:
    """The file of results of runs that go on. Each byte is read once: it grows for thousands of tasks."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._position = 0
        self.begun: Counter[str] = Counter()
        self.ended: Counter[str] = Counter()

    @property
    def unfinished(self) -> set[str]:
        return set(self.begun) - set(self.ended)

    def has_ended(self, count: int) -> bool:
        self.read()
        return self.ended.total() >= count

    def read(self) -> None:
        if self._path.exists():
            with self._path.open("rb") as file:
                file.seek(self._position)
                for line in file:
                    if line.endswith(b"}\n"):  # not one that is being written, or was cut
                        found = json.loads(line)
                        (self.begun if found["event"] == "started" else self.ended)[found["task"]] += 1
                    self._position += len(line) if line.endswith(b"\n") else 0


def named(error: str) -> set[str]:
    """The tasks of which a run says that they were begun and not finished."""
    found = re.search(r"Begun and not finished: (.*)\. --again", error)
    return set(found[1].split(", ")) if found else set()


def until(holds: Callable[[], bool], patience: float) -> None:
    end = time.monotonic() + patience
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("count", "patience"),
    [(40, PATIENCE), pytest.param(5000, 1500, marks=[pytest.mark.long, pytest.mark.timeout(7200)])],
)
def test_a_run_that_is_ended_twice_does_each_task_once(
    home: Path, tmp_path: Path, count: int, patience: float, record_property: Callable[..., None]
) -> None:
    ran, out = tmp_path / "ran", tmp_path / "out.jsonl"
    tasks = write(tmp_path / "t.jsonl", [{"id": f"k{n}", "commands": f"echo k{n} >> {ran}"} for n in range(count)])
    words = (tasks, "--out", out, *BASH, "--at-once", 4)
    results = Results(out)
    times = [time.monotonic()]

    def end(process: subprocess.Popen[str], number: int, finished: int) -> str:
        """With this signal, when so many tasks are over; what it says then."""
        until(lambda: results.has_ended(finished), patience)
        process.send_signal(number)
        error = process.communicate(timeout=PATIENCE)[1]
        assert process.returncode == (130 if number == signal.SIGINT else -number)
        results.read()
        times.append(time.monotonic())
        return error

    error = end(start(*words), signal.SIGINT, count // 4)
    assert f"To go on: truetty map {tasks} --out {out}" in error and named(error) == results.unfinished
    interrupted, before = len(results.unfinished), results.ended.total()
    end(start(*words), signal.SIGKILL, max(count // 2, before + 1))
    left = set(results.unfinished)
    status, _, error = run(*words, patience=patience)
    results.read()
    times.append(time.monotonic())
    assert f"{count:,} tasks: " in error and " Of an earlier run: " in error
    assert (status, named(error), results.unfinished) == (1 if left else 0, left, left)
    once = Counter(ran.read_text().split())
    assert set(once.values()) == {1} and set(once) | left == {f"k{n}" for n in range(count)}
    status, _, error = run(*words, "--again", patience=patience)
    results.read()
    times.append(time.monotonic())
    assert status == 0, error
    assert len(results.ended) == count and set(results.ended.values()) == {1}
    twice = Counter(ran.read_text().split())
    again = {id for id, often in twice.items() if often > 1}
    assert len(twice) == count and again <= left and max(twice.values()) <= 2
    seconds = [f"{after - before:.0f}" for before, after in itertools.pairwise(times)]
    record_property(
        "report",
        f"map: {count:,} tasks in {times[-1] - times[0]:.0f} s: Ctrl-C after {seconds[0]} s ({interrupted} begun and "
        f"not finished), -9 after {seconds[1]} s ({len(left)} in all), then {seconds[2]} s, "
        f"and {seconds[3]} s with --again: "
        f"{len(results.ended):,} done once, {count - len(results.ended)} missing, "
        f"{len(again)} commands run twice, by --again",
    )


def test_ctrl_c_again_and_again_leaves_nothing_running(home: Path, tmp_path: Path) -> None:
    """What is being ended takes its time: these processes heed no signal that can be ignored."""
    pids = tmp_path / "pids"
    text = f"trap '' INT TERM HUP; setsid sh -c 'echo $$ >> {pids}; exec sleep 5000' & while :; do sleep 5000; done"
    tasks = write(tmp_path / "t.jsonl", [{"id": str(n), "commands": text} for n in range(3)])
    process = start(tasks, *BASH)
    until(lambda: pids.exists() and len(pids.read_text().split()) == 3, PATIENCE)
    while process.poll() is None:
        process.send_signal(signal.SIGINT)
        time.sleep(0.01)
    process.communicate()
    until(lambda: not any(map(lives, pids.read_text().split())), PATIENCE)


def lives(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_results_go_to_standard_output_without_a_file(home: Path, tmp_path: Path) -> None:
    tasks = write(tmp_path / "t.jsonl", [{"id": "a", "commands": ["echo hi"]}, {"id": "b", "commands": ["(exit 4)"]}])
    status, out, error = run(tasks, *BASH)
    found = {line["id"]: line for line in map(json.loads, out.splitlines())}
    assert (status, found["a"]["state"], found["b"]["state"]) == (1, "done", "failed")
    assert (found["a"]["outcomes"][0]["output"], found["b"]["outcomes"][0]["exit_code"]) == ("hi\n", 4)
    assert "2 tasks: 1 done, 1 failed" in error


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"id": "a", "commands": ["x"]}\n{"id": "b"', "t.jsonl:2 is no JSON"),
        ('{"id": "a", "commands": ["x"]}\n{"id": "b"}\n', "t.jsonl:2: commands of task 'b' must be"),
        (
            '{"id": "a", "commands": ["x"]}\n{"id": "b", "commands": ["x", " "]}\n',
            "t.jsonl:2: commands of task 'b', number 2: the command is empty",
        ),
        (
            '{"id": "a", "commands": ["x"]}\n\n{"id": "a", "commands": ["y"]}\n',
            "t.jsonl:3: the id 'a' is that of line 1 too",
        ),
        (
            '{"id": "a", "commands": ["x"]}\n{"id": "b", "commands": ["x"], "cwd": ""}\n',
            "t.jsonl:2: cwd of task 'b' must be a path, which is not empty; got the text ''",
        ),
        ("[" * 100_000, "t.jsonl:1 is no JSON: maximum recursion depth exceeded"),
    ],
)
def test_a_bad_line_is_named_and_nothing_is_run(home: Path, tmp_path: Path, text: str, says: str) -> None:
    path, out = tmp_path / "t.jsonl", tmp_path / "out.jsonl"
    path.write_text(text)
    status, _, error = run(path, "--out", out, *BASH)
    assert status == 125 and says in error and "Nothing was run." in error and not out.exists()


def test_standard_input_that_is_closed(home: Path) -> None:
    closed = subprocess.run(["sh", "-c", 'exec "$@" <&-', "sh", *MAP, "-"], capture_output=True, text=True, check=False)
    assert (closed.returncode, closed.stderr) == (125, "truetty: cannot read standard input: it is closed\n")


def test_errors_of_the_command_line(home: Path, tmp_path: Path) -> None:
    assert "cannot read" in run(tmp_path / "none", *BASH)[2]
    tasks = write(tmp_path / "t.jsonl", [{"id": "a", "commands": ["true"]}])
    assert "--again goes with --out" in run(tasks, "--again")[2]
    status, _, error = run(tasks, "--out", tasks)
    assert status == 125 and "is no result of a map: give another file" in error
    assert os.path.getsize(tasks) < 100
