"""The page of a handoff, as a browser and as an attacker use it."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from tests.mcp.served import PACKAGE, PATIENCE, Tools, eventually, once, tools
from truetty.mcp import visits

ASK = "read -s -p 'Password: ' p; echo; echo got ${#p}; read -p 'Sure? ' y; echo $y"


async def handed_over(call: Tools, command: str = ASK, until: str = "settled") -> tuple[str, str]:
    """The command's id and the link, once the command waits or has printed what `until` names."""
    asked = await call("run", command=command, until=until)
    offered = await call("handoff", id=asked["command_id"], reason="<b>your</b> password")
    return asked["command_id"], offered["url"]


def key_in(page: str) -> str:
    found = re.search(r'name="key" value="([^"]+)"', page)
    assert found is not None, page
    return found[1]


def browser(url: str) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(base_url=str(httpx2.URL(url).join("/")), trust_env=False)


async def test_a_person_types_and_the_agent_may_type_again(home: Path) -> None:
    async with tools() as call:
        id, url = await handed_over(call)
        async with browser(url) as person:
            page = await person.get(url)
            assert page.status_code == 200 and 'type="password"' in page.text
            assert "&lt;b&gt;your&lt;/b&gt;" in page.text and "<b>" not in page.text
            assert "Password:" in page.text
            typed = await person.post("/type", data={"key": key_in(page.text), "text": "hunter2", "enter": "yes"})
            assert typed.status_code == 200 and "hunter2" not in typed.text
        waited = await call("wait", id=id, wait=PATIENCE)
        assert waited["state"] == "waiting" and "got 7" in waited["output"] and "hunter2" not in str(waited)
        await eventually(lambda: call.session.service.handoffs.of(id.partition("-")[0]) is None, "it is given back")
        assert (await call("send", id=id, text="yes\n"))["state"] == "finished"


async def test_a_link_works_once(home: Path) -> None:
    async with tools() as call:
        _, url = await handed_over(call)
        async with browser(url) as person, browser(url) as other:
            assert (await person.get(url)).status_code == 200
            assert (await other.get(url)).status_code == 403
            assert (await person.get(url)).status_code == 200  # the same browser, that has its cookie
            assert (await other.get(url[:-1] + "x")).status_code == 403


async def test_the_cookie_alone_shows_no_form(home: Path) -> None:
    async with tools() as call:
        _, url = await handed_over(call)
        async with browser(url) as person:
            key = key_in((await person.get(url)).text)
            for path in ("/whatever", "/favicon.ico", "/type", url + "x"):
                for accept in ("text/html", "application/json"):
                    shown = await person.get(path, headers={"Accept": accept})
                    assert shown.status_code == 403 and key not in shown.text, path
            assert key_in((await person.get(url)).text) == key


async def test_a_secret_is_not_typed_where_none_is_asked_for_any_more(home: Path, tmp_path: Path) -> None:
    go = tmp_path / "go"
    ask = f"stty -echo; printf 'Password: '; {once(go)}; stty echo; echo; read -p 'Name: ' n; echo hello $n"
    async with tools() as call:
        id, url = await handed_over(call, ask, "match:Password: ")
        command = call.session.service.command(id)
        async with browser(url) as person:
            first = await person.get(url)
            assert 'type="password"' in first.text
            form = {"key": key_in(first.text), "text": "hunter2", "enter": "yes"}
            go.touch()
            await eventually(lambda: "Name: " in command.output.text(), "it asks for something else")
            await eventually(lambda: command.state == "waiting" and not command.hides_typing, "it waits for a line")
            refused = await person.post("/type", data=form)
            assert "question has changed" in refused.text and 'type="text"' in refused.text
            assert "Name:" in refused.text and "hunter2" not in refused.text
            # The page has been shown anew; the form of the first one still is that of a secret.
            asked = {**form, "asked": "hidden"}
            assert "question has changed" in (await person.post("/type", data=asked)).text
            assert "hunter2" not in command.output.text()
            await person.post("/type", data={**form, "text": "Ada", "asked": "open"})
        waited = await call("wait", id=id, wait=PATIENCE)
        assert waited["state"] == "finished" and waited["output"].endswith("hello Ada\n")
        assert "hunter2" not in waited["output"]


