"""Passwords of a real user: sudo, su and ssh ask for them, seen by root and by that user himself.

The user, a rule for sudo and an ssh server on the loopback are made for these tests and taken away after them. That
takes root: no other user can make one, and then these tests say that they were not run.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import truetty
from tests.acceptance.session import PATIENCE, assert_healthy, opened
from tests.users import User, new_user, own_python
from truetty.until import Match

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a user with a password")


@pytest.fixture(scope="module")
def user() -> Iterator[User]:
    with new_user() as user:
        rule = Path(f"/etc/sudoers.d/{user.name}")
        try:
            rule.touch(0o440)
            rule.write_text(f"{user.name} ALL=(ALL) PASSWD: ALL\nDefaults:{user.name} lecture=never\n")
            yield user
        finally:
            rule.unlink(missing_ok=True)


@pytest.fixture
def server(tmp_path: Path, program: Callable[[str], str]) -> Iterator[int]:
    """An ssh server that asks for passwords; its port."""
    key, log = tmp_path / "key", tmp_path / "log"
    subprocess.run([program("ssh-keygen"), "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    os.makedirs("/run/sshd", mode=0o755, exist_ok=True)
    settings = {
        "ListenAddress": "127.0.0.1",
        "Port": port,
        "HostKey": key,
        "PidFile": "none",
        "UsePAM": "no",
        "PasswordAuthentication": "yes",
        "KbdInteractiveAuthentication": "no",
        "PubkeyAuthentication": "no",
        "PrintMotd": "no",
    }
    config = tmp_path / "config"
    config.write_text("".join(f"{name} {value}\n" for name, value in settings.items()))
    with log.open("wb") as errors:
        process = subprocess.Popen([program("sshd"), "-D", "-e", "-f", str(config)], stderr=errors)
    try:
        deadline = time.monotonic() + PATIENCE
        while b"Server listening" not in log.read_bytes():
            assert process.poll() is None and time.monotonic() < deadline, log.read_text()
            time.sleep(0.02)
        yield port
    finally:
        process.terminate()
        process.wait(PATIENCE)


async def secret_asked(command: truetty.Command, prompt: str) -> None:
    outcome = await command.wait(PATIENCE)
    assert outcome.state == "waiting", outcome
    assert outcome.waiting is not None
    assert (outcome.waiting.kind, prompt in outcome.waiting.prompt) == ("secret", True), outcome.waiting


def ssh(user: User, port: int, text: str = "") -> str:
    options = "-F /dev/null -o UserKnownHostsFile=/dev/null -o StrictHostKeyChecking=no -o LogLevel=ERROR"
    return f"ssh {options} -p {port} {user.name}@127.0.0.1 {text}"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "dash"])
async def test_sudo_of_a_user(shell: str, user: User, home: Path) -> None:
    async with opened(shell, home) as terminal:
        command = await terminal.start(f"runuser -u {user.name} -- sudo -k sh -c 'echo as $(id -un); exit 3'")
        await secret_asked(command, f"password for {user.name}")
        await command.send("wrong\n")
        await secret_asked(command, f"password for {user.name}")  # asked again: a new waiting
        await command.send(f"{user.password}\n")
        outcome = await command.wait(PATIENCE)
        assert (outcome.state, outcome.exit_code, outcome.evidence) == ("finished", 3, "mark"), outcome
        assert outcome.output.endswith("as root\n")
        await assert_healthy(terminal)
        assert user.password.encode() not in terminal.transcript.read()


async def test_a_login_shell_of_a_user_and_sudo_in_it(user: User, home: Path) -> None:
    async with opened("bash", home) as terminal:
        command = await terminal.start(f"su - {user.name}")
        outcome = await command.wait(PATIENCE)
        assert outcome.waiting is not None and outcome.waiting.kind == "shell"
        await command.send("sudo -k true; echo code $?\n")
        await secret_asked(command, f"password for {user.name}")
        await command.send(f"{user.password}\n")
        await command.wait(PATIENCE, until=Match("code 0\n"))
        await command.send("exit 6\n")
        outcome = await command.wait(PATIENCE, until="finished")
        assert (outcome.state, outcome.exit_code) == ("finished", 6)
        await assert_healthy(terminal)


async def test_the_password_of_su(user: User, home: Path) -> None:
    async with opened("bash", home) as terminal:
        command = await terminal.start(f"runuser -u {user.name} -- su {user.name} -c 'echo as $(id -un)'")
        await secret_asked(command, "Password: ")
        await command.send(f"{user.password}\n")
        outcome = await command.wait(PATIENCE)
        assert (outcome.state, outcome.exit_code, outcome.output) == ("finished", 0, f"Password: \nas {user.name}\n")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "dash"])
async def test_the_password_of_ssh(shell: str, user: User, server: int, home: Path) -> None:
    async with opened(shell, home) as terminal:
        command = await terminal.start(ssh(user, server, "'echo there; exit 5'"))
        await secret_asked(command, f"{user.name}@127.0.0.1's password: ")
        await command.send(f"{user.password}\n")
        outcome = await command.wait(PATIENCE, until="finished")
        assert (outcome.state, outcome.exit_code, outcome.evidence) == ("finished", 5, "mark"), outcome
        assert outcome.output.endswith("\nthere\n")
        await assert_healthy(terminal)
        assert user.password.encode() not in terminal.transcript.read()


async def test_a_session_by_ssh(user: User, server: int, home: Path) -> None:
    async with opened("bash", home) as terminal:
        command = await terminal.start(ssh(user, server))
        await secret_asked(command, "password: ")
        await command.send(f"{user.password}\n")
        outcome = await command.wait(PATIENCE)
        assert outcome.state == "waiting"
        # A prompt on another machine is a program that reads keys to this one's kernel.
        assert outcome.waiting is not None and outcome.waiting.kind in ("shell", "key")
        await command.send("echo $((40+2)); exit 7\n")
        outcome = await command.wait(PATIENCE, until="finished")
        assert (outcome.state, outcome.exit_code) == ("finished", 7)
        assert "\n42\n" in outcome.output
        await assert_healthy(terminal)


# Run by the user himself, who may not look into sudo: what he sees is the tty's modes.
OWN_EYES = """
import asyncio, json, sys, truetty
password = sys.stdin.readline().strip()
seen = []

