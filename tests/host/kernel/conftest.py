"""Real shells on real ptys, with a fresh HOME; every process started is ended with its test."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.host.kernel.driver import SHELLS, Pty
from truetty.host.kernel.prompts import Prompts

Start = Callable[..., Pty]


@pytest.fixture
def known() -> Prompts:
    """What was learnt in this test, and nothing from others."""
    return Prompts()


@pytest.fixture
def start(home: Path, program: Callable[[str], str], known: Prompts) -> Iterator[Start]:
    """Start a program on a pty: a shell by its name, or any other by its arguments. `prompt=False` does not wait."""
    started: list[Pty] = []

    def starting(*argv: str, prompt: bool = True, env: dict[str, str] | None = None) -> Pty:
        argv = SHELLS.get(argv[0], argv) if len(argv) == 1 else argv
        variables = {"HOME": str(home), "PATH": os.environ["PATH"], "TERM": "xterm-256color", **(env or {})}
        pty = Pty(program(argv[0]), argv, variables, known)
        started.append(pty)
        if prompt:
            pty.learn()
        return pty

    yield starting
    for pty in started:
        pty.close()
