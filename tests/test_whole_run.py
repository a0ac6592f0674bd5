"""`./test` without arguments: its steps, what runs beside what, and how it ends."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.patience import PATIENCE

ROOT = Path(__file__).resolve().parent.parent
# Prints which step it is, and ends as it is told. An endless one has a file with its process id.
PROGRAM = r"""#!/bin/bash
case "$*" in
    *' --collect-only '*) name=collection ;;
    *' tests/ray') name=ray ;;
    *'-m pytest '*) name=pytest ;;
    *'-m mypy') name=mypy ;;
    *) name=$3 ;;
esac
grep SigIgn /proc/self/status >"$BEGUN/$name.ignores"
if [[ " $ENDLESS " = *" $name "* ]]; then
    trap 'exit 2' INT
    echo $$ >"$BEGUN/new.$name" && mv "$BEGUN/new.$name" "$BEGUN/$name"
    sleep 1000
fi
case $name in # each is there at the same time as another one, or waits for it for ever
    pytest) echo >"$BEGUN/to ray" && read -r <"$BEGUN/to pytest" ;;
    ray) read -r <"$BEGUN/to ray" && echo >"$BEGUN/to pytest" ;;
    collection) read -r <"$BEGUN/to collection" ;;
    mypy) echo >"$BEGUN/to collection" ;;
esac
echo "this is $name"
[ "$name" != "$FAILS" ]
"""
STEPS = ("check", "format", "mypy", "pytest", "ray")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree whose environment is made already, with a program in Python's place."""
    tree = tmp_path / "a tree"
    for folder in (".venv/bin", "tools", "tests/setup"):
        (tree / folder).mkdir(parents=True)
    for name in ("test", "tools/environment.sh", "pyproject.toml", "requirements.lock"):
        shutil.copy(ROOT / name, tree / name)
    for path, text in ((tree / ".venv/bin/python", PROGRAM), (tree / "tests/setup/install", "#!/bin/sh\n")):
        path.write_text(text)
        path.chmod(0o755)
    locked = (tree / "pyproject.toml").read_bytes() + (tree / "requirements.lock").read_bytes()
    summed = subprocess.run(["cksum"], input=locked, capture_output=True, check=True).stdout.decode().strip()
    (tree / ".venv" / "dev.stamp").write_text(f"{summed} {tree}\n")
    (tmp_path / "begun").mkdir()
    for name in ("to ray", "to pytest", "to collection"):
        os.mkfifo(tmp_path / "begun" / name)
    return tree


def start(tree: Path, **told: str) -> subprocess.Popen[str]:
    environ = {**os.environ, "BEGUN": str(tree.parent / "begun"), "FAILS": "", "ENDLESS": "", **told}
    return subprocess.Popen(
        [tree / "test"],
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def test_the_steps_and_those_that_run_beside_others(tree: Path) -> None:
    with start(tree) as run:
        printed = run.communicate(timeout=PATIENCE)[0]
    assert run.returncode == 0, printed
    said = [line.removeprefix("this is ") for line in printed.splitlines() if line.startswith("this is ")]
    assert said == list(STEPS)
    summary = printed.partition("== summary\n")[2].splitlines()
    assert [line.split()[:2] for line in summary] == [
        ["ok", "ruff"],
        ["ok", "ruff"],
        ["ok", "mypy"],
        ["ok", "pytest"],
        ["ok", "pytest"],
    ]


def test_no_step_ignores_a_signal_that_another_does_not(tree: Path) -> None:
    with start(tree) as run:
        run.communicate(timeout=PATIENCE)
    begun = tree.parent / "begun"
    ignored = {(begun / f"{name}.ignores").read_text() for name in (*STEPS, "collection")}
    assert len(ignored) == 1


@pytest.mark.parametrize("step", STEPS)
def test_a_step_that_fails_ends_no_other_and_fails_the_run(tree: Path, step: str) -> None:
    with start(tree, FAILS=step) as run:
        printed = run.communicate(timeout=PATIENCE)[0]
    assert run.returncode == 1
    summary = printed.partition("== summary\n")[2].splitlines()
    assert [line.startswith("FAILED ") for line in summary] == [one == step for one in STEPS]
    assert all(f"this is {one}\n" in printed for one in STEPS)


def test_what_cannot_be_collected_is_said_by_the_tests_alone(tree: Path) -> None:
    with start(tree, FAILS="collection") as run:
        printed = run.communicate(timeout=PATIENCE)[0]
    assert run.returncode == 0 and "collection" not in printed


def eventually(condition: Callable[[], bool], run: subprocess.Popen[str]) -> None:
    while not condition():
        assert run.poll() is None, run.communicate()
        time.sleep(0.01)


@pytest.mark.parametrize("names", [("check", "collection"), ("pytest", "ray")], ids=" ".join)
def test_ctrl_c_ends_all_of_it(tree: Path, names: tuple[str, str]) -> None:
    begun = tree.parent / "begun"
    with start(tree, ENDLESS=" ".join(names)) as run:
        eventually(lambda: all((begun / name).exists() for name in names), run)
        os.killpg(run.pid, signal.SIGINT)
        printed = run.communicate(timeout=PATIENCE)[0]
    assert run.returncode == 130 and "summary" not in printed, printed
    for name in names:
        assert not Path("/proc", (begun / name).read_text().strip()).exists()
