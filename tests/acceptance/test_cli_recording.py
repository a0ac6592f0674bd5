"""`truetty record`, `replay`, `shot` and `clean` as their users have them."""

from __future__ import annotations

import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest

import truetty
from tests import warm
from tests.acceptance.watched import PATIENCE, TRUETTY, Watched
from tests.text.casts import cat, check, play, text

PLAIN = ["--shell", "bash", "--no-rc"]
SOURCE = str(Path(truetty.__file__).parents[1])
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(autouse=True)
def environment(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", SOURCE)
    monkeypatch.setenv("SHELL", "/bin/bash")
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_COLOR", "1")


@pytest.fixture
def cast(tmp_path: Path) -> Path:
    return tmp_path / "file.cast"


def run(*words: object, stdin: bytes = b"", env: dict[str, str] | None = None) -> subprocess.CompletedProcess[bytes]:
    return warm.run(*words, stdin=stdin, env={**os.environ, **(env or {})})


class Person(Watched):
    """`truetty` on a pty, as a person has it."""

    def __init__(self, *words: object, size: tuple[int, int] = (100, 40)) -> None:
        super().__init__(*words, size=size)


# -- record


@pytest.mark.parametrize("version", [2, 3])
def test_record_a_command_without_a_terminal(version: int, cast: Path, program: Callable[[str], str]) -> None:
    done = run("record", cast, "--format", version, *PLAIN, "--", "printf '\\033[31mred\\033[0m\\n'; (exit 7)")
    assert (done.returncode, done.stdout, done.stderr) == (7, b"red\n", b"")
    header, events = check(cast.read_bytes())
    assert header["version"] == version and header["command"] == "printf '\\033[31mred\\033[0m\\n'; (exit 7)"
    assert "\x1b[31mred\x1b[0m\r\n" in text(events)
    assert [data for _, code, data in events if code == "x"] == (["7"] if version == 3 else [])
    assert cast.stat().st_mode & 0o777 == 0o600
    assert play(program("node"), cast.read_bytes()).output == text(events)
    if version == 2:
        assert cat(program("asciinema"), cast).decode() == text(events)


def test_the_words_of_a_command_are_its_own(cast: Path) -> None:
    done = run("record", "--no-rc", cast, "--shell", "bash", "printf", "%s-", "-h", "--format", "a b")
    assert (done.returncode, done.stdout) == (0, b"-h---format-a b-")
    again = run("record", cast, *PLAIN, "true")
    assert again.returncode == 125 and b"exists already" in again.stderr
    assert run("record", cast, "--overwrite", *PLAIN, "true").returncode == 0


def test_record_answers_from_a_pipe(cast: Path) -> None:
    done = run("record", cast, *PLAIN, "--input", "--", "read x; echo got $x", stdin=b"ada\n")
    assert done.returncode == 0 and b"got ada" in done.stdout and '"i", "ada\\n"' in cast.read_text()
    done = run("record", cast, *PLAIN, "--input", "--overwrite", "--", "read -s y; echo ${#y}", stdin=b"hunter2\n")
    assert done.returncode == 0 and done.stdout == b"7\n"
    assert "hunter2" not in cast.read_text() and '"i"' not in cast.read_text()


def test_record_replaces_files_only(cast: Path) -> None:
    os.mkfifo(cast)
    done = run("record", cast, "--overwrite", *PLAIN, "true")
    assert done.returncode == 125 and b"no regular file" in done.stderr and done.stderr.count(b"\n") == 1
    assert cast.is_fifo() and list(cast.parent.glob("*.cast")) == [cast]


def test_record_needs_something_to_record(cast: Path) -> None:
    done = run("record", cast)
    assert done.returncode == 125 and b"COMMAND" in done.stderr and not cast.exists()
    for words in (["--format", "1"], ["--idle-limit", "-1"]):
        assert run("record", cast, *PLAIN, *words, "true").returncode == 125
    done = run("record", cast.parent / "nowhere" / "x.cast", *PLAIN, "true")
    assert done.returncode == 125 and b"No such file" in done.stderr and done.stderr.count(b"\n") == 1


def test_a_person_records_a_shell(cast: Path, program: Callable[[str], str]) -> None:
    with Person("record", cast, *PLAIN) as person:
        person.until(r"recording to")
        person.until(r"\$ |# ")
        person.type("echo $((6 * 7)) ${PAGER-none} ${GIT_EDITOR-none}\r")
        person.until(r"42 none none")
        person.type("stty size\r")
        person.until("40 100")
        fcntl.ioctl(person.tty, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 90, 0, 0))
        for asked in range(2, 50):  # what is typed next may be there before the signal
            person.type("stty size\r")
            person.until(rf"(?s)(?:stty size\r\n.*[0-9]+ [0-9]+\r\n.*){{{asked}}}")
            if b"30 90" in person.seen:
                break
        person.until("30 90")
        person.type("stty -echo; echo asks $((3 + 4)); read secret; stty echo; echo has ${#secret}\r")
        person.until("asks 7")
        person.type("hunter2\r")
        person.until("has 7")
        person.type("exit 3\r")
        assert person.ends() == 3
        assert b"recorded to" in person.seen and b"hunter2" not in person.seen
    header, events = check(cast.read_bytes())
    assert header["term"] == {"cols": 100, "rows": 40, "type": "xterm-256color"}
    printed = text(events)
    assert "42 none none" in printed and "7717" not in printed and "hunter2" not in cast.read_text()
    assert [data for _, code, data in events if code in "rx"] == ["90x30", "3"]
    assert printed.encode() in person.seen
    assert play(program("node"), cast.read_bytes()).output == printed


