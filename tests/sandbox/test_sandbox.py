"""A terminal behind the wall is a terminal; what it may not do is refused by the kernel, and said."""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

import truetty
from tests import warm
from tests.acceptance.session import PATIENCE, assert_healthy, eventually
from tests.mcp.served import PACKAGE
from truetty.host import filter
from truetty.host.base import Channel, Ended
from truetty.host.sandbox import SandboxHost
from truetty.host.wall import PRIVATE, Sandbox
from truetty.testing import CONFORMANCE, Make, Recorder, Script, order

SHELLS = ["bash", "zsh", "fish", "dash"]


def walled(shell: str, workspace: Path, home: Path, sandbox: str = "workspace") -> truetty.Terminal:
    return truetty.Terminal(shell, cwd=workspace, env={"HOME": str(home)}, rc=False, sandbox=sandbox)


# -- the contract of every host


async def sandboxed(script: Script) -> Channel:
    return await SandboxHost(Sandbox("read-only")).start(order(script))


@pytest.mark.parametrize(
    "case", [case for case in CONFORMANCE if "signal" not in case.__name__], ids=lambda case: case.__name__
)
async def test_conformance(case: Callable[[Make], Awaitable[None]]) -> None:
    await case(sandboxed)


async def test_a_signal_is_told_as_a_code() -> None:
    """As bubblewrap hands it on."""
    channel, recorder = await sandboxed(Script(signal=signal.SIGKILL)), Recorder()
    channel.attach(recorder)
    await recorder.until(lambda: bool(recorder.ends))
    await channel.close()
    assert recorder.ends == [Ended(code=128 + signal.SIGKILL)]


# -- a terminal like any other


@pytest.mark.parametrize("shell", SHELLS)
async def test_a_terminal_behind_the_wall_is_a_terminal(shell: str, workspace: Path, home: Path) -> None:
    ask = "read -P 'Name: ' x" if shell == "fish" else "printf 'Name: '; read x"
    async with walled(shell, workspace, home) as terminal:
        outcome = await terminal.run("echo hello; sh -c 'exit 42'", wait=PATIENCE)
        assert (outcome.state, outcome.exit_code, outcome.output) == ("finished", 42, "hello\n")
        assert outcome.evidence == "mark" and outcome.cwd == str(workspace)
        outcome = await terminal.run("seq 20000", wait=PATIENCE)
        assert outcome.output_lines == 20000 and outcome.complete
        asking = await terminal.start(ask)
        outcome = await asking.wait(PATIENCE)
        assert outcome.waiting is not None and (outcome.waiting.kind, outcome.waiting.prompt) == ("line", "Name: ")
        await asking.send("ada\n")
        assert (await asking.wait(PATIENCE)).exit_code == 0
        sleeping = await terminal.start("sh -c 'echo up; exec sleep 1000'")
        await eventually(lambda: sleeping.output.text() == "up\n", "sleep runs")
        await sleeping.interrupt()
        assert (await sleeping.wait(PATIENCE)).exit_code == 130
        outcome = await terminal.run("mkdir -p /tmp/private; cd /tmp/private", wait=PATIENCE)
        assert outcome.cwd == "/tmp/private" and not Path("/tmp/private").exists()
        await assert_healthy(terminal)


async def test_the_shells_own_name_is_in_its_messages(workspace: Path, home: Path) -> None:
    async with walled("dash", workspace, home) as terminal:
        outcome = await terminal.run("nosuchcommand", wait=PATIENCE)
        assert outcome.exit_code == 127 and outcome.output.startswith("dash: ")


async def test_the_shells_own_end(workspace: Path, home: Path) -> None:
    async with walled("bash", workspace, home) as terminal:
        outcome = await terminal.run("exit 5", wait=PATIENCE)
        assert (outcome.state, outcome.exit_code, outcome.closed) == ("finished", 5, True)


# -- what it may do


