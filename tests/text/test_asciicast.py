"""Asciicasts: what is written keeps to the formats and plays in asciinema's programs; what is read is what it says."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rows import each_row
from tests.text.casts import cat, check, play, text
from truetty import Misuse
from truetty.text.asciicast import LONGEST_LINE, VERSIONS, Event, Header, Version, Writer, read

RECORDINGS = sorted(Path(__file__).with_name("recordings").glob("*.raw"))


def written(version: Version, **facts: object) -> tuple[Writer, str]:
    writer = Writer(Header(version, (120, 30), **facts))  # type: ignore[arg-type]
    return writer, writer.header()


def parsed(cast: str | bytes) -> tuple[Header, list[Event]]:
    data = cast.encode() if isinstance(cast, str) else cast
    header, events = read(data.splitlines(keepends=True))
    return header, list(events)


# -- writing


def test_headers_are_as_the_formats_say() -> None:
    facts = {
        "timestamp": 1700000000,
        "title": "Demo",
        "command": "ls",
        "idle_limit": 2.5,
        "term": "xterm-256color",
        "env": {"SHELL": "bash"},
    }
    assert json.loads(written(2, **facts)[1]) == {
        "version": 2,
        "width": 120,
        "height": 30,
        "timestamp": 1700000000,
        "idle_time_limit": 2.5,
        "command": "ls",
        "title": "Demo",
        "env": {"TERM": "xterm-256color", "SHELL": "bash"},
    }
    assert json.loads(written(3, **facts)[1]) == {
        "version": 3,
        "term": {"cols": 120, "rows": 30, "type": "xterm-256color"},
        "timestamp": 1700000000,
        "idle_time_limit": 2.5,
        "command": "ls",
        "title": "Demo",
        "env": {"SHELL": "bash"},
    }
    assert json.loads(written(2)[1]) == {"version": 2, "width": 120, "height": 30}
    assert json.loads(written(3)[1]) == {"version": 3, "term": {"cols": 120, "rows": 30}}


def test_events_are_as_the_formats_say() -> None:
    def lines(version: Version) -> str:
        writer, _ = written(version)
        return "".join(
            [
                writer.output(0.25, b"\x1b[31mred\r\n"),
                writer.input(1.0, b"ls\n"),
                writer.marker(1.5, "make"),
                writer.resize(2.0, (90, 20)),
                writer.exit(3.125, 7),
            ]
        )

    assert lines(2).splitlines() == [
        r'[0.250, "o", "\u001b[31mred\r\n"]',
        r'[1.000, "i", "ls\n"]',
        '[1.500, "m", "make"]',
        '[2.000, "r", "90x20"]',
    ]
    assert lines(3).splitlines() == [
        r'[0.250, "o", "\u001b[31mred\r\n"]',
        r'[0.750, "i", "ls\n"]',
        '[0.500, "m", "make"]',
        '[0.500, "r", "90x20"]',
        '[1.125, "x", "7"]',
    ]


def test_time_never_goes_back_and_does_not_drift() -> None:
    for version in VERSIONS:
        writer, header = written(version)
        cast = header + "".join(writer.output(number / 3000, b"x") for number in range(9000))
        cast += writer.output(1.0, b"late")
        _, events = check(cast.encode())
        assert events[-2][0] == pytest.approx(8999 / 3000, abs=0.0006)
        assert events[-1][0] == pytest.approx(events[-2][0])


def test_characters_that_are_cut_or_no_characters() -> None:
    writer, _ = written(3)
    assert writer.output(0, "é".encode()[:1]) == ""
    assert writer.output(0, "é".encode()[1:]) == '[0.000, "o", "é"]\n'
    assert writer.output(0, b"a\xffb") == '[0.000, "o", "a\ufffdb"]\n'
    assert writer.output(0, b"\xe2\x82") == "" and writer.rest(1) == '[1.000, "o", "\ufffd"]\n'
    assert writer.rest(2) == "" and writer.output(2, b"") == ""
    assert "\ufffd" in writer.marker(2, "caf\udce9")


def test_a_line_is_safe_to_look_at() -> None:
    hidden = "\x7f\x85\x9b\u200b\u202e\u2028\u2066\ufeff\U000e0041"
    writer, header = written(3, title=hidden)
    for line in (header, writer.output(0, hidden.encode()), writer.marker(0, hidden)):
        assert line.isprintable() or line[:-1].isprintable(), line
    assert parsed(header + writer.marker(0, hidden))[1][0].data == hidden


@pytest.mark.parametrize("version", VERSIONS)
@given(data=st.data())
def test_any_cutting_gives_the_same_text(version: Version, data: st.DataObject) -> None:
    stream = data.draw(st.one_of(st.binary(max_size=60), st.text(max_size=30).map(lambda text: text.encode())))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    writer, header = written(version)
    pieces = [stream[start:end] for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    cast = header + "".join(writer.output(number, piece) for number, piece in enumerate(pieces)) + writer.rest(99)
    assert text(check(cast.encode())[1]) == stream.decode("utf-8", "replace")
    assert "".join(event.data for event in parsed(cast)[1]) == stream.decode("utf-8", "replace")


# -- asciinema's own programs


def recorded(version: Version, path: Path) -> bytes:
    """A real program's output as an asciicast, in uneven pieces, with a bit of everything else."""
    stream = path.read_bytes()
    writer, cast = written(version, title=path.stem, timestamp=1700000000, term="xterm-256color")
    for number, start in enumerate(range(0, len(stream), 997)):
        if number == 1:
            cast += writer.marker(number / 10, f"piece {number}") + writer.resize(number / 10, (100, 40))
            cast += writer.input(number / 10, b"y\n")
        cast += writer.output(number / 10, stream[start : start + 997])
    return (cast + writer.rest(100) + writer.exit(100, 0)).encode()


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ["vim", "emoji", "unicode", "git-log"])
def test_asciinemas_player_plays_it(name: str, version: Version, program: Callable[[str], str]) -> None:
    path = next(path for path in RECORDINGS if path.stem == name)
    cast = recorded(version, path)
    check(cast)
    played = play(program("node"), cast)
    assert played.output == path.read_bytes().decode("utf-8", "replace")
    assert played.sizes == [[120, 30], [100, 40]]
    assert played.markers == [[0.1, "piece 1"]]


