"""The commands for terminals of the server, with a person at a terminal."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import pytest

from tests.acceptance.watched import Watched
from tests.server.live import Live


@pytest.fixture
def server(own_server: Live, home: Path) -> Live:
    own_server.post("/v1/terminals", name="build", shell="bash", rc=False, cwd=str(home), environ=dict(os.environ))
    return own_server


def start(server: Live, command: str) -> str:
    return str(server.post("/v1/commands", command=command, terminal="build")["id"])


def test_ctrl_c_goes_to_the_command(server: Live) -> None:
    trapped = "sh -c 'trap \"echo caught; exit 7\" INT; echo begun; while :; do sleep 0.1; done'"
    with Watched("run", "--in", "build", trapped) as person:
        person.until("begun\r\n")
        person.type("\x03")
        assert person.ends() == 7
        assert b"caught" in person.seen


def test_a_second_ctrl_c_leaves_it_running(server: Live) -> None:
    stubborn = "sh -c 'trap \"echo ignored\" INT; echo begun; while :; do sleep 0.1; done'"
    with Watched("run", "--in", "build", stubborn) as person:
        person.until("begun\r\n")
        person.type("\x03")
        person.until("ignored")
        person.type("\x03")
        assert person.ends() == 130
        assert b"truetty: t1-1 is running" in person.seen
        assert b"It goes on: truetty log --follow t1-1" in person.seen
    assert server.get("/v1/commands/t1-1")["state"] != "finished"
    server.post("/v1/commands/t1-1/stop")


RUNS = {"in": ("run", "--in", "build"), "keep": ("run", "--keep", "--shell", "bash", "--no-rc")}


@pytest.mark.parametrize("way", RUNS)
def test_a_person_who_follows_answers(server: Live, way: str) -> None:
    with Watched(*RUNS[way], "read -p 'Sure? ' x; echo \"<$x>\"; read -p 'Really? ' y; echo \"<$y>\"") as person:
        person.until("Sure\\? $")
        person.type("no")
        person.until("Sure\\? no$")  # the tty of the terminal echoes
        person.type("\x7f\x7fyes\r")
        person.until("<yes>\r+\nReally\\? $")
        person.type("yes\r")
        assert person.ends() == 0
        assert b"Really? yes" in person.seen and b"truetty answer" not in person.seen


@pytest.mark.parametrize("way", RUNS)
def test_a_secret_of_a_person_who_follows_is_not_shown(server: Live, way: str) -> None:
    with Watched(*RUNS[way], "read -s -p 'Password: ' x; echo; echo \"${#x} ${x:0:1}\"") as person:
        person.until("Password: ")
        person.type("hunter2\r")
        assert person.ends() == 0
        assert b"hunter2" not in person.seen and b"7 h" in person.seen


def test_what_is_typed_ahead_is_for_the_next_questions(server: Live) -> None:
    server.post("/v1/run", command="mkfifo pipe", terminal="build", wait=60)
    asks = 'echo begun; read -t 1000 -u 3 3<>pipe; read x; echo "<$x>"; read y; echo "<$y>"'
    with Watched("run", "--in", "build", asks) as person:
        person.until("begun\r\n")
        person.type("one\rtwo\rthree\r")
        with open(Path(server.get("/v1/terminals/build")["cwd"]) / "pipe", "w") as pipe:
            pipe.write("\n")
        assert person.ends() == 0
        assert re.search(rb"<one>(?s:.*)<two>", person.seen) and b"three" not in person.seen


def test_a_key_is_an_answer(server: Live) -> None:
    with Watched("run", "--in", "build", "read -n 1 -p 'y or n? ' x; echo; echo \"<$x>\"") as person:
        person.until("y or n\\? $")
        person.type("y")
        assert person.ends() == 0
        assert b"<y>" in person.seen


def test_the_end_of_input_is_passed_on(server: Live) -> None:
    with Watched("run", "--in", "build", "echo begun; cat; echo ended") as person:
        person.until("begun\r\n")
        person.type("hi\r")
        person.until("hi\r+\n(?s:.*)hi\r+\n")
        person.type("\x04")
        assert person.ends() == 0
        assert b"ended" in person.seen


@pytest.mark.parametrize(
    ("program", "why"), [("less file", "less has the whole screen"), ("bash --norc", "bash is a shell")]
)
def test_what_needs_the_whole_terminal(server: Live, home: Path, program: str, why: str) -> None:
    server.post("/v1/run", command="seq 1000 > file; PAGER=less LESS=", terminal="build", wait=60)
    with Watched("run", "--in", "build", program) as person:
        person.until(f"truetty: {why}; truetty attach t1 --take is for that")
        person.type("q")
        os.kill(person.pid, signal.SIGTERM)
        assert person.ends() == 128 + signal.SIGTERM
    assert server.get("/v1/commands/build")["state"] == "waiting"


def test_a_secret_is_typed_without_echo(server: Live) -> None:
    id = start(server, "read -s -p 'Password: ' x; echo; echo ${#x}")
    assert server.get(f"/v1/commands/{id}/wait?timeout=60")["state"] == "waiting"
    with Watched("answer", id) as person:
        person.until("Password: $")
        person.type("hunter2\r")
        assert person.ends() == 0
        assert b"hunter2" not in person.seen
    assert server.get(f"/v1/commands/{id}/wait?timeout=60&until=exit")["output"].endswith("7\n")


def test_a_secret_that_is_not_typed(server: Live) -> None:
    id = start(server, "read -s -p 'Password: ' x")
    assert server.get(f"/v1/commands/{id}/wait?timeout=60")["state"] == "waiting"
    with Watched("answer", id) as person:
        person.until("Password: $")
        person.type("\x04")
        assert person.ends() == 125
        assert b"truetty: nothing was typed" in person.seen and b"Traceback" not in person.seen


@pytest.mark.parametrize(("answer", "status", "closed"), [("y\r", 0, True), ("\r", 125, False)])
def test_close_asks_while_a_command_runs(server: Live, answer: str, status: int, closed: bool) -> None:
    start(server, "sleep 1000")
    with Watched("close", "build") as person:
        person.until(r"in t1 runs t1-1, 'sleep 1000'. End it\? \[y/N\] ")
        person.type(answer)
        assert person.ends() == status
    assert server.get("/v1/terminals?all=true")["terminals"][0]["closed"] is closed


@pytest.mark.parametrize(("key", "shown", "status"), [("\x03", r"\^C\r\n", 130), ("\x04", r"\r\ntruetty: ", 125)])
def test_a_question_that_is_not_answered_ends_its_line(server: Live, key: str, shown: str, status: int) -> None:
    start(server, "sleep 1000")
    with Watched("close", "build") as person:
        person.until(r"End it\? \[y/N\] $")
        person.type(key)
        assert person.ends() == status
        assert re.search(rf"\[y/N\] {shown}", person.seen.decode()), person.seen
    assert server.get("/v1/terminals/build")["closed"] is False


def test_the_table_fits_the_terminal(server: Live) -> None:
    start(server, f"sleep 1000 # {'x' * 100}")
    with Watched("list", size=(45, 20)) as person:
        assert person.ends() == 0
        assert b"\x1b[32mt1  build" in person.seen
        lines = re.sub(r"\x1b\[[0-9;]*m", "", person.seen.decode()).splitlines()
        assert [len(line) <= 45 for line in lines] == [True, True] and lines[1].endswith("x…")


def test_a_watched_list_is_drawn_on_events(server: Live) -> None:
    with Watched("list", "--watch") as person:
        person.until("idle")
        id = start(server, "read -p 'Sure? ' x")
        person.until("\x1b\\[2F\x1b\\[J.*\r\n.*waiting.*Sure\\? \\(read")
        server.post(f"/v1/commands/{id}/stop")
        person.until("waiting(?s:.*)idle")
        server.ask("DELETE", "/v1/terminals/build")
        person.until("no terminals are open")
        person.type("\x03")
        assert person.ends() == 130


def test_a_watched_list_in_a_pipe(server: Live) -> None:
    with Watched("list", "--watch", "--json", person=False) as program:
        program.until('"state": null|"command": null')
        start(server, "read x")
        program.until('"state": "waiting"')


def test_a_log_that_is_followed(server: Live) -> None:
    id = start(server, "printf '\\033[1mbold\\033[0m\\n'; read x; (exit 6)")
    with Watched("log", "--follow", "build") as person:
        person.until("\x1b\\[1mbold\x1b\\[0m\r+\n")
        server.post(f"/v1/commands/{id}/type", text="go\n")
        assert person.ends() == 6