@pytest.mark.parametrize(
    ("sandbox", "in_workspace"), [("read-only", False), ("workspace", True)], ids=["read-only", "workspace"]
)
async def test_what_may_be_written(sandbox: str, in_workspace: bool, place: Path, workspace: Path, home: Path) -> None:
    async with walled("bash", workspace, home, sandbox) as terminal:
        here = await terminal.run("echo x > made", wait=PATIENCE)
        outside = await terminal.run(f"echo x > {place}/outside", wait=PATIENCE)
        private = await terminal.run("echo x > /tmp/truetty-made && cat /tmp/truetty-made", wait=PATIENCE)
    assert (here.exit_code == 0) is in_workspace and (workspace / "made").exists() is in_workspace
    assert outside.exit_code == 1 and not (place / "outside").exists()
    assert private.output == "x\n" and not Path("/tmp/truetty-made").exists()


async def test_git_commits_and_its_hooks_are_guarded(workspace: Path, home: Path) -> None:
    names = "git -c user.name=a -c user.email=b"
    async with truetty.Terminal("bash", cwd=workspace, env={"HOME": str(home)}, rc=False) as terminal:
        made = await terminal.run("git init -q . && mkdir -p .git/hooks && touch a && git add a", wait=PATIENCE)
        assert made.exit_code == 0, made
    async with walled("bash", workspace, home) as terminal:
        committed = await terminal.run(f"{names} commit -qm one && git log --oneline | wc -l", wait=PATIENCE)
        assert (committed.exit_code, committed.output) == (0, "1\n")
        for line in ("echo x > .git/hooks/pre-commit", "echo x >> .git/config", "mv .git moved"):
            assert (await terminal.run(line, wait=PATIENCE)).exit_code != 0, line
    assert not (workspace / ".git/hooks/pre-commit").exists() and not (workspace / "moved").exists()


async def test_a_workspace_of_any_name(place: Path, home: Path) -> None:
    """The kernel writes a carriage return as it is into its table of mounts, and a newline, a space and a backslash
    not."""
    workspace = place / "a\rb c\nd\\040e\u2028f"
    (workspace / ".git/hooks").mkdir(parents=True)
    async with walled("bash", workspace, home) as terminal:
        assert (await terminal.run("echo x > made", wait=PATIENCE)).exit_code == 0
        assert (await terminal.run("echo x > .git/hooks/made", wait=PATIENCE)).exit_code != 0
    assert (workspace / "made").exists() and not (workspace / ".git/hooks/made").exists()


