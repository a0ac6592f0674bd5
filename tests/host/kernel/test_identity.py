"""Who a process is: its file, its user, who traces it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.acceptance.session import eventually
from truetty.host.kernel.identity import identify


async def until_named(pid: int, name: str) -> None:
    """In an `exec` the new file comes a moment before the new name."""
    await eventually(lambda: Path(f"/proc/{pid}/comm").read_text() == f"{name}\n", f"{pid} is called {name}")


def test_ourselves() -> None:
    found = identify(os.getpid())
    assert found is not None and found.path == os.path.realpath("/proc/self/exe")
    assert found.tracer is None and found.user is not None


def test_a_process_that_is_gone() -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    assert identify(ended.pid) is None


async def test_a_program_of_the_system_and_a_copy_of_it(tmp_path: Path, program: Callable[[str], str]) -> None:
    original = os.path.realpath(program("cat"))
    copy = tmp_path / "sudo"
    copy.write_bytes(Path(original).read_bytes())
    copy.chmod(0o755)
    for path, of_system in ((original, True), (str(copy), False)):
        with subprocess.Popen([path], stdin=subprocess.PIPE) as running:
            await until_named(running.pid, os.path.basename(path))
            found = identify(running.pid)
            assert found is not None and (found.path, found.of_system) == (path, of_system)
            assert found.name == os.path.basename(path)


async def test_a_script_has_its_interpreter_as_its_file(tmp_path: Path) -> None:
    script = tmp_path / "sudo"
    script.write_text("#!/bin/sh\nread x\n")
    script.chmod(0o755)
    with subprocess.Popen([script], stdin=subprocess.PIPE) as running:
        await until_named(running.pid, "sudo")
        found = identify(running.pid)
        assert found is not None and (found.name, found.path) == ("sudo", os.path.realpath("/bin/sh"))


async def test_a_tracer_is_named(tmp_path: Path, program: Callable[[str], str]) -> None:
    log = tmp_path / "log"
    strace = [program("strace"), "-o", str(log), "cat"]
    with subprocess.Popen(strace, stdin=subprocess.PIPE) as running:
        children = Path(f"/proc/{running.pid}/task/{running.pid}/children")
        await eventually(lambda: log.exists() and "read(0" in log.read_text(), "cat reads")
        found = identify(int(children.read_text().split()[0]))
        assert found is not None and found.tracer == f"strace ({running.pid})"
