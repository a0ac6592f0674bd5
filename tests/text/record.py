"""Make a recording: everything a program writes to a terminal of 120 × 30.

python tests/text/record.py NAME PROGRAM [ARGUMENT ...]     what is typed meanwhile goes to the program
"""

from __future__ import annotations

import os
import pty
import sys
from pathlib import Path

FOLDER = Path(__file__).with_name("recordings")


def main() -> None:
    name, *command = sys.argv[1:]
    recorded = bytearray()

    def read(descriptor: int) -> bytes:
        data = os.read(descriptor, 65536)
        recorded.extend(data)
        return data

    started = 'stty rows 30 cols 120 && exec "$@"'  # before the program can ask
    pty.spawn(["/bin/sh", "-c", started, "sh", *command], read)
    (FOLDER / f"{name}.raw").write_bytes(recorded)


if __name__ == "__main__":
    main()
