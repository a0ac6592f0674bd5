"""Commands that a person must allow, on the command line: what is said while they wait, and how they end."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import warm
from tests.cli.test_run_kept import eventually
from tests.patience import PATIENCE
from tests.server.live import Live

POLICY = '[policy]\ndefault = "ask"\nallow = ["echo", "true", "sleep"]\ndeny = ["rm"]\n'


@pytest.fixture(autouse=True)
def server(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Live]:
    monkeypatch.setenv("TRUETTY_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("SHELL", "/bin/bash")
    monkeypatch.delenv("TRUETTY_ON", raising=False)
    (home / ".config/truetty").mkdir(parents=True)
    (home / ".config/truetty/truetty.toml").write_text(POLICY)
    live = Live(tmp_path / "state")
    live.post("/v1/terminals", name="build", shell="bash", rc=False, cwd=str(home), environ=dict(os.environ))
    yield live
    live.end()


def call(*words: str) -> tuple[int, str, str]:
    done = warm.run(*words, stdin=None, env=dict(os.environ))
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def begin(*words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "truetty", "run", *words]
    pipes: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, text=True, **pipes)


def said(process: subprocess.Popen[str]) -> str:
    assert process.stderr is not None
    return process.stderr.readline()


WAYS = {
    "in": (("--in", "build"), "t1", ""),
    "wait": (("--in", "build", "--wait", "1000"), "t1", ""),
    "detach": (("--in", "build", "--detach"), "t1", "t1-1\n"),
    "keep": (("--keep", "--no-rc"), "t2", ""),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_question_is_said_at_once(server: Live, home: Path, way: str) -> None:
    words, terminal, printed = WAYS[way]
    with begin(*words, f"touch {home}/made") as process:
        assert said(process) == "truetty: waits for a yes (q1): truetty allow q1\n"
        listed = call("list")[1].splitlines()
        assert listed[1].startswith(terminal) and "asking" in listed[1] and "truetty allow q1" in listed[1]
        assert not (home / "made").exists()
        assert call("allow", "q1")[0] == 0
        out, _ = process.communicate(timeout=PATIENCE)
        assert (process.returncode, out) == (0, printed)
    eventually(lambda: (home / "made").exists())


def test_json_says_how_to_ask_again(server: Live, home: Path) -> None:
    status, printed, complaint = call("run", "--in", "build", "--json", "--wait", "1", f"touch {home}/made")
    assert status == 124
    # On a busy machine the patience may be over before the question is said: `test_the_question_is_said_at_once`.
    assert complaint in ("truetty: waits for a yes (q1): truetty allow q1\n", "")
    told = json.loads(printed)
    assert (told["state"], told["question_id"], told["command_id"]) == ("not started", "q1", None)
    assert told["message"] == "no person has answered q1 within 1 s: it is taken back, nothing was run"
    assert told["go_on"] == [f"truetty run --in build --wait 1 --json 'touch {home}/made'"]
    assert server.get("/v1/questions")["questions"] == []
    assert call("allow", "q1")[0] == 125 and not (home / "made").exists()


@pytest.mark.parametrize("place", [("--in", "build"), ("--keep", "--cwd", "1.0", "--env", "A=1", "--env", "B=2 3")])
def test_the_patience_is_over(
    server: Live, home: Path, monkeypatch: pytest.MonkeyPatch, place: tuple[str, ...]
) -> None:
    (home / "1.0").mkdir()
    monkeypatch.chdir(home)
    status, printed, complaint = call("run", "--wait", "0.5", "--timeout", "90", *place, "touch made")
    assert (status, printed) == (124, "")
    again = f"{shlex.join(place)} --wait 0.5 --timeout 90"
    assert complaint.splitlines()[-2:] == [
        "truetty: no person has answered q1 within 0.5 s: it is taken back, nothing was run",
        f"To ask again: truetty run {again} 'touch made'",
    ]
    assert [one["id"] for one in server.get("/v1/terminals")["terminals"]] == ["t1"]


def test_the_wait_goes_on_after_the_yes(server: Live, home: Path) -> None:
    with begin("--in", "build", "--wait", "5", "touch made; sleep 1000") as process:
        said(process)
        assert call("allow", "q1")[0] == 0
        _, complaint = process.communicate(timeout=PATIENCE)
        assert process.returncode == 124 and "t1-1 is running" in complaint
    assert server.get("/v1/commands/t1-1")["state"] == "running"


def test_a_no(server: Live) -> None:
    with begin("--in", "build", "touch made") as process:
        said(process)
        assert call("deny", "q1", "not now")[0] == 0
        _, complaint = process.communicate(timeout=PATIENCE)
        assert process.returncode == 125 and complaint.endswith('The answer was no. "not now" Nothing was run.\n')


def test_a_command_that_the_policy_denies(server: Live) -> None:
    for words in (("--in", "build"), ("--keep", "--no-rc"), ("--detach",)):
        status, printed, complaint = call("run", *words, "rm made")
        assert (status, printed) == (125, "") and complaint.count("\n") == 1
        assert "rm" in complaint and complaint.endswith(". Nothing was run.\n"), complaint


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_question_is_taken_back_when_its_caller_ends(server: Live, number: int) -> None:
    with begin("--in", "build", "touch made") as process:
        said(process)
        process.send_signal(number)
        process.wait(PATIENCE)
    eventually(lambda: server.get("/v1/questions")["questions"] == [])
    assert server.get("/v1/terminals/build")["command"] is None


def test_the_next_server_is_asked_again(server: Live, home: Path) -> None:
    with begin("--in", "build", "touch made; echo run >> times") as process:
        said(process)
        os.kill(server.pid(), signal.SIGKILL)
        assert said(process) == "truetty: waits for a yes (q2): truetty allow q2\n"  # numbers are not used again
        assert call("allow", "q2")[0] == 0
        process.communicate(timeout=PATIENCE)
        assert process.returncode == 0
    assert (home / "times").read_text() == "run\n"


def test_the_list_says_who_has_the_keyboard(server: Live) -> None:
    server.post("/v1/terminals/build/lease", holder="ana@desk")
    assert "ana@desk has the keyboard" in call("list")[1]


@pytest.mark.parametrize("words", [("send", "build", "yes", "--enter"), ("answer", "build", "yes")])
def test_typing_waits_for_a_yes_too(server: Live, words: tuple[str, ...]) -> None:
    with begin("--in", "build", "--detach", "read -p 'Sure? ' x; echo got $x") as process:
        said(process)
        assert call("allow", "q1")[0] == 0
        assert process.wait(PATIENCE) == 0
    server.get("/v1/commands/t1-1/wait?timeout=60&until=input")
    command = [sys.executable, "-m", "truetty", *words]
    pipes: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as process:
        assert said(process) == "truetty: waits for a yes (q2): truetty allow q2\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 128 + signal.SIGINT
    eventually(lambda: server.get("/v1/questions")["questions"] == [])
    assert server.get("/v1/commands/t1-1")["state"] == "waiting"
    with subprocess.Popen(command, text=True, **pipes) as process:
        assert said(process) == "truetty: waits for a yes (q3): truetty allow q3\n"
        assert "yes<Enter>" in call("questions")[1]
        assert call("allow", "q3")[0] == 0
        assert process.wait(PATIENCE) == 0
    assert server.get("/v1/commands/t1-1/wait?timeout=60&until=exit")["output"] == "Sure? yes\ngot yes\n"
