"""Starting, beside the bare interpreter, in CPU time of the program and all that it starts. To reach: `import truetty`
2.5 times the interpreter, `truetty --help` 6 times, `truetty run --no-rc true` 15 times; `truetty mcp` half of the time
that a bare server of the SDK takes until it has answered `initialize` and `tools/list`. To reach by
the quick verbs, for terminals of a server that runs: 4 times the interpreter.

The programs take turns, so that a busy machine is as busy for each. The least of ten rounds counts.

Beside them stand pexpect and httpx, in a temporary environment of their own: they are no dependencies of ours. Where no
package index can be reached, they are left out.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import venv

# The least that a server of the SDK is: one tool, which does nothing.
BARE_SERVER = """
import asyncio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

async def tools(ctx, params):
    return types.ListToolsResult(tools=[types.Tool(name="nothing", input_schema={"type": "object"})])

async def call(ctx, params):
    return types.CallToolResult(content=[types.TextContent(type="text", text="")])

async def main():
    server = Server("bare", on_list_tools=tools, on_call_tool=call)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())

asyncio.run(main())
"""
PROGRAMS = {
    "bare interpreter": ["-c", "pass"],
    "import asyncio": ["-c", "import asyncio"],
    "import truetty": ["-c", "import truetty"],
    "truetty --help": ["-m", "truetty", "--help"],
    "truetty run --help": ["-m", "truetty", "run", "--help"],
    "truetty.Terminal": ["-c", "import truetty; truetty.Terminal"],
    "truetty run --no-rc true": ["-m", "truetty", "run", "--no-rc", "true"],
}
QUICK = {
    f"truetty {words}": ["-m", "truetty", *words.split()]
    for words in ("list", "list --names", "log bench", "wait bench", "send bench x", "stop bench", "open --no-rc")
}
SERVERS = {
    "bare server of the SDK": ["-c", BARE_SERVER],
    "truetty mcp": ["-m", "truetty", "mcp", "--no-rc"],
}
OTHERS = {
    "import pexpect": ["-c", "import pexpect"],
    "pexpect.run('true')": ["-c", "import pexpect; pexpect.run('true')"],
    "import httpx": ["-c", "import httpx"],
}
PACKAGES = ("pexpect", "httpx")
ROUNDS = 10
INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}


class Program:
    def __init__(self, command: list[str]) -> None:
        env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        self.start = time.perf_counter()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env)

    def end(self) -> float:
        """Seconds of CPU that it and its children have taken."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.process.communicate()
        assert self.process.returncode == 0
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def ask(self, method: str, params: dict[str, object]) -> float:
        """Seconds from the start to the answer."""
        assert self.process.stdin is not None and self.process.stdout is not None
        message = {"jsonrpc": "2.0", "id": method, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        assert "result" in json.loads(self.process.stdout.readline())
        return time.perf_counter() - self.start


def others(folder: str) -> dict[str, list[str]]:
    """The commands of `OTHERS`, in an environment that is made in this folder; none where it cannot be made."""
    venv.create(folder, with_pip=True)
    python = f"{folder}/bin/python"
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PACKAGES]
    made = subprocess.run(install, check=False).returncode == 0
    return {name: [python, *arguments] for name, arguments in OTHERS.items()} if made else {}


def measure(programs: dict[str, list[str]]) -> None:
    times: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        for name, command in programs.items():
            times.setdefault(name, []).append(Program(command).end())
        for name, arguments in SERVERS.items():
            server = Program([sys.executable, *arguments])
            times.setdefault(f"{name}: initialize", []).append(server.ask("initialize", INITIALIZE))
            times.setdefault(f"{name}: tools/list", []).append(server.ask("tools/list", {}))
            server.end()
    interpreter, sdk = min(times["bare interpreter"]), min(times["bare server of the SDK: tools/list"])
    for name, all_of_them in times.items():
        least = min(all_of_them)
        ratio = f"{least / interpreter:6.1f} × interpreter, CPU" if name in programs else f"{least / sdk:6.3f} × SDK"
        print(f"{name:36} {least * 1e3:6.0f} ms {ratio}")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TRUETTY_STATE"] = f"{folder}/state"
        for words in ("open --name bench --no-rc", "run --in bench true"):
            subprocess.run([sys.executable, "-m", "truetty", *words.split()], check=True)
        try:
            programs = {name: [sys.executable, *arguments] for name, arguments in (PROGRAMS | QUICK).items()}
            measure(programs | others(f"{folder}/others"))
        finally:
            subprocess.run([sys.executable, "-m", "truetty", "serve", "--stop", "--force"], check=True)


if __name__ == "__main__":
    main()