def test_a_person_records_a_command(cast: Path) -> None:
    with Person("record", cast, *PLAIN, "--", "read -p 'name: ' x; echo hello $x; (exit 4)") as person:
        person.until("name: ")
        person.type("ada\r")
        person.until("hello ada")
        assert person.ends() == 4
    assert "hello ada" in text(check(cast.read_bytes())[1])


def test_start_up_files_are_seen_and_answered(cast: Path, home: Path) -> None:
    (home / ".bashrc").write_text("read -p 'passphrase: ' x; echo got $x; PS1='ready> '\n")
    with Person("record", cast, "--shell", "bash") as person:
        person.until("passphrase: ")
        person.type("abc\r")
        person.until("got abc")
        person.until("ready> ")
        person.type("\x04")
        assert person.ends() == 0
    assert "passphrase: " in text(check(cast.read_bytes())[1])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_recorder_that_is_ended_leaves_a_whole_file_and_a_whole_terminal(number: int, cast: Path) -> None:
    with Person("record", cast, *PLAIN) as person:
        person.until(r"[$#] ")
        person.type("echo shell=$$ $((6 * 7))\r")
        person.until(" 42")
        shell = re.search(rb"shell=(\d+) 42", person.seen)
        os.kill(person.pid, number)
        assert person.ends() == 128 + number
    assert " 42" in text(check(cast.read_bytes())[1])
    assert shell is not None and not os.path.exists(f"/proc/{int(shell[1])}")


def test_a_shell_that_is_not_there(cast: Path) -> None:
    with Person("record", cast, "--shell", "nosuchshell") as person:
        assert person.ends() == 125
        assert b"nosuchshell" in person.seen and b"Traceback" not in person.seen


# -- replay

V3 = '{"version": 3, "term": {"cols": 80, "rows": 24}}\n'


def test_replay_into_a_pipe_does_not_wait(cast: Path) -> None:
    cast.write_text(V3 + '[0.1, "o", "one\\r\\n"]\n[3600, "o", "\\u001b[31mtwo"]\n[1, "i", "x"]\n[9, "x", "0"]\n')
    done = run("replay", cast)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"one\r\n\x1b[31mtwo", b"")
    done = run("replay", "-", stdin=cast.read_bytes())
    assert (done.returncode, done.stdout) == (0, b"one\r\n\x1b[31mtwo")
    assert run("replay", cast, "--speed", "inf").stdout == b"one\r\n\x1b[31mtwo"
    assert run("replay", cast, "--speed", "1000000").returncode == 0


def test_a_recording_of_ours_is_replayed(cast: Path) -> None:
    run("record", cast, *PLAIN, "--", "for i in 1 2 3; do echo line $i; done")
    done = run("replay", cast)
    assert b"line 1\r\nline 2\r\nline 3\r\n" in done.stdout


def test_times_are_kept(cast: Path) -> None:
    cast.write_text(V3 + '[0.2, "o", "one"]\n[0.4, "o", "two"]\n[1000, "o", "three"]\n')
    began = time.monotonic()
    assert run("replay", cast, "--speed", "2", "--idle-limit", "0.4").stdout == b"onetwothree"
    assert time.monotonic() - began >= 0.5  # that it does not take a thousand seconds, the time-out says


