"""A signal that comes before a read has begun."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys

from tests.patience import PATIENCE

# A signal that another thread receives does not interrupt the read of the main thread, in which handlers run. To the
# read that is as if the signal had come just before it.
PROGRAM = """
import os, signal, socket, sys, threading
from pathlib import Path
from truetty.cli.terminals.wakeful import Wakeful

def send():
    main = Path(f"/proc/self/task/{os.getpid()}/stat")
    while main.read_text().rpartition(")")[2].split()[0] != "S":
        pass
    signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)

ours, theirs = socket.socketpair()
signal.signal(signal.SIGUSR1, lambda *_: sys.exit(7))
threading.Thread(target=send, daemon=True).start()
Wakeful(fileno=ours.detach()).recv(10)
"""


def test_a_signal_ends_a_read() -> None:
    assert subprocess.run([sys.executable, "-c", PROGRAM], timeout=PATIENCE).returncode == 7


def test_a_byte_of_the_handler_is_not_taken_for_the_servers() -> None:
    from truetty.cli.terminals import wakeful

    ours, theirs = socket.socketpair()
    before = signal.set_wakeup_fd(-1)
    try:
        with wakeful.Wakeful(fileno=ours.detach()) as reader, theirs:
            wakeful._bell()
            os.write(wakeful._pipe[1], b"\0")
            theirs.sendall(b"hello")
            assert reader.recv(10) == b"hello"
    finally:
        signal.set_wakeup_fd(before)
        for end in wakeful._pipe:
            os.close(end)
        wakeful._pipe.clear()
