"""Prints much, in a terminal of its own process, and says what of it was stored: for test_volume.py and by hand.

python -m tests.acceptance.volume KIND MEGABYTES
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import resource
import sys
import tempfile

import truetty

# What each kind prints, as a Python program that is given the size and prints the same bytes in every run.
PRINTS = {
    "text": "block = base64.b85encode(chance.randbytes(48)) + b'\\r\\n'",
    "line": "block = base64.b85encode(chance.randbytes(48))",
    "binary": "block = chance.randbytes(64)",
}
PROGRAM = """
import base64, hashlib, os, random, sys
chance, size, sha, done = random.Random(7), int(sys.argv[1]), hashlib.sha256(), 0
blocks = []
for _ in range(4096):
    {block}
    blocks.append(block)
while done < size:
    chance.shuffle(blocks)
    data = b"".join(blocks)[: size - done]
    sha.update(data)
    done += len(data)
    while data:
        data = data[os.write(1, data):]
open(sys.argv[2], "w").write(sha.hexdigest())
"""


def resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


async def measure(kind: str, size: int) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as folder:
        program, told = f"{folder}/program.py", f"{folder}/sha"
        with open(program, "w") as file:
            file.write(PROGRAM.format(block=PRINTS[kind]))
        async with truetty.Terminal("bash", rc=False, quota=None) as terminal:
            first = await terminal.run("true")
            before, most = resident(), 0
            # Without the tty's own newlines, every byte comes as it was printed.
            command = await terminal.start(f"stty -opost; python3 {program} {size} {told}")
            while not command.finished:
                await command.wait(1, "finished")
                most = max(most, resident())
            outcome = await command.wait()
            sha, at = hashlib.sha256(), 0
            while data := command.output.read(at, 1 << 20):
                sha.update(data)
                at += len(data)
            most = max(most, resident())
            with open(told) as file:
                printed = file.read()
            return {
                "equal": printed == sha.hexdigest(),
                "bytes": outcome.output_bytes,
                "complete": outcome.complete and first.complete,
                "code": outcome.exit_code,
                "characters shown": len(outcome.output),
                "resident before": before,
                "grown": most - before,
            }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(measure(sys.argv[1], int(float(sys.argv[2]) * 1_000_000)))))
