"""`truetty.sync.connect`: the same, blocking, for plain scripts and threads."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from tests.patience import PATIENCE
from truetty import events, sync, until

LONG = PATIENCE


@pytest.fixture
def registry(where: str) -> Any:
    with sync.connect(where) as registry:
        yield registry
        for terminal in registry.list():
            terminal.close()


def test_a_terminal(registry: sync.Registry) -> None:
    terminal = registry.open("bash", rc=False, name="build")
    assert isinstance(terminal, sync.Terminal)
    assert (terminal.name, terminal.busy, terminal.closed) == ("build", False, False)
    assert terminal.run("echo hi", wait=LONG).output == "hi\n"
    command = terminal.command
    assert isinstance(command, sync.Command) and isinstance(command.output, sync.Output)
    output = command.output
    assert (output.text(), output.raw(), output.lines, output.unread()) == ("hi\n", b"hi\r\n", 1, "hi\n")
    assert [match.line for match in output.grep("h")] == ["hi"]
    assert "hi" in terminal.screen().text and b"hi" in terminal.transcript.read()
    assert registry.get("build") is terminal and registry.list() == [terminal]
    terminal.name = "other"
    assert terminal.name == "other"
    terminal.close()
    assert terminal.closed and registry.list() == []


def test_a_conversation(registry: sync.Registry) -> None:
    terminal = registry.open("bash", rc=False)
    command = terminal.start("read -p 'Name? ' x; echo got $x")
    assert command.wait(LONG).state == "waiting"
    command.send("ada\n")
    assert command.wait(LONG, until.Match("got (.*)")).reached in ("match", "exit")
    assert command.wait(LONG, "finished").output == "Name? ada\ngot ada\n"
    kinds = [type(event) for event in command.events()]
    assert kinds[0] is events.Started and kinds[-1] is events.Finished


def test_a_callback_is_called_in_a_thread(registry: sync.Registry) -> None:
    threads: list[str] = []

    def answer(waiting: Any) -> str:
        threads.append(threading.current_thread().name)
        return "yes\n"

    terminal = registry.open("bash", rc=False, on_waiting=answer)
    assert terminal.run("read -p 'Go? ' x; echo $x", wait=LONG).output == "Go? yes\nyes\n"
    assert threads == ["truetty.sync callback"]


def test_threads_are_callers(registry: sync.Registry) -> None:
    mine = registry.acquire(task="a", shell="bash", rc=False)
    assert registry.acquire(task="a", shell="bash", rc=False) is mine
    found: list[sync.Terminal] = []
    thread = threading.Thread(target=lambda: found.append(registry.acquire(task="a", shell="bash", rc=False)))
    thread.start()
    thread.join(LONG)
    assert found and found[0] is not mine
    assert set(registry.release("a")) == {mine, *found}
    assert registry.limits.terminals is not None and registry.warm == 0


def test_terminals_outlive_the_connection(where: str) -> None:
    with sync.connect(where) as registry:
        registry.open("bash", rc=False, name="stays").run("x=5", wait=LONG)
    with sync.connect(where) as registry:
        assert registry.get("stays").run("echo $x", wait=LONG).output == "5\n"
        registry.get("stays").close()