@pytest.mark.parametrize("version", [2, 3])
def test_a_person_watches(version: int, cast: Path) -> None:
    header = V3 if version == 3 else '{"version": 2, "width": 200, "height": 24, "idle_time_limit": 0.1}\n'
    cast.write_text(header + '[0.1, "o", "\\u001b[?1049h\\u001b[?25lhello\\u001b[6n"]\n[0.2, "o", " world"]\n')
    with Person("replay", cast) as person:
        person.type("x")
        assert person.ends() == 0
        seen = person.seen
    assert b"hello world" in seen and b"\x1b[6n" not in seen
    assert seen.index(b" world") < seen.index(b"\x1b[?1049l") and b"\x1b[?25h" in seen
    assert (b"smaller" in seen) == (version == 2)


def test_a_person_has_enough(cast: Path) -> None:
    cast.write_text(V3 + '[0.1, "o", "\\u001b[?1049hhello"]\n[3600, "o", "never"]\n')
    with Person("replay", cast) as person:
        person.until("hello")
        during = termios.tcgetattr(person.tty)
        assert not during[3] & termios.ECHO and during[3] & termios.ISIG
        person.type("typed\x03")
        assert person.ends() == 130
        assert b"\x1b[?1049l" in person.seen and b"never" not in person.seen and b"Traceback" not in person.seen
        assert b"typed" not in person.seen


def test_the_terminal_is_as_it_was_after_a_signal(cast: Path) -> None:
    cast.write_text(V3 + '[0.1, "o", "\\u001b[?25lhello"]\n[3600, "o", "never"]\n')
    with Person("replay", cast) as person:
        person.until("hello")
        os.kill(person.pid, signal.SIGTERM)
        assert person.ends() == 143
        assert b"\x1b[?25h" in person.seen


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "line 1"),
        ("hello", "line 1"),
        ('{"version": 1, "width": 1, "height": 1}', "versions 2 and 3"),
        (V3 + "[1]", "line 2"),
        (V3 + '[1e308, "o", "a"]\n[1e308, "o", "b"]\n[1e308, "o", "c"]\n', "line 3"),
    ],
)
def test_what_is_no_recording(content: str, said: str, cast: Path) -> None:
    cast.write_text(content)
    for words in (["replay", cast], ["shot", cast.with_suffix(".svg"), "--cast", cast]):
        done = run(*words)
        assert done.returncode == 125 and done.stderr.count(b"\n") == 1
        assert said in done.stderr.decode() and str(cast) in done.stderr.decode()
    assert not cast.with_suffix(".svg").exists()


def test_what_is_played_before_a_bad_line(cast: Path) -> None:
    cast.write_text(V3 + '[0, "o", "good"]\n[0, "o", "cut')
    done = run("replay", cast)
    assert (done.returncode, done.stdout) == (125, b"good") and b"line 3" in done.stderr


def test_nothing_stays_behind_at_a_persons_terminal(cast: Path) -> None:
    printed = "\\u001b[2h\\u001b[12l\\u001b[3J\\u001b[3g\\u001b[g\\u001b)0\\u000eqq\\u001b[4hend"
    cast.write_text(V3 + f'[0, "o", "{printed}"]\n')
    with Person("replay", cast) as person:
        assert person.ends() == 0
        seen = person.seen
    for sequence in (b"\x1b[2h", b"\x1b[12l", b"\x1b[3J", b"\x1b[3g", b"\x1b[g"):
        assert sequence not in seen
    _, after = seen.split(b"end")
    assert b"\x0f\x1b(B\x1b)B" in after and b"\x1b[4l" in after


@pytest.mark.parametrize("words", [["--speed", "0"], ["--speed", "-1"], ["--speed", "nan"], ["--idle-limit", "-1"]])
def test_what_cannot_be_meant(words: list[str], cast: Path) -> None:
    cast.write_text(V3)
    assert run("replay", cast, *words).returncode == 125
    assert run("replay", cast.with_name("nowhere.cast")).returncode == 125
    assert run("replay", cast.parent).returncode == 125


# -- shot


def pictured(path: Path) -> str:
    """The text of a picture, run by run."""
    return " ".join("".join(run.itertext()) for run in ET.fromstring(path.read_text()).iter(f"{SVG}text"))


def test_a_picture_is_private_whatever_the_umask(tmp_path: Path) -> None:
    svg = tmp_path / "x.svg"
    svg.touch(0o666)
    before = os.umask(0)
    try:
        assert run("shot", svg, *PLAIN, "echo text").returncode == 0
    finally:
        os.umask(before)
    assert svg.stat().st_mode & 0o777 == 0o600 and pictured(svg) == "text"


