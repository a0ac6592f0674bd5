"""truetty.sync: the same names, blocking; from a plain script and from several threads."""

from __future__ import annotations

import inspect
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import truetty
from truetty import sync

PATIENCE = 30.0


@pytest.fixture
def terminal(home: Path) -> Iterator[sync.Terminal]:
    with sync.Terminal("bash", env={"HOME": str(home)}, rc=False) as opened:
        yield opened


def script(text: str) -> subprocess.CompletedProcess[str]:
    env = os.environ | {"PYTHONPATH": str(Path(truetty.__file__).parents[1])}
    words = [sys.executable, "-W", "error", "-c", textwrap.dedent(text)]
    return subprocess.run(words, env=env, capture_output=True, text=True, timeout=60)


def gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def eventually(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


# -- the same names


def test_every_public_name_is_there() -> None:
    assert not set(truetty.__all__) - set(dir(sync))
    for name in truetty.__all__:
        theirs = getattr(truetty, name)
        if isinstance(theirs, type) and issubclass(theirs, truetty.TruettyError):
            assert getattr(sync, name) is theirs  # what is caught must be what is raised


@pytest.mark.parametrize("name", ["Terminal", "Command", "Output", "Registry"])
def test_every_method_is_there_with_the_same_arguments(name: str) -> None:
    theirs, ours = getattr(truetty, name), getattr(sync, name)
    blocking = {"__aenter__": "__enter__", "__aexit__": "__exit__"}
    # Not of the public face: what the command line and the terminal itself use.
    inner = {"grown", "snapshot", "restart", "hole", "end", "prepare", "summary", "reader", "finished", "timed_out"}
    inner |= {"changed", "episode", "report", "slices", "hides_typing", "reads_lines", "all_given", "end"}
    for member, value in vars(theirs).items():
        if (member.startswith("_") and member not in blocking) or member in inner:
            continue
        mine = inspect.getattr_static(ours, blocking.get(member, member), None)
        assert mine is not None, f"sync.{name} has no {member}"
        if isinstance(value, property):
            assert isinstance(mine, property), member
            continue
        value, mine = getattr(value, "__func__", value), getattr(mine, "__func__", mine)
        if callable(value):
            expected = inspect.signature(value).replace(return_annotation=inspect.Signature.empty)
            found = inspect.signature(mine).replace(return_annotation=inspect.Signature.empty)
            assert str(found) == str(expected), member
            assert not inspect.iscoroutinefunction(mine), member


def test_every_attribute_is_there(terminal: sync.Terminal) -> None:
    names = [
        "id",
        "name",
        "task",
        "size",
        "shell",
        "pid",
        "cwd",
        "busy",
        "closed",
        "exit_code",
        "strategy",
        "command",
        "transcript",
    ]
    assert not [name for name in names if not hasattr(terminal, name)]
    command = terminal.start("echo hello")
    command.wait(PATIENCE)
    assert not [
        name for name in ["id", "text", "state", "exit_code", "output", "outcome"] if not hasattr(command, name)
    ]
    assert terminal.command is not None and terminal.command.id == command.id


# -- a plain script


def test_a_plain_script(tmp_path: Path, home: Path) -> None:
    with sync.Terminal("bash", cwd=tmp_path, rc=False, name="mine", task="job") as terminal:
        assert (terminal.name, terminal.task, terminal.shell, terminal.cwd) == ("mine", "job", "bash", str(tmp_path))
        outcome = terminal.run("echo hello; (exit 7)", wait=PATIENCE)
        assert (outcome.state, outcome.exit_code, outcome.output, outcome.evidence) == (
            "finished",
            7,
            "hello\n",
            "mark",
        )
        command = terminal.start("read -p 'Name: ' x; echo \"hi $x\"")
        outcome = command.wait(PATIENCE)
        assert outcome.waiting is not None and (outcome.waiting.kind, outcome.waiting.prompt) == ("line", "Name: ")
        assert terminal.busy and command.state == "waiting" and command.outcome is None
        command.send("Ada\n")
        outcome = command.wait(PATIENCE, until="finished")
        assert outcome.output == "Name: Ada\nhi Ada\n" and command.outcome == outcome
        assert command.output.text(tail=1) == "hi Ada\n" and command.output.grep("hi")[0].line == "hi Ada"
        command = terminal.start("cat")
        command.wait(PATIENCE)
        command.press("C-d")
        assert command.wait(PATIENCE).exit_code == 0
        command = terminal.start("sh -c 'echo go; exec sleep 1000'")
        assert "go" in command.wait(PATIENCE, until="go").output
        assert command.interrupt() is True
        assert command.wait(PATIENCE, until="finished").exit_code == 130
        command = terminal.start("trap '' INT; sh -c 'echo go; sleep 1000'")
        command.wait(PATIENCE, until="go")
        assert command.kill().state == "finished"
        terminal.resize(100, 40)
        assert terminal.size == (100, 40) and terminal.run("stty size", wait=PATIENCE).output == "40 100\n"
        assert terminal.run("sleep 1000", timeout=0.3).notes
        assert b"hello" in terminal.transcript.read()
    assert terminal.closed


def test_misuse_is_the_same(terminal: sync.Terminal) -> None:
    with pytest.raises(truetty.BadCommand):
        terminal.run(" ")
    with pytest.raises(truetty.BadKey):
        terminal.press("Nokey")
    with pytest.raises(truetty.Misuse):
        terminal.resize(0, 0)
    with pytest.raises(truetty.SpawnFailed):
        sync.Terminal("nosuchshell")
    with pytest.raises(truetty.SpawnFailed):
        sync.Terminal.open("bash", cwd="/no/such/place")
    assert terminal.run("echo fine", wait=PATIENCE).output == "fine\n"


def test_use_after_close(home: Path) -> None:
    terminal = sync.Terminal.open("bash", rc=False)
    pid = terminal.pid
    assert pid is not None
    command = terminal.start("echo kept")
    command.wait(PATIENCE)
    terminal.close()
    terminal.close()
    assert terminal.closed and gone(pid)
    for call in (
        lambda: terminal.run("echo x"), lambda: terminal.start("echo x"), lambda: terminal.send("x"),
        lambda: terminal.press("Enter"), lambda: terminal.resize(80, 24),
    ):  # fmt: skip
        with pytest.raises(truetty.Closed) as refused:
            call()
        assert refused.value.terminal_id == terminal.id
    assert command.outcome is not None and command.outcome.output == "kept\n"
    assert command.output.text() == "kept\n"


# -- threads


def test_several_threads_each_with_its_own(home: Path) -> None:
    def work(number: int) -> list[str]:
        with sync.Terminal("bash", rc=False) as terminal:
            outcomes = [terminal.run(f"echo {number}.{step}", wait=PATIENCE) for step in range(20)]
            assert all(outcome.state == "finished" for outcome in outcomes), outcomes
            return [outcome.output for outcome in outcomes]

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(work, range(8)))
    assert results == [[f"{number}.{step}\n" for step in range(20)] for number in range(8)]


