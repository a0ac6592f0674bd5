"""A terminal works in the process and on the event loop that have opened it, and ends when no caller holds it."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
import warnings
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

import truetty
import truetty.sync
from tests.acceptance.session import PATIENCE, eventually, opened


async def refusal_of(work: Coroutine[Any, Any, object]) -> str:
    try:
        await work
    except truetty.Misuse as error:
        return str(error)
    return "nothing was refused"


async def test_a_forked_child_is_refused_and_harms_nothing(home: Path) -> None:
    async with opened("bash", home) as terminal:
        await terminal.run("x=parent", wait=PATIENCE)
        read, write = os.pipe()
        child = os.fork()
        if not child:  # the loop of the parent is not for us: drive the coroutines by hand
            try:
                said = []
                for work in (terminal.run("x=child"), terminal.send("x=child\n"), terminal.press("Enter")):
                    try:
                        work.send(None)
                        said.append("nothing was refused")
                    except truetty.Misuse as error:
                        said.append(str(error))
                with pytest.raises(StopIteration):
                    terminal.close().send(None)
                os.write(write, "\n".join(said).encode())
            finally:
                os._exit(0)
        os.close(write)
        heard = await asyncio.to_thread(_read_all, read)
        assert os.waitpid(child, 0)[1] == 0
        lines = heard.splitlines()
        assert len(lines) == 3 and all(f"was opened in process {os.getpid()}, and this is" in line for line in lines)
        outcome = await terminal.run("echo $x", wait=PATIENCE)
        assert (outcome.output, outcome.evidence) == ("parent\n", "mark")


def _read_all(descriptor: int) -> str:
    with open(descriptor, encoding="utf-8") as pipe:
        return pipe.read()


def test_a_loop_that_is_closed(home: Path) -> None:
    async def start() -> tuple[truetty.Terminal, truetty.Command]:
        terminal = await truetty.Terminal.open("bash", env={"HOME": str(home)})
        return terminal, await terminal.start("sleep 1000")

    terminal, command = asyncio.run(start())
    for work in (terminal.run("true"), terminal.send("x"), command.wait(PATIENCE), command.send("x")):
        assert "belongs to an event loop that is closed" in asyncio.run(refusal_of(work))
    asyncio.run(terminal.close())


async def test_a_loop_of_another_thread(home: Path) -> None:
    async with opened("bash", home) as terminal:
        said: list[str] = []
        thread = threading.Thread(target=lambda: said.append(asyncio.run(refusal_of(terminal.run("true")))))
        thread.start()
        await asyncio.to_thread(thread.join)
        assert "belongs to another event loop" in said[0]
        assert (await terminal.run("echo here", wait=PATIENCE)).output == "here\n"


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.parametrize("line", [None, "sleep 1000"])
async def test_a_terminal_that_no_caller_holds_is_closed(home: Path, line: str | None) -> None:
    terminal: truetty.Terminal | None = await truetty.Terminal.open("bash", env={"HOME": str(home)})
    assert terminal is not None and terminal.pid is not None
    pid = terminal.pid
    if line is not None:
        await terminal.start(line)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        terminal = None
        gc.collect()
    assert any("was not closed" in str(one.message) for one in caught if one.category is ResourceWarning)
    await eventually(lambda: not is_alive(pid), "its shell has ended")


async def test_a_command_holds_its_terminal(home: Path) -> None:
    command = await (await truetty.Terminal.open("bash", env={"HOME": str(home)})).start("echo one; read x")
    gc.collect()
    assert (await command.wait(PATIENCE)).state == "waiting"
    await command.send("two\n")
    assert (await command.wait(PATIENCE)).ok


def test_a_terminal_whose_loop_has_ended_leaves_no_process_and_no_file(home: Path) -> None:
    terminal: truetty.Terminal | None = asyncio.run(truetty.Terminal.open("bash", env={"HOME": str(home)}))
    assert terminal is not None and terminal.pid is not None and terminal._conversation is not None
    pid, folder = terminal.pid, Path(terminal._conversation.link.channel.files.path)
    child = os.fork()
    if child == 0:  # its copy is not its own to remove
        terminal = None
        gc.collect()
        os._exit(0 if folder.exists() else 1)
    assert os.waitpid(child, 0)[1] == 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        terminal = None
        gc.collect()
    assert not folder.exists()
    asyncio.run(eventually(lambda: not is_alive(pid), "its shell has ended"))


def test_a_blocking_terminal_that_no_caller_holds_is_closed(home: Path) -> None:
    terminal: truetty.sync.Terminal | None = truetty.sync.Terminal("bash", env={"HOME": str(home)})
    assert terminal is not None and terminal.pid is not None
    pid = terminal.pid
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        terminal = None
        gc.collect()
    asyncio.run(eventually(lambda: not is_alive(pid), "its shell has ended"))
