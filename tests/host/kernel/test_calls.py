"""What a thread is blocked on, decoded for programs that wait in every manner."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable

import pytest

from tests.host.kernel.driver import Pty
from truetty.host.kernel import proc
from truetty.host.kernel.calls import Block, Device, block_of, holds_tty

Start = Callable[..., Pty]
PIPE = "import os; a, b = os.pipe(); "
SERVER = "import socket; server = socket.create_server(('127.0.0.1', 0)); "


def look(pty: Pty, thread: int | None = None) -> Block:
    name = os.readlink(f"/proc/{pty.pid}/fd/0")
    found = os.stat(name)
    return block_of(pty.stat(), thread or pty.pid, Device(found.st_rdev, found.st_dev))


@pytest.mark.parametrize(
    ("code", "state", "stuck", "timed"),
    [
        ("input()", "reads", True, False),
        ("open('/dev/tty').read(1)", "reads", True, False),
        ("import os; os.readv(0, [bytearray(9)])", "reads", True, False),
        (PIPE + "os.read(a, 1)", "elsewhere", False, False),
        ("import select; select.select([0], [], [])", "reads", True, False),
        ("import select; select.select([0], [], [], 1000)", "reads", False, True),
        (PIPE + "import select; select.select([0, a], [], [])", "reads", False, False),
        (PIPE + "import select; select.select([a], [], [])", "elsewhere", False, False),
        (PIPE + "import select; select.select([], [], [0, a])", "elsewhere", False, False),
        ("import select; p = select.poll(); p.register(0, 1); p.poll()", "reads", True, False),
        ("import select; p = select.poll(); p.register(0, 1); p.poll(1000000)", "reads", False, True),
        (
            PIPE + "import select; p = select.poll(); p.register(0, 1); p.register(a, 1); p.poll()",
            "reads",
            False,
            False,
        ),
        (PIPE + "import select; p = select.poll(); p.register(a, 1); p.poll()", "elsewhere", False, False),
        ("import select; p = select.epoll(); p.register(0, 1); p.poll()", "reads", True, False),
        ("import select; p = select.epoll(); p.register(0, 1); p.poll(1000)", "reads", False, True),
        (
            PIPE + "import select; p = select.epoll(); p.register(0, 1); p.register(a, 1); p.poll()",
            "reads",
            False,
            False,
        ),
        (PIPE + "import select; p = select.epoll(); p.register(a, 1); p.poll()", "elsewhere", False, False),
        ("import time; time.sleep(1000)", "elsewhere", False, True),
        ("import signal; signal.pause()", "elsewhere", False, False),
        ("import threading; threading.Event().wait()", "elsewhere", False, False),
        ("import threading; threading.Event().wait(1000)", "elsewhere", False, True),
        ("while True: pass", "running", False, False),
    ],
)
def test_blocked(start: Start, code: str, state: str, stuck: bool, timed: bool) -> None:
    pty = start(sys.executable, "-S", "-c", f"print('n' 'ow', flush=True)\n{code}", prompt=False)
    pty.until(lambda: b"now" in pty.screen, "the program")

    def as_expected() -> bool:
        seen = look(pty)
        return (seen.state, seen.stuck, seen.timed) == (state, stuck, timed)

    pty.until(as_expected, f"{state} {stuck} {timed}, not {look(pty)}")
    assert all(as_expected() for _ in range(20))


@pytest.mark.parametrize(
    ("code", "works"),
    [
        ("input()", False),
        (PIPE + "os.read(a, 1)", False),
        (PIPE + "import select; select.select([a], [], [], 1000)", False),
        ("import threading; threading.Event().wait()", False),
        ("import subprocess; subprocess.run('cat')", False),
        ("import threading; threading.Event().wait(1000)", True),
        ("import time; time.sleep(1000)", True),
        ("import signal; signal.pause()", True),
        ("import select; select.select([], [], [])", True),
        ("import select; select.select([], [], [], 1000)", True),
        ("import select; select.poll().poll()", True),
        (SERVER + "server.accept()", True),
        (SERVER + "import select; select.select([server], [], [])", True),
        (SERVER + "near = socket.create_connection(server.getsockname()); near.makefile('rb', 0).read()", True),
    ],
)
def test_who_has_work(start: Start, code: str, works: bool) -> None:
    pty = start(sys.executable, "-S", "-c", f"print('n' 'ow', flush=True)\n{code}", prompt=False)
    pty.until(lambda: b"now" in pty.screen, "the program")
    blocked = ("reads", "elsewhere")
    pty.until(lambda: (seen := look(pty)).state in blocked and seen.has_work == works, f"{works}, not {look(pty)}")
    assert all(look(pty).has_work == works for _ in range(20))


def test_a_list_that_is_read_while_the_poller_is_awake_is_not_taken_for_an_empty_one(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "import select\nprint('n' 'ow', flush=True)\nwhile not select.select([0], [], [], 0.05)[0]: [*range(50000)]"
    pty = start(sys.executable, "-S", "-c", code, prompt=False)
    pty.until(lambda: b"now" in pty.screen, "the program")
    read_memory, caught = proc.read_memory, threading.Event()

    def read_late(pid: int, address: int, size: int) -> bytes:
        """For the first time, what the memory holds once the poller has woken: the kernel has cleared it."""
        found = read_memory(pid, address, size)
        while any(found) and not caught.is_set():
            found = read_memory(pid, address, size)
        caught.set()
        return found

    monkeypatch.setattr(proc, "read_memory", read_late)
    states = {"running"}
    while not caught.is_set():
        states.add(look(pty).state)
    assert states <= {"running", "reads"}


def test_another_terminal_is_not_ours(start: Start) -> None:
    ours, other = start("cat", prompt=False), start("cat", prompt=False)
    ours.settle("waiting", "line")
    other.settle("waiting", "line")
    found = os.stat(os.readlink(f"/proc/{ours.pid}/fd/0"))
    device = Device(found.st_rdev, found.st_dev)
    assert block_of(ours.stat(), ours.pid, device).state == "reads"
    assert block_of(other.stat(), other.pid, device).state == "elsewhere"
    assert holds_tty(ours.stat(), device)
    assert not holds_tty(other.stat(), device)


def test_the_same_number_on_another_file_system_is_not_ours(start: Start) -> None:
    pty = start("cat", prompt=False)
    pty.settle("waiting", "line")
    found = os.stat(os.readlink(f"/proc/{pty.pid}/fd/0"))
    assert block_of(pty.stat(), pty.pid, Device(found.st_rdev, found.st_dev + 1)).state == "elsewhere"


def test_the_terminal_is_packed_as_the_kernel_packs_it(start: Start) -> None:
    pty = start("cat", prompt=False)
    found = os.stat(os.readlink(f"/proc/{pty.pid}/fd/0"))
    assert Device(found.st_rdev, found.st_dev).packed == pty.stat().tty
    assert Device(os.makedev(136, 0x12345), 0).packed == 0x45 | 136 << 8 | 0x12300 << 12


def test_what_cannot_be_decoded_is_hidden(start: Start) -> None:
    pty = start("cat", prompt=False)
    pty.settle("waiting", "line")
    found = os.stat(os.readlink(f"/proc/{pty.pid}/fd/0"))
    device = Device(found.st_rdev, found.st_dev)
    of = pty.stat()
    compat = b"3 0x0 0x0 0x0 0x0 0x0 0x0 0xffffd000 0xf7f00000\n"  # a 32-bit program's read
    assert block_of(of, of.pid, device, compat).state == "hidden"
    assert block_of(of, of.pid, device, b"").state == "hidden"
    assert block_of(of, of.pid, device, b"running\n").state == "running"
    assert block_of(of, of.pid, device, b"-1 0x7ffd00000000 0x7f0000000000\n").state == "elsewhere"


def test_a_call_taken_up_again_is_read_as_poll_only_if_it_can_be_one(start: Start) -> None:
    pty = start(sys.executable, "-S", "-c", "import time; time.sleep(1000)", prompt=False)
    pty.settle("running")
    of = pty.stat()
    real = proc.read(f"/proc/{of.pid}/syscall").split()
    found = os.stat(os.readlink(f"/proc/{pty.pid}/fd/0"))
    device = Device(found.st_rdev, found.st_dev)
    number = {"x86_64": b"219"}.get(os.uname().machine, b"128")
    again = b" ".join([number, *real[1:]])
    seen = block_of(of, of.pid, device, again)
    assert (seen.state, seen.timed) == ("elsewhere", True)
    stack = hex(of.stack).encode()  # what lies there is a count and pointers to arguments, no list of descriptors
    odd = b" ".join([number, stack, b"0x4", b"0x0", b"0x0", b"0x0", b"0x0", real[7], real[8]])
    assert block_of(of, of.pid, device, odd).state == "elsewhere"
