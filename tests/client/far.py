"""Servers elsewhere, as far as one machine allows: behind an sshd on the loopback, and in namespaces of their own."""

from __future__ import annotations

import getpass
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import truetty
from tests.patience import PATIENCE
from tests.sshd import sshd

SOURCE = str(Path(truetty.__file__).parents[1])
# On Debian it is in a folder that only root has in PATH.
CHROOT = shutil.which("chroot", path=f"{os.environ['PATH']}:/usr/sbin:/sbin") or "chroot"


@contextmanager
def far_machine(folder: Path, state: str) -> Iterator[tuple[str, Path]]:
    """An address with ssh://, and the folder with the `ssh` that lets us in there; it goes first in PATH."""
    there, here, keys = folder / "there", folder / "here", folder / "keys"
    for one in (there, here, keys):
        one.mkdir()
    program(there / "truetty", f'exec {sys.executable} -m truetty "$@"')
    variables = f"PATH={there}:/usr/bin:/bin HOME={there} TRUETTY_STATE={state} PYTHONPATH={SOURCE}"
    with sshd(keys, {"SetEnv": variables}) as (ssh, port):
        program(here / "ssh", f'PATH={os.environ["PATH"]} exec {ssh} "$@"')
        yield f"ssh://{getpass.getuser()}@127.0.0.1:{port}", here


@contextmanager
def container(folder: Path, *, root: Path | None = None) -> Iterator[list[str]]:
    """The words that reach `truetty dial` in namespaces of its own: other process ids, and a state folder (a tmpfs)
    that is not there outside. With `root`, all files are bound to that folder, and `chroot` makes it the root."""
    state = folder / "state"
    state.mkdir()
    bind = "" if root is None else f"mount --rbind / {root} && "
    inside = state if root is None else Path(f"{root}{state}")
    begin = f"{bind}mount -t tmpfs -o mode=700 none {inside} && echo ready && exec sleep infinity"
    rights = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    words = ["unshare", *rights, "--pid", "--mount", "--mount-proc", "--fork", "--kill-child", "sh", "-c", begin]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None and process.stdout.readline() == "ready\n"
            first = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0]
            user = [] if os.geteuid() == 0 else ["--user", "--preserve-credentials"]
            variables = [f"TRUETTY_STATE={state}", f"PYTHONPATH={SOURCE}"]
            into = [] if root is None else [CHROOT, str(root)]
            enter = ["nsenter", "--target", first, *user, "--pid", "--mount", *into]
            yield [*enter, "env", *variables, sys.executable, "-m", "truetty", "dial"]
            assert list(state.iterdir()) == []  # nothing of the server is outside
        finally:
            process.kill()
            process.wait(PATIENCE)


def program(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
