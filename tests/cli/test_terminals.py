"""The commands for terminals of the server, against a real one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests import warm
from tests.patience import PATIENCE
from tests.server.live import Live
from truetty.cli.terminals.table import table

HEAVY = ("asyncio", "subprocess", "http.client", "dataclasses", "inspect", "hashlib", "logging", "truetty.server.forms")


@pytest.fixture
def server(own_server: Live) -> Live:
    return own_server


def run(*words: str, stdin: bytes | None = None, **env: str) -> tuple[int, str, str]:
    done = warm.run(*words, stdin=stdin, env={**os.environ, **env})
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def printed(*words: str, stdin: bytes | None = None) -> str:
    status, out, said = run(*words, stdin=stdin)
    assert (status, said) == (0, ""), (out, said)
    return out


@pytest.fixture
def build(server: Live) -> str:
    """The id of a terminal that is called build."""
    return printed("open", "--name", "build", "--shell", "bash", "--no-rc").strip()


# -- opening and listing


def test_open_prints_the_id_alone(server: Live, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OF_THE_CALLER", "here")
    words = ["open", "--cwd", "folder", "--task", "release", "--env", "MORE=1", "--no-rc", "--shell", "bash"]
    assert printed(*words) == "t1\n"
    found = server.get("/v1/terminals/t1")
    assert (found["cwd"], found["task"], found["name"]) == (str(tmp_path / "folder"), "release", None)
    assert printed("run", "--in", "t1", "echo $OF_THE_CALLER $MORE") == "here 1\n"
    assert json.loads(printed("open", "--json", "--no-rc", "--size", "90x20"))["size"] == [90, 20]
    assert run("open", "--name", "t7")[0] == 125


def test_list_has_those_that_wait_first(build: str) -> None:
    printed("open", "--no-rc")
    printed("run", "--in", "t2", "--detach", "read -p 'Sure? ' x")
    assert run("wait", "t2")[:2] == (124, "t2-1 waits for input: Sure?\n")
    first, second, third = (line.split() for line in printed("list").splitlines())
    assert first == ["ID", "NAME", "STATE", "SINCE", "WHAT"]
    assert second[:3] == ["t2", "-", "waiting"] and second[4] == "Sure?"
    assert third[:3] == ["t1", "build", "idle"]
    found = json.loads(printed("list", "--json"))
    assert {one["id"] for one in found["terminals"]} == {"t1", "t2"}
    printed("close", "t2", "--force")
    assert "t2" not in printed("list") and "closed" in printed("list", "--all")


def test_since_when_a_terminal_is_as_it_is(build: str) -> None:
    """Times are of fixed terminals: a second in a test is none in the table."""
    hour = 3600.0
    command = {"state": "finished", "started_at": time.time() - 5 * hour, "duration": 2 * hour, "text": "x"}
    idle = {**server_form(build), "opened_at": time.time() - 9 * hour, "command": None}

    def since(**more: object) -> str:
        return next(iter([*table([{**idle, **more}])][1:])).split()[3]

    def at(hours: float) -> str:
        return time.strftime("%H:%M", time.localtime(time.time() - hours * hour))

    assert since() in (at(9), at(9.01))
    assert since(command=command) in (at(3), at(3.01))
    assert since(command={**command, "state": "running"}, busy=True) in (at(5), at(5.01))
    assert since(closed=True) == "-"


def server_form(id: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in json.loads(printed("list", "--json"))["terminals"] if one["id"] == id)
    return found


def test_an_empty_list(server: Live) -> None:
    assert run("list") == (0, "", "no terminals are open\n")
    assert json.loads(printed("list", "--json"))["terminals"] == []


def test_names_for_completion(server: Live) -> None:
    assert printed("list", "--names") == ""
    assert not server.is_running()
    printed("open", "--name", "a b")
    end = time.monotonic() + PATIENCE
    while not (found := printed("list", "--names")):  # a server that takes more than 0.2 s is passed over
        assert time.monotonic() < end
    assert found == "t1\na b\n"
    assert printed("list", "--names", "--on", "unix:/nowhere") == ""


# -- running


def test_a_command_in_a_terminal(build: str) -> None:
    assert run("run", "--in", "build", "cd /; x=5; echo one; (exit 3)") == (3, "one\n", "")
    assert printed("run", "--in", "b", "echo $PWD $x") == "/ 5\n"  # a beginning is enough
    assert printed("run", "--in", build, "printf", "%s.", "a b", "c") == "a b.c."
    assert printed("run", "--in", build, "--raw", "printf 'a\\033[1mb\\n'") == "a\x1b[1mb\r\n"
    status, out, said = run("run", "--in", build, "--json", "false")
    assert (status, said, json.loads(out)["exit_code"]) == (1, "", 1)


def test_a_command_that_no_one_waits_for(build: str) -> None:
    id = printed("run", "--in", "build", "--detach", "echo started; read -p '> ' x; exit 4").strip()
    assert id == "t1-1"
    assert run("run", "--in", "build", "true")[0] == 125  # it is busy
    assert run("wait", id)[0] == 124
    printed("send", id, "go", "--enter")
    assert run("wait", id)[0] == 4


def test_detached_without_a_terminal(server: Live, tmp_path: Path) -> None:
    id = printed("run", "--detach", "--cwd", str(tmp_path), "--shell", "bash", "pwd").strip()
    assert run("log", id, "--follow") == (0, f"{tmp_path}\n", "")


def test_patience(build: str) -> None:
    status, _, said = run("run", "--in", "build", "--wait", "0.1", "sleep 1000")
    assert status == 124 and said.endswith("It goes on: truetty log --follow t1-1; truetty wait t1-1\n")
    assert printed("stop", "build").startswith("t1-1 finished")
    assert run("run", "--in", "build", "--timeout", "0.1", "sleep 1000")[0] == 124


def test_options_that_are_the_terminals_own(build: str) -> None:
    for words in (["--cwd", "/"], ["--sandbox", "workspace"], ["--env", "A=1"], ["--keep"], ["--color", "always"]):
        status, out, said = run("run", "--in", "build", *words, "true")
        assert (status, out) == (125, "") and f"{words[0]} does not go with --in" in said
    assert run("run", "--on", "unix:/nowhere", "true")[0] == 125


# -- questions


def test_a_question_without_a_person(build: str) -> None:
    status, out, said = run("run", "--in", "build", "read -p 'Sure? ' x; echo $x")
    assert (status, out) == (124, "Sure? ")
    assert said == "truetty: t1-1 waits for input: Sure?\nIt goes on: truetty answer t1-1; truetty wait t1-1\n"
    printed("answer", "build", "yes")
    assert run("log", "build", "--follow") == (0, "Sure? yes\nyes\n", "")
    status, out, said = run("answer", "build", "yes")
    assert (status, out) == (125, "") and "there is nothing to answer: t1-1 finished" in said


def test_a_secret_is_no_argument(build: str) -> None:
    printed("run", "--in", "build", "--detach", "read -s -p 'Password: ' x; echo; echo ${#x}")
    assert run("wait", "build", "--until", "input")[0] == 0
    status, out, said = run("answer", "build", "hunter2")
    assert (status, out) == (125, "") and "is no argument" in said and "hunter2" not in said
    assert run("answer", "build", stdin=b"") == (125, "", "truetty: nothing was typed\n")
    printed("answer", "build", stdin=b"hunter2\n")
    assert run("wait", "build", "--until", "exit")[0] == 0
    assert printed("log", "build").endswith("7\n") and "hunter2" not in printed("log", "build")


# -- waiting and reading


def test_wait(build: str) -> None:
    assert run("wait", "build")[0] == 125  # nothing has run
    printed("run", "--in", "build", "--detach", "echo ready; read x")
    status, said, _ = run("wait", "build", "--until", "match:rea.y")
    assert status == 0 and said.startswith("match:rea.y has come: t1-1 ")
    assert run("wait", "build", "--until", "match:rea.y")[0] == 0  # what another wait has found counts, too
    assert run("wait", "build", "--until", "exit", "--timeout", "0.05")[0] == 124
    assert run("wait", "build", "--until", "match:never", "--timeout", "0.05")[0] == 124
    assert json.loads(run("wait", "build", "--json")[1])["state"] == "waiting"
    printed("send", "build", "--enter")
    assert run("wait", "build", "--until", "finished")[:2][0] == 0
    status, said, _ = run("wait", "build", "--until", "match:never")
    assert status == 1 and said.startswith("match:never has not come: t1-1 finished, exit code 0, after ")
    assert run("wait", "build", "--until", "sometime")[0] == 125


def test_log(build: str) -> None:
    run("run", "--in", "build", "for i in 1 2 3; do printf '\\033[3%dmline %d\\033[0m\\n' $i $i; done; (exit 5)")
    assert printed("log", "build") == "line 1\nline 2\nline 3\n"
    assert printed("log", "t1-1", "--tail", "2") == "line 2\nline 3\n"
    assert printed("log", "build", "--grep", "[13]$") == "line 1\nline 3\n"
    assert run("log", "build", "--grep", "nothing") == (1, "", "")
    assert printed("log", "build", "--raw").startswith("\x1b[31mline 1")
    assert run("log", "build", "--follow") == (5, "line 1\nline 2\nline 3\n", "")
    assert json.loads(printed("log", "build", "--json"))["text"] == "line 1\nline 2\nline 3\n"
    events = [json.loads(line) for line in run("log", "build", "--follow", "--json")[1].splitlines()]
    assert [events[0]["event"], events[-1]["event"]] == ["started", "finished"]
    for words in (["t9"], ["t1-9"], ["nowhere", "--follow"], [""]):
        status, out, said = run("log", *words)
        assert (status, out) == (125, "") and said.startswith("truetty: ")


def test_a_long_log(build: str) -> None:
    printed("run", "--in", "build", "--detach", "seq 400000")
    assert run("wait", "build")[0] == 0
    expected = "".join(f"{number}\n" for number in range(1, 400001))
    assert printed("log", "build") == expected
    assert printed("log", "build", "--raw") == expected.replace("\n", "\r\n")


# -- typing and ending


def test_send_is_literal(build: str) -> None:
    printed("run", "--in", "build", "--detach", 'read x; echo "<$x>"')
    printed("send", "build", "Enter C-c $HOME")
    printed("send", "build", "--key", "BSpace", "--enter")
    assert run("log", "build", "--follow")[1].endswith("<Enter C-c $HOM>\n")
    printed("run", "--in", "build", "--detach", "sleep 1000")
    printed("send", "t1-2", "--key", "C-c")
    assert run("wait", "build")[0] == 130
    assert run("send", "build")[0] == 125 and run("send", "build", "--key", "NoKey")[0] == 125


def test_stop_and_close(build: str, server: Live) -> None:
    printed("run", "--in", "build", "--detach", "sleep 1000")
    status, out, said = run("close", "build")
    assert (status, out) == (125, "") and "in t1 runs t1-1, 'sleep 1000'; --force ends it" in said
    assert printed("stop", "build").startswith("t1-1 finished, exit code 130")
    assert run("run", "--in", "build", "sleep 1000 & :")[0] == 0
    status, out, said = run("close", "build")
    assert (status, out) == (125, "") and said.startswith("truetty: in t1 runs in the background sleep (process ")
    assert said.endswith("); --force ends it\n")
    printed("run", "--in", "build", "kill %1; wait")
    assert printed("close", "build") == ""
    assert run("close", "build")[0] == 125
    assert server.get("/v1/terminals?all=true")["terminals"][0]["closed"]


# -- which server


def test_another_server(server: Live, build: str, tmp_path: Path) -> None:
    here = f"unix:{next(server.place.sockets())}"
    elsewhere = str(tmp_path / "elsewhere")
    assert "build" in run("list", "--on", here, TRUETTY_STATE=elsewhere)[1]
    assert "build" in run("list", TRUETTY_ON=here, TRUETTY_STATE=elsewhere)[1]
    for wrong in ("unix:", "unix:/nowhere", "carrier-pigeon:here"):
        status, out, said = run("list", "--on", wrong)
        assert (status, out) == (125, "") and said.startswith("truetty: ")
    assert not os.path.exists(elsewhere)


def test_the_server_of_another_machine(server: Live, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a program named ssh, which runs what it is to run there here, in another directory."""
    (tmp_path / "bin").mkdir()
    ssh = tmp_path / "bin" / "ssh"
    ssh.write_text('#!/bin/sh\nshift 2\ncd / && echo noise && exec sh -c "$*"\n')
    (tmp_path / "bin" / "truetty").write_text(f'#!/bin/sh\nexec {sys.executable} -m truetty "$@"\n')
    for program in (tmp_path / "bin").iterdir():
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("TRUETTY_ON", "ssh://there")
    monkeypatch.setenv("OF_THE_CALLER", "here")
    id = printed("open", "--no-rc", "--shell", "bash", "--cwd", "/").strip()
    assert run("run", "--in", id, "echo $PWD; (exit 3)") == (3, "/\n", "")
    assert "truetty answer --on ssh://there t1-2" in run("run", "--in", id, "read -p 'Sure? ' x")[2]


@pytest.mark.parametrize(
    "words",
    ["list", "list --json", "open --name more", "send build x", "wait build", "log build", "stop build", "close build"],
)
def test_a_quick_verb_imports_nothing_slow(words: str, build: str) -> None:
    printed("run", "--in", "build", "true")
    code = (
        f"import sys\nfrom truetty.cli import main\nsys.argv = ['truetty', *{words.split()!r}]\n"
        f"try:\n    main()\nfinally:\n    print(*(set(sys.modules) & set({HEAVY!r})), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stderr.split()) == (0, [])


def test_run_in_says_what_the_status_does_not(build: str) -> None:
    status, _, said = run("run", "--in", "build", "--timeout", "0.1", "sleep 1000")
    assert (status, said) == (124, "truetty: stopped after 0.1 s (--timeout): 'sleep 1000' had not finished.\n")
    status, _, said = run("run", "--in", "build", "sleep 1000 &")
    assert status == 0 and said.startswith("truetty: still running in the background: sleep")