def test_several_threads_on_one(terminal: sync.Terminal) -> None:
    """Whoever comes second is refused; nobody ever gets another's output."""
    start = threading.Barrier(6)

    def work(number: int) -> tuple[int, int]:
        right = refused = 0
        start.wait()
        while right < 10:
            try:
                outcome = terminal.run(f"echo {number}.{right}", wait=PATIENCE)
            except truetty.Busy:
                refused += 1
                time.sleep(0.001)
            else:
                assert (outcome.state, outcome.output) == ("finished", f"{number}.{right}\n"), (
                    terminal.transcript.read()[-2000:]
                )
                right += 1
        return right, refused

    with ThreadPoolExecutor(6) as pool:
        results = list(pool.map(work, range(6)))
    assert [right for right, _ in results] == [10] * 6
    assert sum(refused for _, refused in results) > 0


def test_one_waits_while_another_talks(terminal: sync.Terminal) -> None:
    command = terminal.start('read x; echo "got $x"')
    with ThreadPoolExecutor(4) as pool:
        waits = [pool.submit(command.wait, PATIENCE, "finished") for _ in range(3)]
        assert command.wait(PATIENCE).state == "waiting"
        with pytest.raises(truetty.Busy):
            pool.submit(terminal.run, "echo second").result(PATIENCE)
        pool.submit(terminal.send, "y\n").result(PATIENCE)
        assert [wait.result(PATIENCE).output for wait in waits] == ["y\ngot y\n"] * 3