def test_a_last_line_that_shows_nothing_hides_nothing(tmp_path: Path) -> None:
    svg = tmp_path / "x.svg"
    for end in ("\\033[K\\n", "\\033[c\\n", "\\n\\n\\n"):
        assert run("shot", svg, *PLAIN, f"printf 'text\\n{end}'").returncode == 0
        assert pictured(svg) == "text", end


def test_a_picture_of_an_outcome(tmp_path: Path) -> None:
    svg = tmp_path / "x.svg"
    done = run("shot", svg, *PLAIN, "printf '\\033[31mred\\033[0m <&>\\n'; false")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert pictured(svg) == "red <&>" and "printf" not in svg.read_text()
    small = ET.fromstring(svg.read_text()).attrib["height"]
    assert run("shot", svg, *PLAIN, "--title", "Demo", "--size", "40x5", "seq", "50").returncode == 0
    assert pictured(svg).startswith("Demo 1 2 3") and pictured(svg).endswith("49 50")
    assert float(ET.fromstring(svg.read_text()).attrib["height"]) > float(small)
    assert list(tmp_path.glob("x.svg*")) == [svg]


def test_a_picture_of_a_screen(tmp_path: Path) -> None:
    svg = tmp_path / "x.svg"
    assert run("shot", svg, *PLAIN, "--screen", "--size", "50x10", "echo hello").returncode == 0
    assert "echo hello" in pictured(svg) and ET.fromstring(svg.read_text()).attrib["height"] == str(10 * 18 + 24)
    done = run("shot", "-", *PLAIN, "--size", "50x10", "read -p 'name: ' x")
    assert done.returncode == 0 and b"name:" in done.stdout and b'class="cursor"' in done.stdout
    waited = run("shot", svg, *PLAIN, "--wait", "0.5", "echo early; sleep 100; echo late")
    assert waited.returncode == 0 and pictured(svg) == "early"


def test_a_picture_of_a_full_screen(tmp_path: Path, program: Callable[[str], str]) -> None:
    (tmp_path / "text").write_text("in the middle of it\n")
    svg = tmp_path / "x.svg"
    command = f"{program('vim')} -u NONE -N {tmp_path / 'text'}"
    assert run("shot", svg, *PLAIN, "--size", "60x12", command).returncode == 0
    assert "in the middle of it" in pictured(svg) and "~" in pictured(svg)


def test_a_picture_of_a_recording(tmp_path: Path, cast: Path) -> None:
    cast.write_text(V3 + '[1, "o", "first\\r\\n"]\n[1, "r", "40x10"]\n[1, "o", "second"]\n')
    svg = tmp_path / "x.svg"
    assert run("shot", svg, "--cast", cast).returncode == 0
    assert pictured(svg) == "first second"
    assert run("shot", svg, "--cast", cast, "--at", "1.5").returncode == 0
    assert pictured(svg) == "first" and ET.fromstring(svg.read_text()).attrib["height"] == str(24 * 18 + 24)
    cast.write_text('{"version": 2, "width": 60000, "height": 60000}\n')
    done = run("shot", svg, "--cast", cast)
    assert done.returncode == 125 and b"60000" in done.stderr and pictured(svg) == "first"


@pytest.mark.parametrize("size", ["1x24", "1x1"])
def test_a_picture_of_a_very_narrow_screen(size: str, tmp_path: Path, cast: Path) -> None:
    columns, rows = size.split("x")
    narrow = f'{{"version": 3, "term": {{"cols": {columns}, "rows": {rows}}}}}\n'
    svg = tmp_path / "x.svg"
    for content in (
        f'{V3}[0, "o", "好"]\n[0, "r", "{size}"]\n',
        f'{V3}[0, "r", "{size}"]\n[0, "o", "好好"]\n[0, "r", "80x24"]\n[0, "o", "好"]\n',
        f'{narrow}[0, "o", "好"]\n',
    ):
        cast.write_text(content)
        done = run("shot", svg, "--cast", cast)
        assert (done.returncode, done.stderr) == (0, b"") and ET.fromstring(svg.read_text()).tag == f"{SVG}svg"


