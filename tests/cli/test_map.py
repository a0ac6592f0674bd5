"""`truetty map`: stopped by Ctrl-C and by -9, and run again, each task is done once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
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


def run(*words: object) -> tuple[int, str, str]:
    process = start(*words)
    out, error = process.communicate(timeout=PATIENCE)
    return process.returncode, out, error


def write(path: Path, tasks: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(task) + "\n" for task in tasks))
    return path


def lines(path: Path) -> list[dict[str, Any]]:
    found = path.read_text().splitlines() if path.exists() else []
    return [json.loads(line) for line in found if line.endswith("}")]


def until(holds: Any) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize("count", [40, pytest.param(5000, marks=[pytest.mark.long, pytest.mark.timeout(3600)])])
def test_a_run_that_is_ended_twice_does_each_task_once(home: Path, tmp_path: Path, count: int) -> None:
    ran, out = tmp_path / "ran", tmp_path / "out.jsonl"
    tasks = write(tmp_path / "t.jsonl", [{"id": f"k{n}", "commands": f"echo k{n} >> {ran}"} for n in range(count)])
    words = (tasks, "--out", out, *BASH, "--at-once", 4)

    def finished() -> int:
        return sum(line["event"] == "done" for line in lines(out))

    first = start(*words)
    until(lambda: finished() >= count // 4)
    first.send_signal(signal.SIGINT)
    _, error = first.communicate(timeout=PATIENCE)
    assert first.returncode == 130 and f"To go on: truetty map {tasks} --out {out}" in error
    before = finished()
    second = start(*words)
    until(lambda: finished() >= max(count // 2, before + 1))
    second.send_signal(signal.SIGKILL)
    second.communicate(timeout=PATIENCE)
    status, _, error = run(*words)
    assert f"{count} tasks: ".replace("5000", "5,000") in error and "were finished by an earlier run" in error
    left = count - finished()
    assert (status == 1 and "Begun and not finished: k" in error) if left else status == 0
    status, _, error = run(*words, "--again")
    assert status == 0, error
    ends = Counter(line["task"] for line in lines(out) if line["event"] == "done")
    assert len(ends) == count and set(ends.values()) == {1}
    begun = Counter(line["task"] for line in lines(out) if line["event"] == "started")
    times = Counter(ran.read_text().split())
    assert all(times[id] <= begun[id] for id in times) and len(times) == count  # never more often than was written down
    assert sum(times.values()) <= count + left


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
    ],
)
def test_a_bad_line_is_named_and_nothing_is_run(home: Path, tmp_path: Path, text: str, says: str) -> None:
    path, out = tmp_path / "t.jsonl", tmp_path / "out.jsonl"
    path.write_text(text)
    status, _, error = run(path, "--out", out, *BASH)
    assert status == 125 and says in error and "Nothing was run." in error and not out.exists()


def test_errors_of_the_command_line(home: Path, tmp_path: Path) -> None:
    assert "cannot read" in run(tmp_path / "none", *BASH)[2]
    tasks = write(tmp_path / "t.jsonl", [{"id": "a", "commands": ["true"]}])
    assert "--again goes with --out" in run(tasks, "--again")[2]
    status, _, error = run(tasks, "--out", tasks)
    assert status == 125 and "is no result of a map: give another file" in error
    assert os.path.getsize(tasks) < 100
