"""Standard input and output, which the client speaks over: its first requests are answered before a server is there.

Rule 1: only the protocol uses these two. Other code that reads standard input finds its end, and other code that writes
        to standard output writes to standard error.
Rule 2: until a server reads, a thread does. It answers what `Greeting` knows, and keeps every line for the server.
Rule 3: the server gets every line, those that were answered, too: so it is where the client believes it is. What it
        answers to those is dropped.
Rule 4: a line that is no message of JSON-RPC is answered here. The server does not get it.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
from queue import SimpleQueue

from truetty.mcp.greeting import Greeting
from truetty.mcp.malformed import refusal

LARGEST_READ = 64 * 1024


class Wire:
    """As the SDK's `stdio_server` uses files: lines of text are read, lines of text are written."""

    def __init__(self, *, greets: bool = True, structured: bool = False, lasts: bool = False) -> None:
        """`greets`: the first requests are answered here, by a server whose answers `structured` and `lasts` change."""
        self._structured = structured
        self._lasts = lasts
        self._input = _claim(0, os.open(os.devnull, os.O_RDONLY))
        self._output = _claim(1, os.dup(2))
        self._rest = b""  # was read, and no line ended in it
        self._kept: SimpleQueue[bytes | None] = SimpleQueue()  # lines for the server; None: it reads on by itself
        self._server_reads = False
        self._thread_reads = greets
        self._answered: list[str | int] = []  # ids of requests that the server is still to answer, for nothing
        self._writing = threading.Lock()
        if greets:
            threading.Thread(target=self._greet, daemon=True).start()

    def _greet(self) -> None:
        greeting = Greeting(structured=self._structured, lasts=self._lasts)
        while line := self._read_greeting():
            if not self._server_reads and (answer := greeting.answer(line)) is not None:
                id, text = answer
                self._answered.append(id)
                with contextlib.suppress(OSError):  # the client is gone, as the server will see
                    self._write(text)
            self._kept.put(line)
            if self._server_reads:
                break
        self._kept.put(None)

    def readline(self) -> str:
        """The next message of the client's; "" at the end."""
        self._server_reads = True
        while (refused := refusal(line := self._next_line())) is not None:
            with contextlib.suppress(OSError):  # the client is gone, and its input ends too
                self._write(refused.encode())
        return line

    def _next_line(self) -> str:
        line = self._kept.get() if self._thread_reads else self._read_line()
        if line is None:
            self._thread_reads = False
            line = self._read_line()
        return line.decode(errors="replace")

    def write(self, line: str) -> int:
        if not self._answered or not self._was_answered(line):
            self._write(line.encode())
        return len(line)

    def flush(self) -> None:
        """Nothing is held back."""

    def _was_answered(self, line: str) -> bool:
        message = json.loads(line)
        if "method" in message or message.get("id") not in self._answered:
            return False
        self._answered.remove(message["id"])
        return True

    def _read_greeting(self) -> bytes:
        """A line for the thread; b"" at the end, and where reading fails, as of a socket that the client has reset."""
        try:
            return self._read_line()
        except OSError:
            return b""

    def _read_line(self) -> bytes:
        parts = [self._rest]
        while b"\n" not in parts[-1]:
            parts.append(os.read(self._input, LARGEST_READ))
            if not parts[-1]:
                break
        line, end, self._rest = b"".join(parts).partition(b"\n")
        return line + end

    def _write(self, data: bytes) -> None:
        with self._writing:
            while data:
                data = data[os.write(self._output, data) :]


def _claim(number: int, instead: int) -> int:
    """A descriptor of what was at `number`, where something else is from now on."""
    kept = os.dup(number)
    os.dup2(instead, number)
    os.close(instead)
    return kept
