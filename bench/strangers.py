"""A client with a token while clients without one load the HTTP port: its latency with and without them, in one run,
and how soon the server ends after a SIGTERM meanwhile.

To reach: an answer each time, within 10 times; the server gone within a second.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

REQUESTS = 40
HALF_OPEN = 1100
IDLE = 500
BODY = 100 << 20
WRONG_TOKENS = 10_000

CALL = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "b", "version": "1"}},
    }
)


class Server:
    def __init__(self, home: str) -> None:
        words = [sys.executable, "-m", "truetty", "mcp", "--http", "--port", "0", "--shell", "bash", "--no-rc"]
        self.process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env={**os.environ, "HOME": home})
        assert self.process.stderr is not None
        url, _, token_file = (
            self.process.stderr.readline().removeprefix("truetty mcp: ").strip().partition(", token in ")
        )
        self.port = int(url.rpartition(":")[2].partition("/")[0])
        self.token = Path(token_file).read_text().strip()

    def ask(self, token: str | None = None) -> int:
        """One request on a connection of its own. Returns the status."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {
            "Authorization": f"Bearer {token or self.token}",
            "Accept": "application/json, text/event-stream",
            "Content-Type": "application/json",
        }
        try:
            connection.request("POST", "/mcp", CALL, headers)
            answer = connection.getresponse()
            answer.read()
            return answer.status
        finally:
            connection.close()

    def latency(self) -> tuple[float, float, int]:
        """Median and longest of some requests in seconds, and how many failed."""
        times, failed = [], 0
        for _ in range(REQUESTS):
            start = time.perf_counter()
            try:
                failed += self.ask() != 200
            except OSError:
                failed += 1
            times.append(time.perf_counter() - start)
        return statistics.median(times), max(times), failed

    def end(self) -> float:
        """Seconds from SIGTERM to its end."""
        start = time.perf_counter()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)
        return time.perf_counter() - start


@contextmanager
def connections(server: Server, number: int, sent: bytes) -> Iterator[None]:
    with ExitStack() as stack:
        for _ in range(number):
            with suppress(OSError):
                one = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), 10))
                one.sendall(sent)
        yield


@contextmanager
def working(work: Callable[[threading.Event], None]) -> Iterator[None]:
    """In a thread, again and again until the end."""
    over = threading.Event()

    def repeat() -> None:
        while not over.is_set():
            with suppress(OSError):
                work(over)

    thread = threading.Thread(target=repeat)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def large_body(server: Server) -> Callable[[threading.Event], None]:
    def send(over: threading.Event) -> None:
        head = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Length: {BODY}\r\n"
        head += f"Authorization: Bearer {server.token}\r\nContent-Type: application/json\r\n"
        head += "Accept: application/json, text/event-stream\r\n\r\n"
        with socket.create_connection(("127.0.0.1", server.port), 10) as one:
            one.sendall(head.encode())
            piece = b" " * (1 << 16)
            for _ in range(BODY // len(piece)):
                if over.is_set():
                    return
                one.sendall(piece)

    return send


def wrong_tokens(server: Server) -> Callable[[threading.Event], None]:
    left = iter(range(WRONG_TOKENS))

    def ask(over: threading.Event) -> None:
        if next(left, None) is None:
            over.wait(0.1)
        else:
            server.ask("wrong")

    return ask


def main() -> None:
    troubles: dict[str, Callable[[Server], object]] = {
        "no strangers": lambda server: ExitStack(),
        f"{HALF_OPEN:,} half-sent heads": lambda server: connections(
            server, HALF_OPEN, b"POST /mcp HTTP/1.1\r\nHost: "
        ),
        f"{IDLE} idle connections": lambda server: connections(server, IDLE, b""),
        "bodies of 100 MB": lambda server: working(large_body(server)),
        f"{WRONG_TOKENS:,} wrong tokens": lambda server: working(wrong_tokens(server)),
    }
    alone = 0.0
    for name, trouble in troubles.items():
        with tempfile.TemporaryDirectory() as home:
            server = Server(home)
            with trouble(server):  # type: ignore[attr-defined]  # each is a context manager
                median, longest, failed = server.latency()
                ended = server.end()
            alone = alone or median
            print(
                f"{name:24} median {median * 1e3:7.1f} ms ({median / alone:5.2f}), longest {longest * 1e3:7.1f} ms "
                f"({longest / alone:5.2f}), failed {failed} of {REQUESTS}; ended {ended:.2f} s after SIGTERM"
            )


if __name__ == "__main__":
    main()
