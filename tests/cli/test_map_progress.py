"""The line that `truetty map` draws on a person's terminal."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from truetty import Task, TaskResult, Terminal, until
from truetty.cli.map.progress import Tally
from truetty.text.screen import Screen


def ids(count: int) -> list[str]:
    return [f"k{number}" for number in range(count)]


def tally() -> Tally:
    made = Tally(ids(5000), has_file=True)
    made.begin({"k1": "done", "k2": "failed"}, [])
    for number, state in enumerate(["done", "done", "done", "failed", "failed", "timed_out"]):
        made.start(Task(str(number), ("true",)))
        made.take(TaskResult(str(number), state, (), 1, 0.5))  # type: ignore[arg-type]
    made.start(Task("last", ("true",)))
    return made


def test_the_line_has_counts_a_rate_and_failures_by_kind() -> None:
    made = tally()
    made.started_at -= 10.0
    line = made.line(100, colours=False)
    assert line.endswith("  8 of 5,000  1 running  0.6/s  3 done  2 failed, 1 timed out")
    assert made.line(100, colours=True).endswith("3 done\x1b[31m  2 failed, 1 timed out\x1b[0m")


def test_a_refused_task_is_counted_as_refused_and_not_as_finished() -> None:
    made = Tally(ids(10), has_file=True)
    made.begin({"k1": "done", "k2": "refused"}, [])
    for id, state in [("k3", "done"), ("k4", "refused"), ("k5", "refused")]:
        made.take(TaskResult(id, state, (), 1, 0.5))  # type: ignore[arg-type]
    made.started_at -= 10.0
    line = made.line(100, colours=False)
    assert line == "████░░░░░░░░░░░░░░░░  2 of 10  0 running  0.1/s  1 done  2 refused"
    [said] = made.summary()
    assert said == "10 tasks: 1 done, 2 refused (0.1/s). Of an earlier run: 1 done, 1 refused."


def test_the_line_is_never_wider_than_the_terminal() -> None:
    made = tally()
    for columns in range(20, 100):
        assert len(made.line(columns, colours=False)) <= columns


async def test_a_person_sees_how_far_it_is_and_then_the_summary(home: Path, tmp_path: Path) -> None:
    commands = ["true"] * 3 + ["false"] * 2 + ["read -p 'Go? ' x", f"until test -e {tmp_path}/go; do sleep 0.1; done"]
    tasks = tmp_path / "t.jsonl"
    tasks.write_text("".join(json.dumps({"id": f"k{n}", "commands": one}) + "\n" for n, one in enumerate(commands)))
    out = tmp_path / "out.jsonl"
    text = f"{sys.executable} -m truetty map {tasks} --out {out} --shell bash --no-rc --at-once 2"
    async with Terminal("bash", rc=False, size=(100, 20)) as terminal:
        command = await terminal.start(text)

        def has_line(screen: Screen) -> bool:
            return any("6 of 7  1 running" in line for line in screen.lines)

        outcome = await command.wait(PATIENCE, until.Screen(has_line))
        assert outcome.reached == "screen"
        [line] = [one for one in terminal.screen().lines if " of 7" in one]
        assert "/s  3 done  2 failed, 1 waiting" in line
        (tmp_path / "go").touch()
        ended = await command.wait(PATIENCE, "exit")
        assert ended.exit_code == 1
        shown = "\n".join(terminal.screen().lines)
        assert "truetty: 7 tasks: 4 done, 2 failed, 1 waiting" in shown and "6 of 7" not in shown


@pytest.mark.parametrize(("has_file", "advice"), [(True, " --again runs them once more."), (False, "")])
def test_what_was_begun_is_named_with_how_to_go_on_if_there_is_a_way(has_file: bool, advice: str) -> None:
    made = Tally(["a", "b"], has_file=has_file)
    made.start(Task("a", ("true",)))
    made.stop()
    assert made.summary()[1] == f"Begun and not finished: a.{advice}"


def test_what_was_begun_is_named_in_the_order_of_the_tasks() -> None:
    made = Tally(ids(30), has_file=True)
    made.begin({}, ["k2", "k0"])
    for number in (12, 11, *range(20, 30), 1):
        made.start(Task(f"k{number}", ("true",)))
    made.stop()
    named = "k0, k1, k2, k11, k12, k20, k21, k22, k23, k24 and 5 more"
    assert made.summary()[1] == f"Begun and not finished: {named}. --again runs them once more."


def test_tasks_that_only_the_file_of_an_earlier_run_has_are_in_no_count() -> None:
    made = Tally(ids(2), has_file=True)
    made.begin({"k0": "done", "x0": "done", "x1": "failed"}, ["x2"])
    assert not made.is_complete
    assert made.summary() == ["2 tasks: none was finished now. Of an earlier run: 1 done."]
    made.take(TaskResult("k1", "done", (), 1, 0.5))
    assert made.is_complete
