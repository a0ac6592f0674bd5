"""What is said again on a new connection, and what the client sees of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from truetty.core.errors import ChannelLost
from truetty.mcp.traffic import MOST_TRIES, Traffic, unmarked

INITIALIZE = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"clientInfo": {"name": "x"}}}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
LEVEL = {"jsonrpc": "2.0", "id": 1, "method": "logging/setLevel", "params": {"level": "error"}}


def line(message: object) -> str:
    return json.dumps(message) + "\n"


def tool(id: object, name: str = "run", **params: object) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, **params}}


def answer(id: object) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": id, "result": {}})


def begun(traffic: Traffic) -> list[dict[str, Any]]:
    return [json.loads(unmarked(text)[0]) for text in traffic.begin()]


def mark(text: str | None) -> dict[str, Any]:
    assert text is not None
    found = unmarked(text)[1]
    assert found is not None
    return found


@pytest.mark.parametrize("text", ["no JSON", "[1]", "", "1e999", '{"jsonrpc": "2.0", "method": "x", "params": 1e999}'])
def test_what_is_no_request_passes_as_it_is(text: str) -> None:
    assert Traffic().from_client(f"{text}\r\n") == text


def test_a_call_is_passed_on_as_it_was_written_behind_its_mark() -> None:
    text = '{"id":7,  "jsonrpc":"2.0","method":"tools/call","params":{"name":"run","arguments":{"wait":1e999}}}'
    sent = Traffic().from_client(text)
    assert sent is not None and unmarked(sent)[0] == text
    assert (mark(sent)["id"], mark(sent)["again"]) == (7, False)


def test_a_new_connection_begins_with_the_greeting_of_which_the_client_sees_nothing() -> None:
    traffic = Traffic()
    for message in (INITIALIZE, INITIALIZED, LEVEL):
        traffic.from_client(line(message))
    assert traffic.from_server(answer(0)) == answer(0) + "\n"
    assert traffic.from_server(answer(1)) == answer(1) + "\n"
    traffic.cut()
    first, second, third = begun(traffic)
    assert (first["method"], second, third["method"]) == ("initialize", INITIALIZED, "logging/setLevel")
    assert first["params"] == INITIALIZE["params"] and not {first["id"], third["id"]} & {0, 1}
    assert traffic.from_server(answer(first["id"])) is None
    assert traffic.from_server(answer(third["id"])) is None
    assert begun(traffic)[0]["method"] == "initialize"


def test_a_greeting_without_an_answer_is_asked_again_by_the_client_s_own_id() -> None:
    traffic = Traffic()
    traffic.from_client(line(INITIALIZE))
    traffic.cut()
    assert begun(traffic) == [INITIALIZE]
    assert traffic.from_server(answer(0)) == answer(0) + "\n"


def test_what_has_no_answer_is_sent_again_in_its_order_with_the_same_key() -> None:
    traffic = Traffic()
    calls = [tool(1), tool("1", "wait"), {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}, tool(3)]
    sent = [traffic.from_client(line(one)) for one in calls]
    keys = [mark(text)["key"] for text in (sent[0], sent[1], sent[3])]
    assert len(set(keys)) == 3 and sent[2] == json.dumps(calls[2])
    traffic.from_server(answer(3))
    traffic.cut()
    texts = traffic.begin()
    assert [json.loads(unmarked(text)[0]) for text in texts] == calls[:3]
    assert [mark(text) for text in texts[:2]] == [
        {"id": 1, "key": keys[0], "again": True},
        {"id": "1", "key": keys[1], "again": True},
    ]


def test_a_call_that_the_client_has_cancelled_is_not_sent_again() -> None:
    traffic = Traffic()
    traffic.from_client(line(tool(1)))
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    assert traffic.from_client(line(cancel)) == json.dumps(cancel)
    traffic.cut()
    assert begun(traffic) == []


def test_a_question_of_the_server_is_answered_on_its_own_connection_only() -> None:
    traffic = Traffic()
    question = {"jsonrpc": "2.0", "id": 1, "method": "elicitation/create", "params": {}}
    first = json.loads(traffic.from_server(json.dumps(question)) or "")
    told = [json.loads(one) for one in traffic.cut()]
    assert [(one["method"], one["params"]["requestId"]) for one in told] == [("notifications/cancelled", first["id"])]
    second = json.loads(traffic.from_server(json.dumps(question)) or "")
    assert first["id"] != second["id"]
    assert traffic.from_client(answer(first["id"])) is None
    assert json.loads(traffic.from_client(answer(second["id"])) or "")["id"] == 1
    assert traffic.from_client(answer(second["id"])) is None


def test_a_question_that_the_server_takes_back_is_taken_back_by_the_id_that_the_client_knows() -> None:
    traffic = Traffic()
    known = json.loads(traffic.from_server('{"jsonrpc": "2.0", "id": 5, "method": "roots/list"}') or "")["id"]
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}}
    assert json.loads(traffic.from_server(json.dumps(cancel)) or "")["params"]["requestId"] == known
    assert traffic.from_server(json.dumps(cancel)) is None


@pytest.mark.parametrize("structured", [False, True])
def test_without_a_server_calls_are_answered_with_an_error(structured: bool) -> None:
    traffic = Traffic(structured=structured)
    traffic.from_client(line(tool(1, _meta={"io.modelcontextprotocol/protocolVersion": "2026-07-28"})))
    traffic.from_client(line({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}))
    first, second = (json.loads(one) for one in traffic.give_up(ChannelLost("it has ended", reason="no server")))
    assert first["id"] == 1 and first["result"]["isError"] and first["result"]["resultType"] == "complete"
    assert "it has ended" in first["result"]["content"][0]["text"]
    data = first["result"]["structuredContent"] if structured else first["result"]["_meta"]["truetty/result"]
    assert data["error"]["code"] == "channel_lost"
    assert (second["id"], second["error"]["message"]) == (2, "it has ended")
    assert begun(traffic) == [] and traffic.give_up(ChannelLost("", reason="")) == []


def test_a_call_that_cuts_every_connection_is_given_up() -> None:
    traffic = Traffic()
    traffic.from_client(line(tool(1)))
    for _ in range(MOST_TRIES - 1):
        assert traffic.cut() == []
        assert len(traffic.begin()) == 1
    (told,) = traffic.cut()
    assert json.loads(told)["result"]["isError"] and traffic.begin() == []


def test_the_task_is_for_the_pipe_and_not_for_the_client() -> None:
    traffic = Traffic()
    assert traffic.from_server('{"task": "x@/"}') is None and traffic.task == "x@/"


def test_what_the_client_was_told_of_a_command_is_known_to_the_pipe() -> None:
    traffic = Traffic()

    def tell(**data: object) -> dict[str, str]:
        traffic.from_server(json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"_meta": {"truetty/result": data}}}))
        return dict(traffic.questions)

    asks = {"state": "waiting", "command_id": "t1-1", "waiting": {"prompt": "Sure? "}}
    assert tell(**asks) == {"t1-1": "Sure? "}
    notice = {"command_id": "t2-1", "what": "waiting", "prompt": None}
    assert tell(state="running", command_id="t3-1", notices=[notice]) == {"t1-1": "Sure? ", "t2-1": ""}
    assert tell(state="finished", command_id="t1-1") == {"t2-1": ""}
    assert tell(notices=[{**notice, "what": "finished"}]) == {}
