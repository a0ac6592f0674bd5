"""Starting, beside the bare interpreter. To stay: `import truetty` under 100 ms, `truetty --help` under 300, and
`truetty mcp` under 1500 until it has answered initialize, of which the SDK's own import is the most.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time

PROGRAMS = {
    "bare interpreter": ["-c", "pass"],
    "import asyncio": ["-c", "import asyncio"],
    "import truetty": ["-c", "import truetty"],
    "truetty --help": ["-m", "truetty", "--help"],
    "import mcp": ["-c", "import mcp.server.lowlevel"],
    "truetty mcp": ["-m", "truetty", "mcp"],
}
# What a client says first; the end of it ends the server, after its answer.
GREETING = (
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},'
    b'"clientInfo":{"name":"bench","version":"1"}}}\n'
)


def main() -> None:
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    for name, arguments in PROGRAMS.items():
        times = []
        for _ in range(10):
            start = time.perf_counter()
            program = subprocess.Popen(
                [sys.executable, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env
            )
            assert program.stdin is not None and program.stdout is not None
            if arguments[-1] == "mcp":
                program.stdin.write(GREETING)
                program.stdin.flush()
                assert b"serverInfo" in program.stdout.readline()
            else:
                program.stdout.read()
            times.append(time.perf_counter() - start)
            program.communicate()
            assert program.returncode == 0
        print(f"{name:18} {min(times) * 1e3:6.0f} ms")


if __name__ == "__main__":
    main()
