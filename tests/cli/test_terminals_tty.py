"""The tty of a person who follows a command of the server: as it was before at every end, and no key is left in it."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import truetty
from tests.cli.test_suspension import eventually
from tests.patience import PATIENCE
from tests.server.live import Live
from truetty.sync import Command, Terminal

SOURCE = str(Path(truetty.__file__).parents[1])
TYPED = "touch typed-by-mistake"
# Not bash: it forgets a signal that comes between the end of a program and the next command (5 of 11,000, on a busy
# machine, in a terminal without truetty).
STUBBORN = "sh -c 'trap \"echo heard\" INT; echo begun; while :; do sleep 0.1; done'"


@pytest.fixture
def server(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Live]:
    monkeypatch.delenv("TRUETTY_ON", raising=False)
    monkeypatch.setenv("TRUETTY_STATE", str(tmp_path / "state"))
    live = Live(tmp_path / "state")
    live.post("/v1/terminals", name="build", shell="bash", rc=False, environ=dict(os.environ))
    yield live
    live.end()


@pytest.fixture
def outer(server: Live, tmp_path: Path) -> Iterator[Terminal]:
    """A person's bash, in which `truetty run` is typed."""
    env = {"PYTHONPATH": SOURCE, "SHELL": "/bin/bash", "TRUETTY_STATE": str(tmp_path / "state")}
    with Terminal("bash", rc=False, cwd=tmp_path, env=env) as terminal:
        yield terminal


def run(*words: str) -> str:
    return shlex.join([sys.executable, "-m", "truetty", "run", "--in", "build", *words])


def follow(outer: Terminal, *words: str) -> Command:
    """Until it has begun. At its end it says its status, the tty's modes, and whether a key is left."""
    command = outer.start(f"{run(*words)}; echo status $?; stty -g; read -t 0 && echo left")
    eventually(lambda: "begun" in command.output.text(), outer)
    return command


def end(outer: Terminal, command: Command) -> list[str]:
    command.wait(PATIENCE, until="finished")
    assert command.finished, outer.screen().text
    return command.output.text().splitlines()


def followers(server: Live) -> list[int]:
    """Processes that follow a command of it."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                words = (folder / "cmdline").read_bytes().split(b"\0")
                environ = (folder / "environ").read_bytes()
            except OSError:
                continue
            if b"--in" in words and f"TRUETTY_STATE={server.place.folder}".encode() in environ:
                found.append(int(folder.name))
    return found


@pytest.mark.parametrize("ending", ["interrupts", "patience", "terminated", "closed"])
def test_it_is_as_it_was(server: Live, outer: Terminal, tmp_path: Path, ending: str) -> None:
    before = outer.run("stty -g").output.strip()
    command = follow(outer, *(["--wait", "3"] if ending == "patience" else []), STUBBORN)
    outer.send(f"{TYPED}\r")
    status = 124
    match ending:
        case "interrupts":
            outer.press("C-c")
            eventually(lambda: "heard" in command.output.text(), outer)
            outer.press("C-c")
            status = 128 + signal.SIGINT
        case "terminated":
            (pid,) = followers(server)
            os.kill(pid, signal.SIGTERM)
            status = 128 + signal.SIGTERM
        case "closed":
            server.ask("DELETE", "/v1/terminals/build")
            status = 128 + signal.SIGHUP
    lines = end(outer, command)
    assert f"status {status}" in lines and lines[-1] == before, lines
    assert TYPED not in "\n".join(lines)  # no echo
    assert not (tmp_path / "typed-by-mistake").exists()


def test_it_is_as_it_was_while_we_are_stopped(server: Live, outer: Terminal) -> None:
    before = outer.run("stty -g").output.strip()
    started = outer.start(run("echo begun; read -p 'Sure? ' x; echo \"<$x>\""))
    eventually(lambda: "Sure? " in started.output.text(), outer)
    outer.press("C-z")
    assert started.wait(PATIENCE, until="finished").exit_code == 148
    assert outer.run("stty -g").output.strip() == before
    again = outer.start("fg")
    server.get("/v1/commands/t1-1/wait?timeout=60&until=input")
    eventually(lambda: bool(again.reader), outer)
    outer.send("yes\r")
    outcome = again.wait(PATIENCE, until="finished")
    assert outcome.exit_code == 0 and "<yes>" in outcome.output, outer.screen().text
    assert outer.run("stty -g").output.strip() == before


def test_in_the_background_it_takes_no_key(server: Live, outer: Terminal) -> None:
    before = outer.run("stty -g").output.strip()
    outer.run(f"{run('read -p Sure? x')} 2>said &")
    eventually(lambda: "truetty answer t1-1" in outer.run("cat said").output, outer)
    assert outer.run("stty -g; jobs").output.startswith(before)
    assert "Running" in outer.run("jobs").output
    server.post("/v1/commands/t1-1/type", text="yes\n")
    eventually(lambda: "Done" in outer.run("jobs").output, outer)


@pytest.mark.parametrize("way", ["followed", "without a keyboard", "logged"])
def test_what_a_terminal_has_printed_stands_there_once(server: Live, outer: Terminal, way: str) -> None:
    """No second CR before LF, and one ^C, whichever tty echoes it."""
    prints = "echo begun; echo two; sleep 1000"
    line = {
        "followed": run(prints),
        "without a keyboard": f"{run(prints)} </dev/null",
        "logged": shlex.join([sys.executable, "-m", "truetty", "log", "--follow", "build"]),
    }[way]
    if way == "logged":
        server.post("/v1/commands", terminal="build", command=prints)
    command = outer.start(line)
    eventually(lambda: "two\n" in command.output.text(), outer)
    if way == "logged":
        server.post("/v1/commands/t1-1/interrupt")
    else:
        outer.press("C-c")
    assert command.wait(PATIENCE, until="finished").exit_code == 130
    printed = command.output.read(0)
    assert printed.startswith(b"begun\r\ntwo\r\n") and b"\r\r" not in printed, printed
    assert printed.count(b"^C") == 1, printed
