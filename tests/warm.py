"""`truetty` as a process, without the price of its start: an interpreter that has imported it forks one for each call.

A start is 0.8 s of CPU, nearly all of it imports, and the tests of the command line start it two hundred times. What is
forked gets arguments, environment, directory and standard streams of its own, runs `python -m truetty` from there on,
and ends as every interpreter does. Nothing but imports has happened before. What Python itself reads when it starts
(the locale, closed streams) is for tests that start an interpreter of their own.
"""

from __future__ import annotations

import atexit
import functools
import gc
import json
import os
import pkgutil
import runpy
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

from tests.patience import PATIENCE

ROOT = Path(__file__).parents[1]
PIPE_SIZE = 65536  # what a pipe takes without a reader


def run(
    *words: object, stdin: bytes | None = b"", env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    """As `subprocess.run([sys.executable, "-m", "truetty", *words], input=stdin, capture_output=True)`.

    With `stdin=None` its standard input is /dev/null.
    """
    arguments = [str(word) for word in words]
    call = {"words": arguments, "env": dict(os.environ if env is None else env), "cwd": str(cwd or Path.cwd())}
    give, feed = os.pipe() if stdin is not None else (os.open(os.devnull, os.O_RDONLY), -1)
    if stdin is not None and len(stdin) <= PIPE_SIZE:  # there before the process is: `--json` waits for no first byte
        _write(feed, stdin)
    (out, to_out), (err, to_err), (end, to_end) = os.pipe(), os.pipe(), os.pipe()
    socket.send_fds(_interpreter(), [json.dumps(call).encode()], [give, to_out, to_err, to_end])
    for descriptor in (give, to_out, to_err, to_end):
        os.close(descriptor)
    with ThreadPoolExecutor(3) as pool, open(end) as status:
        pid = int(status.readline())
        reading = [pool.submit(_read, descriptor) for descriptor in (out, err)]
        if stdin is not None and len(stdin) > PIPE_SIZE:
            pool.submit(_write, feed, stdin)
        ended = pool.submit(status.readline)
        try:
            code = int(ended.result(PATIENCE))
            printed, said = (one.result(PATIENCE) for one in reading)
        except TimeoutError:
            os.kill(pid, signal.SIGKILL)
            raise
    return subprocess.CompletedProcess(arguments, code, printed, said)


def _read(descriptor: int) -> bytes:
    with open(descriptor, "rb") as file:
        return file.read()


def _write(descriptor: int, data: bytes) -> None:
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
    except BrokenPipeError:  # it reads no further
        pass


@functools.cache
def _interpreter() -> socket.socket:
    """The socket that calls are sent to. The interpreter ends when it is closed."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command = [sys.executable, "-m", "tests.warm", str(theirs.fileno())]
    env = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
    with theirs:
        process = subprocess.Popen(command, cwd=ROOT, env=env, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


def _calls(control: socket.socket) -> tuple[dict[str, object], list[int]] | None:
    """Fork for one call after the other. Return the call in the process that is to be `truetty`, None at their end."""
    gc.freeze()
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, 1 << 20, 4)
        if not message:
            return None
        *streams, status = descriptors
        if (pid := os.fork()) == 0:
            control.close()
            os.close(status)
            return json.loads(message), streams
        for stream in streams:
            os.close(stream)
        os.write(status, b"%d\n" % pid)
        os.write(status, b"%d\n" % os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        os.close(status)


def _become(words: list[str], env: dict[str, str], cwd: str, streams: list[int]) -> None:
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, errors="backslashreplace", closefd=False)  # noqa: SIM115
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    sys.argv = ["truetty", *words]
    runpy.run_module("truetty", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    commands = import_module("truetty.cli")
    for module in pkgutil.walk_packages(commands.__path__, "truetty.cli."):
        import_module(module.name)
    for name in ("truetty.terminal.terminal", "truetty.service.service"):
        import_module(name)
    call = _calls(socket.socket(fileno=int(sys.argv[1])))
    if call is not None:
        _become(**call[0], streams=call[1])  # type: ignore[arg-type]