def test_closing_in_one_thread_frees_another(home: Path) -> None:
    terminal = sync.Terminal("bash", rc=False)
    command = terminal.start("echo go; sleep 1000")
    command.wait(PATIENCE, until="go")
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(command.wait)
        terminal.close()
        assert waiting.result(PATIENCE).closed


# -- Ctrl-C and the end of the program


def test_an_interrupted_wait_leaves_the_command_running(terminal: sync.Terminal, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    command = terminal.start(f"echo go; until [ -e {gate} ]; do sleep 0.05; done; echo done")
    command.wait(PATIENCE, until="go")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a suite started by `nohup … &` ignores it
    try:
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            command.wait(PATIENCE)
    finally:
        signal.signal(signal.SIGINT, before)
    assert command.state == "running" and terminal.busy
    with pytest.raises(truetty.Busy):
        terminal.run("echo second")
    gate.touch()
    assert command.wait(PATIENCE).output == "go\ndone\n"
    assert terminal.run("echo fine", wait=PATIENCE).output == "fine\n"


LEFT = """
    import os, sys
    from truetty import sync
    terminals = [sync.Terminal("bash", rc=False) for _ in range(3)]
    terminals[0].start("sleep 1000")
    outcome = terminals[1].run("sleep 1000 & echo $!", wait=20)
    print(*[terminal.pid for terminal in terminals], outcome.output.split()[-1], flush=True)
    {end}
"""


@pytest.mark.parametrize(
    "end", ["", "sys.exit(0)", "raise SystemExit(0)", "raise ValueError('mine')", "import threading"]
)
def test_the_end_of_the_program_leaves_nothing(end: str, home: Path) -> None:
    done = script(LEFT.format(end=end))
    assert done.returncode == (1 if "ValueError" in end else 0), done.stderr
    assert ("ValueError: mine" in done.stderr) if "ValueError" in end else done.stderr == ""
    pids = [int(word) for word in done.stdout.split()]
    assert len(pids) == 4
    eventually(lambda: all(map(gone, pids)), f"left behind: {[pid for pid in pids if not gone(pid)]}")


@pytest.mark.parametrize("end", ["os._exit(0)", "os.kill(os.getpid(), 9)"])
def test_a_violent_end_hangs_up(end: str, home: Path) -> None:
    pids = [int(word) for word in script(LEFT.format(end=end)).stdout.split()]
    assert len(pids) == 4
    eventually(lambda: all(map(gone, pids[:3])), f"left behind: {[pid for pid in pids if not gone(pid)]}")


def test_a_fork_goes_its_own_way(home: Path) -> None:
    done = script("""
        import os, warnings
        warnings.simplefilter("ignore", DeprecationWarning)  # of fork beside threads, from 3.12 on
        from truetty import sync
        with sync.Terminal("bash", rc=False) as terminal:
            print(terminal.run("echo parent", wait=20).output, end="", flush=True)
            child = os.fork()
            if child == 0:
                with sync.Terminal("bash", rc=False) as own:
                    print(own.run("echo child", wait=20).output, end="", flush=True)
                os._exit(0)
            print(os.waitpid(child, 0)[1], flush=True)
            print(terminal.run("echo parent still", wait=20).output, end="")
    """)
    assert (done.stdout, done.stderr) == ("parent\nchild\n0\nparent still\n", "")


def test_inside_an_event_loop_of_the_callers(home: Path) -> None:
    """It blocks that loop, as any blocking call does, but it works."""
    done = script("""
        import asyncio
        from truetty import sync
        async def main():
            with sync.Terminal("bash", rc=False) as terminal:
                print(terminal.run("echo hello", wait=20).output, end="")
        asyncio.run(main())
    """)
    assert (done.stdout, done.stderr) == ("hello\n", "")
