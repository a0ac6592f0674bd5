"""`ssh://`: the server of another machine, by the user's ssh, over a real sshd on the loopback."""

from __future__ import annotations

import getpass
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import truetty
from tests.mcp.lasting import call, joined
from tests.mcp.served import server as mcp_server
from tests.patience import PATIENCE
from tests.server.live import Live
from tests.sshd import sshd


@pytest.fixture
def far(server: Live, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a far side, whose programs are in `far/bin` and whose home is `far`."""
    folder = tmp_path / "far"
    (folder / "bin").mkdir(parents=True)
    _program(folder / "bin/truetty", f'exec {sys.executable} -m truetty "$@"')
    variables = f"PATH={folder}/bin:/usr/bin:/bin HOME={folder} TRUETTY_STATE={server.place.folder} PLACE=far"
    keys = tmp_path / "keys"
    keys.mkdir()
    with sshd(keys, {"SetEnv": variables}) as (ssh, port):
        (tmp_path / "bin").mkdir()
        _program(tmp_path / "bin/ssh", f'PATH={os.environ["PATH"]} exec {ssh} "$@"')
        monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
        yield f"ssh://{getpass.getuser()}@127.0.0.1:{port}"


def _program(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


async def test_terminals_of_a_far_machine(far: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLACE", "here")
    async with truetty.connect(far) as registry:
        terminal = await registry.open("bash", rc=False, name="far", cwd=str(tmp_path))
        outcome = await terminal.run("echo $PLACE; pwd", wait=PATIENCE)
        assert outcome.output == f"far\n{tmp_path}\n"
        assert (
            terminal.command is not None
            and terminal.command.output.raw() == outcome.output.replace("\n", "\r\n").encode()
        )
        assert "far" in terminal.screen().text
        command = await terminal.start("read x; echo $x")
        await command.wait(PATIENCE)
    async with truetty.connect(far) as registry:  # the terminals outlive the connection
        found = registry.get("far").command
        assert found is not None and found.id == command.id and found.state == "waiting"
        await found.send("on\n")
        assert (await found.wait(PATIENCE, "finished")).output == "on\non\n"


async def test_noise_of_start_up_files(far: str, tmp_path: Path) -> None:
    (tmp_path / "far/.bashrc").write_text(
        "echo welcome to this machine; printf '\\033[1mnews\\033[0m\\n'; echo oops >&2\n"
    )
    async with truetty.connect(far) as registry:
        assert registry.list() == []


async def test_no_truetty_at_the_far_side(far: str, tmp_path: Path) -> None:
    (tmp_path / "far/bin/truetty").unlink()
    with pytest.raises(
        truetty.HostError, match=r"there is no truetty at ssh://.*pipx install .* on 127\.0\.0\.1"
    ) as caught:
        await truetty.connect(far)
    assert (caught.value.facts["exit_code"], caught.value.facts["where"]) == (127, far)


async def test_noise_only(far: str, tmp_path: Path) -> None:
    _program(tmp_path / "far/bin/truetty", "printf 'Usage: \\033[31mold\\033[0m\\n'; exit 2")
    with pytest.raises(truetty.HostError, match=r'it printed "Usage: \\x1b\[31mold\\x1b\[0m" instead'):
        await truetty.connect(far)


async def test_a_machine_that_does_not_answer(far: str) -> None:
    with pytest.raises(truetty.HostError, match=r"exit status 255.*: ssh: connect to host"):
        await truetty.connect("ssh://127.0.0.1:1")


async def test_no_ssh_here(home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(truetty.HostError, match="ssh cannot be run: it is not installed here"):
        await truetty.connect("ssh://far.example")


async def test_an_mcp_client_of_a_far_machine(far: str) -> None:
    async with joined(mcp_server("--on", far)) as client:
        ran = await call(client, "run", command="echo $PLACE $PWD")
        assert ran["output"].split()[0] == "far"
        asks = await call(client, "run", command="read -s secret; echo $?", wait=PATIENCE)
        left = await call(client, "handoff", id=asks["command_id"])
        # No page of the far machine can be opened here.
        assert left["url"] is None and f"truetty answer --on {far} {asks['command_id']}" in left["next"]
        there = await truetty.connect(far).__aenter__()
        try:
            (terminal,) = there.list()
            assert terminal.id == ran["terminal_id"] and terminal.task == f"tester@{os.getcwd()}"
        finally:
            await there.close()
