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
