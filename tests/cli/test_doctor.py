"""What `truetty doctor` prints: as it tries, fitted to the width, with a last sentence."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import truetty
from tests import warm
from tests.acceptance.watched import Watched
from tests.patience import PATIENCE
from truetty.cli.report import HostReport, ReportWriter, ShellReport

SOURCE = str(Path(truetty.__file__).parents[1])
HOST = HostReport("Linux 6 x", True, True, True, "1", "/dev/shm", "4096", True, None, ())
GOOD = ShellReport("bash", "/bin/bash", True, "rich", True, True, True)


@pytest.fixture(autouse=True)
def environment(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", SOURCE)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("SHELL", "/bin/bash")


@pytest.fixture
def few_shells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: Callable[[str], str]) -> Path:
    """A PATH with bash, and a dash that a fifo holds back."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("bash", "sh", "cat"):
        (folder / name).symlink_to(program(name))
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    (folder / "dash").write_text(f"#!/bin/sh\nread x <{gate}\nexit 3\n")
    (folder / "dash").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    return gate


def test_a_shell_is_printed_before_the_next_is_tried(few_shells: Path) -> None:
    with Watched("doctor", "--no-rc", person=False) as doctor:
        doctor.until(r"\nbash +yes +rich +yes +yes +yes")  # into a pipe, while dash hangs
        os.close(os.open(few_shells, os.O_WRONLY))
        assert doctor.ends() == 0
    lines = doctor.seen.decode().splitlines()
    assert any(line.startswith("dash  ") and "no: " in line for line in lines)
    assert lines[-1].startswith("Not everything works: dash does not work") or "dash does not work" in "".join(
        lines[-3:]
    )


@pytest.mark.parametrize("columns", [45, 80])
def test_narrow_terminals_lose_the_path_and_no_name(columns: int) -> None:
    done = warm.run("doctor", "--no-rc", stdin=None, env={**os.environ, "COLUMNS": str(columns)})
    lines = done.stdout.decode().splitlines()
    assert max(map(len, lines)) <= columns
    names = [line.split()[0] for line in lines if line and not line.startswith(" ")]
    assert {"bash", "zsh", "fish", "dash", "mksh", "busybox", "tcsh", "xonsh", "nu"} <= set(names)
    assert any("/bash" in line for line in lines) is (columns == 80)


@pytest.mark.parametrize(
    ("host", "reports", "sentence"),
    [
        (HOST, [GOOD, ShellReport("nu", None, problem="not installed")], "Everything works."),
        (
            HOST,
            [GOOD, ShellReport("zsh", "/bin/zsh", problem="it ended")],
            "Not everything works: zsh does not work.",
        ),
        (
            HOST,
            [ShellReport("nu", "/bin/nu", True, "rich", True, False, False)],
            "Not everything works: nu lacks exact output, seeing that a command asks.",
        ),
        (
            HOST,
            [ShellReport(name, f"/bin/{name}", True, "rich", True, True, False) for name in ("bash", "zsh", "dash")],
            "Not everything works: bash, zsh, dash lack seeing that a command asks.",
        ),
        (HOST, [ShellReport("nu", None, problem="not installed")], "Not everything works: no shell is installed."),
    ],
)
def test_the_last_line_is_one_sentence(
    host: HostReport, reports: list[ShellReport], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    ReportWriter(["bash"], ["/bin/bash"]).conclude(host, reports)
    assert capsys.readouterr().out == f"\n{sentence}\n"


def test_a_person_sees_which_shell_is_being_tried(few_shells: Path) -> None:
    with Watched("doctor", "--no-rc", size=(60, 30)) as doctor:
        doctor.until("dash +is being tried")
        os.close(os.open(few_shells, os.O_WRONLY))
        assert doctor.ends() == 0


def test_json_is_one_object_at_the_end() -> None:
    command = [sys.executable, "-m", "truetty", "doctor", "--json", "--no-rc"]
    done = subprocess.run(command, capture_output=True, timeout=PATIENCE, check=True)
    assert done.stdout.startswith(b"{\n") and done.stderr == b""
