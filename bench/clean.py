"""Cleaning, in MB per second of CPU, beside a regular expression that only strips, and pyte where it is installed.

To reach: 100 for plain ASCII, 20 for colours and one-line bars, 5 for redraws of several lines; 10 µs for a small
output.
The strip shows what speed is possible. Its text is wrong if there is a return or a cursor movement in the stream.
"""

from __future__ import annotations

import importlib
import re
import time
from collections.abc import Callable
from pathlib import Path

from truetty.text.clean import Cleaner
from truetty.text.digest import Budget, Digest

RECORDINGS = Path(__file__).parent.parent / "tests" / "text" / "recordings"
SIZE = 4_000_000
SLOW_SIZE = 100_000  # for pyte, which would take a minute for more
CHUNK = 65536
STRIP = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-~])")

MADE = {
    "log lines": b"2031-01-01 12:00:00,000 INFO  worker.pool: request 12345 served in 17 ms for client 10.0.0.7\r\n",
    "short lines": b"12345\r\n",
    "tabs": b"\tif (x)\t\treturn y;\r\n",
    "CJK and emoji": "漢字かな交じり文 🙂 한국어 텍스트\r\n".encode(),
    "one endless line": b"x",
}
GROUPS = {
    "colours": ("ls-color", "git-log", "gcc", "grep-color", "ls-hyperlink", "pytest"),
    "bars": ("tqdm", "pip-many", "git-clone", "curl-bar"),
    "redraws": ("docker-like", "multi-redraw", "rich-live", "rich-progress", "tqdm-nested", "top", "man", "vim"),
}


def corpora() -> dict[str, bytes]:
    found = {f"plain: {name}": data * (SIZE // len(data)) for name, data in MADE.items()}
    for group, names in GROUPS.items():
        for name in names:
            data = (RECORDINGS / f"{name}.raw").read_bytes()
            data = data[: data.rfind(b"\x1b")]  # no sequence is cut where one copy meets the next
            found[f"{group}: {name}"] = data * (SIZE // 4 // len(data))
    return found


def rate(work: Callable[[bytes], object], data: bytes) -> float:
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        for at in range(0, len(data), CHUNK):
            work(data[at : at + CHUNK])
        best = min(best, time.process_time() - start)
    return len(data) / 1e6 / best


def pyte_rate(data: bytes) -> str:
    try:
        pyte = importlib.import_module("pyte")
    except ModuleNotFoundError:
        return "-"
    try:
        return f"{rate(pyte.ByteStream(pyte.Screen(120, 30)).feed, data):.1f}"
    except TypeError:  # 0.8.2, on a colour sequence with a prefix
        return "fails"


def small(times: int = 20_000) -> float:
    best = float("inf")
    for _ in range(5):
        start = time.process_time()
        for _ in range(times):
            cleaner = Cleaner()
            cleaner.feed(b"hello\r\n")
            cleaner.tail()
        best = min(best, time.process_time() - start)
    return best / times * 1e6


def main() -> None:
    print(f"{'':30} {'clean':>8} {'strip':>8} {'pyte':>8}")
    for name, data in corpora().items():
        slow = pyte_rate(data[:SLOW_SIZE])
        print(
            f"{name:30} {rate(Cleaner().feed, data):8.1f} {rate(lambda part: STRIP.sub(b'', part), data):8.1f} {slow}"
        )
    text = (MADE["log lines"] * 700).decode()
    start = time.process_time()
    digest = Digest(Budget())
    for _ in range(500):
        digest.feed(text)
    digest.result()
    print(f"{'digest, 30,000 characters':30} {len(text) * 500 / 1e6 / (time.process_time() - start):8.1f}")
    print(f"a small output: {small():.1f} µs")


if __name__ == "__main__":
    main()
