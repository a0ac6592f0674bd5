"""All that was run: pages of it, who ran it, searches with exact counts, and lines by their numbers."""

from __future__ import annotations

import json
import os
import signal
from typing import Any
from urllib.parse import urlencode

from tests.mcp.lasting import kill
from tests.patience import PATIENCE
from tests.server.live import Live


def run(server: Live, command: str, terminal: str) -> str:
    done = server.post("/v1/run", command=command, terminal=terminal, wait=PATIENCE)
    assert done["state"] == "finished", done
    return str(done["command_id"])


def get(server: Live, path: str, **query: Any) -> Any:
    return server.get(f"{path}?{urlencode(query)}")


def test_pages_of_the_history(server: Live) -> None:
    one, two = (server.post("/v1/terminals", shell="bash", rc=False)["id"] for _ in range(2))
    ids = [run(server, f"exit_{number}() {{ return {number}; }}; exit_{number}", one) for number in range(3)]
    ids.append(run(server, "exit 3", two))  # closes it
    first = get(server, "/v1/history", limit=3)
    assert [command["id"] for command in first["commands"]] == ids[:0:-1]
    assert (first["total"], first["next"]) == (4, ids[1])
    assert {terminal["id"]: terminal["closed"] for terminal in first["terminals"]} == {one: False, two: True}
    rest = get(server, "/v1/history", limit=3, before=first["next"])
    assert ([command["id"] for command in rest["commands"]], rest["next"]) == ([ids[0]], None)
    assert get(server, "/v1/history", state="failed")["total"] == 3
    assert get(server, "/v1/history", state="ok")["total"] == 1
    assert get(server, "/v1/history", terminal_id=two)["total"] == 1
    assert server.ask("GET", "/v1/history?state=odd").code == "misuse"
    assert server.ask("GET", "/v1/history?before=t9-9").code == "misuse"
    assert server.ask("GET", "/v1/history?terminal_id=t99").code == "unknown_terminal"


def test_who_has_started_it_outlives_the_server(server: Live) -> None:
    terminal = server.post("/v1/terminals", shell="bash", rc=False)["id"]
    headers = {"Truetty-Client": "tests/1"}
    body = {"command": "true", "terminal": terminal, "wait": PATIENCE}
    done = server.ask("POST", "/v1/run", body, headers).json
    for _ in range(2):
        command = server.get(f"/v1/commands/{done['command_id']}")
        assert (command["by"], command["client"]) == ("program", "tests/1")
        assert get(server, "/v1/history", by="program")["total"] == 1
        assert get(server, "/v1/history", by="agent")["total"] == 0
        os.kill(server.pid(), signal.SIGKILL)


def test_a_search_counts_exactly_and_names_the_lines(server: Live) -> None:
    terminal = server.post("/v1/terminals", shell="bash", rc=False)["id"]
    many = run(
        server, r"for i in $(seq 300); do echo line $i; [ $((i % 3)) = 0 ] && echo a.Needle here; done", terminal
    )
    named = run(server, ": needle in the command line", terminal)
    run(server, "echo nothing", terminal)
    found = get(server, "/v1/search", q=".needle")
    assert [(one["command"]["id"], one["count"]) for one in found["results"]] == [(many, 100)]
    assert (found["matches"], found["commands"], found["searched"], found["of"]) == (101, 1, 3, 3)
    assert found["more"] and len(found["results"][0]["hits"]) == 50
    hit = found["results"][0]["hits"][0]
    assert (hit["line"], hit["text"], hit["spans"]) == (4, "a.Needle here", [[1, 8]])
    both = get(server, "/v1/search", q="needle", state="ok")
    assert [one["command"]["id"] for one in both["results"]] == [named, many]
    assert both["results"][0]["spans"] == [[2, 8]]
    assert get(server, "/v1/search", q="needle", case="true")["commands"] == 1
    assert get(server, "/v1/search", q="Needle", case="true")["commands"] == 1
    assert get(server, "/v1/search", q="NEEDLE", case="true")["commands"] == 0
    assert get(server, "/v1/search", q=r"^line 2\d\d$", regex="true")["matches"] == 100
    lines = get(server, f"/v1/commands/{many}/slice", first=hit["line"], count=1)
    assert (lines["lines"], lines["total"]) == ([hit["text"]], 400)
    for query in ("q=", "q=(&regex=true", "q=" + "x" * 2000, "state=ok"):
        assert server.ask("GET", f"/v1/search?{query}").code == "misuse", query


def test_a_fold(server: Live) -> None:
    terminal = server.post("/v1/terminals", shell="bash", rc=False)["id"]
    command = run(server, "seq 118", terminal)
    fold = get(server, f"/v1/commands/{command}/slice", count=4, tail=8)
    assert fold["lines"] == ["1", "2", "3", "4"]
    assert (fold["tail_first"], fold["tail"][0], fold["tail"][-1], fold["total"]) == (111, "111", "118", 118)


def test_a_place_in_a_long_line(server: Live) -> None:
    terminal = server.post("/v1/terminals", shell="bash", rc=False)["id"]
    run(server, "printf '%05000d needle %05000d' 0 0", terminal)
    hit = get(server, "/v1/search", q="needle")["results"][0]["hits"][0]
    begin, end = hit["spans"][0]
    assert hit["text"][begin:end] == "needle" and hit["column"] + begin == 5001 and len(hit["text"]) == 400


def test_a_recording_has_a_marker_for_each_command(server: Live) -> None:
    terminal = server.post("/v1/terminals", shell="bash", rc=False, size=[100, 20])["id"]
    for number in (1, 2):
        run(server, f"echo line-{number}", terminal)
    server.ask("DELETE", f"/v1/terminals/{terminal}", {})
    lines = [json.loads(line) for line in server.ask("GET", f"/v1/terminals/{terminal}/cast").body.splitlines()]
    assert (lines[0]["version"], lines[0]["term"]["cols"]) == (3, 100)
    assert [event[2] for event in lines[1:] if event[1] == "m"] == ["echo line-1", "echo line-2"]
    shown = "".join(event[2] for event in lines[1:] if event[1] == "o")
    assert "line-1" in shown and "line-2" in shown
    assert not [event for event in lines[1:] if event[1] == "i"]
    assert server.ask("GET", "/v1/terminals/t99/cast").code == "unknown_terminal"


def test_a_recording_has_the_markers_of_the_commands_before_a_kill(server: Live) -> None:
    terminal = server.post("/v1/terminals", shell="bash", rc=False)["id"]
    texts = [f"echo $((9 + {number}))" for number in (2, 3, 4)]  # the line that bash draws has no result in it
    for text in texts[:2]:
        server.post("/v1/run", command=text, terminal=terminal)
    kill(server)
    server.post("/v1/run", command=texts[2], terminal=terminal)
    lines = [json.loads(line) for line in server.ask("GET", f"/v1/terminals/{terminal}/cast").body.splitlines()]
    assert [line[2] for line in lines[1:] if line[1] == "m"] == texts
    printed = [line[2] if line[1] == "o" else f"<{line[2]}>" for line in lines[1:] if line[1] in "om"]
    whole = "".join(printed)
    parts = [f"<{texts[0]}>", "11\r\n", f"<{texts[1]}>", "12\r\n", f"<{texts[2]}>", "13\r\n"]
    places = [whole.index(part) for part in parts]
    assert places == sorted(places)
    assert all(line[0] >= 0 for line in lines[1:])
