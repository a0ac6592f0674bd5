"""Who listens to the keyboard among other things is not said to wait for it, until a question is shown.

`run` returns when a command waits: one that comes back `finished` was never said to wait.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

import truetty
from tests.acceptance.session import PATIENCE, assert_healthy, opened
from tests.sshd import sshd, target


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("ssh")


@pytest.fixture(scope="module")
def box(folder: Path) -> Iterator[str]:
    """The beginning of an ssh command to a server on the loopback that lets us in by a key."""
    with sshd(folder) as (ssh, port):
        yield f"{ssh} {target(port)}"


@pytest.fixture
async def terminal(home: Path) -> AsyncIterator[truetty.Terminal]:
    async with opened("bash", home) as terminal:
        yield terminal


NO_TERMINAL = pytest.mark.skipif(os.geteuid() != 0, reason="an sshd that is not root's gives no terminal")

# ── a far host ──────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("options", "text", "output", "code"),
    [
        ("", "sleep 2; echo remote; exit 4", "remote\n", 4),
        ("", "for i in 1 2 3; do echo $i; sleep 1; done", "1\n2\n3\n", 0),
        ("", 'for i in 1 2 3; do printf "\\r%d%%" ${i}0; sleep 1; done; echo', "30%\n", 0),
        ("", "for i in 1 2 3; do printf .; sleep 1; done; echo", "...\n", 0),
        ("", 'printf "Compiling..."; sleep 2; echo done', "Compiling...done\n", 0),
        pytest.param("-t -q", "sleep 2; echo remote; exit 4", "remote\n", 4, marks=NO_TERMINAL),
    ],
)
async def test_a_command_on_a_far_host_runs(
    terminal: truetty.Terminal, box: str, options: str, text: str, output: str, code: int
) -> None:
    outcome = await terminal.run(f"{box} {options} '{text}'", wait=PATIENCE)
    assert (outcome.state, outcome.exit_code, outcome.output) == ("finished", code, output)
    await assert_healthy(terminal)


@pytest.mark.parametrize("options", ["", pytest.param("-t -q", marks=NO_TERMINAL)])
async def test_a_question_of_a_far_host_is_a_question(terminal: truetty.Terminal, box: str, options: str) -> None:
    command = await terminal.start(f"""{box} {options} 'sleep 1; printf "Name? "; read x; sleep 1; echo got $x'""")
    outcome = await command.wait(PATIENCE)
    assert outcome.state == "waiting" and outcome.waiting is not None, outcome
    assert (outcome.waiting.prompt, outcome.waiting.certain) == ("Name? ", False)
    await command.send("ada\n")
    outcome = await command.wait(PATIENCE)
    assert (outcome.state, outcome.exit_code, outcome.output) == ("finished", 0, "Name? ada\ngot ada\n")


@NO_TERMINAL
async def test_a_far_shell_waits_at_its_prompt_and_runs_in_between(terminal: truetty.Terminal, box: str) -> None:
    command = await terminal.start(f"{box} -t -q env -i PS1='far:' sh")
    outcome = await command.wait(PATIENCE)
    assert outcome.state == "waiting" and outcome.waiting is not None and outcome.waiting.prompt == "far:", outcome
    await command.send("sleep 2; echo done\n")
    outcome = await command.wait(PATIENCE)  # it did not wait during the sleep
    assert outcome.output.endswith("far:sleep 2; echo done\ndone\nfar:"), outcome.output
    assert outcome.state == "waiting"
    await command.send("exit 3\n")
    outcome = await command.wait(PATIENCE, until="finished")
    assert (outcome.state, outcome.exit_code) == ("finished", 3)


# ── programs of this host ───────────────────────────────────────────────────────────────────────────────────────

THREAD = """
import subprocess, sys, threading
threading.Thread(target=sys.stdin.readline, daemon=True).start()
subprocess.run(["sleep", "2"])
import os
os._exit(5)
"""
THREADS = """
import os, subprocess, sys, threading, time
threading.Thread(target=sys.stdin.readline, daemon=True).start()
worker = threading.Thread(target=lambda: {work})
worker.start()
worker.join()
os._exit(5)
"""
JOINED = THREADS.format(work='subprocess.run(["sleep", "2"])')
PIPED = THREADS.format(work='subprocess.check_output(["sh", "-c", "sleep 2; true"])')
ASLEEP = THREADS.format(work="time.sleep(2)")
SELECT = """
import os, select, subprocess
child = subprocess.Popen(["sleep", "2"], stdout=subprocess.PIPE)
found = select.select([0, child.stdout], [], [])[0]
raise SystemExit(5 if found == [child.stdout] else 6)
"""
SERVER = """
import os, select, socket, threading, time, tty
server = socket.create_server(("127.0.0.1", 0))
def call():
    time.sleep(2)
    socket.create_connection(server.getsockname())
