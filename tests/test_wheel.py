"""The wheel in an empty environment, with each of its extras: what it brings, and that its commands work there.

It is built and installed as a user would, from the package index, so that these tests are long ones.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import venv
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.patience import PATIENCE

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parent.parent
# Larger than it is by half: something went in that is not the package's.
LARGEST = 2 << 20
INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


def call(*command: object, stdin: str = "", home: Path | None = None, more: Mapping[str, str] | None = None) -> str:
    """What it prints; in an environment that knows nothing of this tree, unless it is pip."""
    env = {"PATH": "/usr/bin:/bin", "HOME": str(home), **(more or {})} if home else dict(os.environ)
    words = [str(word) for word in command]
    done = subprocess.run(words, input=stdin, env=env, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    call(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT)
    (made,) = folder.iterdir()
    return made


def installed(requirement: str, folder: Path) -> set[str]:
    """Install it in an empty environment; the packages that are there then, but for pip's own."""
    venv.create(folder, with_pip=True)
    pip = (folder / "bin" / "python", "-m", "pip")
    call(*pip, "install", "--quiet", requirement)
    found = json.loads(call(*pip, "list", "--format", "json"))
    return {package["name"].replace("_", "-") for package in found} - {"pip", "setuptools"}


def test_the_wheel_has_the_package_and_nothing_else(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    tracked = call("git", "-C", ROOT, "ls-files", "src/truetty").split()
    assert names == {name.removeprefix("src/") for name in tracked}
    assert wheel.stat().st_size < LARGEST


def test_it_brings_two_packages_and_runs(wheel: Path, tmp_path: Path) -> None:
    assert installed(str(wheel), tmp_path / "empty") == {"truetty", "google-re2", "pyavt"}
    assert call(tmp_path / "empty/bin/truetty", "run", "echo hi", home=tmp_path) == "hi\n"


def test_the_mcp_server_answers_with_its_extra(wheel: Path, tmp_path: Path) -> None:
    assert {"truetty", "mcp", "shfmt-py"} <= installed(f"{wheel}[mcp]", tmp_path / "empty")
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}
    printed = call(tmp_path / "empty/bin/truetty", "mcp", stdin=json.dumps(request) + "\n", home=tmp_path)
    assert json.loads(printed.splitlines()[0])["result"]["serverInfo"]["name"] == "truetty"


def test_the_policy_reads_command_lines_with_its_extra(wheel: Path, tmp_path: Path) -> None:
    assert installed(f"{wheel}[policy]", tmp_path / "empty") == {"truetty", "google-re2", "pyavt", "shfmt-py"}
    check = ("policy", "check", "--json", "--policy", "read-only", "--shell", "bash", "--", "ls -l | wc -l")
    found = json.loads(call(tmp_path / "empty/bin/truetty", *check, home=tmp_path))
    assert found["verdict"] == "allow"


def test_a_picture_is_taken_with_its_extra(wheel: Path, tmp_path: Path) -> None:
    assert installed(f"{wheel}[png]", tmp_path / "empty") == {"truetty", "google-re2", "pyavt", "resvg-py"}
    picture = tmp_path / "hi.png"
    call(tmp_path / "empty/bin/truetty", "shot", "--shell", "bash", "--no-rc", picture, "echo hi", home=tmp_path)
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_terminal_is_kept_with_its_extra(wheel: Path, tmp_path: Path) -> None:
    assert {"starlette", "uvicorn", "websockets"} <= installed(f"{wheel}[server]", tmp_path / "empty")
    program = tmp_path / "empty/bin/truetty"
    try:
        call(program, "open", "--name", "build", "--shell", "bash", "--no-rc", home=tmp_path)
        assert call(program, "run", "--in", "build", "echo hi", home=tmp_path) == "hi\n"
    finally:
        call(program, "serve", "--stop", home=tmp_path)


def test_tasks_run_on_ray_with_its_extra(wheel: Path, tmp_path: Path) -> None:
    assert {"ray", "starlette", "uvicorn", "websockets"} <= installed(f"{wheel}[ray]", tmp_path / "empty")
    with tempfile.TemporaryDirectory(prefix="r", dir="/tmp", ignore_cleanup_errors=True) as folder:  # sockets are in it
        more = {"RAY_AUTH_MODE": "disabled", "RAY_TMPDIR": folder}
        words = ("map", "-", "--on", "ray:local", "--shell", "bash", "--no-rc")
        task = json.dumps({"id": "a", "commands": "echo hi"})
        printed = call(tmp_path / "empty/bin/truetty", *words, stdin=task, home=tmp_path, more=more)
    assert json.loads(printed)["outcomes"][0]["output"] == "hi\n"
