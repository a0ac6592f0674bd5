"""`registry.map` with real shells."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import truetty
from tests.stage import until
from truetty import Misuse, Registry, TaskResult


def task(id: str, *commands: str, **more: Any) -> dict[str, Any]:
    return {"id": id, "commands": list(commands), **more}


async def results(registry: Registry, tasks: Any, **options: Any) -> dict[str, TaskResult]:
    found = {result.id: result async for result in registry.map(tasks, shell="bash", rc=False, **options)}
    assert registry.list() == []
    return found


async def test_each_task_says_how_it_ended(home: Path, tmp_path: Path) -> None:
    tasks = [
        task("done", "x=1", "echo $x $Y; pwd", env={"Y": "two"}, cwd=str(tmp_path), setup=["Y=${Y}!"]),
        task("failed", "echo one", "(exit 3)", "echo never"),
        task("no-setup", "echo never", setup="false"),
        task("asks", "read -p 'Name? ' x", "echo never"),
        task("late", "echo begun; sleep 1000", timeout=1),
        task("ended", "exit 0", "echo never"),
        task("refused", "true", cwd=str(tmp_path / "none")),
    ]
    async with Registry() as registry:
        found = await results(registry, tasks, at_once=3)
    assert {id: result.state for id, result in found.items()} == {
        "done": "done",
        "failed": "failed",
        "no-setup": "failed",
        "asks": "waiting",
        "late": "timed_out",
        "ended": "lost",
        "refused": "refused",
    }
    assert [one.output for one in found["done"].outcomes] == ["", f"1 two!\n{tmp_path}\n"]
    assert [one.exit_code for one in found["failed"].outcomes] == [0, 3]
    assert [one.exit_code for one in found["no-setup"].outcomes] == [1]
    assert found["asks"].error == "it asked, and was ended: Name? "
    assert found["late"].outcomes[0].output.startswith("begun\n")  # what it printed is kept
    assert found["refused"].outcomes == () and "none" in (found["refused"].error or "")


async def test_a_command_that_cannot_be_run_refuses_its_own_task_only(home: Path) -> None:
    tasks = [truetty.Task("empty", ("echo one", " ")), *(task(str(number), "echo two") for number in range(4))]
    async with Registry() as registry:
        found = await results(registry, tasks, at_once=5)
    assert [found[str(number)].state for number in range(4)] == ["done"] * 4
    assert (found["empty"].state, len(found["empty"].outcomes)) == ("refused", 1)
    assert found["empty"].error == "the command is empty. Nothing was run."


async def test_so_many_run_at_once_and_a_source_may_be_endless(home: Path, tmp_path: Path) -> None:
    taken = 0

    def tasks() -> Iterator[dict[str, Any]]:
        nonlocal taken
        while True:
            taken += 1
            yield task(str(taken), "cat")  # waits for input: it stays open until it is left

    async with Registry() as registry:
        most = 0

        def look(_: object) -> None:
            nonlocal most
            most = max(most, len(registry.list()))

        running = registry.map(tasks(), at_once=3, shell="bash", rc=False, on_start=look)
        count = 0
        async for _ in running:
            count += 1
            if count == 5:
                break
        await running.aclose()
        await until(lambda: registry.list() == [])
    assert most <= 3 and taken <= 8


async def test_tasks_wait_for_a_place_where_others_use_the_registry(home: Path) -> None:
    async with Registry(limit=2) as registry:
        other = await registry.open("bash", rc=False)
        tasks = [task(str(number), "true") for number in range(4)]
        options: Any = {"at_once": 4, "shell": "bash", "rc": False}
        states = [result.state async for result in registry.map(tasks, **options)]
        assert states == ["done"] * 4
        await registry.open("bash", rc=False)
        full = [result async for result in registry.map(tasks[:1], **options)]
        assert [one.state for one in full] == ["refused"] and "2 terminals already" in (full[0].error or "")
        assert not other.closed


async def test_a_second_run_takes_up_where_the_first_stopped(home: Path, tmp_path: Path) -> None:
    out, ran = tmp_path / "out.jsonl", tmp_path / "ran"
    tasks = [task(str(number), f"echo {number} >> {ran}") for number in range(6)]
    tasks[3] = task("3", f"echo 3 >> {ran}; sleep 1000")
    async with Registry() as registry:
        first = registry.map(tasks, at_once=1, out=out, shell="bash", rc=False)
        async for result in first:
            if result.id == "2":
                break
        # Nothing was begun behind the last result: the next is taken when the caller asks for it.
        waiting = asyncio.ensure_future(anext(first))
        await until(lambda: ran.read_text().split() == ["0", "1", "2", "3"])
        waiting.cancel()
        await asyncio.wait({waiting})
        await first.aclose()
        second = registry.map(tasks, out=out, shell="bash", rc=False)
        assert (set(second.finished), second.begun) == ({"0", "1", "2"}, ("3",))
        assert {result.id async for result in second} == {"4", "5"}
        tasks[3] = task("3", f"echo 3 >> {ran}")
        third = registry.map(tasks, out=out, again=True, shell="bash", rc=False)
        assert [(result.id, result.attempts) async for result in third] == [("3", 2)]
    assert sorted(ran.read_text().split()) == ["0", "1", "2", "3", "3", "4", "5"]
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert sorted(line["task"] for line in lines if line["event"] == "done") == ["0", "1", "2", "3", "4", "5"]


async def test_a_task_that_was_refused_before_it_began_is_begun_by_the_next_run(home: Path, tmp_path: Path) -> None:
    out, ran, place = tmp_path / "out.jsonl", tmp_path / "ran", tmp_path / "place"
    tasks = [task("here", f"echo here >> {ran}"), task("there", f"echo there >> {ran}", cwd=str(place))]
    async with Registry() as registry:
        first = registry.map(tasks, out=out, shell="bash", rc=False)
        assert {result.id: result.state async for result in first} == {"here": "done", "there": "refused"}
        place.mkdir()
        second = registry.map(tasks, out=out, shell="bash", rc=False)
        assert (set(second.finished), second.begun, second.refused) == ({"here"}, (), frozenset({"there"}))
        assert [(result.id, result.state) async for result in second] == [("there", "done")]
        third = registry.map(tasks, out=out, shell="bash", rc=False)
        assert (set(third.finished), third.refused) == ({"here", "there"}, frozenset())
        assert [result async for result in third] == []
    assert ran.read_text().split() == ["here", "there"]


async def test_a_task_is_begun_again_by_the_callers_rule(home: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    tasks = [task("a", f"echo x >> {ran}; [ $(wc -l < {ran}) = 3 ]"), task("b", "false")]
    async with Registry() as registry:
        found = await results(registry, tasks, attempts=5, retry=lambda result: result.id == "a" and not _ok(result))
        once = await results(registry, [task("c", "false")], attempts=5)
        failed = await results(registry, [task("d", "false")], attempts=2, retry=["failed"])
    assert [(one.state, one.attempts) for one in (found["a"], found["b"])] == [("done", 3), ("failed", 1)]
    assert (once["c"].attempts, failed["d"].attempts) == (1, 2)


def _ok(result: TaskResult) -> bool:
    return result.state == "done"


async def test_bad_arguments_are_refused(home: Path) -> None:
    async with Registry() as registry:
        with pytest.raises(Misuse, match="at_once"):
            registry.map([], at_once=0)
        with pytest.raises(Misuse, match="retry names states of results"):
            registry.map([], retry=["never"])  # type: ignore[list-item]
        with pytest.raises(Misuse, match="two tasks have the id 'a'"):
            await results(registry, [task("a", "true"), task("a", "true")])
        assert registry.list() == []


def test_the_same_without_await(home: Path) -> None:
    with truetty.sync.Registry() as registry:
        found = [one.state for one in registry.map([task("a", "true")], shell="bash", rc=False)]
    assert found == ["done"]
