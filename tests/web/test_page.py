"""The page is turned on, a browser logs in, and sees and does what its login lets it."""

from __future__ import annotations

import json
import os
import re
import signal
from pathlib import Path

import pytest

from tests.server.live import Live
from tests.web.browser import SWITCHED, Page

PLACES = ("/", "/history", "/t/t1", "/t/build", "/t/t1/c/t1-3")


def test_all_places_are_one_document_with_a_fresh_nonce(page: Page) -> None:
    seen = set()
    allowed = (
        "default-src 'none'; script-src 'self' 'nonce-N'; style-src 'self' 'nonce-N'; style-src-attr 'unsafe-inline'; "
        "connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    )
    for place in PLACES:
        reply = page.ask("GET", place)
        policy = reply.headers["content-security-policy"]
        seen.add(policy)
        assert reply.headers["content-type"].startswith("text/html")
        assert reply.headers["cache-control"] == "no-store"
        assert re.sub(r"'nonce-[\w-]{22}'", "'nonce-N'", policy) == allowed
    assert len(seen) == len(PLACES)


def test_a_ticket_is_exchanged_for_a_cookie_and_a_key(page: Page) -> None:
    reply = page.try_login(page.ticket())
    assert reply.status == 200
    cookie = reply.headers["set-cookie"]
    assert cookie.startswith(f"truetty_{page.port}=")
    for word in ("HttpOnly", "SameSite=strict", "Path=/", "Max-Age=43200"):
        assert word in cookie
    assert reply.json["rights"] == ["watch", "answer", "type"]
    assert reply.json["key"] not in cookie


def test_cookie_and_key_together_reach_the_api(page: Page) -> None:
    login = page.login()
    made = page.ask("POST", "/v1/terminals", {"shell": "bash", "rc": False, "name": "build"}, login)
    assert made.status == 200, made.body
    listed = page.ask("GET", "/v1/terminals", login=login)
    assert [one["name"] for one in listed.json["terminals"]] == ["build"]
    assert listed.json["terminals"][0]["client"] == login.answer["name"]


def test_the_session_is_told_and_ends(page: Page) -> None:
    login = page.login()
    told = page.ask("GET", "/v1/web/session", login=login)
    assert told.json == {name: value for name, value in login.answer.items() if name != "key"}
    stream = page.upgrade("/v1/events", login, "truetty.events.1")
    assert stream.heard()["event"] == "reset"
    assert page.ask("POST", "/v1/web/logout", login=login).status == 200
    assert stream.closing_code() == 4401
    assert page.ask("GET", "/v1/web/session", login=login).code == "no_session"


def test_events_begin_with_how_everything_stands(page: Page) -> None:
    login = page.login()
    terminal = page.server.post("/v1/terminals", shell="bash", rc=False)["id"]
    asked = page.server.post("/v1/commands", command="read -p 'Sure? ' x", terminal=terminal)
    page.server.get(f"/v1/commands/{asked['id']}/wait")
    stream = page.upgrade("/v1/events", login, "truetty.events.1")
    assert stream.status == SWITCHED
    assert stream.headers["sec-websocket-protocol"] == "truetty.events.1"
    reset = stream.heard()
    assert [one["id"] for one in reset["terminals"]] == [terminal]
    assert reset["commands"][0]["waiting"]["prompt"] == "Sure? "
    since = reset["commands"][0]["waiting_since"]
    assert reset["commands"][0]["started_at"] <= since <= reset["at"]
    assert reset["terminals"][0]["command"]["waiting_since"] == since
    stream.say(t="ping", x=7)
    stream.until(t="pong", x=7)
    episode = reset["commands"][0]["episode"]
    answered = page.ask("POST", f"/v1/commands/{asked['id']}/answer", {"episode": episode, "text": "y"}, login)
    assert answered.status == 200, answered.body
    assert stream.until(event="finished")["command"]["exit_code"] == 0
    stream.close()
    again = page.upgrade(f"/v1/events?since={reset['seq']}&epoch={reset['epoch']}", login, "truetty.events.1")
    assert again.heard()["seq"] == reset["seq"] + 1


def test_a_view_is_shown_and_typed_into(page: Page) -> None:
    login = page.login()
    terminal = page.server.post("/v1/terminals", shell="bash", rc=False)["id"]
    view = page.upgrade(f"/v1/terminals/{terminal}/view", login)
    assert view.headers["sec-websocket-protocol"] == "truetty.view.1"
    assert view.until(t="hello")["may"] == ["watch", "type"]
    view.until(t="picture")
    lease = page.ask("POST", f"/v1/terminals/{terminal}/lease", {"holder": "Ann"}, login).json["lease"]
    view.say(t="keys", lease=lease, text="echo typed-$((40+2))\r")
    shown = b""
    while b"typed-42" not in shown:
        shown += view.frame()[1]


def test_logins_and_the_port_outlive_a_killed_server(page: Page) -> None:
    login = page.login()
    before = page.server.pid()
    os.kill(before, signal.SIGKILL)
    told = page.ask("GET", "/v1/web/session", login=login)
    assert told.status == 200, told.body
    assert told.json["name"] == login.answer["name"]
    assert page.server.pid() != before
    assert page.server.get("/v1/web")["url"] == page.url
    journal = Path(page.server.place.path("journal")).read_text()
    assert login.key not in journal and login.cookie.partition("=")[2] not in journal


def test_logins_outlive_an_upgrade(page: Page) -> None:
    login = page.login()
    stream = page.upgrade("/v1/events", login, "truetty.events.1")
    stream.heard()
    page.server.post("/v1/upgrade")
    assert stream.closing_code() in (1012, None)
    assert page.ask("GET", "/v1/web/session", login=login).status == 200


def test_a_page_that_is_turned_off_is_gone_and_logged_out(page: Page) -> None:
    login = page.login()
    off = page.server.ask("DELETE", "/v1/web", {})
    assert off.json == {"url": None, "logins": 0, "token_file": None}
    with pytest.raises(ConnectionRefusedError):
        page.dial()
    assert page.server.get("/v1/status")["web"] is None
    again = page.server.post("/v1/web", port=page.port)
    assert again["url"] == page.url
    assert page.ask("GET", "/v1/web/session", login=login).code == "no_session"


def test_a_server_after_a_stop_listens_for_no_browser(page: Page) -> None:
    page.server.end()
    assert page.server.get("/v1/web")["url"] is None
    assert json.loads(Path(page.server.place.info).read_text())["web"] is None


def test_only_the_loopback_is_listened_on(server: Live) -> None:
    for host in ("0.0.0.0", "10.0.0.1", "example.org"):
        assert server.ask("POST", "/v1/web", {"host": host}).code == "misuse"
    assert server.get("/v1/web")["url"] is None


def test_a_page_stops_no_server_and_makes_no_links(page: Page) -> None:
    login = page.login()
    for method, path in (
        ("POST", "/v1/stop"),
        ("POST", "/v1/upgrade"),
        ("POST", "/v1/web/tickets"),
        ("DELETE", "/v1/web"),
    ):
        assert page.ask(method, path, login=login).code == "denied"
    assert page.upgrade("/v1/connect", login).status == 403
    assert page.upgrade("/v1/mcp", login).status == 403
