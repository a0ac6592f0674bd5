"""What the page of a handoff says of the program that reads, for honest and for dishonest requests."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpx2
import mcp_types as types
import pytest
from mcp.client.client import Client

from tests.mcp import results
from tests.mcp.served import ERAS, PATIENCE, Person, Tools, eventually, over_stdio, tools
from tests.mcp.test_page import browser, handed_over, key_in

SUDO = "[sudo] password for root: "


async def page_of(call: Tools, command: str, reason: str, until: str = "settled") -> str:
    asked = await call("run", command=command, wait=PATIENCE, until=until)
    offered = await call("handoff", id=asked["command_id"], reason=reason)
    async with browser(offered["url"]) as person:
        return (await person.get(offered["url"])).text


def warnings(page: str) -> list[str]:
    return re.findall(r'<p class="warning">(.*?)</p>', page)


def heading(page: str) -> str:
    found = re.search(r"<h1>(.*?)</h1>", page)
    assert found is not None, page
    return found[1]


DISHONEST = {
    "head": f"printf '{SUDO}'; head -n1",
    "cat": f"printf '{SUDO}'; cat",
    "a shell": f"read -s -p '{SUDO}' p",
    "a shell's child": f"sh -c 'stty -echo; printf \"{SUDO}\"; read p'",
    "python": f"python3 -c 'import getpass; getpass.getpass(\"{SUDO}\")'",
    "a script with the name": f"./sudo '{SUDO}'",
    "a copy with the name": f"printf '{SUDO}'; ./copy/sudo",
    "a name that was set": f"printf '{SUDO}'; python3 rename.py",
    "through script": f"script -q -c 'printf \"{SUDO}\"; cat' log",
}


@pytest.mark.parametrize("how", DISHONEST)
async def test_a_password_of_sudo_that_another_program_reads_is_a_warning(
    home: Path, how: str, program: Callable[[str], str]
) -> None:
    (home / "sudo").write_text("#!/bin/sh\nstty -echo; printf '%s' \"$1\"; read p\n")
    (home / "sudo").chmod(0o755)
    (home / "copy").mkdir()
    (home / "copy" / "sudo").write_bytes(Path(program("cat")).read_bytes())
    (home / "copy" / "sudo").chmod(0o755)
    (home / "rename.py").write_text("import sys\nopen('/proc/self/comm', 'w').write('sudo')\nsys.stdin.readline()\n")
    async with tools() as call:
        await call("run", command=f"cd {home}")
        page = await page_of(call, DISHONEST[how], "sudo needs your password")
    (first, *_) = warnings(page)
    assert first.startswith("The request names sudo, but /") and first.endswith("reads. Type no password here.")
    assert (
        page.index("<h1>") < page.index(first) < page.index("The agent says") < page.index("sudo needs your password")
    )
    assert "autofocus" not in page
    hidden = "Echo is off" in page
    assert ('type="password"' in page) is hidden and ("Echo is on" in page or "key by key" in page) is not hidden


@pytest.mark.parametrize(
    ("reason", "named"),
    [
        ("Please type your SSH passphrase", "ssh"),
        ("gpg: the passphrase of your key", "gpg"),
        ("root@example.org's password", "ssh"),
        ("pkexec asks for the password", "polkit"),
    ],
)
async def test_what_the_agent_names_counts_as_well(home: Path, reason: str, named: str) -> None:
    async with tools() as call:
        page = await page_of(call, "stty -echo; head -n1; stty echo", reason, "input")
    assert warnings(page)[0].startswith(f"The request names {named}, but /")


async def test_the_program_itself_is_named_and_no_warning_is_given(home: Path, program: Callable[[str], str]) -> None:
    keygen = os.path.realpath(program("ssh-keygen"))
    subprocess.run([keygen, "-q", "-t", "ed25519", "-N", "secret", "-f", str(home / "id")], check=True)
    async with tools() as call:
        page = await page_of(call, f"ssh-keygen -y -f {home}/id", "ssh-keygen needs the passphrase of your key")
        assert warnings(page) == [] and 'type="password"' in page and "Echo is off" in page
        user = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
        pattern = rf"ssh-keygen reads what you type: {keygen}, process \d+, with the rights of {user}\."
        assert re.fullmatch(pattern, heading(page))


async def test_a_question_that_is_no_secret_is_an_open_field_without_a_warning(home: Path) -> None:
    async with tools() as call:
        page = await page_of(call, "read -p 'Your name: ' n", "It asks for your name")
        assert warnings(page) == [] and 'type="text"' in page
        assert "Echo is on: the terminal shows what you type, and the agent will see it." in page
        assert heading(page).startswith("bash reads what you type: /")


async def test_a_shell_that_asks_for_a_password_is_a_warning(home: Path) -> None:
    async with tools() as call:
        page = await page_of(call, "read -s -p 'Password: ' p", "the database wants it")
    (warning,) = warnings(page)
    assert warning.endswith("runs what the agent wrote: the agent can get what you type.")


async def test_a_program_that_is_traced_is_a_warning(home: Path, program: Callable[[str], str]) -> None:
    subprocess.run([program("ssh-keygen"), "-q", "-t", "ed25519", "-N", "x", "-f", str(home / "id")], check=True)
    async with tools() as call:
        command = f"{program('strace')} -o {home}/log ssh-keygen -y -f {home}/id"
        page = await page_of(call, command, "the passphrase", "match:passphrase")
    assert any("strace" in warning and "traces the program" in warning for warning in warnings(page))


async def test_where_no_program_reads_the_page_says_so(home: Path) -> None:
    async with tools() as call:
        page = await page_of(call, "stty -echo; printf 'Password: '; sleep 1000", "the password", "match:Password: ")
        assert heading(page) == "No program is seen to read the keyboard now."
        assert warnings(page) == ["A secret is asked for, and it cannot be seen which program would get it."]


# -- what others say is quoted, whole and readable


async def test_nothing_invisible_passes(home: Path) -> None:
    hostile = "\u202e\u2066\x1b[31m\x07\u200b\u00a0"
    async with tools() as call:
        command = f"printf 'screen \\xe2\\x80\\xae \\xe2\\x80\\x8b'; cat # {hostile.replace(chr(27), '')}end"
        page = await page_of(call, command, f"reason {hostile}</blockquote><h1>bash</h1>", "match:screen")
    assert not set("\u202e\u2066\x1b\x07\u200b\u00a0") & set(page)
    assert "“reason &lt;U+202E&gt;&lt;U+2066&gt;&lt;U+001B&gt;[31m&lt;U+0007&gt;" in page
    assert "# &lt;U+202E&gt;" in page and page.count("<h1>") == 1 and page.count("</blockquote>") == 1


async def test_a_long_command_is_there_with_its_beginning_and_its_end(home: Path) -> None:
    async with tools() as call:
        page = await page_of(call, "cat # begin " + "x" * 20_000 + " touch evil", "long")
    assert "cat # begin xxx" in page and "xxx touch evil</pre>" in page
    assert re.search(r"\[… 12,\d\d\d characters are left out here …\]", page)


async def test_the_link_is_offered_with_the_same_facts(home: Path) -> None:
    person = Person(replies="accepted")
    async with tools(person=person) as call:
        asked = await call("run", command=f"printf '{SUDO}'; head -n1")
        await call("handoff", id=asked["command_id"], reason="sudo\u202e needs it", wait=0)
    (message,) = person.messages
    first, second, *rest = message.split("\n")
    assert first.startswith("head reads what you type: /") and second.startswith(
        "WARNING: The request names sudo, but /"
    )
    assert "The agent says: “sudo<U+202E> needs it”" in rest


async def test_the_same_facts_are_said_in_a_terminal(home: Path) -> None:
    async with tools() as call:
        asked = await call("run", command=f"printf '{SUDO}'; head -n1")
        offered = await call("handoff", id=asked["command_id"], reason="sudo needs it")
        answering = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "truetty", "answer", offered["url"]),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(os.environ),
            start_new_session=True,
        )
        out, err = await asyncio.wait_for(answering.communicate(b""), PATIENCE)
        assert answering.returncode == 1 and b"given back" in out
        said = err.decode()
        assert said.startswith("head reads what you type: /")
        assert said.index("WARNING: The request names sudo") < said.index("The agent says: “sudo needs it”")
        assert "Echo is on" in said
        (line,) = [line for line in said.split("\n") if line.startswith("$ ")]
        assert line == f"$ printf '{SUDO}'; head -n1"


# -- links


async def test_a_new_link_ends_the_old_one_with_its_cookie_and_its_key(home: Path) -> None:
    async with tools() as call:
        id, first = await handed_over(call)
        async with browser(first) as old, browser(first) as new:
            page = await old.get(first)
            key = key_in(page.text)
            assert "opened before" not in page.text
            second = (await call("handoff", id=id, reason="again"))["url"]
            assert second != first
            for path in ("/type", "/look", "/back"):
                refused = await old.post(path, data={"key": key, "text": "hunter2", "enter": "yes"})
                assert refused.status_code == 403
            again = await old.get(first)
            assert again.status_code == 403 and "it was opened before, at 20" in again.text
            page = await new.get(second)
            assert page.status_code == 200 and key_in(page.text) != key
            assert re.search(r"opened before, at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\. Was it you\?", page.text)
            assert old.cookies.jar != new.cookies.jar
            assert call.session.service.command(id).state == "waiting"
            await new.post("/type", data={"key": key_in(page.text), "text": "hunter2", "enter": "yes"})
        assert "got 7" in (await call("wait", id=id, wait=PATIENCE))["output"]


async def test_a_link_that_was_not_opened_is_offered_again(home: Path) -> None:
    async with tools() as call:
        id, first = await handed_over(call)
        second = (await call("handoff", id=id, reason="again"))["url"]
        assert second == first
        async with browser(first) as person:
            page = await person.get(second)
            assert page.status_code == 200 and "opened before" not in page.text and "“again”" in page.text


async def test_the_person_learns_that_another_has_opened_the_link(home: Path) -> None:
    async with tools() as call:
        _, url = await handed_over(call)
        async with browser(url) as agent, browser(url) as person:
            assert (await agent.get(url)).status_code == 200
            late = await person.get(url)
            assert late.status_code == 403 and "it was opened before, at 20" in late.text
            assert "the agent perhaps" in late.text
            late = await person.get(url, headers={"Accept": "application/json"})
            assert "it was opened before" in late.json()["error"]


@pytest.mark.parametrize("era", ERAS)
async def test_the_link_that_a_client_shows_stays_good_when_the_call_comes_again(home: Path, era: str) -> None:
    """In the revision of 2026-07-28 the user may have opened the page before the client calls again."""
    pages: list[httpx2.Response] = []

    async def elicit(context: object, params: types.ElicitRequestParams) -> types.ElicitResult:
        assert isinstance(params, types.ElicitRequestURLParams)
        pages.append(await person.get(params.url))
        return types.ElicitResult(action="accept")

    async with httpx2.AsyncClient(trust_env=False) as person:
        client: Client
        async with over_stdio(mode=era, elicitation_callback=elicit) as client:
            ran = await client.call_tool("run", {"command": "read -s -p 'Password: ' p; echo got ${#p}"})
            id = results.data(ran)["command_id"]
            await client.call_tool("handoff", {"id": id, "reason": "the password", "wait": 0})
            (page,) = pages
            form = {"key": key_in(page.text), "text": "hunter2", "enter": "yes"}
            assert (await person.post(page.url.join("/type"), data=form)).status_code == 200
            waited = await client.call_tool("wait", {"id": id, "wait": PATIENCE})
            assert results.data(waited)["output"].endswith("got 7\n")


# -- the audit


def lines_of(log: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in log.read_text().splitlines()]


async def test_the_audit_has_a_line_for_every_step_of_a_handoff(home: Path) -> None:
    log = home / "audit"
    async with tools(audit=log) as call:
        id, url = await handed_over(call)
        refused = await call("send", id=id, text="hunter1\n")
        assert refused["error"]["code"] == "denied"
        async with browser(url) as person:
            page = await person.get(url, headers={"User-Agent": "curl/8.5"})
            form = {"key": key_in(page.text), "text": "hunter2", "enter": "yes"}
            await person.post("/type", data=form)
            command = call.session.service.command(id)
            await eventually(lambda: "Sure? " in command.output.text(), "it asks for something else")
            await eventually(lambda: command.state == "waiting", "it waits again")
            await person.post("/type", data={**form, "asked": "hidden"})
        await call("send", id=id, text="yes\n")
        await call("send", id=id, text="late\n")
        await call("handoff", id=id, reason="late")
    lines = lines_of(log)
    assert [(line["event"], line["verdict"]) for line in lines] == [
        ("command", "allow"),
        ("handoff", "allow"),
        ("typing", "deny"),
        ("opened", "allow"),
        ("typed", "allow"),
        ("given back", "allow"),
        ("typed", "deny"),
        ("typing", "allow"),
        ("typing", "deny"),
        ("handoff", "deny"),
    ]
    assert lines[4]["characters"] == len("hunter2\n") and "curl/8.5" in str(lines[3]["reason"])
    assert lines[5]["reason"] == "The command went on." and "question has changed" in str(lines[6]["reason"])
    assert {line["terminal"] for line in lines} == {id.partition("-")[0]}
    assert "hunter" not in log.read_text()


@pytest.mark.parametrize("how", ["back", "finished", "closed"])
async def test_the_audit_says_how_a_terminal_was_given_back(home: Path, how: str) -> None:
    log = home / "audit"
    async with tools(audit=log) as call:
        ran = await call("run", command="read x")
        offered = await call("handoff", id=ran["command_id"], reason="x")
        if how == "back":
            async with browser(offered["url"]) as visitor:
                page = await visitor.get(offered["url"])
                await visitor.post("/back", data={"key": key_in(page.text)})
        elif how == "finished":
            await call("stop", id=ran["command_id"])
            assert "given back" in [line["event"] for line in lines_of(log)]  # at once, not when it is asked for
    expected = {
        "back": "The person gave it back.",
        "finished": "The command has finished.",
        "closed": "The terminal is closed.",
    }
    assert [line["reason"] for line in lines_of(log) if line["event"] == "given back"] == [expected[how]]


async def test_a_command_that_cannot_start_is_in_the_audit(home: Path) -> None:
    log = home / "audit"
    async with tools(audit=log) as call:
        await call("run", command="ls", cwd="/nowhere/at/all")
        await call("run", command="ls", shell="no-such-shell")
    first, second = lines_of(log)
    assert (first["command"], first["verdict"]) == ("ls", "deny") and "no such directory" in str(first["reason"])
    assert second["verdict"] == "deny" and "no-such-shell" in str(second["reason"])


async def test_where_the_audit_cannot_be_written_no_person_types(home: Path) -> None:
    log = home / "audit"
    async with tools(audit=log) as call:
        id, url = await handed_over(call)
        async with browser(url) as person:
            page = await person.get(url)
            log.unlink()
            log.mkdir()
            refused = await person.post("/type", data={"key": key_in(page.text), "text": "hunter2", "enter": "yes"})
            assert "audit log cannot be written" in refused.text
        assert call.session.service.command(id).state == "waiting"
        log.rmdir()
