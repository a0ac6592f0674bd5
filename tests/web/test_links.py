"""Links to share: one terminal is watched, nothing else, and no longer than was said."""

from __future__ import annotations

import os
import signal
from typing import Any

import pytest

from tests.web.browser import Login, Page


@pytest.fixture
def terminals(page: Page) -> tuple[str, str]:
    made = [page.server.post("/v1/terminals", shell="bash", rc=False)["id"] for _ in range(2)]
    return made[0], made[1]


def share(page: Page, terminal: str, seconds: float = 3600) -> dict[str, Any]:
    return dict(page.server.post("/v1/web/shares", terminal_id=terminal, seconds=seconds))


def visit(page: Page, link: dict[str, Any]) -> Login:
    reply = page.try_login(link["url"].partition("#ticket=")[2])
    assert reply.status == 200, reply.body
    return Login(reply.headers["set-cookie"].partition(";")[0], reply.json["key"], reply.json)


def test_one_terminal_is_watched(page: Page, terminals: tuple[str, str]) -> None:
    mine, other = terminals
    link = share(page, mine)
    login = visit(page, link)
    assert (login.answer["rights"], login.answer["terminal"]) == (["watch"], mine)
    assert login.answer["expires_at"] == link["until"]
    command = page.server.post("/v1/run", command="echo shared", terminal=mine)["command_id"]
    secret = page.server.post("/v1/run", command="echo unseen", terminal=other)["command_id"]
    for path in (
        f"/v1/terminals/{mine}",
        f"/v1/commands/{command}/slice",
        f"/v1/history?terminal_id={mine}",
        "/v1/hello",
    ):
        assert page.ask("GET", path, login=login).status == 200, path
    for path in (
        "/v1/terminals",
        "/v1/history",
        "/v1/status",
        "/v1/questions",
        "/v1/search?q=unseen",
        "/v1/web/shares",
        f"/v1/terminals/{other}",
        f"/v1/commands/{secret}/text",
        f"/v1/history?terminal_id={other}",
        f"/v1/terminals/{mine}0",
        f"/v1/terminals/{mine}?exact=false&terminal_id={other}x",
    ):
        reply = page.ask("GET", path, login=login)
        assert reply.status in (200, 403, 404), path
        assert b"unseen" not in reply.body and (reply.status != 200 or mine in reply.body.decode()), path
    assert page.upgrade(f"/v1/terminals/{other}/view", login).status == 403


def test_no_one_types_by_a_link(page: Page, terminals: tuple[str, str]) -> None:
    mine, _ = terminals
    login = visit(page, share(page, mine))
    for method, path, body in (
        ("POST", f"/v1/terminals/{mine}/type", {"text": "touch stolen\r"}),
        ("POST", f"/v1/terminals/{mine}/lease", {}),
        ("POST", "/v1/commands", {"command": "touch stolen", "terminal": mine}),
        ("POST", f"/v1/terminals/{mine}/size", {"size": [10, 10]}),
        ("PATCH", f"/v1/terminals/{mine}", {"name": "stolen"}),
        ("DELETE", f"/v1/terminals/{mine}", {}),
        ("POST", "/v1/questions/q1", {"answer": "allow"}),
        ("POST", "/v1/web/shares", {"terminal_id": mine, "seconds": 60}),
    ):
        assert page.ask(method, path, body, login).code == "denied", path
    view = page.upgrade(f"/v1/terminals/{mine}/view", login)
    assert view.until(t="hello")["may"] == ["watch"]
    for frame in (
        {"t": "keys", "text": "x"},
        {"t": "size", "size": [10, 10], "lease": "L"},
        {"t": "lease", "lease": "L"},
    ):
        view.say(**frame)
        assert view.until(t="error")["code"] in ("denied", "held"), frame
    view.say(t="size", size=[10, 10])
    assert view.until(t="error")["code"] == "denied"
    view.send(b"touch stolen\r")
    assert view.until(t="error")["code"] == "denied"
    assert page.server.get(f"/v1/terminals/{mine}")["size"] != [10, 10]


def test_events_of_a_link_are_of_its_terminal(page: Page, terminals: tuple[str, str]) -> None:
    mine, other = terminals
    login = visit(page, share(page, mine))
    stream = page.upgrade("/v1/events", login, "truetty.events.1")
    reset = stream.heard()
    assert [one["id"] for one in reset["terminals"]] == [mine] and reset["questions"] == []
    page.server.post("/v1/run", command="echo unseen", terminal=other)
    page.server.post("/v1/run", command="echo seen", terminal=mine)
    seen = [stream.heard() for _ in range(2)]
    assert [(one["event"], one["command"]["text"]) for one in seen] == [
        ("started", "echo seen"),
        ("finished", "echo seen"),
    ]


def test_a_link_is_listed_revoked_and_outlives_the_server(page: Page, terminals: tuple[str, str]) -> None:
    link = share(page, terminals[0])
    visit(page, link)
    os.kill(page.server.pid(), signal.SIGKILL)
    login = visit(page, link)
    (listed,) = page.server.get("/v1/web/shares")["shares"]
    assert (listed["id"], listed["visits"], listed["url"]) == (link["id"], 2, None)
    stream = page.upgrade("/v1/events", login, "truetty.events.1")
    stream.heard()
    assert page.server.ask("DELETE", f"/v1/web/shares/{link['id']}", {}).status == 200
    assert stream.closing_code() == 4401
    assert page.ask("GET", f"/v1/terminals/{terminals[0]}", login=login).code == "no_session"
    assert page.try_login(link["url"].partition("#ticket=")[2]).code == "no_ticket"
    assert page.server.ask("DELETE", f"/v1/web/shares/{link['id']}", {}).code == "unknown"


def test_a_link_that_ends_closes_what_was_opened_by_it(page: Page, terminals: tuple[str, str]) -> None:
    link = share(page, terminals[0], seconds=3)
    stream = page.upgrade("/v1/events", visit(page, link), "truetty.events.1")
    assert stream.closing_code() == 4401
    assert page.server.get("/v1/web/shares")["shares"] == []
    for seconds in (0, 10**9):
        refused = page.server.ask("POST", "/v1/web/shares", {"terminal_id": terminals[0], "seconds": seconds})
        assert refused.code == "misuse"
