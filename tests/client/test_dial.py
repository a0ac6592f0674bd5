"""Addresses: what each reaches, and what is said where nothing answers."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import truetty
from tests.acceptance.session import eventually
from tests.client.conftest import address
from tests.patience import PATIENCE
from tests.server.live import Live
from truetty.client import dial
from truetty.client.http import Answer

TRUETTY = [sys.executable, "-m", "truetty"]


@pytest.fixture
def words(server: Live, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A list of words that reaches the server."""
    monkeypatch.setenv("TRUETTY_STATE", server.place.folder)
    return [*TRUETTY, "dial"]


def _children() -> set[str]:
    """The children of this process, zombies too."""
    found = subprocess.run(["ps", "--ppid", str(os.getpid()), "-o", "pid=,args="], capture_output=True, text=True)
    return {line for line in found.stdout.splitlines() if " ps --ppid" not in line}


async def _works(where: Any) -> None:
    async with truetty.connect(where) as registry:
        terminal = await registry.open("bash", rc=False)
        assert (await terminal.run("echo hi", wait=PATIENCE)).output == "hi\n"
        assert terminal.command is not None and terminal.command.output.text() == "hi\n"
        assert "hi" in terminal.screen().text
        await terminal.close()


async def test_the_users_own_server_is_started(server: Live, words: list[str]) -> None:
    assert not server.is_running()
    await _works(None)
    assert server.is_running()


async def test_words_that_reach_dial(server: Live, words: list[str]) -> None:
    await _works(words)
    await _works(tuple(words))
    await _works(shlex.join(words))


async def test_noise_before_the_greeting(server: Live, words: list[str]) -> None:
    await _works(
        ["sh", "-c", 'echo welcome; echo "truetty is nice"; printf "last login: "; echo; exec "$@"', "sh", *words]
    )


async def test_a_program_that_ends_leaves_no_zombie(server: Live, words: list[str]) -> None:
    before = _children()
    await _works(words)
    await eventually(lambda: _children() <= before, "the program is gone, and was waited for")


@pytest.mark.parametrize(
    ("script", "reason", "said"),
    [
        ("exit 127", "no truetty", "pipx install"),
        ("printf 'a\\033[31mred\\n'; exit 3", "no greeting", r"exit status 3.*a\\x1b\[31mred"),
        ("echo 'Permission denied' >&2; exit 255", "Permission denied", "exit status 255.*: Permission denied"),
        ("echo truetty dial 9; cat", "versions", "dial 9.*dial 1"),
        (": no words at all", "no greeting", "does not answer as truetty dial"),
        ("head -c 100000 /dev/zero | tr '\\0' x; cat", "no greeting", "xxxx"),
    ],
)
async def test_words_that_reach_something_else(home: Path, script: str, reason: str, said: str) -> None:
    with pytest.raises(truetty.HostError, match=f"(?s){said}") as caught:
        await truetty.connect(["sh", "-c", script])
    assert caught.value.facts["reason"] == reason
    assert len(str(caught.value)) < 600


async def test_a_program_that_is_not_there(home: Path) -> None:
    with pytest.raises(truetty.HostError, match="no-such-program cannot be run: it is not installed here"):
        await truetty.connect(["no-such-program", "truetty", "dial"])


async def test_a_socket_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(truetty.HostError, match="No such file"):
        await truetty.connect(f"unix:{tmp_path}/none")
    (tmp_path / "file").touch()
    with pytest.raises(truetty.HostError, match="no socket"):
        await truetty.connect(f"unix:{tmp_path}/file")


async def test_a_port_where_nothing_listens() -> None:
    with pytest.raises(truetty.HostError, match="no server answers at http:"):
        await truetty.connect("http://127.0.0.1:1", token="x")


@pytest.mark.parametrize(
    "where", ["", "host", "ssh://", "ssh://-oProxyCommand=x", "ssh://a@-b", "ssh://h:x", "unix:", "ftp://h", [], [1], 7]
)
def test_what_is_no_address(where: Any) -> None:
    with pytest.raises(truetty.Misuse):
        truetty.connect(where)


def test_a_token_belongs_to_http() -> None:
    with pytest.raises(truetty.Misuse, match="token"):
        truetty.connect(token="x")
    with pytest.raises(truetty.Misuse, match="token"):
        truetty.connect("http://127.0.0.1:8000")


def test_the_words_of_ssh() -> None:
    """What the user's ssh is called with."""
    seen = {where: dial.address(where).words for where in ("ssh://h", "ssh://me@h:22", "ssh://me@[fe80::1]:2200/")}  # type: ignore[attr-defined]
    assert seen == {
        "ssh://h": ["ssh", "-T", "h", "truetty dial"],
        "ssh://me@h:22": ["ssh", "-T", "-p", "22", "me@h", "truetty dial"],
        "ssh://me@[fe80::1]:2200/": ["ssh", "-T", "-p", "2200", "me@fe80::1", "truetty dial"],
    }


def test_dial_ends_with_its_input(server: Live, words: list[str]) -> None:
    address(server)
    request = b"GET /v1/hello HTTP/1.1\r\nHost: truetty\r\nConnection: close\r\n\r\n"
    done = subprocess.run(words, input=request, capture_output=True, timeout=PATIENCE, check=True)
    greeting, _, answer = done.stdout.partition(b"\n")
    assert greeting == b"truetty dial 1" and answer.startswith(b"HTTP/1.1 200") and b'"protocol"' in answer


def test_a_refusal_that_is_no_json_is_told_in_its_words() -> None:
    """Of the door of a port, or of a proxy before it."""
    answer = Answer(429, {"content-type": "text/plain"}, b"there were 10 wrong tokens within a minute: wait for 9 s")
    with pytest.raises(truetty.HostError, match="there were 10 wrong tokens within a minute: wait for 9 s"):
        answer.json()
