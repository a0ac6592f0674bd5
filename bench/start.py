"""Starting: `import truetty` and `truetty --help` beside the bare interpreter. To stay: under 100 and 300 ms."""

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
}


def main() -> None:
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    for name, arguments in PROGRAMS.items():
        times = []
        for _ in range(10):
            start = time.perf_counter()
            subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, env=env)
            times.append(time.perf_counter() - start)
        print(f"{name:18} {min(times) * 1e3:6.0f} ms")


if __name__ == "__main__":
    main()
