"""From an order to what a host executes: the shell's own recipe, its files written, its variables put together."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from truetty.core.errors import SpawnFailed
from truetty.host import environment
from truetty.host.base import Order, PrivateFiles
from truetty.shells.row import LaunchRequest
from truetty.shells.writing import own_name

NO_FILES: Final = "no place for private files"


@dataclass(frozen=True, slots=True)
class Execution:
    """What is to be executed on the pty."""

    program: str
    argv: tuple[str, ...]  # argv[0] included
    env: Mapping[str, str]


def prepare(order: Order, files: PrivateFiles, inherited: Mapping[str, str], cwd: str | None = None) -> Execution:
    """Writes the files that the shell reads when it starts. `inherited`: the variables of the place where it runs.

    Raises `SpawnFailed` when there is no room for the files.
    """
    found = order.found
    env = environment.build(inherited, order.env, cwd)
    name = own_name(order.key)
    request = LaunchRequest(found.program, found.arguments, files.path, order.key, name, order.rc, env, order.history)
    launch = found.row.launch(request)
    with refusal(order, NO_FILES):
        files.write(launch.files, lasting=True)
    argv = (os.path.basename(found.program), *launch.arguments)
    return Execution(found.program, argv, environment.with_changes(env, launch.env))


@contextmanager
def refusal(order: Order, what: str) -> Iterator[None]:
    """What the system refuses becomes an error that says what was to be done."""
    try:
        yield
    except OSError as error:
        raise spawn_failed(order, f"{what}: {error.strerror}", error.strerror) from error


def spawn_failed(order: Order, text: str, reason: str | None) -> SpawnFailed:
    return SpawnFailed(text, shell=order.found.program, cwd=order.cwd, reason=reason)