@pytest.mark.parametrize("name", ["vim", "emoji"])
def test_asciinema_itself_prints_version_2(name: str, program: Callable[[str], str], tmp_path: Path) -> None:
    path = next(path for path in RECORDINGS if path.stem == name)
    cast = tmp_path / "file.cast"
    cast.write_bytes(recorded(2, path))
    assert cat(program("asciinema"), cast).decode() == path.read_bytes().decode("utf-8", "replace")


# -- reading


@pytest.mark.parametrize("version", VERSIONS)
def test_what_is_written_is_read(version: Version) -> None:
    facts = {"timestamp": 5, "title": "T", "command": "c", "idle_limit": 1.5, "term": "xterm", "env": {"SHELL": "zsh"}}
    writer, cast = written(version, **facts)
    cast += writer.output(0.5, b"a\x1b[0m") + writer.resize(1, (80, 24)) + writer.marker(2, "m") + writer.input(3, b"i")
    header, events = parsed(cast)
    assert (header.version, header.size, header.timestamp, header.title) == (version, (120, 30), 5, "T")
    assert (header.command, header.idle_limit, header.term, header.env["SHELL"]) == ("c", 1.5, "xterm", "zsh")
    assert events == [
        Event(0.5, "o", "a\x1b[0m"),
        Event(1.0, "r", "80x24"),
        Event(2.0, "m", "m"),
        Event(3.0, "i", "i"),
    ]
    assert events[1].size == (80, 24)


