"""A server of ssh on the loopback that lets us in by a key."""

from __future__ import annotations

import getpass
import os
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.patience import PATIENCE

OPTIONS = "-o UserKnownHostsFile=/dev/null -o StrictHostKeyChecking=no -o LogLevel=ERROR -o IdentitiesOnly=yes"


@contextmanager
def sshd(folder: Path, more: Mapping[str, str] | None = None) -> Iterator[tuple[str, int]]:
    """The beginning of an ssh command to it, without port and address, and its port. `more` are settings of it."""
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)], check=True)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    if os.geteuid() == 0:
        os.makedirs("/run/sshd", mode=0o755, exist_ok=True)
    settings = {
        "ListenAddress": "127.0.0.1",
        "Port": port,
        "HostKey": folder / "host",
        "AuthorizedKeysFile": folder / "user.pub",
        "PidFile": "none",
        "UsePAM": "no",
        "StrictModes": "no",
        "PrintMotd": "no",
        "PrintLastLog": "no",
        **(more or {}),
    }
    config, log = folder / "config", folder / "log"
    config.write_text("".join(f"{name} {value}\n" for name, value in settings.items()))
    with log.open("wb") as errors:
        process = subprocess.Popen(["/usr/sbin/sshd", "-D", "-e", "-f", str(config)], stderr=errors)
    try:
        deadline = time.monotonic() + PATIENCE
        while b"Server listening" not in log.read_bytes():
            assert process.poll() is None and time.monotonic() < deadline, log.read_text()
            time.sleep(0.02)
        yield f"ssh -F /dev/null {OPTIONS} -i {folder / 'user'}", port
    finally:
        process.terminate()
        process.wait(PATIENCE)


def target(port: int) -> str:
    """What stands behind the beginning of the command."""
    return f"-p {port} {getpass.getuser()}@127.0.0.1"
