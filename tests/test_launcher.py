"""`./truetty`: what it passes on, from where it can be started, and what it says when it cannot start."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from truetty.cli import table

ROOT = Path(__file__).resolve().parent.parent

PROGRAM = """\
#!/bin/sh
printf '<%s>' "$@"
cat
exit 7
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree with a space in its name whose environment is made already, with a program that tells what it gets."""
    tree = tmp_path / "a tree"
    (tree / ".venv" / "bin").mkdir(parents=True)
    (tree / "tools").mkdir()
    for name in ("truetty", "tools/environment.sh", "pyproject.toml", "requirements.lock"):
        shutil.copy(ROOT / name, tree / name)
    for name in ("python", "truetty"):
        (tree / ".venv" / "bin" / name).write_text(PROGRAM)
        (tree / ".venv" / "bin" / name).chmod(0o755)
    locked = (tree / "pyproject.toml").read_bytes() + (tree / "requirements.lock").read_bytes()
    summed = subprocess.run(["cksum"], input=locked, capture_output=True, check=True).stdout.decode().strip()
    (tree / ".venv" / "run.stamp").write_text(f"{summed} {tree}\n")
    return tree


def launch(*command: str | Path, cwd: Path, **environ: str) -> tuple[int, str, str]:
    ended = subprocess.run(
        command, cwd=cwd, env={**os.environ, **environ}, input="typed\n", capture_output=True, text=True, check=False
    )
    return ended.returncode, ended.stdout, ended.stderr


PASSED_ON = (7, "<run><a b><><*>typed\n", "")


def test_arguments_input_and_exit_status_are_passed_on(tree: Path) -> None:
    assert launch(tree / "truetty", "run", "a b", "", "*", cwd=tree) == PASSED_ON


def test_from_anywhere(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "relative").symlink_to("../a tree/truetty")
    (tmp_path / "bin" / "absolute").symlink_to(tree / "truetty")
    (tmp_path / "bin" / "twice").symlink_to("relative")
    ways = ("a tree/truetty", "bin/relative", "bin/absolute", "bin/twice", tmp_path / "bin" / "twice")
    assert [launch(way, "run", "a b", "", "*", cwd=tmp_path) for way in ways] == [PASSED_ON] * len(ways)
    assert launch("truetty", "run", "a b", "", "*", cwd=tmp_path, PATH=f"{tree}:{os.environ['PATH']}") == PASSED_ON


@pytest.mark.parametrize("shell", ["sh", "dash", "bash", "busybox", "ksh93", "mksh"])
def test_any_posix_shell_will_do(tree: Path, shell: str, program: Callable[[str], str]) -> None:
    command = [program(shell), "sh"] if shell == "busybox" else [program(shell)]
    assert launch(*command, "truetty", "run", "a b", "", "*", cwd=tree, CDPATH="/:/usr") == PASSED_ON


@pytest.fixture
def bare_path(tmp_path: Path) -> Path:
    """A PATH with what the launcher runs, and no Python."""
    folder = tmp_path / "bare"
    folder.mkdir()
    for name in ("sh", "cat", "cksum", "dirname", "readlink"):
        (folder / name).symlink_to(shutil.which(name) or "/nonexistent")
    return folder


def python(folder: Path, name: str, body: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{body}\n")
    (folder / name).chmod(0o755)


@pytest.mark.parametrize("change", ["stamp", "lock", "python"])
def test_a_changed_tree_is_set_up_again(tree: Path, bare_path: Path, change: str) -> None:
    match change:
        case "stamp":
            (tree / ".venv" / "run.stamp").write_text("unfinished")
        case "lock":
            (tree / "requirements.lock").write_text("other==1.0\n")
        case _:
            (tree / ".venv" / "bin" / "python").unlink()
    python(bare_path, "python3", 'case $1 in -c) ;; *) echo "set up by $0 ${1##*/} $2" ;; esac')
    assert launch(tree / "truetty", "x", cwd=tree, PATH=str(bare_path)) == (
        7,
        "<x>typed\n",
        f"set up by {bare_path}/python3 environment.py run\n",
    )


SERVER_VERBS = [row.name for row in table.GROUPS["Terminals that stay"]]


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (["run", "mcp"], "run"),
        (["doctor"], "run"),
        (["shot", "a.svg", "ls"], "run"),
        (["shot", "a.png", "ls"], "extras"),
        (["mcp"], "extras"),
        (["mcp", "--help"], "run"),
        (["list", "-h"], "run"),
        (["setup", "codex"], "extras"),
        (["policy", "check", "ls"], "extras"),
        (["run", "--keep", "ls"], "extras"),
        (["run", "--in", "build", "ls"], "extras"),
        (["run", "--in=build", "ls"], "extras"),
        (["run", "--detach", "ls"], "extras"),
        (["run", "--json", "ls"], "extras"),
        *(([verb], "extras") for verb in [*SERVER_VERBS, "answer"]),
    ],
)
def test_a_command_sets_up_what_it_needs(tree: Path, bare_path: Path, words: list[str], kind: str) -> None:
    (tree / ".venv" / "run.stamp").unlink()
    python(bare_path, "python3", 'case $1 in -c) ;; *) echo "${1##*/} $2" ;; esac')
    told = launch(tree / "truetty", *words, cwd=tree, PATH=str(bare_path))
    assert told[2] == f"environment.py {kind}\n"


def test_what_run_needs_is_two_packages() -> None:
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        environment = import_module("environment")
    finally:
        sys.path.pop(0)
    locked = environment.blocks((ROOT / "requirements.lock").read_text())
    counts = [len(environment.needed(environment.roots(kind), locked)) for kind in environment.KINDS]
    assert counts[0] == 2 and counts == sorted(counts)
    assert environment.roots("run") < environment.roots("extras") < environment.roots("dev")


def test_a_tree_that_cannot_be_written(tree: Path) -> None:
    shutil.copy(ROOT / "tools" / "environment.py", tree / "tools")
    (tree / ".venv" / "run.stamp").unlink()
    (tree / ".venv.lock").mkdir()  # root may write anywhere, but not this
    code, out, err = launch(tree / "truetty", "run", "true", cwd=tree)
    assert (code, out) == (125, "")
    assert (
        err == f"truetty: cannot set up {tree}/.venv: Is a directory. Install the package instead: pip install {tree}\n"
    )


def test_the_newest_python_that_can_do_it_is_taken(tree: Path, bare_path: Path) -> None:
    (tree / ".venv" / "run.stamp").unlink()
    python(bare_path, "python3.13", 'echo "pyenv: no such version" >&2; exit 127')
    python(bare_path, "python3.12", "case $2 in *ensurepip*) exit 1 ;; esac")
    python(bare_path, "python3.11", 'case $1 in -c) ;; *) echo "set up by $0" ;; esac')
    python(bare_path, "python3", "exit 1")
    told = launch(tree / "truetty", cwd=tree, PATH=str(bare_path))
    assert told == (7, "<>typed\n", f"set up by {bare_path}/python3.11\n")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (None, "no Python 3.11 or newer found"),
        ("exit 1", "no Python 3.11 or newer found"),
        ("case $2 in *ensurepip*) exit 1 ;; esac", "has neither ensurepip nor pip"),
    ],
)
def test_no_python_is_our_own_error(tree: Path, bare_path: Path, body: str | None, message: str) -> None:
    (tree / ".venv" / "run.stamp").unlink()
    if body is not None:
        python(bare_path, "python3", body)
    code, out, err = launch(tree / "truetty", cwd=tree, PATH=str(bare_path))
    assert (code, out) == (125, "")
    assert message in err and err.count("\n") == 1


def test_a_failed_set_up_is_our_own_error(tree: Path, bare_path: Path) -> None:
    (tree / ".venv" / "run.stamp").unlink()
    python(bare_path, "python3", "case $1 in -c) ;; *) exit 1 ;; esac")
    assert launch(tree / "truetty", cwd=tree, PATH=str(bare_path)) == (125, "", "")


PIP = """\
import os, sys
print("Collecting one", flush=True)
print("Collecting two", flush=True)
open(sys.argv[1]).read()
print("Installing collected packages: one, two", flush=True)
open(sys.argv[1]).read()
sys.exit(int(sys.argv[2]))
"""
ATTENDED = """\
import sys
sys.path.insert(0, sys.argv.pop(1))
from tools import environment
environment.EVERY = 0.01
done = environment.attended("installing 5 packages", sys.argv[1:], 5)
print("done" if done else "failed", file=sys.stderr)
"""


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    """Where a program waits until it is opened."""
    os.mkfifo(tmp_path / "gate")
    return tmp_path / "gate"


def attending(gate: Path, status: int, stderr: int) -> subprocess.Popen[bytes]:
    pip = [sys.executable, "-c", PIP, str(gate), str(status)]
    return subprocess.Popen([sys.executable, "-c", ATTENDED, str(ROOT), *pip], stderr=stderr)


def read_until(descriptor: int, wanted: bytes) -> bytes:
    seen = b""
    while wanted not in seen:
        part = os.read(descriptor, 65536)
        assert part, f"{wanted!r} is not in {seen!r}"
        seen += part
    return seen


def test_a_set_up_in_a_terminal_has_a_line_that_moves(gate: Path) -> None:
    ours, theirs = pty.openpty()
    process = attending(gate, 0, theirs)
    seen = read_until(ours, b"installing 5 packages: 2 of them found, ")
    gate.write_text("")
    seen += read_until(ours, b"installing 5 packages: unpacking them, ")
    gate.write_text("")
    seen += read_until(ours, b"done")
    assert process.wait() == 0
    assert seen.rstrip().endswith(b"\r\x1b[Kdone")
    assert b"\n" not in seen.rstrip() and b"Collecting" not in seen
    os.close(ours)
    os.close(theirs)


@pytest.mark.parametrize(("status", "end"), [(0, b"done\n"), (1, b"failed\n")])
def test_a_set_up_in_a_pipe_has_plain_lines(gate: Path, status: int, end: bytes) -> None:
    process = attending(gate, status, subprocess.PIPE)
    assert process.stderr is not None
    seen = read_until(process.stderr.fileno(), b"truetty: installing 5 packages: 2 of them found, ")
    assert seen.startswith(b"truetty: installing 5 packages\n")
    gate.write_text("")
    seen += read_until(process.stderr.fileno(), b"unpacking them")
    gate.write_text("")
    seen += process.stderr.read()
    process.stderr.close()
    assert process.wait() == 0 and seen.endswith(end)
    assert b"\r" not in seen and b"\x1b" not in seen and (b"Collecting one\n" in seen) is (status == 1)


def test_every_folder_of_tests_is_a_part() -> None:
    listed = subprocess.run([ROOT / "test", "--parts"], capture_output=True, text=True, check=True).stdout.split()
    folders = {path.parent.relative_to(ROOT / "tests").parts[0] for path in (ROOT / "tests").glob("*/**/test_*.py")}
    assert set(listed) == folders | {"house", "blind", "walled"}


def test_the_help_of_test_names_its_options() -> None:
    text = subprocess.run([ROOT / "test", "--help"], capture_output=True, text=True, check=True).stdout
    assert all(option in text for option in ("--coverage", "--long", "--parts", "--setup-only", "PART"))
