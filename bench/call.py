"""One call over standard input and output: `run true`, and a tool that does nothing in a bare server of the SDK.

The calls take turns, so that a busy machine is as busy for each; the medians count. What `run` does beside: a line is
typed into a real shell, run there, and its end is seen.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time

from bench.start import BARE_SERVER, INITIALIZE

SERVERS = {
    "empty tool of the SDK": (["-c", BARE_SERVER], {"name": "nothing", "arguments": {}}),
    "truetty, run true": (
        ["-m", "truetty", "mcp", "--shell", "bash", "--no-rc"],
        {"name": "run", "arguments": {"command": "true"}},
    ),
}
CALLS = 200


class Server:
    def __init__(self, arguments: list[str]) -> None:
        command = [sys.executable, *arguments]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.ask("initialize", INITIALIZE)

    def ask(self, method: str, params: dict[str, object]) -> float:
        """Seconds to the answer."""
        assert self._process.stdin is not None and self._process.stdout is not None
        start = time.perf_counter()
        message = {"jsonrpc": "2.0", "id": method, "method": method, "params": params}
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()
        while b'"id":' not in (line := self._process.stdout.readline()):
            pass  # a notification
        assert "result" in json.loads(line)
        return time.perf_counter() - start

    def close(self) -> None:
        self._process.communicate()


def main() -> None:
    servers = {name: Server(arguments) for name, (arguments, _) in SERVERS.items()}
    times: dict[str, list[float]] = {name: [] for name in SERVERS}
    for count in range(CALLS + 1):
        for name, (_, call) in SERVERS.items():
            taken = servers[name].ask("tools/call", call)
            if count:  # the first starts a shell
                times[name].append(taken)
    floor = statistics.median(times["empty tool of the SDK"])
    for name, all_of_them in times.items():
        median = statistics.median(all_of_them)
        print(f"{name:24} {median * 1e3:6.2f} ms {median / floor:5.1f} × SDK   least {min(all_of_them) * 1e3:.2f} ms")
    for server in servers.values():
        server.close()


if __name__ == "__main__":
    main()