async def test_a_secret_that_is_asked_for_in_the_open_can_be_typed(home: Path) -> None:
    async with tools() as call:
        id, url = await handed_over(call, "read -p 'Password: ' p; read -p 'Name: ' n; echo ${#p} $n")
        async with browser(url) as person:
            page = await person.get(url)
            assert 'type="text"' in page.text and 'name="asked" value="secret"' in page.text
            assert "the agent will see what you type" in page.text and "Echo is on" in page.text
            form = {"key": key_in(page.text), "text": "hunter2", "enter": "yes", "asked": "secret"}
            await person.post("/type", data=form)
            command = call.session.service.command(id)
            await eventually(lambda: "Name: " in command.output.text(), "it asks for something else")
            await eventually(lambda: command.state == "waiting", "it waits again")
            assert "question has changed" in (await person.post("/type", data=form)).text
            await person.post("/type", data={**form, "text": "Ada", "asked": "open"})
        assert (await call("wait", id=id, wait=PATIENCE))["output"].endswith("7 Ada\n")


async def test_the_cookie_alone_types_nothing(home: Path) -> None:
    async with tools() as call:
        id, url = await handed_over(call)
        async with browser(url) as person, browser(url) as other:
            key = key_in((await person.get(url)).text)
            for form in ({"text": "x"}, {"text": "x", "key": "guessed"}):
                assert (await person.post("/type", data=form)).status_code == 403
            assert (await other.post("/type", data={"text": "x", "key": key})).status_code == 403
            large = {"text": "x" * 100_000, "key": key}
            assert (await person.post("/type", data=large)).status_code == 413
        assert (await call("read", id=id))["state"] == "waiting"


async def test_another_host_or_origin_is_turned_away(home: Path) -> None:
    async with tools() as call:
        _, url = await handed_over(call)
        async with browser(url) as person:
            port = httpx2.URL(url).port
            assert (await person.get(url, headers={"Host": "evil.example"})).status_code == 421
            assert (await person.get(url, headers={"Host": f"evil.example:{port}"})).status_code == 421
            assert (await person.get(url, headers={"Origin": "http://evil.example"})).status_code == 403
            key = key_in((await person.get(url)).text)  # none of these has used the link
            form = {"text": "x", "key": key}
            assert (await person.post("/type", data=form, headers={"Origin": "null"})).status_code == 403
            assert (await person.post("/look", data=form, headers={"Origin": f"http://127.0.0.1:{port}"})).is_success


async def test_nothing_is_cached_or_comes_from_elsewhere_or_runs(home: Path) -> None:
    async with tools() as call:
        _, url = await handed_over(call)
        async with browser(url) as person:
            page = await person.get(url)
            assert page.headers["cache-control"] == "no-store"
            policy = page.headers["content-security-policy"]
            assert "default-src 'none'" in policy and "script-src" not in policy and "unsafe" not in policy
            assert "frame-ancestors 'none'" in policy
            cookie = page.headers["set-cookie"].lower()
            assert "httponly" in cookie and "samesite=strict" in cookie
            assert "<script" not in page.text and "http://" not in page.text
            assert (await person.get("/style.css")).is_success


async def test_what_is_typed_is_in_no_log(home: Path, caplog: pytest.LogCaptureFixture, capfd) -> None:
    with caplog.at_level(logging.DEBUG):
        async with tools() as call:
            id, url = await handed_over(call)
            async with browser(url) as person:
                key = key_in((await person.get(url)).text)
                await person.post("/type", data={"key": key, "text": "hunter2", "enter": "yes"})
            await call("wait", id=id)
            assert b"hunter2" not in call.session.service.registry.get(id.partition("-")[0]).transcript.read()
    captured = capfd.readouterr()
    code = url.rpartition("/")[2]
    for secret in ("hunter2", code):
        ours = [record.getMessage() for record in caplog.records if not record.name.startswith("httpx2")]
        assert secret not in "\n".join(ours) + captured.out + captured.err


