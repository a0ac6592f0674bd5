"""`truetty run --json` that a signal, `--wait` or the end of its input has ended: one object says what is true."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_run import lives
from tests.cli.test_run_kept import call, catches, eventually, terminals
from tests.patience import PATIENCE
from tests.server.live import Live

PLAIN = ("--shell", "bash", "--no-rc")
ENDS = pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
HEARS = "sh -c 'trap \"echo heard\" INT; echo $$; echo begun; while :; do sleep 0.1; done'"
ASKING = '[policy]\ndefault = "ask"\nallow = ["echo", "true"]\n'


@pytest.fixture(autouse=True)
def server(own_server: Live, home: Path, monkeypatch: pytest.MonkeyPatch) -> Live:
    monkeypatch.chdir(home)
    return own_server


def begin(*words: str, stdin: int = subprocess.DEVNULL) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "truetty", "run", "--json", *words]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, text=True, stdin=stdin, **pipes)


def told(process: subprocess.Popen[str]) -> Any:
    """The one object that it prints."""
    printed, _ = process.communicate(timeout=PATIENCE)
    (line,) = printed.splitlines()
    return json.loads(line)


def open_one(server: Live, name: str = "build") -> None:
    server.post("/v1/terminals", name=name, shell="bash", rc=False, cwd=os.getcwd(), environ=dict(os.environ))


def has_begun(server: Live, id: str) -> bool:
    if not server.is_running():
        return False
    found = server.ask("GET", f"/v1/commands/{id}/report")
    return found.status == 200 and "begun" in found.json["output"]


# -- in a terminal that stays


@ENDS
@pytest.mark.parametrize("place", [("--in", "build"), ("--keep", *PLAIN)])
def test_a_command_that_goes_on(server: Live, place: tuple[str, ...], number: int) -> None:
    open_one(server)
    id = "t1-1" if "--in" in place else "t2-1"
    with begin(*place, HEARS) as process:
        eventually(lambda: has_begun(server, id) and catches(process.pid, number))
        process.send_signal(number)
        outcome = told(process)
        assert process.returncode == 128 + number
    assert (outcome["command_id"], outcome["state"], outcome["closed"]) == (id, "running", False)
    assert outcome["notes"] == [f"{signal.Signals(number).name} has ended truetty run; the command goes on"]
    assert outcome["go_on"] == [f"truetty log --follow {id}", f"truetty wait {id}"]
    assert server.get(f"/v1/commands/{id}")["state"] == "running"


@pytest.mark.parametrize("place", [("--in", "build"), ("--keep", *PLAIN)])
def test_a_second_interrupt_leaves_it(server: Live, place: tuple[str, ...]) -> None:
    open_one(server)
    id = "t1-1" if "--in" in place else "t2-1"
    with begin(*place, HEARS) as process:
        eventually(lambda: has_begun(server, id) and catches(process.pid, signal.SIGALRM))
        process.send_signal(signal.SIGINT)
        eventually(lambda: "heard" in server.get(f"/v1/commands/{id}/report")["output"])
        process.send_signal(signal.SIGINT)
        outcome = told(process)
        assert process.returncode == 128 + signal.SIGINT
    assert (outcome["state"], outcome["go_on"][1]) == ("running", f"truetty wait {id}")
    assert outcome["notes"] == ["SIGINT has ended truetty run; the command goes on"]


# -- in a terminal that ends with us


@ENDS
@pytest.mark.parametrize("where", ["server", "here"])
def test_a_command_that_ends_with_it(server: Live, where: str, number: int) -> None:
    stdin = subprocess.DEVNULL if where == "server" else subprocess.PIPE
    with begin(*PLAIN, f"{HEARS} > out", stdin=stdin) as process:
        eventually(lambda: Path("out").exists() and "begun" in Path("out").read_text())
        process.send_signal(number)
        outcome = told(process)
        assert process.returncode == 128 + number
    assert (outcome["command_id"], outcome["state"], outcome["closed"]) == ("t1-1", "finished", True)
    assert outcome["notes"][-1] == f"{signal.Signals(number).name} has ended truetty run, and the command with it"
    assert "go_on" not in outcome
    eventually(lambda: not lives(int(Path("out").read_text().split()[0])))
    assert where == "here" or terminals(server) == []


@pytest.mark.parametrize("where", ["server", "here"])
def test_patience_that_is_over(server: Live, where: str) -> None:
    stdin = subprocess.DEVNULL if where == "server" else subprocess.PIPE
    with begin(*PLAIN, "--wait", "1", "sleep 1000", stdin=stdin) as process:
        outcome = told(process)
        assert process.returncode == 124
    assert (outcome["state"], outcome["exit_code"], outcome["closed"]) == ("running", None, True)
    assert outcome["notes"][-1] == "--wait was over, and the command was ended"


def test_a_question_that_nothing_answers(server: Live, home: Path) -> None:
    (home / ".config/truetty").mkdir(parents=True)
    (home / ".config/truetty/truetty.toml").write_text(ASKING)
    with begin(*PLAIN, "read -p 'Sure? ' x") as process:
        outcome = told(process)
        assert process.returncode == 124
    assert (outcome["state"], outcome["waiting"]["prompt"], outcome["closed"]) == ("waiting", "Sure? ", True)
    assert outcome["notes"][-1] == "it asked for input ('Sure?'), there was no more, and it was ended"
    assert not server.is_running()


# -- before it was started


@pytest.fixture
def asking(server: Live, home: Path) -> Live:
    (home / ".config/truetty").mkdir(parents=True)
    (home / ".config/truetty/truetty.toml").write_text(ASKING)
    open_one(server)
    return server


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("place", [("--in", "build"), ("--keep", *PLAIN), ("--in", "build", "--detach")])
def test_a_person_was_asked(asking: Live, place: tuple[str, ...], number: int) -> None:
    with begin(*place, "touch made") as process:
        assert process.stderr is not None and "truetty allow q1" in process.stderr.readline()
        process.send_signal(number)
        outcome = told(process)
        assert process.returncode == 128 + number
    assert (outcome["state"], outcome["command_id"], outcome["question_id"]) == ("not started", None, "q1")
    name = signal.Signals(number).name
    assert outcome["message"] == f"{name} has ended truetty run: q1 is taken back, nothing was run"
    assert asking.get("/v1/questions")["questions"] == [] and terminals(asking) == ["t1"]
    assert not Path("made").exists()


def test_a_no_is_no_outcome(asking: Live) -> None:
    for place in (("--in", "build"), ("--keep", *PLAIN)):
        with begin(*place, "touch made") as process:
            assert process.stderr is not None
            question = process.stderr.readline().split()[-1]
            assert call("deny", question, "not now")[0] == 0
            error = told(process)["error"]
            assert process.returncode == 125
        assert (error["code"], error["question_id"], error["answered"]) == ("denied", question, False)
        assert 'The answer was no. "not now"' in error["message"]
    assert terminals(asking) == ["t1"]


def test_after_the_yes_it_has_a_command(asking: Live) -> None:
    with begin("--in", "build", "touch made; sleep 1000") as process:
        assert process.stderr is not None and "truetty allow q1" in process.stderr.readline()
        assert call("allow", "q1")[0] == 0
        eventually(lambda: Path("made").exists())
        process.send_signal(signal.SIGTERM)
        outcome = told(process)
        assert process.returncode == 128 + signal.SIGTERM
    assert (outcome["command_id"], outcome["state"]) == ("t1-1", "running")
