"""`truetty run --keep` and `truetty run --json`: in a terminal of a real server, which outlives them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests import warm
from tests.cli.test_run import lives
from tests.patience import PATIENCE
from tests.server.live import Live

PLAIN = ("run", "--shell", "bash", "--no-rc")
ASKS = "read -p 'Sure? ' x; echo \"said $x\"; (exit 3)"
# As where the extra `server` is not installed.
BARE = "import sys; sys.modules['starlette'] = None; from truetty.cli import main; main()"


@pytest.fixture(autouse=True)
def server(own_server: Live) -> Live:
    return own_server


def call(*words: str, stdin: bytes | None = None, env: Mapping[str, str] | None = None) -> tuple[int, str, str]:
    done = warm.run(*words, stdin=stdin, env={**os.environ, **(env or {})})
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def run(*words: str, stdin: bytes | None = None, env: Mapping[str, str] | None = None) -> tuple[int, str, str]:
    return call(*PLAIN, *words, stdin=stdin, env=env)


def terminals(server: Live) -> list[str]:
    return [one["id"] for one in server.get("/v1/terminals")["terminals"]]


def eventually(condition: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def catches(pid: int, number: int) -> bool:
    status = Path(f"/proc/{pid}/status").read_text()
    return bool(int(status.partition("SigCgt:")[2].split()[0], 16) >> (number - 1) & 1)


# -- --json


def test_json_leaves_what_asks_running(server: Live) -> None:
    status, printed, said = run("--json", ASKS)
    outcome = json.loads(printed)
    assert (status, said, outcome["state"], outcome["waiting"]["prompt"]) == (124, "", "waiting", "Sure? ")
    assert outcome["go_on"] == ["truetty answer t1-1", "truetty wait t1-1"]
    assert outcome["reached"] == "input"
    assert call(*outcome["go_on"][0].split()[1:], "yes")[0] == 0
    assert call(*outcome["go_on"][1].split()[1:])[0] == 3
    assert server.get("/v1/commands/t1-1/report")["output"] == "Sure? yes\nsaid yes\n"
    eventually(lambda: terminals(server) == [])


def test_json_names_attach_for_what_has_the_whole_screen(server: Live, home: Path) -> None:
    (home / "lines").write_text("line\n" * 200)
    status, printed, _ = run("--json", "--cwd", str(home), "less lines")
    assert (status, json.loads(printed)["waiting"]["kind"]) == (124, "fullscreen")
    assert json.loads(printed)["go_on"] == ["truetty attach t1 --take", "truetty wait t1-1"]


def test_json_is_closed_by_the_server_that_follows(server: Live) -> None:
    assert run("--json", ASKS)[0] == 124
    os.kill(server.pid(), signal.SIGKILL)
    assert terminals(server) == ["t1"]
    eventually(lambda: server.get("/v1/commands/t1-1")["state"] == "waiting")
    assert call("answer", "t1-1", "yes")[0] == 0
    eventually(lambda: terminals(server) == [])
    assert call("wait", "t1-1")[0] == 3


def test_json_is_closed_though_its_caller_was_killed(server: Live, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "gate")
    command = [sys.executable, "-m", "truetty", *PLAIN, "--json", f"read x < {tmp_path}/gate"]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        eventually(lambda: server.is_running() and any(one["busy"] for one in server.get("/v1/terminals")["terminals"]))
        process.kill()
    (tmp_path / "gate").write_text("go\n")
    eventually(lambda: terminals(server) == [])


def test_json_closes_the_terminal_of_what_has_finished(server: Live) -> None:
    status, printed, said = run("--json", "sleep 1000 & echo $!; (exit 7)")
    outcome = json.loads(printed)
    assert (status, said, outcome["state"], "go_on" in outcome) == (7, "", "finished", False)
    assert terminals(server) == []
    pid = int(outcome["output"].split()[-1])
    eventually(lambda: not lives(pid))
    assert outcome["notes"] == [f"ended with it: sleep ({pid}); --keep lets it run"]
    assert json.loads(run("--json", "exit 5")[1])["closed"]
    assert call("explain", "--last")[0] == 0


def test_json_ends_it_when_its_time_is_over(server: Live) -> None:
    status, printed, _ = run("--json", "--wait", "0.1", "sleep 1000")
    outcome = json.loads(printed)
    assert (status, outcome["state"], outcome["exit_code"], "go_on" in outcome) == (124, "running", None, False)
    assert terminals(server) == []
    status, printed, _ = run("--json", "--timeout", "0.1", "sleep 1000")
    assert (status, json.loads(printed)["state"]) == (124, "finished")


def test_json_in_a_terminal_like_one_that_is_made_here(server: Live, tmp_path: Path) -> None:
    words = ["--json", "--cwd", str(tmp_path), "--env", "MORE=1", "--size", "90x20"]
    shown = "echo $PWD $MORE $COLOUR_TOKEN $TRUETTY_BUDGET- $TERM; stty size; printf 'x%.0s' {1..5000}"
    env = {"COLOUR_TOKEN": "red", "TRUETTY_BUDGET": "1000", "TERM": "xterm"}
    there = json.loads(run(*words, shown, env=env)[1])
    here = json.loads(run(*words, shown, stdin=b"", env=env)[1])
    assert there["output"].startswith(f"{tmp_path} 1 red 1000- xterm\n20 90\n") and there["omitted"] > 0
    same = ("state", "exit_code", "evidence", "strategy", "output", "omitted", "cwd", "closed", "notes")
    assert {name: there[name] for name in same} == {name: here[name] for name in same}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_json_ends_with_its_signals(server: Live, number: int) -> None:
    command = [sys.executable, "-m", "truetty", *PLAIN, "--json", "sleep 1000"]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        eventually(lambda: server.is_running() and any(one["busy"] for one in server.get("/v1/terminals")["terminals"]))
        process.send_signal(number)
        assert process.wait(PATIENCE) == 128 + number
    assert terminals(server) == []


def test_a_second_interrupt_ends_what_does_not_heed_the_first(server: Live) -> None:
    stubborn = "sh -c 'trap \"echo heard\" INT; echo begun; while :; do sleep 0.1; done'"
    command = [sys.executable, "-m", "truetty", *PLAIN, "--json", stubborn]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        eventually(lambda: catches(process.pid, signal.SIGALRM))  # which it does behind SIGINT
        eventually(lambda: "begun" in server.get("/v1/commands/t1-1/report")["output"])
        process.send_signal(signal.SIGINT)
        eventually(lambda: "heard" in server.get("/v1/commands/t1-1/report")["output"])
        process.send_signal(signal.SIGINT)
        assert json.loads(process.stdout.read())["state"] == "finished"
    assert terminals(server) == []


@pytest.mark.parametrize(
    ("words", "stdin", "env"),
    [
        (["true"], None, {}),
        (["--json", "true"], b"", {}),
        (["--json", "true"], None, {"TRUETTY_ON": "unix:/nowhere"}),
    ],
)
def test_no_server_is_started(server: Live, words: list[str], stdin: bytes | None, env: dict[str, str]) -> None:
    assert run(*words, stdin=stdin, env=env)[0] == 0
    assert not server.is_running()


def test_json_without_the_extra_runs_here(server: Live) -> None:
    command = [sys.executable, "-c", BARE, *PLAIN, "--json", ASKS]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
    assert (done.returncode, json.loads(done.stdout)["state"]) == (124, "waiting")
    assert done.stderr.startswith("truetty: it asks for input and was ended: the server cannot be started: starlette")
    assert "pip install '.[server]'" in done.stderr and not server.is_running()


# -- --keep


def test_the_terminal_stays_open(server: Live) -> None:
    status, printed, said = run("--keep", "cd /; x=5; sleep 1000 & echo hi; (exit 3)")
    assert (status, printed.splitlines()[-1]) == (3, "hi")
    left, stays = said.splitlines()
    assert left.startswith("truetty: still running in the background: sleep")
    assert stays == "truetty: terminal t1 stays open; truetty close t1 ends it"
    assert call("run", "--in", "t1", "echo $PWD $x; jobs -p | wc -l") == (0, "/ 5\n1\n", "")
    assert run("--keep", "exit 4")[::2] == (4, "")  # nothing is left of it


def test_what_asks_is_left(server: Live) -> None:
    status, printed, said = run("--keep", ASKS)
    assert (status, printed) == (124, "Sure? ")
    assert said == "truetty: t1-1 waits for input: Sure?\nIt goes on: truetty answer t1-1; truetty wait t1-1\n"
    assert call("answer", "t1-1", "no")[0] == 0
    assert call("wait", "t1-1")[0] == 3


def test_what_takes_long_is_left(server: Live) -> None:
    status, printed, said = run("--keep", "--json", "--wait", "0.1", "sleep 1000")
    assert (status, said) == (124, "")
    assert json.loads(printed)["go_on"] == ["truetty log --follow t1-1", "truetty wait t1-1"]
    assert terminals(server) == ["t1"]


def test_it_is_kept_in_a_sandbox(server: Live, tmp_path: Path) -> None:
    status, _, said = run("--keep", "--sandbox", "read-only", "--cwd", str(tmp_path), "touch here")
    assert (status, said.splitlines()[-1]) == (1, "truetty: terminal t1 stays open; truetty close t1 ends it")
    assert not (tmp_path / "here").exists()


def test_on_the_server_that_is_named(server: Live) -> None:
    server.reach().close()
    where = f"unix:{next(path for path in server.place.sockets() if os.path.exists(path))}"
    other = {"TRUETTY_STATE": "/nowhere"}
    assert run("--keep", "--on", where, "echo hi", env=other)[:2] == (0, "hi\n")
    status, _, said = run("--keep", ASKS, env={"TRUETTY_ON": where, **other})
    assert status == 124 and f"truetty answer --on {where} t2-1" in said


def test_it_does_not_hold_the_pipe() -> None:
    command = [sys.executable, "-m", "truetty", *PLAIN, "--keep", "sleep 1000 & true"]
    subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=True)


def test_keep_without_the_extra_says_what_is_missing(server: Live) -> None:
    command = [sys.executable, "-c", BARE, *PLAIN, "--keep", "echo hi"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
    assert (done.returncode, done.stdout) == (125, "")
    assert done.stderr.startswith("truetty: the server cannot be started: starlette is missing: the extra brings it")


def test_keep_goes_with_no_colours() -> None:
    status, printed, said = run("--keep", "--color", "always", "true")
    assert (status, printed) == (125, "") and "--color does not go with --keep" in said


def test_a_policy_of_the_settings_judges_what_the_server_runs(server: Live, home: Path, tmp_path: Path) -> None:
    (home / ".config/truetty").mkdir(parents=True)
    (home / ".config/truetty/truetty.toml").write_text('[policy]\ndefault = "allow"\ndeny = ["touch"]\n')
    assert run("--json", f"touch {tmp_path}/here")[0] == 0
    assert (tmp_path / "here").exists() and not server.is_running()  # `run` judges nothing
    status, printed, said = run("--keep", f"touch {tmp_path}/there")
    assert (status, printed) == (125, "") and "touch" in said
    assert not (tmp_path / "there").exists() and terminals(server) == []
