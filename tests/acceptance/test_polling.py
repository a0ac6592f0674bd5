"""Who polls the keyboard and does nothing else waits for it; who polls it beside work of its own runs.

`run` returns when a command waits: one that comes back `finished` was never said to wait.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

import truetty
from tests.acceptance.session import PATIENCE, assert_healthy, eventually, opened


@pytest.fixture
async def terminal(home: Path) -> AsyncIterator[truetty.Terminal]:
    async with opened("bash", home, TERM="xterm-256color") as terminal:
        yield terminal


# Each adds a byte to the file `polls` for each time it has polled.
SELECT = """
import select
print("go?")
while not select.select([0], [], [], 0.1)[0]:
    polls.write(b".")
input()
"""
CURSES = """
import curses
def main(screen):
    screen.timeout(100)
    while screen.getch() == -1:
        polls.write(b".")
curses.wrapper(main)
"""
# As textual does: a thread polls, the main thread is an event loop with a timer.
EVENT_LOOP = """
import asyncio, os, select, threading, tty
old = tty.tcgetattr(0)
tty.setcbreak(0)
def keys(done):
    while not select.select([0], [], [], 0.1)[0]:
        polls.write(b".")
    os.read(0, 1)
    done()
async def main():
    loop, end = asyncio.get_running_loop(), asyncio.Event()
    loop.call_later(1000, print, "late")
    threading.Thread(target=keys, args=(lambda: loop.call_soon_threadsafe(end.set),)).start()
    await end.wait()
asyncio.run(main())
tty.tcsetattr(0, tty.TCSANOW, old)
"""
POLLERS = {"select": SELECT, "curses": CURSES, "event loop": EVENT_LOOP}


@pytest.mark.parametrize(
    ("code", "kind"), [("select", "line"), ("curses", "fullscreen"), ("event loop", "key")], ids=POLLERS
)
@pytest.mark.parametrize("line", ["{}", "sh -c '{}; exit $?' | cat"], ids=["alone", "in a pipe"])
async def test_a_program_that_only_polls_waits_and_goes_on_waiting(
    terminal: truetty.Terminal, tmp_path: Path, code: str, kind: str, line: str
) -> None:
    polls = tmp_path / "polls"
    (tmp_path / "program.py").write_text(f"polls = open('{polls}', 'wb', buffering=0)\n{POLLERS[code]}")
    command = await terminal.start(line.format(f"python3 {tmp_path}/program.py"))
    outcome = await command.wait(PATIENCE)
    assert outcome.state == "waiting" and outcome.waiting is not None, outcome
    assert (outcome.waiting.kind, outcome.waiting.program, outcome.waiting.certain) == (kind, "python3", False)
    enough = polls.stat().st_size + 30

    def goes_on() -> bool:
        assert command.state == "waiting"
        return polls.stat().st_size >= enough

    await eventually(goes_on, "30 more polls")
    await command.send("x\n")
    outcome = await command.wait(PATIENCE, until="finished")
    assert (outcome.state, outcome.exit_code) == ("finished", 0), outcome


async def test_the_shell_polls(terminal: truetty.Terminal) -> None:
    # bash may read the key and find its time over a moment later: then it keeps the key, and says that none came.
    command = await terminal.start('until read -t 0.1 -n 1 x || [ -n "$x" ]; do :; done; echo; echo got $x')
    outcome = await command.wait(PATIENCE)
    assert outcome.state == "waiting" and outcome.waiting is not None and outcome.waiting.kind == "key", outcome
    await command.send("q")
    outcome = await command.wait(PATIENCE)
    assert (outcome.state, outcome.output) == ("finished", "q\ngot q\n"), outcome
    await assert_healthy(terminal)


async def test_irb_waits_at_its_prompt(terminal: truetty.Terminal, program: Callable[[str], str]) -> None:
    command = await terminal.start(f"{program('irb')} -f")
    outcome = await command.wait(PATIENCE)
    assert outcome.state == "waiting" and outcome.waiting is not None, outcome
    await command.send("puts 6 * 7\n")
    outcome = await command.wait(PATIENCE)
    assert outcome.state == "waiting" and "42" in outcome.output, outcome
    await command.send("exit\n")
    outcome = await command.wait(PATIENCE, until="finished")
    assert (outcome.state, outcome.exit_code) == ("finished", 0)


# ── at work ─────────────────────────────────────────────────────────────────────────────────────────────────────

POLL = "select.select([0], [], [], {})[0]"
CHILD = """
child = subprocess.Popen(["sleep", "3"])
while child.poll() is None:
    assert not POLL
"""
GRANDCHILD = CHILD.replace('["sleep", "3"]', '["sh", "-c", "sleep 3; true"]')
SLEEPER = """
def work():
    time.sleep(3)
thread = threading.Thread(target=work)
thread.start()
while thread.is_alive():
    assert not POLL
"""
DOWNLOAD = """
server = socket.create_server(("127.0.0.1", 0))
def work():
    socket.create_connection(server.getsockname()).recv(1)
thread = threading.Thread(target=work)
thread.start()
far = server.accept()[0]
until = time.monotonic() + 3
while time.monotonic() < until:
    assert not POLL
far.close()
"""
COMPUTING = """
until = time.monotonic() + 3
while time.monotonic() < until:
    assert not POLL
    sum(range(2_000_000))
"""
PROGRESS = """
for percent in range(0, 101, 10):
    print(f"{percent} %")
    for _ in range(3):
        assert not POLL
"""
SEEN_AT_WORK = {"child": CHILD, "grandchild": GRANDCHILD, "sleeping thread": SLEEPER, "download": DOWNLOAD}
# Between two polls of half a second nothing would show that they go on.
KNOWN_BY_POLLS = {"computing": COMPUTING, "progress": PROGRESS}
WORKERS = SEEN_AT_WORK | KNOWN_BY_POLLS


@pytest.mark.parametrize("keys", ["line", "key"])
@pytest.mark.parametrize(
    ("code", "pause"), [*((code, 0.1) for code in WORKERS), *((code, 0.5) for code in SEEN_AT_WORK)]
)
async def test_a_program_that_polls_while_it_works_runs(
    terminal: truetty.Terminal, tmp_path: Path, code: str, keys: str, pause: float
) -> None:
    head = "import select, socket, subprocess, threading, time, tty\nold = tty.tcgetattr(0)\n"
    if keys == "key":
        head += "tty.setcbreak(0, tty.TCSANOW)\n"
    tail = "tty.tcsetattr(0, tty.TCSANOW, old)\nraise SystemExit(5)\n"
    (tmp_path / "program.py").write_text(head + WORKERS[code].replace("POLL", POLL.format(pause)) + tail)
    outcome = await terminal.run(f"python3 {tmp_path}/program.py", wait=PATIENCE)
    assert (outcome.state, outcome.exit_code) == ("finished", 5), outcome