threading.Thread(target=call).start()
old = tty.tcgetattr(0)
tty.setraw(0, tty.TCSANOW)
found = select.select([0, server], [], [])[0]
tty.tcsetattr(0, tty.TCSANOW, old)
raise SystemExit(5 if found == [server] else 6)
"""


@pytest.mark.parametrize(
    "code",
    [THREAD, JOINED, PIPED, ASLEEP, SELECT, SERVER],
    ids=["thread", "joined", "piped", "asleep", "pipe", "server"],
)
async def test_a_program_that_listens_among_other_things_runs(
    terminal: truetty.Terminal, tmp_path: Path, code: str
) -> None:
    (tmp_path / "program.py").write_text(code)
    outcome = await terminal.run(f"python3 {tmp_path}/program.py", wait=PATIENCE)
    assert (outcome.state, outcome.exit_code) == ("finished", 5), outcome


async def test_a_thread_that_asks_while_the_others_wait_for_it_waits(
    terminal: truetty.Terminal, tmp_path: Path
) -> None:
    """One thread waits for a lock with a time limit, as in Java's virtual machine."""
    (tmp_path / "program.py").write_text(
        "import threading\n"
        "threading.Thread(target=threading.Event().wait, args=(1000,), daemon=True).start()\n"
        "asks = threading.Thread(target=lambda: print('got', input()))\n"
        "print('Name?', flush=True)\nasks.start()\nasks.join()\n"
    )
    command = await terminal.start(f"python3 {tmp_path}/program.py")
    outcome = await command.wait(PATIENCE)
    assert outcome.state == "waiting" and outcome.waiting is not None and outcome.waiting.kind == "line", outcome
    await command.send("ada\n")
    outcome = await command.wait(PATIENCE)
    assert (outcome.state, outcome.exit_code, outcome.output) == ("finished", 0, "Name?\nada\ngot ada\n")


async def test_node_with_a_timer_runs_and_without_one_waits(
    terminal: truetty.Terminal, program: Callable[[str], str]
) -> None:
    node = program("node")
    outcome = await terminal.run(
        f"{node} -e 'process.stdin.resume(); setTimeout(() => process.exit(5), 2000)'", wait=PATIENCE
    )
    assert (outcome.state, outcome.exit_code) == ("finished", 5)
    command = await terminal.start(f"{node} -e 'process.stdin.once(`data`, () => process.exit(6))'")
    outcome = await command.wait(PATIENCE)
    assert outcome.state == "waiting", outcome
    await command.send("\n")
    outcome = await command.wait(PATIENCE)
    assert (outcome.state, outcome.exit_code) == ("finished", 6)


async def test_a_question_among_other_things_is_a_question(terminal: truetty.Terminal, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("print('Name? ', end='', flush=True)" + SELECT.replace('"2"', '"1000"'))
    command = await terminal.start(f"python3 {tmp_path}/program.py")
    outcome = await command.wait(PATIENCE)
    assert outcome.state == "waiting" and outcome.waiting is not None, outcome
    assert (outcome.waiting.prompt, outcome.waiting.certain) == ("Name? ", False)
    await command.kill()


async def test_a_reader_of_nothing_else_waits_though_its_time_is_limited(terminal: truetty.Terminal) -> None:
    command = await terminal.start("read -t 1000 x; echo got $x")
    outcome = await command.wait(PATIENCE)
    assert outcome.state == "waiting" and outcome.waiting is not None and not outcome.waiting.certain, outcome
    await command.send("ada\n")
    outcome = await command.wait(PATIENCE)
    assert (outcome.state, outcome.exit_code) == ("finished", 0)
