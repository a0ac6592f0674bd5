"""truetty.sync: the same names, blocking; from a plain script and from several threads."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import truetty
from tests.patience import PATIENCE
from truetty import events, sync
from truetty.until import Match


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
        assert "go" in command.wait(PATIENCE, until=Match("go")).output
        assert command.interrupt() is True
        assert command.wait(PATIENCE, until="finished").exit_code == 130
        command = terminal.start("trap '' INT; sh -c 'echo go; sleep 1000'")
        command.wait(PATIENCE, until=Match("go"))
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


def test_one_object_has_one_face(home: Path) -> None:
    with sync.Registry(shell="bash", rc=False, env={"HOME": str(home)}) as registry:
        terminal = registry.acquire(home, task="a")
        assert registry.get(terminal.id) is terminal and registry.list() == [terminal]
        assert terminal.transcript is terminal.transcript
        command = terminal.start("echo hello")
        eventually(lambda: command.state == "finished", "it ends")
        assert terminal.command is command and registry.completed == (command,)
        assert command.output is command.output
        assert registry.release("a") == [terminal] and terminal.task is None


def test_a_face_that_nobody_has_goes(home: Path) -> None:
    with sync.Terminal("bash", rc=False) as terminal:
        seen = weakref.ref(terminal.start("echo hello"))
        gc.collect()
        assert seen() is None and terminal.command is not None and terminal.command.text == "echo hello"


def test_a_name_can_be_set(terminal: sync.Terminal) -> None:
    terminal.name, terminal.task = "mine", "job"
    assert (terminal.name, terminal.task) == ("mine", "job")
    with pytest.raises(AttributeError):
        terminal.id = "t0"  # type: ignore[misc]


def test_made_in_every_way(home: Path) -> None:
    settings = truetty.Settings(shell="bash", rc=False)
    with sync.Terminal.open("bash", rc=False) as terminal, sync.Registry.from_settings(settings) as registry:
        assert type(terminal) is sync.Terminal and repr(terminal) == f"<Terminal {terminal.id} bash idle>"
        assert type(registry) is sync.Registry and registry.acquire(home).run("echo hi", wait=PATIENCE).output == "hi\n"


def test_events_end_with_the_loop_over_them(terminal: sync.Terminal, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    command = terminal.start(f"echo one; until [ -e {gate} ]; do sleep 0.05; done; echo two")
    for event in command.events(coalesce=0):
        if isinstance(event, events.Output):
            break
    heard = command.events()
    gate.touch()
    kinds = [type(event) for event in heard]
    assert (kinds[0], kinds[-1]) == (events.Started, events.Finished) and next(heard, None) is None


def test_a_recording(terminal: sync.Terminal, tmp_path: Path) -> None:
    with terminal.record(tmp_path / "a.cast", title="mine") as recording:
        terminal.run("echo hello", wait=PATIENCE)
        assert not recording.stopped
    assert recording.stopped and recording.trouble is None and recording.path == str(tmp_path / "a.cast")
    assert "hello" in (tmp_path / "a.cast").read_text()


# -- callbacks


def test_a_plain_function_answers(home: Path) -> None:
    with sync.Terminal("bash", rc=False, on_waiting=lambda waiting: "yes\n") as terminal:
        outcome = terminal.run("read -p 'Sure? ' x; echo got $x", wait=PATIENCE)
        assert (outcome.state, outcome.output, outcome.notes) == ("finished", "Sure? yes\ngot yes\n", ())


def test_a_coroutine_function_answers(home: Path) -> None:
    async def answer(waiting: truetty.Waiting) -> str:
        return f"{waiting.prompt}\n"

    with sync.Registry(shell="bash", rc=False, on_waiting=answer) as registry:
        assert (
            registry.acquire(home).run("read -p 'Sure?' x; echo got $x", wait=PATIENCE).output.endswith("got Sure?\n")
        )


def test_a_callback_may_block_and_look_around(home: Path) -> None:
    """It is in a thread of its own: other terminals go on meanwhile, and it may use them."""
    asked, answered = threading.Event(), threading.Event()
    with sync.Terminal("bash", rc=False) as other:

        def answer(waiting: truetty.Waiting) -> str:
            asked.set()
            assert answered.wait(PATIENCE)
            return other.run("echo by another", wait=PATIENCE).output

        with sync.Terminal("bash", rc=False, on_waiting=answer) as terminal:
            command = terminal.start("read x; echo got $x")
            assert asked.wait(PATIENCE)
            assert other.run("echo meanwhile", wait=PATIENCE).output == "meanwhile\n"
            answered.set()
            assert command.wait(PATIENCE, "finished").output.endswith("got by another\n")


def test_a_callback_that_fails_is_said(home: Path) -> None:
    def broken(waiting: truetty.Waiting) -> str:
        raise RuntimeError("no idea")

    with sync.Terminal("bash", rc=False, on_waiting=broken) as terminal:
        assert terminal.run("read x", wait=PATIENCE).notes == ("on_waiting failed: RuntimeError: no idea",)


def test_a_callback_that_never_answers_keeps_nobody_from_ending(home: Path) -> None:
    done = script("""
        import threading
        from truetty import sync
        asked = threading.Event()
        def answer(waiting):
            asked.set()
            threading.Event().wait()
        terminal = sync.Terminal("bash", rc=False, on_waiting=answer)
        terminal.start("read x")
        print(asked.wait(20))
    """)
    assert (done.stdout, done.stderr) == ("True\n", "")


def test_a_callback_in_the_loop_cannot_wait_for_the_loop(home: Path) -> None:
    async def answer(waiting: truetty.Waiting) -> str:
        return opened.shell

    with sync.Terminal("bash", rc=False, on_waiting=answer) as opened:
        (note,) = opened.run("read x", wait=PATIENCE).notes
        assert note.startswith("on_waiting failed: Misuse: truetty.sync cannot be used from its own event loop")


def test_a_callback_that_exits_ends_only_itself(home: Path) -> None:
    async def answer(waiting: truetty.Waiting) -> str:
        raise SystemExit(3)

    with sync.Terminal("bash", rc=False, on_waiting=answer) as terminal:
        command = terminal.start("read x")
        eventually(lambda: command.state == "waiting", "it waits")
        command.send("y\n")
        assert command.wait(PATIENCE, "finished").exit_code == 0


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
    """The second thread is refused; no thread ever gets the output of another."""
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


def test_two_threads_of_one_task_never_get_the_same_terminal(home: Path) -> None:
    with sync.Registry(shell="bash", rc=False, env={"HOME": str(home)}) as registry, ThreadPoolExecutor(1) as pool:
        mine = registry.acquire(home, task="a")
        other = pool.submit(registry.acquire, home, task="a").result(PATIENCE)
        assert other is not mine and registry.acquire(home, task="a") is mine
        assert pool.submit(registry.release, mine).result(PATIENCE) == []  # it is this thread's
        mine.start("sleep 1000")
        assert pool.submit(other.run, "echo second").result(PATIENCE).output == "second\n"


def test_what_a_thread_left_unused_is_anothers(home: Path) -> None:
    with sync.Registry(shell="bash", rc=False, env={"HOME": str(home)}) as registry:
        with ThreadPoolExecutor(1) as pool:
            left = pool.submit(registry.acquire, home, task="a").result(PATIENCE)
        assert registry.acquire(home, task="a") is left


def test_the_same_callback_is_no_reason_for_another_terminal(home: Path) -> None:
    def answer(waiting: truetty.Waiting) -> None:
        return None

    with sync.Registry(shell="bash", rc=False, env={"HOME": str(home)}) as registry:
        mine = registry.acquire(home, task="a", on_waiting=answer)
        assert registry.acquire(home, task="a", on_waiting=answer) is mine


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
    command.wait(PATIENCE, until=Match("go"))
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(command.wait)
        terminal.close()
        assert waiting.result(PATIENCE).closed


# -- Ctrl-C and the end of the program


def test_an_interrupted_wait_leaves_the_command_running(terminal: sync.Terminal, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    command = terminal.start(f"echo go; until [ -e {gate} ]; do sleep 0.05; done; echo done")
    command.wait(PATIENCE, until=Match("go"))
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


def test_what_was_made_before_a_fork_is_refused_in_the_child(home: Path) -> None:
    done = script("""
        import os, warnings
        warnings.simplefilter("ignore", DeprecationWarning)
        from truetty import Misuse, sync
        with sync.Terminal("bash", rc=False) as terminal:
            command = terminal.start("echo parent")
            child = os.fork()
            if child == 0:
                for use in (lambda: terminal.run("echo x"), lambda: terminal.cwd, command.wait, terminal.close):
                    try:
                        use()
                    except Misuse as error:
                        print(error, flush=True)
                os._exit(0)
            print(os.waitpid(child, 0)[1], flush=True)
            print(command.wait(20).output, end="")
    """)
    refused = "this was made before a fork and belongs to the parent process: make one here instead\n"
    assert (done.stdout, done.stderr) == (f"{refused * 4}0\nparent\n", "")


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
