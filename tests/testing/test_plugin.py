"""The pytest plug-in, in a pytest of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

TESTS = """
from truetty.testing import expect

def test_passes(terminal, tmp_path):
    outcome = terminal.run("pwd; echo $HOME").check()
    assert outcome.output == f"{tmp_path}\\n{tmp_path}\\n"
    expect(terminal).to_show(str(tmp_path))

def test_several(terminals):
    one, two = terminals(), terminals("dash", env={"A": "b"})
    assert (one.shell, two.shell) == ("bash", "dash")
    assert two.run("echo $A").output == "b\\n"
    (test_several.pids) = [one.pid, two.pid]

def test_they_are_closed():
    import os
    assert not any(os.path.exists(f"/proc/{pid}") for pid in test_several.pids)

def test_fails(terminal):
    terminal.run("echo something else")
    expect(terminal, timeout=0.1).to_show("wanted")
"""


def run(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_it.py").write_text(TESTS)
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    command = [sys.executable, "-m", "pytest", "-p", "no:xdist", "-p", "no:asyncio", "test_it.py", *options]
    if "truetty" not in plugins():
        command[3:3] = ["-p", "truetty.testing.plugin"]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


def plugins() -> set[str]:
    """Of this installation: one that was made before the entry point was there has none."""
    from importlib.metadata import entry_points

    return {one.name for one in entry_points(group="pytest11")}


def test_a_failed_test_shows_its_screen_and_keeps_its_recording(tmp_path: Path) -> None:
    ran = run(tmp_path)
    assert re.search(r"1 failed, 3 passed", ran.stdout), ran.stdout + ran.stderr
    section = ran.stdout.partition("- terminal t")[2]
    assert "(bash)" in section and "'echo something else': <Outcome" in section and "│ " in section
    kept = re.search(r"recording: truetty replay (\S+\.cast)", section)
    assert kept is not None
    replay = [sys.executable, "-m", "truetty", "replay", kept[1]]
    assert "something else" in subprocess.run(replay, capture_output=True, text=True, check=True).stdout
    casts = list((tmp_path / ".pytest_cache").rglob("*.cast"))
    assert [str(path) for path in casts] == [kept[1]]


def test_a_failure_shows_the_line_of_the_test_and_no_frame_of_truetty(tmp_path: Path) -> None:
    ran = run(tmp_path)
    shown = ran.stdout.partition("FAILURES")[2].partition("- terminal t")[0]
    assert re.findall(r"^(\S+\.py):\d+:", shown, re.MULTILINE) == ["test_it.py"]
    assert "> " in shown and 'to_show("wanted")' in shown and "never showed 'wanted'" in shown


def test_without_a_cache_there_is_no_recording(tmp_path: Path) -> None:
    ran = run(tmp_path, "-p", "no:cacheprovider")
    assert "1 failed, 3 passed" in ran.stdout and "recording:" not in ran.stdout


def test_the_plugin_imports_nothing_of_a_terminal() -> None:
    code = "import sys, truetty.testing.plugin; print('asyncio' in sys.modules, 'truetty.terminal' in sys.modules)"
    command = [sys.executable, "-c", f"import pytest, sys; had = 'asyncio' in sys.modules; {code}; print(had)"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert said[1] == "False" and said[0] == said[2]
