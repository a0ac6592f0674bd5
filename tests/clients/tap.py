"""Between a client and an MCP server over stdio: everything passes, and is written down.

    tap.py LOG PROGRAM ARGUMENTS…

It runs with a bare Python, in the server's place.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from typing import IO

LOCK = threading.Lock()


def copy(source: IO[bytes], target: IO[bytes], log: IO[str], way: str) -> None:
    for line in source:
        with LOCK:
            log.write(json.dumps({"from": way, "line": line.decode(errors="replace")}) + "\n")
            log.flush()
        target.write(line)
        target.flush()
    target.close()


def main(path: str, *command: str) -> int:
    with open(path, "a") as log:
        server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert server.stdin is not None and server.stdout is not None
        client = (sys.stdin.buffer, server.stdin, log, "client")
        threading.Thread(target=copy, args=client, daemon=True).start()
        copy(server.stdout, sys.stdout.buffer, log, "server")
        return server.wait()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
