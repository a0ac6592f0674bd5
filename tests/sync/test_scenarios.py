"""The terminal's own scenarios, run through the blocking face.

They are written for the async classes. `Ashore` gives them a face whose every coroutine is a blocking call in a thread.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Coroutine
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest

import truetty
from tests.acceptance import test_exact as exact
from tests.acceptance import test_life as life
from tests.acceptance import test_scenarios as scenarios
from tests.acceptance import test_waiting as waiting
from truetty import sync
from truetty.sync.bridge import Face, unwrap

ASYNC = {sync.Terminal: truetty.Terminal, sync.Command: truetty.Command}


class Ashore:
    """A face, called as the object behind it is called."""

    def __init__(self, face: Face[object]) -> None:
        self._face = face

    def __getattr__(self, name: str) -> object:
        if name.startswith("_"):  # what a test looks at inside the terminal
            return getattr(unwrap(self._face), name)
        value = getattr(self._face, name)
        original = inspect.getattr_static(ASYNC.get(type(self._face)), name, None)
        if not inspect.iscoroutinefunction(original):
            return ashore(value)

        async def call(*arguments: object, **named: object) -> object:
            return ashore(await asyncio.to_thread(value, *arguments, **named))

        return call

    def __repr__(self) -> str:
        return repr(self._face)


class Terminal(Ashore):
    def __init__(self, *arguments: Any, **named: Any) -> None:
        self._arguments, self._named = arguments, named

    async def __aenter__(self) -> Self:
        self._face = await asyncio.to_thread(sync.Terminal, *self._arguments, **self._named)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self._face.__exit__, kind, error, trace)  # type: ignore[attr-defined]


def ashore(value: object) -> object:
    return Ashore(value) if isinstance(value, sync.Terminal | sync.Command) else value


SECRET = "read -sp 'Secret: ' x; echo; echo ${#x}"
Scenario = Callable[..., Coroutine[object, object, None]]
SCENARIOS: list[tuple[Scenario, dict[str, object]]] = [
    (scenarios.test_a_quick_command_is_finished_by_its_mark, {"shell": "bash"}),
    (scenarios.test_a_quick_command_is_finished_by_its_mark, {"shell": "zsh"}),
    (scenarios.test_broken_integration_is_finished_by_the_kernel, {"shell": "bash", "way": "files"}),
    (scenarios.test_a_shell_that_dies, {"shell": "bash", "text": "exit 3", "code": 3, "signal": None}),
    (scenarios.test_a_shell_that_dies, {"shell": "bash", "text": "kill -9 $$", "code": 137, "signal": "SIGKILL"}),
    (scenarios.test_exec_of_another_shell, {"shell": "bash", "other": "dash"}),
    (scenarios.test_a_nested_shell_waits, {"shell": "bash", "nested": "dash"}),
    (waiting.test_a_secret_is_asked_for_and_not_kept, {"shell": "bash", "text": SECRET, "prompt": "Secret: "}),
    (waiting.test_each_question_is_a_new_waiting, {"shell": "bash"}),
    (waiting.test_waiting_until_a_pattern, {}),
    (life.test_an_interrupted_program, {"shell": "bash"}),
    (life.test_a_program_that_ignores_the_interrupt_is_killed, {"shell": "bash"}),
    (life.test_suspended_and_taken_up_again, {"shell": "bash"}),
    (life.test_one_command_at_a_time, {"shell": "bash"}),
    (life.test_a_closed_terminal_refuses_everything, {"shell": "bash"}),
    (exact.test_nul_is_refused, {"shell": "bash"}),
    (exact.test_one_long_word, {"shell": "bash", "size": 200_000}),
    (exact.test_every_byte, {"shell": "bash"}),
]


@pytest.mark.parametrize(("scenario", "arguments"), SCENARIOS, ids=lambda one: getattr(one, "__name__", ""))
async def test_through_the_face(
    scenario: Scenario,
    arguments: dict[str, object],
    home: Path,
    tmp_path: Path,
    program: Callable[[str], str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[Terminal] = []

    def make(*arguments: Any, **named: Any) -> Terminal:
        made.append(Terminal(*arguments, **named))
        return made[-1]

    monkeypatch.setattr(truetty, "Terminal", make)
    known = {"home": home, "tmp_path": tmp_path, "program": program, **arguments}
    await scenario(**{name: known[name] for name in inspect.signature(scenario).parameters})
    assert made
