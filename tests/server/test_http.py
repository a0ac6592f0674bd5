"""The verbs over plain HTTP: what is asked, what is refused, and that a refused request has done nothing."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from http.client import HTTPResponse
from pathlib import Path
from typing import Any

import pytest

from tests.patience import PATIENCE
from tests.server.live import Live
from truetty.server import limits

LONG = PATIENCE


@pytest.fixture
def terminal(server: Live) -> str:
    return str(server.post("/v1/terminals", shell="bash", rc=False, cwd="/tmp", name="build")["id"])


def test_a_command_from_start_to_end(server: Live, terminal: str) -> None:
    report = server.post("/v1/run", command="printf 'a\\nb\\n'; (exit 3)", terminal=terminal, wait=LONG)
    assert (report["state"], report["exit_code"], report["output"]) == ("finished", 3, "a\nb\n")
    assert (report["evidence"], report["reached"], report["terminal_id"]) == ("mark", "exit", terminal)
    shown = server.get(f"/v1/commands/{report['command_id']}")
    assert (shown["state"], shown["exit_code"], shown["output_bytes"]) == ("finished", 3, 6)


def test_where_the_output_of_a_command_lies(server: Live, terminal: str) -> None:
    script = "read -p 'go? ' x; printf 'a\\nb\\nc'"
    asked = server.post("/v1/run", command=script, terminal=terminal, wait=LONG)
    route = f"/v1/commands/{asked['command_id']}"
    running = server.get(route)
    assert (running["state"], running["to"], running["output_lines"]) == ("waiting", None, None)
    transcript = f"/v1/terminals/{terminal}/transcript?offset={running['from']}"
    assert server.ask("GET", f"{transcript}&limit=4").body == b"go? "
    ended = server.post(f"{route}/send", text="\n", wait=LONG)
    listed = server.get("/v1/terminals")["terminals"][0]["command"]
    assert (listed["from"], listed["output_lines"]) == (running["from"], ended["output_lines"]) == (running["from"], 4)
    part = server.ask("GET", f"{transcript}&limit={listed['to'] - listed['from']}").body
    assert part == server.ask("GET", f"{route}/raw").body == b"go? \r\na\r\nb\r\nc"


async def test_a_list_counts_no_lines(server: Live, terminal: str) -> None:
    async with server.connect() as talk:
        await talk.call("listen")
        id = (await talk.call("start", command="seq 3", terminal=terminal))["id"]
        async with asyncio.timeout(LONG):
            while not talk.events or talk.events[-1]["event"] != "finished":
                await talk.take()
        assert talk.events[-1]["command"]["output_lines"] is None
        assert (await talk.call("command", command_id=id))["output_lines"] is None
        assert (await talk.call("report", command_id=id))["output_lines"] == 3
        assert (await talk.call("command", command_id=id))["output_lines"] == 3


def test_questions_and_answers(server: Live, terminal: str) -> None:
    script = "read -p 'name? ' a; read -s -p 'pin? ' b; echo; echo $a ${#b}; sleep 1000"
    asked = server.post("/v1/run", command=script, terminal=terminal, wait=LONG)
    id = asked["command_id"]
    assert (asked["state"], asked["waiting"]["prompt"]) == ("waiting", "name? ")
    episode = server.get(f"/v1/commands/{id}")["episode"]
    stale = server.ask("POST", f"/v1/commands/{id}/answer", {"episode": episode + 1, "text": "x"})
    assert (stale.status, stale.code, stale.json["error"]["facts"]["episode"]) == (409, "stale", episode)
    server.post(f"/v1/commands/{id}/answer", episode=episode, text="ada")
    asked = server.get(f"/v1/commands/{id}/wait?timeout={LONG}&until=input")
    assert asked["waiting"]["kind"] == "secret"
    secret = server.ask("POST", f"/v1/commands/{id}/send", {"text": "1234\n"})
    assert (secret.status, secret.code) == (403, "denied")  # an agent types no secret
    server.post(f"/v1/commands/{id}/type", text="1234", keys=["Enter"])  # a program of the user does
    found = server.get(f"/v1/commands/{id}/wait?timeout={LONG}&until=match:ada.4")
    assert (found["reached"], found["match"]["text"]) == ("match", "ada 4")
    assert server.post(f"/v1/commands/{id}/interrupt")["interrupted"] is True
    ended = server.post(f"/v1/commands/{id}/stop")
    assert (ended["state"], ended["signal"]) == ("finished", "SIGINT")


def test_reading_output(server: Live, terminal: str) -> None:
    id = server.post("/v1/run", command="seq 1 3000", terminal=terminal, wait=LONG)["command_id"]
    text = "".join(f"{number}\n" for number in range(1, 3001))
    base = f"/v1/commands/{id}"
    assert server.get(f"{base}/text")["text"] == text
    assert server.get(f"{base}/text?tail=2")["text"].endswith("2999\n3000\n")
    assert server.get(f"{base}/page?offset=4&limit=5")["text"] == text[4:9]
    page = server.get(f"{base}/output?offset=10&limit=20")
    assert (page["text"], page["offset"], page["next_offset"], page["omitted"]) == (text[10:30], 10, 30, len(text) - 30)
    assert server.get(f"{base}/output?tail=2")["text"] == "2999\n3000\n"
    found = server.get(f"{base}/output?grep=^299.$&context=1")
    assert found["match_count"] == 10 and found["matches"][0]["line"] == "2990"
    assert [one["line"] for one in server.get(f"{base}/grep?pattern=^30*$&limit=2")["matches"]] == ["3", "30"]
    assert server.get(f"{base}/lines") == {"count": 3000}
    fresh = server.ask("POST", f"{base}/unread", {"budget": 300}).json["text"]
    assert fresh.startswith("1\n") and len(fresh) <= 300
    raw = server.ask("GET", f"{base}/raw")
    assert raw.body == text.replace("\n", "\r\n").encode()
    part = server.ask("GET", f"{base}/raw", headers={"Range": "bytes=3-7"})
    assert (part.status, part.body) == (206, raw.body[3:8])
    assert part.headers["content-range"] == f"bytes 3-7/{len(raw.body)}"
    assert server.ask("GET", f"{base}/raw", headers={"Range": "bytes=99999-"}).status == 416
    assert server.ask("GET", f"{base}/raw", headers={"Range": "bytes=-3"}).status == 200  # all of it
    whole = server.ask("GET", f"/v1/terminals/{terminal}/transcript?offset=0")
    assert raw.body in whole.body and int(whole.headers["truetty-size"]) == len(whole.body)
    assert server.ask("GET", f"/v1/terminals/{terminal}/transcript?offset=5&limit=7").body == whole.body[5:12]
    assert server.get(f"/v1/terminals/{terminal}/gaps")["gaps"] == []


def test_a_terminal_is_known_by_its_name_and_by_the_beginning_of_it(server: Live, terminal: str) -> None:
    other = server.post("/v1/terminals", shell="bash", rc=False, name="bench", task="speed")["id"]
    assert server.get("/v1/terminals/build")["id"] == terminal
    assert server.get("/v1/terminals/ben")["id"] == other
    two = server.ask("GET", "/v1/terminals/b")
    assert (two.status, two.code, two.json["error"]["facts"]["known"]) == (400, "misuse", [terminal, other])
    assert server.ask("GET", "/v1/terminals/build?exact=true").code == "unknown_terminal"
    missing = server.ask("GET", "/v1/terminals/zzz")
    assert (missing.status, missing.json["error"]["facts"]["known"]) == (404, [terminal, other])
    assert [one["id"] for one in server.get("/v1/terminals?task=speed")["terminals"]] == [other]
    for name in ("t3", "t3-14", "bench", " x", "a\nb"):
        refused = server.ask("POST", "/v1/terminals", {"name": name})
        assert (refused.status, refused.code) == (400, "misuse"), name
    changed = server.ask("PATCH", f"/v1/terminals/{other}", {"name": "slow", "task": ""}).json
    assert (changed["name"], changed["task"]) == ("slow", None)
    assert server.ask("PATCH", f"/v1/terminals/{other}", {"name": "t9"}).status == 400
    assert len(server.get("/v1/terminals")["terminals"]) == 2
    assert server.ask("DELETE", "/v1/terminals/slow").json["closed"] is True
    assert len(server.get("/v1/terminals?all=true")["terminals"]) == 2


def test_screen_and_keys(server: Live, terminal: str) -> None:
    server.post(f"/v1/terminals/{terminal}/type", text="echo typed", keys=["Enter"])
    shown = server.get(f"/v1/terminals/{terminal}/screen")
    while "\ntyped" not in "\n".join(shown["lines"]):  # once more whenever something was printed
        shown = server.get(f"/v1/terminals/{terminal}/screen?after={shown['seq']}&timeout={LONG}")
    assert "\ntyped" in server.get(f"/v1/terminals/{terminal}/screen?form=text")["text"]
    assert server.get(f"/v1/terminals/{terminal}/screen?form=svg")["text"].startswith("<svg")
    assert server.post(f"/v1/terminals/{terminal}/size", size=[90, 20])["size"] == [90, 20]
    assert server.get(f"/v1/terminals/{terminal}/screen")["size"] == [90, 20]
    assert server.ask("POST", f"/v1/terminals/{terminal}/type", {"keys": ["Hyper"]}).code == "bad_key"


def test_the_log_of_a_terminal(server: Live) -> None:
    server.post("/v1/terminals", shell="bash", rc=False, name="build", env={"PS1": "$ "})
    for command in ("printf '\\e[31mred\\e[0m\\n'", "seq 3"):
        server.post("/v1/run", command=command, terminal="build", wait=LONG)
    server.ask("DELETE", "/v1/terminals/build")
    text = server.get("/v1/terminals/t1/log")["text"]
    assert text.startswith("$ printf '\\e[31mred\\e[0m\\n'\nred\n$ seq 3\n1\n2\n3\n")


def test_busy_and_closed(server: Live, terminal: str) -> None:
    started = server.post("/v1/commands", command="sleep 1000", terminal=terminal)
    busy = server.ask("POST", "/v1/run", {"command": "true", "terminal": terminal})
    assert (busy.status, busy.code, busy.json["error"]["facts"]["command_id"]) == (409, "busy", started["id"])
    activity = server.get(f"/v1/commands/{started['id']}/activity")
    assert activity["output_bytes"] == 0
    refused = server.ask("POST", "/v1/stop", {})
    assert (refused.status, refused.code, refused.json["error"]["facts"]["running"]) == (409, "busy", [started["id"]])
    assert [one["id"] for one in server.get("/v1/status")["running"]] == [started["id"]]
    server.ask("DELETE", f"/v1/terminals/{terminal}")
    closed = server.ask("POST", "/v1/run", {"command": "true", "terminal": terminal})
    assert (closed.status, closed.code) == (409, "closed")
    assert server.post("/v1/stop") == {}
    server.until_ended()


WRONG: list[tuple[str, Any]] = [
    ("/v1/run", b"{"),
    ("/v1/run", b"[]"),
    ("/v1/run", b"\xff"),
    ("/v1/run", b'{"command": NaN}'),
    ("/v1/run", b"[" * 100_000),
    ("/v1/run", {}),
    ("/v1/run", {"command": 7}),
    ("/v1/run", {"command": None}),
    ("/v1/run", {"command": ["touch", "x"]}),
    ("/v1/run", {"command": " "}),
    ("/v1/run", {"command": "touch ran\0"}),
    ("/v1/run", {"command": "touch ran", "wait": "5"}),
    ("/v1/run", {"command": "touch ran", "wait": -1}),
    ("/v1/run", {"command": "touch ran", "wait": True}),
    ("/v1/run", {"command": "touch ran", "timeout": 1e999}),
    ("/v1/run", {"command": "touch ran", "until": "soon"}),
    ("/v1/run", {"command": "touch ran", "until": {"match": []}}),
    ("/v1/run", {"command": "touch ran", "until": {"match": [{"pattern": "("}]}}),
    ("/v1/run", {"command": "touch ran", "terminal": 3}),
    ("/v1/run", {"command": "touch ran", "environ": {"A": 1}}),
    ("/v1/run", {"command": "touch ran", "environ": {"A=B": "1"}}),
    ("/v1/run", {"command": "touch ran", "cwd": "/tmp", "terminal": "{terminal}"}),
    ("/v1/terminals", {"size": [0, 5]}),
    ("/v1/terminals", {"size": "wide"}),
    ("/v1/terminals", {"shell": {"a": 1}}),
    ("/v1/terminals", {"env": ["A"]}),
    ("/v1/terminals", {"replies": [{"pattern": "x"}]}),
    ("/v1/terminals", {"sandbox": "castle"}),
    ("/v1/terminals/{terminal}/size", {}),
    ("/v1/terminals/{terminal}/type", {"text": "touch ran\n", "base64": "AAAA"}),
    ("/v1/terminals/{terminal}/type", {"base64": "***"}),
    ("/v1/release", {}),
]


def test_what_is_wrong_is_refused_and_nothing_has_run(server: Live, terminal: str) -> None:
    before = server.get("/v1/status")["seq"]
    for path, body in WRONG:
        if isinstance(body, dict):
            body = json.loads(json.dumps(body).replace("{terminal}", terminal).replace("Infinity", "1e999"))
        reply = server.ask("POST", path.format(terminal=terminal), body)
        assert (reply.status, reply.code in ("misuse", "bad_command")) == (400, True), (path, body, reply.body)
    assert server.get("/v1/status")["seq"] == before
    assert len(server.get("/v1/terminals")["terminals"]) == 1
    assert not os.path.exists("/tmp/ran")


def test_no_form_of_a_web_page_changes_anything(server: Live) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        reply = server.ask("POST", "/v1/terminals", b"{}", {"Content-Type": kind})
        assert (reply.status, reply.code) == (400, "misuse")
    named = server.ask("POST", "/v1/release", {"task": "a"}, {"Content-Type": "text/plain", "Truetty-Client": "x/1"})
    assert named.status == 200


def test_routes_that_are_not_there(server: Live) -> None:
    for method, path in (("GET", "/"), ("GET", "/v2/hello"), ("POST", "/v1/nothing"), ("GET", "/v1/terminals/a/b/c")):
        reply = server.ask(method, path)
        assert (reply.status, reply.code) == (404, "unknown")
    assert server.ask("PUT", "/v1/terminals").status in (404, 405)


def test_a_gigabyte_is_refused_before_it_is_read(server: Live) -> None:
    head = b"POST /v1/run HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1073741824\r\n\r\n"
    with server.reach() as connection:
        connection.sendall(head)  # and not one byte of the body
        answer = connection.recv(4096)
    assert answer.startswith(b"HTTP/1.1 413")


def test_a_body_without_a_length_is_counted(server: Live) -> None:
    head = b"POST /v1/run HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunk = b"%x\r\n" % (1 << 20) + b" " * (1 << 20) + b"\r\n"
    sent, answer = 0, b""
    with server.reach() as connection:
        connection.sendall(head)
        try:
            while sent < 4 * limits.LARGEST_BODY:
                connection.sendall(chunk)
                sent += 1 << 20
        except OSError:
            pass  # the server has closed it
        try:
            answer = connection.recv(4096)
        except ConnectionResetError:
            answer = b"HTTP/1.1 413"
    assert sent < 4 * limits.LARGEST_BODY
    assert answer.startswith(b"HTTP/1.1 413")


def test_texts_that_are_too_long(server: Live, terminal: str) -> None:
    command = server.ask("POST", "/v1/run", {"command": "x" * (limits.LONGEST_COMMAND + 1), "terminal": terminal})
    assert (command.status, command.code) == (413, "too_large")
    typed = server.ask("POST", f"/v1/terminals/{terminal}/type", {"text": "x" * (limits.LONGEST_TEXT + 1)})
    assert (typed.status, typed.code) == (413, "too_large")
    url = server.ask("GET", f"/v1/terminals?task={'x' * 5000}")
    assert (url.status, url.code) == (414, "too_large")


@pytest.mark.parametrize("end", [b"", b"\r\n\r\n"], ids=["without an end", "whole"])
def test_a_head_that_is_too_large(server: Live, end: bytes) -> None:
    with server.reach() as connection:
        connection.sendall(b"GET /v1/hello HTTP/1.1\r\nHost: x\r\nX: " + b"x" * (limits.LARGEST_HEAD + 100) + end)
        answer = HTTPResponse(connection)  # its head may come before its body
        answer.begin()
        assert (answer.status, json.loads(answer.read())["error"]["facts"]["limit"]) == (431, "head")


def test_what_is_no_http(server: Live) -> None:
    with server.reach() as connection:
        connection.sendall(b"who are you\r\n\r\n")
        assert connection.recv(4096).startswith(b"HTTP/1.1 400")


def test_the_same_key_runs_once(server: Live, terminal: str, tmp_path: Path) -> None:
    body = {"command": f"echo x >> {tmp_path}/ran; echo $RANDOM$RANDOM", "terminal": terminal, "wait": LONG}
    key = {"Idempotency-Key": "a-key-of-22-characters"}
    first = server.ask("POST", "/v1/run", body, key)
    again = server.ask("POST", "/v1/run", body, key)
    assert first.status == 200 and first.body == again.body
    assert (tmp_path / "ran").read_text() == "x\n"
    other = server.ask("POST", "/v1/run", {**body, "command": "true"}, key)
    assert (other.status, other.code) == (422, "key_reused")
    assert server.ask("POST", "/v1/run", body, {"Idempotency-Key": "short"}).status == 400
    assert (tmp_path / "ran").read_text() == "x\n"
    refused = {"Idempotency-Key": "another-key"}
    assert server.ask("POST", "/v1/run", {**body, "terminal": "gone"}, refused).status == 404
    assert server.ask("POST", "/v1/run", body, refused).status == 200  # what was refused has used no key


def test_each_terminal_has_the_variables_of_its_caller(server: Live) -> None:
    path = os.environ["PATH"]
    one = {"PATH": path, "WHO": "one", "SSH_AUTH_SOCK": "/one", "LD_PRELOAD": "/x.so", "MY_API_KEY": "secret"}
    report = server.post(
        "/v1/run", command="echo $WHO $SSH_AUTH_SOCK [$LD_PRELOAD$MY_API_KEY$HOME]", environ=one, wait=LONG
    )
    assert report["output"] == "one /one []\n"
    opened = server.post(
        "/v1/terminals", environ={"PATH": path, "WHO": "two"}, env={"MORE": "x"}, shell="bash", rc=False
    )
    report = server.post("/v1/run", command="echo $WHO $MORE", terminal=opened["id"], wait=LONG)
    assert report["output"] == "two x\n"


def stream(connection: socket.socket, path: str) -> Any:
    """The lines of a response."""
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    file = connection.makefile("rb")
    while file.readline().strip():
        pass
    while size := int(file.readline(), 16):
        for line in file.read(size).splitlines():
            yield json.loads(line)
        file.readline()


def test_events_from_a_number_on(server: Live, terminal: str) -> None:
    seq = server.get("/v1/terminals")["seq"]
    server.post("/v1/run", command="true", terminal=terminal, wait=LONG)
    server.post("/v1/run", command="false", terminal=terminal, wait=LONG)
    with server.reach() as connection:
        lines = stream(connection, f"/v1/events?since={seq}")
        seen = [next(lines) for _ in range(4)]
        assert [one["event"] for one in seen] == ["started", "finished", "started", "finished"]
        assert [one["seq"] for one in seen] == [seq + 1, seq + 2, seq + 3, seq + 4]
        assert [one["command"]["exit_code"] for one in seen] == [None, 0, None, 1]
        server.post("/v1/commands", command="exit 5", terminal=terminal)
        live = [next(lines) for _ in range(3)]
        assert [one["event"] for one in live] == ["started", "finished", "closed"]
        assert live[-1]["terminal"]["exit_code"] == 5
    for query in ("since=999999", f"since={seq}&epoch=another"):
        with server.reach() as connection:
            reset = next(stream(connection, f"/v1/events?{query}"))
            assert (reset["event"], reset["terminals"], reset["seq"]) == ("reset", [], seq + 7)


@pytest.mark.parametrize(("path", "why"), [("/v1/stop", "stopping"), ("/v1/upgrade", "upgrading")])
def test_listeners_hear_that_the_server_ends(server: Live, path: str, why: str) -> None:
    with server.reach() as connection:
        lines = stream(connection, "/v1/events?since=0")
        server.post("/v1/terminals", shell="bash", rc=False)
        assert next(lines)["event"] == "opened"
        server.post(path)
        *_, last = lines
        assert (last["event"], last.get(why)) == ("server", True)


def test_following_a_command(server: Live, terminal: str) -> None:
    id = server.post("/v1/commands", command="read -p 'go? ' x; echo went", terminal=terminal)["id"]
    with server.reach() as connection:
        parts = stream(connection, f"/v1/commands/{id}/events?coalesce=0")
        assert next(parts)["event"] == "started"
        while (part := next(parts))["event"] != "waiting":
            assert part["event"] == "output"
        server.post(f"/v1/commands/{id}/send", text="y\n")
        *_, last = parts
        assert (last["event"], last["outcome"]["exit_code"]) == ("finished", 0)


def test_a_terminal_begins_at_home_unless_its_caller_names_a_directory(
    server: Live, home: Path, tmp_path: Path
) -> None:
    assert server.post("/v1/terminals", shell="bash", rc=False)["cwd"] == str(home)
    assert server.post("/v1/terminals", shell="bash", rc=False, cwd=str(tmp_path))["cwd"] == str(tmp_path)
    assert server.post("/v1/run", command="pwd", wait=60)["output"] == f"{home}\n"