async def main():
    async with truetty.Terminal("bash") as terminal:
        async def ask(text, *answers):
            command = await terminal.start(text)
            for answer in (*answers, None):
                outcome = await command.wait(3 if answer is None and text == "sudo -k cat" else PATIENCE)
                kind = outcome.waiting.kind if outcome.waiting else None
                seen.append([text, outcome.state, kind, outcome.exit_code])
                if outcome.state != "waiting" or answer is None:
                    return
                await command.send(answer)

        await ask("sudo -k true", "wrong\\n", password + "\\n")
        await ask("sudo -S -k true", password + "\\n")
        await ask("sudo -k sleep 4", password + "\\n")
        await ask("sudo -k sh -c 'sleep 4 | cat; exit 3'", password + "\\n")
        await ask("sudo -k cat", password + "\\n")
        hidden = terminal.command
        await hidden.send("\\x04")
        outcome = await hidden.wait(PATIENCE, until="finished")
        seen.append(["end of cat", outcome.state, None, outcome.exit_code])
        await ask("read -s x; sleep 1", "x\\n")
        await ask("python3 -c 'input()'", "x\\n")
        await ask("sleep 4; exit 2")
        leaked = password.encode() in terminal.transcript.read()
    print(json.dumps({"seen": seen, "leaked": leaked}))

asyncio.run(main())
"""


def test_what_a_user_sees_with_his_own_eyes(user: User, program: Callable[[str], str]) -> None:
    script = user.home / "script.py"
    script.write_text(OWN_EYES.replace("PATIENCE", str(PATIENCE)))
    done = subprocess.run(
        [program("runuser"), "-u", user.name, "--", own_python(user), str(script)],
        input=f"{user.password}\n",
        cwd=user.home,
        env={"PATH": os.defpath, "HOME": str(user.home), "PYTHONPATH": str(user.home), "LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert not told["leaked"]
    seen = [tuple(one) for one in told["seen"]]
    # What root reads behind sudo's own pty is hidden from him: not to know is no shame, to say a wrong thing is.
    assert seen.pop(10) in (("sudo -k cat", "running", None, None), ("sudo -k cat", "waiting", "line", None))
    assert seen == [
        ("sudo -k true", "waiting", "secret", None),
        ("sudo -k true", "waiting", "secret", None),
        ("sudo -k true", "finished", None, 0),
        ("sudo -S -k true", "waiting", "secret", None),
        ("sudo -S -k true", "finished", None, 0),
        ("sudo -k sleep 4", "waiting", "secret", None),
        ("sudo -k sleep 4", "finished", None, 0),
        ("sudo -k sh -c 'sleep 4 | cat; exit 3'", "waiting", "secret", None),
        ("sudo -k sh -c 'sleep 4 | cat; exit 3'", "finished", None, 3),
        ("sudo -k cat", "waiting", "secret", None),
        ("end of cat", "finished", None, 0),
        ("read -s x; sleep 1", "waiting", "secret", None),
        ("read -s x; sleep 1", "finished", None, 0),
        ("python3 -c 'input()'", "waiting", "line", None),
        ("python3 -c 'input()'", "finished", None, 0),
        ("sleep 4; exit 2", "finished", None, 2),
    ]
