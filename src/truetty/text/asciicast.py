"""Recordings as text: the lines of an asciicast, version 2 or 3, written and read.

    a header, one JSON object; then an event in each line: [time, code, data]

Rule 1: version 2 counts time from the beginning, version 3 from the event before. Here it is always seconds from the
        beginning, and never goes back; in a file it is milliseconds, rounded before they are subtracted, so that a
        long recording in version 3 does not drift.
Rule 2: a line is safe to look at: every control and every character that turns or hides text is escaped.
Rule 3: a character cut by the end of a piece waits for its rest; what is not UTF-8 becomes U+FFFD.
Rule 4: what cannot be read is refused with the number of its line; what a player need not know is passed over.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Final, Literal, NoReturn

from truetty.core import kinds, lazy
from truetty.core.errors import Misuse
from truetty.core.kinds import LARGEST_SIDE, Wrong
from truetty.text.unseen import COMMON, HIDING

Version = Literal[2, 3]
VERSIONS: Final[tuple[Version, ...]] = (2, 3)

OUTPUT: Final = "o"
INPUT: Final = "i"
RESIZE: Final = "r"
MARKER: Final = "m"
EXIT: Final = "x"

# No recorder writes longer lines; a file without line ends must not fill the memory.
LONGEST_LINE: Final = 16 << 20
# A size of 0 is written by recorders that had no terminal; players take this for it.
USUAL_SIZE: Final = (80, 24)

_HALVES: Final = "\ud800-\udfff"  # what Python makes of bytes that are not UTF-8; there are no bytes for it
# DEL, C1 controls and invisible characters: JSON itself allows them.
_UNSEEN: Final = lazy.pattern(f"[\x7f-\x9f{HIDING}{COMMON}{_HALVES}]")
_HALF: Final = lazy.pattern(f"[{_HALVES}]")

_encode: Final = json.JSONEncoder(ensure_ascii=False).encode


def known_version(version: int) -> Version:
    """That of a file to be written."""
    if version not in VERSIONS:
        raise Misuse(f"there is no asciicast version {version!r} here; 2 and 3 are written", version=version)
    return 2 if version == 2 else 3


@dataclass(frozen=True, slots=True)
class Header:
    version: Version
    size: tuple[int, int]  # columns and rows
    timestamp: int | None = None  # seconds since 1970 when it began
    title: str | None = None
    command: str | None = None
    idle_limit: float | None = None  # no pause is to be played longer than this
    term: str | None = None  # what kind of terminal: $TERM
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Event:
    time: float  # seconds from the beginning
    code: str  # o, i, r, m, x, or one that is not known here
    data: str

    @property
    def size(self) -> tuple[int, int]:
        """Of an r event: columns and rows."""
        return kinds.size(self.data)


# -- writing


class Writer:
    """Gives the lines of one recording, whole and in order; nothing while there is nothing to write yet."""

    def __init__(self, header: Header) -> None:
        self._header = header
        self._last = 0  # milliseconds
        self._printed = codecs.getincrementaldecoder("utf-8")("replace")
        self._typed = codecs.getincrementaldecoder("utf-8")("replace")

    def header(self) -> str:
        header = self._header
        columns, rows = header.size
        env = dict(header.env)
        fields: dict[str, object]
        if header.version == 2:
            fields = {"version": 2, "width": columns, "height": rows}
            if header.term is not None:
                env = {"TERM": header.term, **env}
        else:
            term = {"cols": columns, "rows": rows, "type": header.term}
            fields = {"version": 3, "term": {name: value for name, value in term.items() if value is not None}}
        known = {
            "timestamp": header.timestamp,
            "idle_time_limit": header.idle_limit,
            "command": header.command,
            "title": header.title,
            "env": env or None,
        }
        fields |= {name: value for name, value in known.items() if value is not None}
        return f"{_line(fields)}\n"

    def output(self, time: float, data: bytes) -> str:
        return self._event(time, OUTPUT, text) if (text := self._printed.decode(data)) else ""

    def input(self, time: float, data: bytes) -> str:
        return self._event(time, INPUT, text) if (text := self._typed.decode(data)) else ""

    def resize(self, time: float, size: tuple[int, int]) -> str:
        return self._event(time, RESIZE, f"{size[0]}x{size[1]}")

    def marker(self, time: float, label: str) -> str:
        return self._event(time, MARKER, label)

    def exit(self, time: float, code: int) -> str:
        """Version 2 has no word for it."""
        return self._event(time, EXIT, str(code)) if self._header.version == 3 else ""

    def rest(self, time: float) -> str:
        """Nothing more is printed: half a character that still waits is none."""
        return self._event(time, OUTPUT, text) if (text := self._printed.decode(b"", final=True)) else ""

    def _event(self, time: float, code: str, data: str) -> str:
        now = max(round(time * 1000), self._last)
        told = now if self._header.version == 2 else now - self._last
        self._last = now
        return f'[{told // 1000}.{told % 1000:03}, "{code}", {_line(data)}]\n'


def _line(value: object) -> str:
    return _UNSEEN.sub(_escaped, _encode(value))


def _escaped(found: re.Match[str]) -> str:
    return "\ufffd" if _HALF.match(found[0]) else json.dumps(found[0])[1:-1]


# -- reading


def read(lines: Iterable[bytes]) -> tuple[Header, Iterator[Event]]:
    """The header, and the events as they are asked for: what is wrong with a later line is said when it is reached."""
    numbered = enumerate(lines, 1)
    for _, line in numbered:
        header = _read_header(line)
        return header, _read_events(header.version, numbered)
    raise Misuse("line 1: not an asciicast: the file is empty", line=1, reason="the file is empty")


def _read_header(line: bytes) -> Header:
    try:
        found = _parse(line)
    except ValueError as error:
        _refuse(1, f"not an asciicast: its first line is {error}")
    if not isinstance(found, dict) or "version" not in found:
        _refuse(1, "not an asciicast: its first line is no header")
    version = found["version"]
    if isinstance(version, bool) or version not in VERSIONS:
        _refuse(1, f"asciicast version {json.dumps(version)[:20]} is not read; versions 2 and 3 are")
    term = found.get("term") if version == 3 else {}
    if not isinstance(term, dict):
        _refuse(1, '"term" is no object')
    env = found.get("env") or {}
    if not isinstance(env, dict):
        _refuse(1, '"env" is no object')
    names = ("cols", "rows") if version == 3 else ("width", "height")
    columns, rows = (_side(name, (term if version == 3 else found).get(name)) for name in names)
    limit = _number("idle_time_limit", found.get("idle_time_limit"))
    timestamp = _number("timestamp", found.get("timestamp"))
    return Header(
        version=3 if version == 3 else 2,
        size=(columns or USUAL_SIZE[0], rows or USUAL_SIZE[1]),
        timestamp=int(timestamp) if timestamp is not None else None,
        title=_text(found.get("title")),
        command=_text(found.get("command")),
        idle_limit=limit if limit is not None and limit > 0 else None,
        term=_text(term.get("type")) if version == 3 else _text(env.get("TERM")),
        env={name: value for name, value in env.items() if isinstance(value, str)},
    )


def _side(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LARGEST_SIDE:
        _refuse(1, f'"{name}" is no number of {"columns" if name in ("cols", "width") else "rows"}')
    return value


def _number(name: str, value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not _counts(value):
        _refuse(1, f'"{name}" is no number')
    return float(value)


def _read_events(version: Version, lines: Iterator[tuple[int, bytes]]) -> Iterator[Event]:
    time = 0.0
    for number, line in lines:
        if not line.strip() or line.startswith(b"#"):
            continue
        try:
            found = _parse(line)
        except ValueError as error:
            _refuse(number, str(error))
        if not isinstance(found, list) or len(found) != 3:
            _refuse(number, "no event: an event is [time, code, data]")
        told, code, data = found
        if isinstance(told, bool) or not isinstance(told, int | float) or not _counts(told):
            _refuse(number, "no event: its time is no number of seconds")
        if not isinstance(code, str):
            _refuse(number, "no event: its code is no text")
        time = max(time, float(told)) if version == 2 else time + float(told)
        if not isfinite(time):  # each was a number, their sum is none
            _refuse(number, "no event: its time is too long after the beginning")
        if code in (OUTPUT, INPUT, RESIZE, MARKER, EXIT) and not isinstance(data, str):
            _refuse(number, f'no event: the data of "{code}" is no text')
        if code == RESIZE:
            try:
                kinds.size(data)
            except Wrong:
                _refuse(number, "no size: a size is COLUMNSxROWS")
        yield Event(time, code, _text(data) or "")


def _counts(value: float) -> bool:
    """Whether it can be a time; whole numbers may be too large for a float."""
    try:
        return isfinite(float(value)) and value >= 0
    except OverflowError:
        return False


def _text(value: object) -> str | None:
    return _HALF.sub("\ufffd", value) if isinstance(value, str) else None


def _parse(line: bytes) -> object:
    """Raises a ValueError that says what is wrong."""
    if len(line) > LONGEST_LINE:
        raise ValueError(f"longer than {LONGEST_LINE >> 20} MB")
    try:
        found: object = json.loads(line.decode("utf-8", "replace"), parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at column {error.colno}") from None
    except (ValueError, RecursionError):
        raise ValueError("not JSON") from None
    return found


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _refuse(line: int, reason: str) -> NoReturn:
    raise Misuse(f"line {line}: {reason}", line=line, reason=reason)
