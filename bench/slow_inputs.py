"""The slowest inputs that are known, as seconds of CPU per MB and as ratios to plain lines of the same run.

Rows are the worst first, for each part that reads what strangers print or send. To reach: a portion of the cleaner
(1 kB where it steps) takes 5 ms, so no input takes more than 5 s per MB.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable

from truetty.core.patterns import BoundedPattern
from truetty.core.scanner import Scanner
from truetty.policy import parser
from truetty.policy.tree import Unreadable
from truetty.text import asciicast
from truetty.text.clean import Cleaner
from truetty.text.screen import Model

SIZE = 60_000  # bytes of each input
CHUNK = 4096
SHOWN = 6  # rows of each part
PLAIN = "plain lines"

# What is repeated.
PRINTED = {
    PLAIN: b"a line of some output of a program, as they are\r\n",
    "120 stops, CBT": b"\x1b[999Z",
    "120 stops, CHT": b"\r\x1b[9999I",
    "120 stops, HTS": b"\x1bH",
    "HTS and TBC": b"\x1bH\x1b[g",
    "IL": b"\x1b[9999L",
    "DL": b"\x1b[9999M",
    "SU": b"\x1b[9999S",
    "SD": b"\x1b[9999T",
    "REP": b"a\x1b[9999b",
    "REP of a wide character": "漢\x1b[9999b".encode(),
    "REP of a cluster": "e\u0301\x1b[9999b".encode(),
    "RI": b"\x1bM",
    "NEL": b"\x1bE",
    "RIS": b"\x1bc",
    "ED after text": b"a\x1b[30H\x1b[2J",
    "ED above": b"\x1b[30H\x1b[1J",
    "tabs": b"\t",
    "insert mode": b"a\r",
    "margins and scroll": b"\x1b[2;9r\x1b[S",
    "ESC": b"\x1b",
    "OSC without end": b"\x1b]133;",
    "mode by mode": b"\x1b[?1049h\x1b[?1049l",
    "marks on a letter": "\u0301".encode(),
    "joiners": "👨\u200d".encode(),
    "C1": "\x9b9999L".encode(),
}
# What comes once before it.
BEFORE = {
    **dict.fromkeys(("120 stops, CBT", "120 stops, CHT", "120 stops, HTS"), b"\r" + b"\x1b[C\x1bH" * 119),
    "insert mode": b"\x1b[4h",
    "marks on a letter": b"e",
}
LINES = {
    PLAIN: "echo word\n",
    "pipes": "a|",
    "ands": "a&&",
    "words": "w ",
    "quotes": "'a'",
    "here-documents": "cat <<E\nx\nE\n",
    "cases": "case a in a) b;; esac\n",
    "brackets": "(",
    "expansions": "${a}",
}


def seconds_per_mb(work: Callable[[bytes], object], data: bytes) -> float:
    start = time.process_time()
    for at in range(0, len(data), CHUNK):
        work(data[at : at + CHUNK])
    return (time.process_time() - start) / len(data) * 1e6


def repeated(unit: bytes) -> bytes:
    return unit * (SIZE // len(unit))


def of_printed(make: Callable[[], Callable[[bytes], object]]) -> dict[str, float]:
    found = {}
    for name, unit in PRINTED.items():
        work = make()
        work(BEFORE.get(name, b""))
        found[name] = min(seconds_per_mb(work, repeated(unit)) for _ in range(2))
    return found


def of_casts() -> dict[str, float]:
    header = json.dumps({"version": 2, "width": 120, "height": 30}).encode()
    events = {
        PLAIN: b'[1.5, "o", "a line of some output of a program\\r\\n"]',
        "empty events": b'[1,"o",""]',
        "escapes": b'[1,"o","' + b"\\u001b" * 20 + b'"]',
        "long numbers": b"[1." + b"1" * 300 + b',"o",""]',
        "resizes": b'[1,"r","80x24"]',
        "unknown codes": b'[1,"zz",""]',
    }

    def read(data: bytes) -> None:
        _, found = asciicast.read(iter(data.split(b"\n")))
        for _ in found:
            pass

    return {
        name: _timed(read, header + b"\n" + b"\n".join([event] * (SIZE // len(event))))
        for name, event in events.items()
    }


def of_patterns() -> dict[str, float]:
    """Agents' patterns on one long line, where nothing is found."""
    found = {PLAIN: _timed(lambda data: list(BoundedPattern("error|fail").searches(data.decode())), b"a" * SIZE)}
    for pattern in ("a*b", "a*a*b", "a*a*a*b", "(a+)+$", "a{0,140}b", "(a{0,9}b?){9}c", "(.{0,3}a){9}b"):
        search = BoundedPattern(pattern).searches
        found[pattern] = _timed(lambda data, search=search: list(search(data.decode())), b"a" * SIZE + b"!")
    return found


def of_lines() -> dict[str, float]:
    """The parser is a process: its time is the wall's, and a start of it is in each."""
    found = {}
    for name, unit in LINES.items():
        data = (unit * parser.MOST_TEXT).encode()[: parser.MOST_TEXT]
        start = time.monotonic()
        try:
            parser.parse(data, parser.dialect_of("bash"))
        except Unreadable as reason:
            name = f"{name}: {str(reason)[:40]}"
        found[name] = (time.monotonic() - start) / len(data) * 1e6
    return found


def _timed(work: Callable[[bytes], object], data: bytes) -> float:
    start = time.process_time()
    work(data)
    return (time.process_time() - start) / len(data) * 1e6


def main() -> None:
    parts: dict[str, dict[str, float]] = {
        "cleaner": of_printed(lambda: Cleaner().feed),
        "scanner": of_printed(lambda: Scanner().feed),
        "screen": of_printed(lambda: Model((120, 30)).feed),
        "cast reader": of_casts(),
        "policy parser": of_lines(),
        "patterns": of_patterns(),
    }
    print(f"{'':56} {'s/MB':>10} {'ratio':>8}")
    for part, found in parts.items():
        plain = next(value for name, value in found.items() if name.startswith(PLAIN)) or 1e-9
        worst = sorted(found.items(), key=lambda row: -row[1])[:SHOWN]
        for name, value in [*worst, (PLAIN, plain)]:
            print(f"{part + ': ' + name:56} {value:10.4f} {value / plain:8.1f}")


if __name__ == "__main__":
    main()
