"""What an asciicast must be, from the published formats 2 and 3, and what asciinema's own programs make of one."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.patience import PATIENCE

PLAYER = Path(__file__).with_name("player") / "play.mjs"

Events = list[tuple[float, str, str]]  # seconds from the beginning, code, data

REQUIRED = {2: {"version", "width", "height"}, 3: {"version", "term"}}
OPTIONAL = {
    2: {"timestamp", "duration", "idle_time_limit", "command", "title", "env", "theme"},
    3: {"timestamp", "idle_time_limit", "command", "title", "env", "tags"},
}
CODES = {2: {"o", "i", "m", "r"}, 3: {"o", "i", "m", "r", "x"}}


def check(cast: bytes) -> tuple[dict[str, object], Events]:
    """The header, and the events with the time from the beginning, of what keeps to the format in every line."""
    assert cast.endswith(b"\n"), "the last line is not whole"
    first, *rest = cast.decode("utf-8").split("\n")[:-1]
    header = json.loads(first)
    version = header["version"]
    assert REQUIRED[version] <= header.keys() <= REQUIRED[version] | OPTIONAL[version]
    if version == 3:
        assert {"cols", "rows"} <= header["term"].keys() <= {"cols", "rows", "type", "version", "theme"}
        columns, rows = header["term"]["cols"], header["term"]["rows"]
    else:
        columns, rows = header["width"], header["height"]
    assert all(type(side) is int and side > 0 for side in (columns, rows))
    assert type(header.get("timestamp", 0)) is int
    assert all(isinstance(value, str) for value in header.get("env", {}).values())
    assert all(isinstance(header.get(name, ""), str) for name in ("title", "command"))
    assert isinstance(header.get("idle_time_limit", 1.0), float | int)
    events: Events = []
    now = 0.0
    for line in rest:
        event = json.loads(line)
        assert isinstance(event, list) and len(event) == 3, line
        time, code, data = event
        assert isinstance(time, float | int) and time >= 0 and code in CODES[version] and isinstance(data, str), line
        assert version == 3 or time >= now, "time goes back"
        now = time if version == 2 else now + time
        assert code != "r" or re.fullmatch(r"[1-9][0-9]*x[1-9][0-9]*", data), line
        assert code != "x" or (re.fullmatch(r"-?[0-9]+", data) and line is rest[-1]), line
        assert not re.search("[\x00-\x1f\x7f-\x9f\u2028\u2029]", line), f"a control as it is: {line!r}"
        events.append((now, code, data))
    return header, events


def text(events: Events, code: str = "o") -> str:
    return "".join(data for _, kind, data in events if kind == code)


@dataclass(frozen=True)
class Played:
    output: str
    sizes: list[list[int]]
    markers: list[list[object]]
    duration: float


def play(node: str, cast: bytes) -> Played:
    """What asciinema's web player makes of it."""
    done = subprocess.run([node, str(PLAYER)], input=cast, capture_output=True, check=False, timeout=PATIENCE)
    assert done.returncode == 0, f"the player refuses it: {done.stderr.decode()[-1000:]}"
    return Played(**json.loads(done.stdout))


def cat(asciinema: str, path: Path) -> bytes:
    """What `asciinema cat` prints; it wants a terminal at hand."""
    printed = path.with_suffix(".printed")
    pid, master = pty.fork()
    if pid == 0:
        os.dup2(os.open(printed, os.O_WRONLY | os.O_CREAT, 0o600), 1)
        os.execve(asciinema, [asciinema, "cat", str(path)], {**os.environ, "LC_ALL": "C.UTF-8"})
    said = b""
    try:
        while data := os.read(master, 4096):
            said += data
    except OSError:
        pass
    os.close(master)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert status == 0, f"asciinema refuses it: {said.decode()[-1000:]}"
    return printed.read_bytes()