async def test_the_network_is_closed_unless_it_is_named(workspace: Path, home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        line = f"python3 -c \"import socket; socket.create_connection(('127.0.0.1', {server.getsockname()[1]}), 30)\""
        async with walled("bash", workspace, home) as terminal:
            assert "ConnectionRefusedError" in (await terminal.run(line, wait=PATIENCE)).output
        async with walled("bash", workspace, home, "workspace+network") as terminal:
            assert (await terminal.run(line, wait=PATIENCE)).exit_code == 0


async def test_unix_sockets_are_closed_unless_they_are_named(workspace: Path, home: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(workspace / "agent"))
        server.listen()
        line = "python3 -c \"import socket; socket.socket(socket.AF_UNIX).connect('agent')\""
        async with walled("bash", workspace, home) as terminal:
            assert "PermissionError" in (await terminal.run(line, wait=PATIENCE)).output
        async with walled("bash", workspace, home, "workspace+sockets") as terminal:
            assert (await terminal.run(line, wait=PATIENCE)).exit_code == 0


async def test_what_names_sockets_that_are_not_there_is_unset(
    workspace: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSH_AUTH_SOCK", "/somewhere")
    monkeypatch.setenv("TMPDIR", str(workspace))
    line = 'echo "${SSH_AUTH_SOCK-none} $TMPDIR"'
    async with walled("bash", workspace, home) as terminal:
        assert (await terminal.run(line, wait=PATIENCE)).output == "none /tmp\n"
    async with walled("bash", workspace, home, "workspace+sockets") as terminal:
        assert (await terminal.run(line, wait=PATIENCE)).output == "/somewhere /tmp\n"


# -- what is said


async def test_the_first_command_says_what_is_private(workspace: Path, home: Path) -> None:
    async with walled("bash", workspace, home) as terminal:
        first, second = [await terminal.run("true", wait=PATIENCE) for _ in range(2)]
    assert len(first.notes) == 1 and all(private in first.notes[0] for private in PRIVATE)
    assert "no network" in first.notes[0] and second.notes == ()


async def test_what_was_refused_is_said(place: Path, workspace: Path, home: Path) -> None:
    (place / "old").touch()
    async with walled("bash", workspace, home) as terminal:
        await terminal.run("true", wait=PATIENCE)
        for line, path in (
            (f"touch {place}/new", f"{place}/new"),
            (f"echo x > {place}/old", f"{place}/old"),
            ("touch ../beside", "../beside"),
            (f"python3 -c \"open('{place}/new', 'w')\"", f"{place}/new"),
            (f"sed -i s/a/b/ {place}/old", None),
        ):
            outcome = await terminal.run(line, wait=PATIENCE)
            named = [note for note in outcome.notes if "is read-only in this terminal's sandbox" in note]
            assert outcome.exit_code != 0 and len(named) == 1, (line, outcome)
            assert path is None or named[0].startswith(f"the output names {path},"), named
        for line in (
            "false",
            "echo \"touch: cannot touch '/nowhere/x': Read-only file system\"; false",
            "cat /proc/1/mem",
            "./nothing-here",
        ):
            outcome = await terminal.run(line, wait=PATIENCE)
            assert outcome.exit_code != 0 and not any("sandbox" in note for note in outcome.notes), (line, outcome)
        lost = await terminal.run("python3 -c \"import socket; socket.create_connection(('192.0.2.1', 80), 30)\"")
        assert "1 attempt to reach the network had no way: this terminal's sandbox has none" in lost.notes, lost


async def test_outside_nothing_is_said_of_a_sandbox(workspace: Path, home: Path) -> None:
    async with truetty.Terminal("bash", cwd=workspace, env={"HOME": str(home)}, rc=False) as terminal:
        outcome = await terminal.run("touch /proc/nothing; false", wait=PATIENCE)
        assert outcome.exit_code == 1 and not any("sandbox" in note for note in outcome.notes)


# -- what cannot be meant


@pytest.mark.parametrize("name", ["", "readonly", "workspace+", "workspace+all", "none+network", "+network"])
def test_names_that_are_none(name: str) -> None:
    with pytest.raises(truetty.Misuse, match="no sandbox is called"):
        truetty.Terminal("bash", sandbox=name)


def test_a_sandbox_is_a_host_of_its_own() -> None:
    assert truetty.Terminal("bash", sandbox="none").options.sandbox is None
    with pytest.raises(truetty.Misuse, match="a host of its own"):
        truetty.Terminal("bash", sandbox="read-only", host=SandboxHost(Sandbox("read-only")))


@pytest.mark.parametrize("workspace", ["/", "{home}", "{home}/.."])
async def test_a_workspace_that_holds_everything_is_refused(
    workspace: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(home))
    with pytest.raises(truetty.Misuse, match="the workspace"):
        await truetty.Terminal.open("bash", sandbox=Sandbox("workspace", workspace.format(home=home)))


async def test_a_wall_that_cannot_stand_is_an_error(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("truetty.host.sandbox.BUBBLEWRAP", str(tmp_path / "bwrap"))
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(truetty.SpawnFailed, match="bubblewrap is not installed"):
        await truetty.Terminal.open("/bin/sh", cwd=workspace, sandbox="workspace")
    (tmp_path / "bwrap").write_text("#!/bin/sh\necho bwrap: no namespaces for you; exit 1\n")
    (tmp_path / "bwrap").chmod(0o755)
    with pytest.raises(truetty.SpawnFailed, match="bwrap: no namespaces for you"):
        await truetty.Terminal.open("/bin/sh", cwd=workspace, sandbox="workspace")


# -- the filter


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
@pytest.mark.parametrize("unix", [False, True])
def test_every_jump_of_the_filter_lands_in_it(machine: str, unix: bool) -> None:
    program = filter.program(unix=unix, machine=machine)
    assert program is not None
    steps = list(struct.iter_unpack("=HBBI", program))
    assert all(at + 1 + max(if_true, if_false) < len(steps) for at, (_, if_true, if_false, _) in enumerate(steps[:-1]))
    assert steps[-1] == (0x06, 0, 0, 0x7FFF0000)


def test_no_filter_is_made_for_an_unknown_machine() -> None:
    assert filter.program(machine="sparc") is None


# -- the command line


def test_run_in_a_sandbox(place: Path, workspace: Path) -> None:
    words = ("run", "--no-rc", "--shell", "bash", "--json", "--cwd", workspace, "--sandbox")
    told = json.loads(warm.run(*words, "workspace", f"touch here; touch {place}/there").stdout)
    assert told["exit_code"] == 1 and (workspace / "here").exists() and not (place / "there").exists()
    told = json.loads(warm.run(*words, "read-only", "touch again").stdout)
    assert told["exit_code"] == 1 and not (workspace / "again").exists()
    wrong = warm.run(*words, "nothing", "true")
    assert wrong.returncode == 125 and b"read-only, workspace or none" in wrong.stdout


async def test_mcp_in_a_sandbox(place: Path, workspace: Path) -> None:
    options = StdioServerParameters(
        command=sys.executable,
        args=["-m", "truetty", "mcp", "--shell", "bash", "--no-rc", "--sandbox", "workspace", "--cwd", str(workspace)],
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
    )
    async with Client(stdio_client(options)) as client:
        told = await client.call_tool("run", {"command": f"touch here; touch {place}/there", "wait": PATIENCE})
        elsewhere = await client.call_tool("run", {"command": "touch beside", "cwd": str(place), "wait": PATIENCE})
    assert "there, which is read-only in this terminal" in str(told.content)
    assert "Read-only file system" in str(elsewhere.content)
    assert {path.name for path in place.rglob("*")} == {"work", "here"}


def test_mcp_says_at_once_that_no_sandbox_can_be_made(tmp_path: Path, workspace: Path) -> None:
    (tmp_path / "bash").symlink_to("/bin/bash")
    env = {**os.environ, "PYTHONPATH": str(PACKAGE.parent), "PATH": str(tmp_path)}
    hidden = "import truetty.host.sandbox as s, sys; s.BUBBLEWRAP = '/nowhere'; from truetty.cli import main; main()"
    words = [sys.executable, "-c", hidden, "mcp", "--shell", "bash", "--sandbox", "workspace", "--cwd", str(workspace)]
    done = subprocess.run(words, env=env, capture_output=True, text=True, timeout=PATIENCE, stdin=subprocess.DEVNULL)
    assert done.returncode == 125 and "bubblewrap is not installed" in done.stderr


def test_the_workspace_is_the_settings_own_wherever_a_terminal_begins(place: Path, workspace: Path) -> None:
    from truetty.service.defaults import terminal_arguments
    from truetty.settings import Settings

    made = terminal_arguments(Settings.load(sandbox="workspace", workspace=str(workspace)))
    assert made["sandbox"] == Sandbox("workspace", str(workspace))
    assert terminal_arguments(Settings.load(sandbox="none"))["sandbox"] is None
    beside = terminal_arguments(Settings.load(sandbox="read-only"))["sandbox"]
    assert isinstance(beside, Sandbox) and beside.workspace == os.getcwd()
