"""Who is in front."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.stage import Stage
from truetty.host.base import Process
from truetty.terminal.wire.processes import Processes

CAT = Process(98, "cat", 4242, 98, 4242, "S", 0.0)
FORKED = replace(CAT, pid=99, name="bash", forked=True)


@pytest.mark.parametrize(
    ("living", "front", "programs"),
    [
        ([], 98, False),
        ([CAT], 98, True),
        ([CAT], 4242, False),  # it is in the background
        ([CAT, FORKED], 98, False),  # `sleep 1000 | cat`, and `sleep` was not executed yet: it would drop a SIGINT
        ([CAT, replace(FORKED, group=97)], 98, True),
        (None, 98, False),
    ],
)
def test_programs_in_front(living: list[Process] | None, front: int, programs: bool) -> None:
    stage = Stage()
    stage.observer.living, stage.observer.front = living, front
    assert Processes(stage.channel).programs_in_front() == programs


PYTHON = Process(70, "python3", 4242, 4242, 4242, "R", 0.0)
SUBSHELL = replace(PYTHON, pid=71, name="bash")


@pytest.mark.parametrize(
    ("before", "living", "alone"),
    [
        ([], [], True),
        ([], [SUBSHELL], False),  # `$(…)`: it knows the secrets
        ([PYTHON], [PYTHON], True),  # fish's completions: they were forked before the secrets were drawn
        ([PYTHON], [PYTHON, replace(SUBSHELL, parent=70)], True),
        ([PYTHON], [PYTHON, SUBSHELL], False),
        ([], [CAT], True),  # it is in the background
        ([], None, None),
    ],
)
def test_the_shell_alone_in_front(before: list[Process], living: list[Process] | None, alone: bool | None) -> None:
    stage = Stage()
    stage.observer.living, stage.observer.front, stage.observer.in_front = before, 4242, True
    processes = Processes(stage.channel)
    processes.begin()
    stage.observer.living = living
    assert processes.shell_alone_in_front() is alone


HOOK = Process(72, "git", 4242, 72, 4242, "R", 0.0)


@pytest.mark.parametrize(
    ("living", "due", "jobs"),
    [
        ([CAT, SUBSHELL, HOOK], True, [CAT]),  # `$(…)` in a hook, and a program of one: it is in front
        ([CAT, SUBSHELL], False, [CAT, SUBSHELL]),  # after `set +m` a job is in the shell's own group
        ([], True, []),
        (None, True, None),
    ],
)
def test_what_the_prompt_runs_is_no_job(living: list[Process] | None, due: bool, jobs: list[Process] | None) -> None:
    stage = Stage()
    stage.observer.living, stage.observer.front = living, 72
    assert Processes(stage.channel).living(prompt_is_due=due) == jobs