async def test_it_can_be_given_back_untyped(home: Path) -> None:
    async with tools() as call:
        id, url = await handed_over(call, "read -p 'Name: ' n; echo $n")
        async with browser(url) as person:
            page = await person.get(url)
            assert 'type="text"' in page.text
            assert (await call("send", id=id, text="no\n"))["error"] is not None
            back = await person.post("/back", data={"key": key_in(page.text)})
            assert "The agent may type again" in back.text
        assert (await call("send", id=id, text="yes\n"))["state"] == "finished"


async def test_the_same_page_types_again_when_it_asks_again(home: Path) -> None:
    ask = "for i in 1 2; do read -s -p 'Password: ' p; echo; sleep 0.2; done; echo done"
    async with tools() as call:
        id, url = await handed_over(call, ask)
        async with browser(url) as person:
            key = key_in((await person.get(url)).text)
            await person.post("/type", data={"key": key, "text": "wrong", "enter": "yes"})
            assert (await call("wait", id=id))["waiting"]["kind"] == "secret"
            assert (await call("send", id=id, text="x\n"))["error"]["code"] == "denied"
            await person.post("/type", data={"key": key, "text": "right", "enter": "yes"})
            assert (await call("wait", id=id))["state"] == "finished"
            over = await person.post("/look", data={"key": key})
            assert "has finished" in over.text


async def test_a_link_nobody_uses_is_worth_nothing_after_a_while(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visits, "LINK_LASTS", 0.2)
    async with tools() as call:
        id, url = await handed_over(call, "read -p 'Name: ' n; echo $n")
        await eventually(lambda: call.session.service.handoffs.of(id.partition("-")[0]) is None, "it is given back")
        async with browser(url) as person:
            assert (await person.get(url)).status_code == 403
        assert (await call("send", id=id, text="yes\n"))["state"] == "finished"


async def test_an_answer_can_be_typed_in_a_terminal(home: Path) -> None:
    async with tools() as call:
        id, url = await handed_over(call, "read -p 'Name: ' n; echo hello $n")
        answering = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "truetty", "answer", url),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(PACKAGE.parent), "http_proxy": "http://127.0.0.1:9"},
        )
        out, err = await asyncio.wait_for(answering.communicate(b"Ada\n"), PATIENCE)
        assert answering.returncode == 0, err
        assert b"your" in err and b"Name:" in out + err
        assert str((await call("wait", id=id))["output"]).endswith("hello Ada\n")
        again = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "truetty", "answer", url),
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
        )
        _, err = await asyncio.wait_for(again.communicate(), PATIENCE)
        assert again.returncode == 125 and b"used already" in err


async def test_an_answer_in_a_terminal_is_not_typed_when_the_question_has_changed(home: Path, tmp_path: Path) -> None:
    go = tmp_path / "go"
    ask = f"stty -echo; printf 'Password: '; {once(go)}; stty echo; echo; read -p 'Name: ' n; echo hello $n"
    async with tools() as call:
        id, url = await handed_over(call, ask, "match:Password: ")
        command = call.session.service.command(id)
        answering = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "truetty", "answer", url),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
            start_new_session=True,  # with a terminal of its own it would ask there
        )
        (visit,) = call.session.setup.page.visits.open
        await eventually(lambda: visit.secrecy == "hidden", "it has asked for a secret")
        go.touch()
        await eventually(lambda: "Name: " in command.output.text(), "the command asks for something else")
        await eventually(lambda: command.state == "waiting" and not command.hides_typing, "it waits for a line")
        out, err = await asyncio.wait_for(answering.communicate(b"hunter2\nAda\n"), PATIENCE)
        assert answering.returncode == 0, err
        assert b"question has changed" in out and out.rstrip().endswith(b"typed")
        waited = await call("wait", id=id, wait=PATIENCE)
        assert waited["output"].endswith("hello Ada\n") and "hunter2" not in waited["output"]