def test_what_others_write_is_read() -> None:
    header, events = parsed('{"version": 3, "term": {"cols": 0, "rows": 0}, "tags": ["a"]}\n# hello\n\n[1, "o", "a"]\n')
    assert header.size == (80, 24) and events == [Event(1.0, "o", "a")]
    lines = ['{"version":2,"width":80,"height":24,"theme":{},"title":null}', '[2.5,"o","b"]', '[1,"z",{"any":1}]']
    header, events = parsed("\n".join(lines))
    assert header.title is None and events == [Event(2.5, "o", "b"), Event(2.5, "z", "")]
    assert parsed('{"version":2,"width":80,"height":24}\n[0,"o","\\ud800"]')[1][0].data == "\ufffd"


V2 = '{"version": 2, "width": 80, "height": 24}\n'
V3 = '{"version": 3, "term": {"cols": 80, "rows": 24}}\n'


@each_row(
    ("cast", "line", "reason"),
    [
        ("", 1, "empty"),
        ("hello", 1, "not an asciicast"),
        ("[]", 1, "no header"),
        ('{"width": 80}', 1, "no header"),
        ('{"version": 1, "width": 80, "height": 24, "stdout": []}', 1, "version 1 is not read; versions 2 and 3 are"),
        ('{"version": 4}', 1, "version 4 is not read"),
        ('{"version": true, "width": 80, "height": 24}', 1, "version true"),
        ('{"version": 2, "width": "80", "height": 24}', 1, '"width" is no number'),
        ('{"version": 2, "width": 80}', 1, '"height" is no number'),
        ('{"version": 2, "width": 99999, "height": 24}', 1, '"width"'),
        ('{"version": 3, "term": 5}', 1, '"term"'),
        ('{"version": 3, "term": {"cols": -1, "rows": 3}}', 1, '"cols"'),
        ('{"version": 3, "width": 80, "height": 24}', 1, '"term"'),
        ('{"version": 2, "width": 80, "height": 24, "timestamp": "now"}', 1, '"timestamp"'),
        (V2 + "[1, 2", 2, "not JSON"),
        (V2 + '[1, "o", "a"]\n[2, "o"]', 3, "an event is [time, code, data]"),
        (V2 + '{"a": 1}', 2, "an event is"),
        (V3 + '["1", "o", "a"]', 2, "time"),
        (V3 + '[-1, "o", "a"]', 2, "time"),
        (V3 + '[NaN, "o", "a"]', 2, "not JSON"),
        (V3 + '[1e999, "o", "a"]', 2, "time"),
        (V3 + f'[1{"0" * 400}, "o", "a"]', 2, "time"),
        (V3 + '[1e308, "o", "a"]\n[1e308, "o", "b"]', 3, "too long after the beginning"),
        (V3 + f'[1{"0" * 9000}, "o", "a"]', 2, "not JSON"),
        (V3 + '[1, 2, "a"]', 2, "code"),
        (V3 + '[1, "o", 5]', 2, 'data of "o"'),
        (V3 + '[1, "r", "big"]', 2, "COLUMNSxROWS"),
        (V3 + '[1, "r", "0x10"]', 2, "COLUMNSxROWS"),
        (V3 + "[" * 100_000, 2, "not JSON"),
        (V3 + "#\n\n[1]", 4, "an event is"),
        (V3 + '[1, "o", "' + "x" * LONGEST_LINE + '"]', 2, "longer than"),
    ],
)
def test_what_cannot_be_read_is_refused_by_its_line(cast: str, line: int, reason: str) -> None:
    with pytest.raises(Misuse) as refused:
        parsed(cast)
    assert refused.value.line == line and reason in str(refused.value) and str(refused.value).startswith(f"line {line}")


def test_what_comes_before_a_bad_line_is_played() -> None:
    header, events = read([V3.encode(), b'[1, "o", "a"]\n', b'[1, "o", "cut of'])
    assert next(events) == Event(1.0, "o", "a") and header.version == 3
    with pytest.raises(Misuse):
        next(events)


@given(st.binary(max_size=200))
def test_anything_else_is_refused_and_no_more(data: bytes) -> None:
    for cast in (data, V2.encode() + data):
        try:
            _, events = parsed(cast)
        except Misuse as refused:
            assert str(refused).startswith("line ")
        else:
            assert all(isinstance(event, Event) for event in events)