@pytest.mark.parametrize(
    "words",
    [
        ["x.svg"],
        ["x.gif", "true"],
        ["x.svg", "--cast", "y.cast", "true"],
        ["x.svg", "--at", "1", "true"],
        ["x.svg", "--size", "big", "true"],
        ["x.svg", "--size", "60000x60000", "true"],
        ["nowhere/x.svg", "true"],
    ],
)
def test_what_no_picture_can_be_of(words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("shot", *words)
    assert done.returncode == 125 and re.fullmatch(rb"truetty: .+\n(See truetty shot --help\.\n)?", done.stderr)
    assert not list(tmp_path.glob("*.svg*"))


# -- clean


def test_clean_is_for_pipes_and_files(tmp_path: Path) -> None:
    piped = b"10%\r100%\n\x1b[31mred\x1b[0m\n\x1b]0;title\x07tab\tbed\nlast"
    printed = piped.replace(b"\n", b"\r\n")
    for stream in (piped, printed):
        done = run("clean", stdin=stream)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"100%\nred\ntab\tbed\nlast", b"")
        (tmp_path / "file").write_bytes(stream)
        assert run("clean", tmp_path / "file").stdout == run("clean", "-", stdin=stream).stdout == done.stdout
    assert run("clean").stdout == b""
    narrow = run("clean", "--columns", "10", stdin=b"x" * 25 + b"\x1b[1Ay\n")
    assert narrow.stdout == b"x" * 15 + b"yxxxx\nxxxxx"


def test_clean_text_is_utf_8_whatever_the_locale() -> None:
    data, env = "é 漢 🎉\n".encode() + b"\xff\n", {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0"}
    done = subprocess.run([*TRUETTY, "clean"], input=data, env=env, capture_output=True, timeout=PATIENCE, check=False)
    assert done.stdout == "é 漢 🎉\n\ufffd\n".encode()


def test_a_terminals_own_line_feeds_go_straight_down() -> None:
    assert run("clean", stdin=b"one\r\ntwo\nthree\r\n").stdout == b"one\ntwo\n   three\n"


def test_clean_comes_as_it_comes() -> None:
    with subprocess.Popen([*TRUETTY, "clean"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None

        source, sink = process.stdin.fileno(), process.stdout.fileno()

        def says(given: bytes, expected: bytes) -> None:
            os.write(source, given)
            said = b""
            while said != expected:
                assert expected.startswith(said), said
                assert select.select([sink], [], [], PATIENCE)[0], said
                said += os.read(sink, 4096)

        says(b"\x1b[1mone\x1b[0m\n10%", b"one\n")
        says(b"\r100%\n", b"100%\n")
        says(b"\x1b[1A\x1b[Kdone\nnext\n", b"done\nnext\n")  # a line that has changed comes again
        says(b"".join(b"line %d\n" % number for number in range(100)), b"".join(b"line %d\n" % n for n in range(100)))
        process.stdin.write(b"last")
        process.stdin.close()
        assert process.stdout.read() == b"last"


def test_clean_ends_with_its_reader() -> None:
    done = subprocess.run(
        f"yes | {sys.executable} -m truetty clean | head -1; echo ${{PIPESTATUS[1]}}",
        shell=True,
        executable="/bin/bash",
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.stdout == b"y\n141\n" and done.stderr == b""


def test_clean_refuses_what_it_cannot_read(tmp_path: Path) -> None:
    for words in ([tmp_path / "nowhere"], [tmp_path], ["--columns", "0"]):
        done = run("clean", *words)
        assert done.returncode == 125 and done.stderr.count(b"\n") == 1 and done.stdout == b""


def test_whose_fault_it_is(cast: Path) -> None:
    cast.write_text(V3 + '[0, "o", "hello"]\n')
    for words in (["clean"], ["clean", cast], ["replay", cast], ["shot", "-", "--cast", cast]):
        with open("/dev/full", "wb") as sink:
            done = subprocess.run(
                [*TRUETTY, *map(str, words)],
                input=b"hello\n",
                stdout=sink,
                stderr=subprocess.PIPE,
                timeout=PATIENCE,
                check=False,
            )
        assert (done.returncode, done.stderr) == (125, b"truetty: standard output: No space left on device\n")
    with open(os.devnull, "wb") as mute:
        done = subprocess.run([*TRUETTY, "clean"], stdin=mute, capture_output=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stderr) == (125, b"truetty: standard input: Bad file descriptor\n")


def test_help_is_honest() -> None:
    for command in ("record", "replay", "shot", "clean"):
        done = run(command, "--help")
        assert done.returncode == 0 and b"Usage" in done.stdout
    assert b"[-- COMMAND...]" in run("record", "-h").stdout
