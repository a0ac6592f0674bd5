"""What signals mean to a command of ours: the end, or Ctrl-C for the program that runs in the terminal."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Coroutine, Iterator
from typing import Final

from truetty import Command

HANGUPS: Final = (signal.SIGTERM, signal.SIGHUP)  # they end us, where Ctrl-C is a command's or a shell's
ENDING: Final = (signal.SIGINT, *HANGUPS)  # they end us


@contextlib.contextmanager
def ended_by(*numbers: int) -> Iterator[None]:
    """These end us and all we started: the task is cancelled, with the signal as its reason.

    Only the first of them does. One more would cancel the closing too, and leave what was not closed yet.
    """
    loop, main = asyncio.get_running_loop(), asyncio.current_task()
    assert main is not None
    received: list[int] = []

    def end(number: int) -> None:
        received.append(number)
        if len(received) == 1:
            main.cancel(number)

    for number in numbers:
        loop.add_signal_handler(number, end, number)
    try:
        yield
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)


@contextlib.contextmanager
def interrupts(command: Command) -> Iterator[None]:
    """Ctrl-C goes to the command; a second one ends it, whatever it does. HUP and TERM end us and all we started."""
    loop = asyncio.get_running_loop()
    tasks: list[asyncio.Task[object]] = []

    async def press() -> object:
        return await (command.kill() if len(tasks) > 1 else command.interrupt())

    def interrupt() -> None:
        task = asyncio.ensure_future(press())
        task.add_done_callback(lambda done: done.cancelled() or done.result())  # its error is the loop's to report
        tasks.append(task)

    with ended_by(*HANGUPS):
        loop.add_signal_handler(signal.SIGINT, interrupt)
        try:
            yield
        finally:
            loop.remove_signal_handler(signal.SIGINT)


def run_until_signalled(work: Coroutine[object, object, int]) -> int:
    """The status that the work gives; 128 and the signal where one has cancelled it."""
    try:
        return asyncio.run(work)
    except asyncio.CancelledError as error:
        return 128 + ending_signal(error)


def ending_signal(error: asyncio.CancelledError) -> int:
    """The one that has cancelled a task."""
    return next((number for number in error.args if isinstance(number, int)), signal.SIGTERM)
