"""Recordings: all that viewers see, at its time; no secret, no half line, no harm to the terminal."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import resource
import stat
import weakref
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import pytest

import truetty
import truetty.sync
from tests.acceptance.session import eventually, opened
from tests.patience import PATIENCE
from tests.stage import Stage
from tests.text.casts import Events, check, play, text
from truetty.host.fake import SANE, FakeObserver
from truetty.store.timeline import MOST_TIMES, Timeline
from truetty.store.transcript import Transcript
from truetty.terminal.echo import REACH
from truetty.terminal.recording import SLICE, Recording
from truetty.text.asciicast import VERSIONS
from truetty.until import Match

SILENT = replace(SANE, echo=False)


@pytest.fixture(autouse=True)
def _an_echo_may_come_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine may stand still for longer than an echo takes."""
    monkeypatch.setattr("truetty.terminal.echo.LATEST", PATIENCE)


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    stage = Stage()
    yield stage
    await stage.terminal.close()


@pytest.fixture
def cast(tmp_path: Path) -> Path:
    return tmp_path / "file.cast"


def events_of(cast: Path) -> Events:
    return check(cast.read_bytes())[1]


async def recorded(recording: Recording, said: str) -> None:
    """Wait until the file has it; a recording is a hundredth of a second behind."""
    await eventually(lambda: said in text(check(Path(recording.path).read_bytes())[1]), f"{said!r} is recorded")


class Past:
    """A record whose times are chosen."""

    def __init__(self, size: tuple[int, int] = (80, 24), began: float = 100.0) -> None:
        self.transcript = Transcript()
        self.timeline = Timeline(self.transcript, size, began)
        self.began = began

    def say(self, after: float, data: bytes) -> None:
        self.timeline.on_bytes(self.transcript.append(data), self.began + after)

    def record_to(self, cast: Path, version: int = 3) -> Events:
        recording = Recording(cast, self.timeline, FakeObserver(1), version=version)
        recording.on_exit(None)
        return events_of(cast)


# -- what is in it


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("shell", ["bash", "zsh", "dash"])
async def test_a_shell_from_its_beginning_to_its_end(
    shell: str, version: int, cast: Path, home: Path, program: Callable[[str], str]
) -> None:
    async with opened(program(shell), home) as terminal:
        await terminal.run("echo before; printf '\\033[1;31mred\\033[0m\\n'", wait=PATIENCE)
        recording = terminal.record(cast, version=version, title="Demo", idle_limit=2)
        assert "before" in text(events_of(cast))
        await terminal.run("echo during", wait=PATIENCE)
        await terminal.resize(100, 40)
        await terminal.run("stty size", wait=PATIENCE)
        await terminal.run("exit 3", wait=PATIENCE)
        assert recording.stopped and recording.trouble is None
    header, events = check(cast.read_bytes())
    assert (header["version"], header["title"], header["idle_time_limit"]) == (version, "Demo", 2)
    term = header["term"] if version == 3 else header
    assert isinstance(term, dict)
    assert [term.get("cols", term.get("width")), term.get("rows", term.get("height"))] == [120, 30]
    printed = text(events)
    for line in ("before\r\n\x1b[1;31mred\x1b[0m\r\n", "during\r\n", "40 100\r\n"):
        assert line in printed
    assert "7717" not in printed and "/tt-" not in printed  # neither our marks nor our own line
    markers = [data for _, code, data in events if code == "m"]
    assert markers == ["echo before; printf '\\033[1;31mred\\033[0m\\n'", "echo during", "stty size", "exit 3"]
    assert [data for _, code, data in events if code == "r"] == ["100x40"]
    assert [data for _, code, data in events if code == "x"] == (["3"] if version == 3 else [])
    played = play(program("node"), cast.read_bytes())
    assert played.output == printed and [label for _, label in played.markers] == markers
    assert played.sizes[0] == [120, 30] and played.sizes[-1] == [100, 40]


async def test_afterwards_it_is_the_same(cast: Path, home: Path, program: Callable[[str], str]) -> None:
    live = cast.with_name("live.cast")
    async with opened(program("bash"), home) as terminal:
        terminal.record(live)
        await terminal.run("echo one; sleep 0.1; echo two", wait=PATIENCE)
        await terminal.run("exit 5", wait=PATIENCE)
    recording = terminal.record(cast)
    assert recording.stopped
    for code in "oimrx":
        assert text(events_of(cast), code) == text(events_of(live), code)
    assert events_of(cast)[-1][1:] == ("x", "5")


async def test_two_at_once_and_one_that_is_stopped(stage: Stage, cast: Path) -> None:
    terminal = await stage.open()
    other = cast.with_name("other.cast")
    first = terminal.record(cast, version=2)
    with terminal.record(other) as second:
        stage.say(b"both")
        await recorded(first, "both")
    assert second.stopped and not first.stopped and terminal.changes.subscribers == 1
    stage.say(b"one")
    second.stop()
    await recorded(first, "one")
    assert "one" not in text(events_of(other)) and "both" in text(events_of(other))
    first.stop(exit_code=4)
    assert first.stopped and "x" not in {code for _, code, _ in events_of(cast)}  # version 2 has no word for it


async def test_an_exit_code_that_is_given_is_the_end(stage: Stage, cast: Path) -> None:
    terminal = await stage.open()
    recording = terminal.record(cast)
    stage.say(b"caf\xc3")
    recording.stop(exit_code=4)
    assert [event[1:] for event in events_of(cast)[-2:]] == [("o", "\ufffd"), ("x", "4")]


async def test_a_terminal_that_is_lost_has_no_exit(stage: Stage, cast: Path) -> None:
    terminal = await stage.open()
    recording = terminal.record(cast)
    stage.say(b"last")
    stage.channel.end()
    assert recording.stopped and text(events_of(cast)).endswith("last") and "x" not in {e[1] for e in events_of(cast)}


async def test_nothing_is_open_before_and_after(stage: Stage, cast: Path) -> None:
    with pytest.raises(truetty.Misuse):
        stage.terminal.record(cast)
    await stage.open()
    before = set(os.listdir("/proc/self/fd"))
    recording = stage.terminal.record(cast)
    await stage.terminal.close()
    assert recording.stopped and set(os.listdir("/proc/self/fd")) <= before
    assert events_of(cast)[-1][1] == "x"


# -- times


@pytest.mark.parametrize("version", VERSIONS)
async def test_everything_at_its_time(version: int, cast: Path) -> None:
    past = Past()
    past.say(0.5, b"a")
    past.say(1.25, b"b")
    past.timeline.on_resize((90, 20), 102.0)
    past.say(3.0, b"c")
    past.timeline.hide_echo(b" . x\n")
    past.say(4.0, b" . x\r\n")
    past.timeline.end_echo(past.transcript.size, "make all")
    past.say(5.0, b"done\r\n")
    assert past.record_to(cast, version) == [
        (0.5, "o", "a"),
        (1.25, "o", "b"),
        (2.0, "r", "90x20"),
        (3.0, "o", "c"),
        (4.0, "m", "make all"),
        (4.0, "o", "make all\r\n"),
        (5.0, "o", "done\r\n"),
    ]


async def test_a_change_of_size_stands_before_the_command_that_comes_after_it(cast: Path) -> None:
    past = Past()
    past.say(1.0, b"$ ")
    past.timeline.on_resize((90, 20), 101.004)
    past.timeline.hide_echo(b" . x\n")
    past.say(1.008, b" . x\r\n")  # so soon that the record knows no other time for it than that of the prompt
    past.timeline.end_echo(past.transcript.size, "make all")
    past.say(1.009, b"done\r\n")
    assert [event[1:] for event in past.record_to(cast)] == [
        ("o", "$ "),
        ("r", "90x20"),
        ("m", "make all"),
        ("o", "make all\r\n"),
        ("o", "done\r\n"),
    ]


@pytest.mark.parametrize("shell", ["bash", "zsh", "dash", "fish"])
async def test_sizes_and_commands_are_in_order(
    shell: str, cast: Path, home: Path, program: Callable[[str], str]
) -> None:
    async with opened(program(shell), home) as terminal:
        recording = terminal.record(cast)
        for number in range(5):
            await terminal.run(f"echo {number}", wait=PATIENCE)
            await terminal.resize(100 + number, 40)
        recording.stop()
    expected = [said for number in range(5) for said in (f"echo {number}", f"{100 + number}x40")]
    assert [data for _, code, data in events_of(cast) if code in "mr"] == expected


async def test_a_change_of_size_has_its_own_time(cast: Path) -> None:
    """Though it is written only with what is printed after it."""
    loop = asyncio.get_running_loop()
    past = Past(began=loop.time() - 60)
    past.say(1.0, b"before")
    recording = Recording(cast, past.timeline, FakeObserver(1))
    past.timeline.on_resize((90, 20), past.began + 2.0)
    past.say(30.0, b"after")
    recording.on_change()
    recording.stop()
    assert events_of(cast) == [(1.0, "o", "before"), (2.0, "r", "90x20"), (pytest.approx(30.0), "o", "after")]


async def test_a_change_of_size_without_output(stage: Stage, cast: Path) -> None:
    terminal = await stage.open()
    recording = terminal.record(cast)
    await terminal.resize(90, 20)
    await terminal.resize(91, 21)
    stage.say(b"drawn")
    await recorded(recording, "drawn")
    await terminal.resize(92, 22)
    recording.stop()
    assert [e[1:] for e in events_of(cast) if e[1] != "o" or e[2] == "drawn"] == [
        ("r", "90x20"),
        ("r", "91x21"),
        ("o", "drawn"),
        ("r", "92x22"),
    ]


async def test_a_long_record_is_coarse_and_whole(cast: Path) -> None:
    past = Past()
    for number in range(MOST_TIMES * 3):
        past.say(number / 50, b"%06d " % number)
    events = past.record_to(cast)
    assert text(events) == "".join(f"{number:06} " for number in range(MOST_TIMES * 3))
    for time, _, data in events:
        assert time == pytest.approx(int(data[:6]) / 50, abs=0.001)


async def test_live_times_do_not_get_coarse(cast: Path) -> None:
    loop = asyncio.get_running_loop()
    past = Past(began=loop.time() - 3600)
    for number in range(MOST_TIMES * 3):
        past.say(number / 50, b".")
    recording = Recording(cast, past.timeline, FakeObserver(1))
    after = loop.time() - past.began
    past.say(after, b"now")
    recording.on_change()
    await recorded(recording, "now")
    recording.stop()
    assert next(time for time, _, data in events_of(cast) if data == "now") == pytest.approx(after, abs=0.002)


async def test_a_long_past_is_written_in_turns(cast: Path) -> None:
    past = Past()
    line = "é".encode() * 500 + b"\r\n"
    for number in range(3 * SLICE // len(line)):
        past.say(number / 1000, line)
    recording = Recording(cast, past.timeline, FakeObserver(1))
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    other = asyncio.ensure_future(others())
    assert recording._at < past.timeline.end
    assert await recording is recording
    other.cancel()
    assert turns > 1 and text(events_of(cast)) == past.transcript.read().decode()
    assert await recording is recording
    recording.stop()


async def test_a_long_past_of_a_terminal_that_is_over_is_there_at_once(cast: Path) -> None:
    past = Past()
    for number in range(2 * SLICE // 1000):
        past.say(number / 1000, b"x" * 998 + b"\r\n")
    assert text(past.record_to(cast)) == past.transcript.read().decode()


async def test_nothing_is_done_while_nothing_happens(stage: Stage, cast: Path) -> None:
    terminal = await stage.open()
    recording = terminal.record(cast)
    stage.say(b"x")
    assert recording._timer is not None
    await recorded(recording, "x")
    assert recording._timer is None
    size = cast.stat().st_size
    terminal.changes.tell()
    assert recording._timer is None and cast.stat().st_size == size


async def test_small_pieces_are_written_together(stage: Stage, cast: Path) -> None:
    terminal = await stage.open()
    recording = terminal.record(cast)
    before = len(events_of(cast))
    for _ in range(500):
        stage.say(b"x")
    await recorded(recording, "x" * 500)
    assert len(events_of(cast)) - before < 100


# -- marks and characters


async def test_half_a_mark_is_not_written(stage: Stage, cast: Path) -> None:
    terminal = await stage.open()
    recording = terminal.record(cast)
    command = await terminal.start("x")
    end = stage.part(("D", 0, "himBHs"))
    stage.say(("C",), b"output")
    for number in range(len(end)):
        stage.say(end[number : number + 1])
        recording._on_time()  # as if so much time had passed
        assert b"]7717" not in cast.read_bytes()
    await command.wait(PATIENCE)
    stage.say(b"\x1b]77")
    recording.stop()
    assert text(events_of(cast)).endswith("output") and "x\r\n" in text(events_of(cast))


async def test_a_character_that_comes_in_pieces(stage: Stage, cast: Path) -> None:
    terminal = await stage.open()
    recording = terminal.record(cast)
    for byte in "é漢🎉".encode():
        stage.say(bytes([byte]))
        recording._on_time()
    recording.stop()
    assert text(events_of(cast)).endswith("é漢🎉")


# -- what is typed

SECRET = "correct-horse-battery-staple"


@pytest.mark.parametrize("typed", [SECRET, "pw"])
async def test_a_secret_is_nowhere(typed: str, cast: Path, home: Path, program: Callable[[str], str]) -> None:
    async with opened(program("bash"), home) as terminal:
        recording = terminal.record(cast, input=True)
        command = await terminal.start("read -p 'name: ' name; read -sp 'password: ' p; echo; echo ${#p} | md5sum")
        await command.wait(PATIENCE)
        await terminal.send("ada\n")
        outcome = await command.wait(PATIENCE)
        assert outcome.waiting is not None and outcome.waiting.kind == "secret"
        for letter in typed:
            await terminal.send(letter)
        await terminal.send("\n")
        assert (await command.wait(PATIENCE)).state == "finished"
        await terminal.run("read -s again; echo", wait=PATIENCE)
        await terminal.send(typed + "\n")
        recording.stop()
    events = events_of(cast)
    assert [data for _, code, data in events if code == "i"] == ["ada\n"]
    assert SECRET not in cast.read_text() and "password: " in text(events)
    # Neither its length: apart from the times, the file is the same for every secret.
    assert [event[1] for event in events if event[1] != "o"] == ["m", "i", "m"]


async def test_what_the_tty_echoes_is_recorded_if_asked_for(
    cast: Path, home: Path, program: Callable[[str], str]
) -> None:
    quiet = cast.with_name("quiet.cast")
    async with opened(program("dash"), home) as terminal:
        terminal.record(cast, input=True)
        terminal.record(quiet)
        for number in range(10):
            command = await terminal.start("read x; stty -echo; read y; stty echo; echo $x")
            if number % 2:
                await command.wait(PATIENCE)
            await command.send(f"hello {number}\n")  # it may still wait for its command to start
            await command.wait(PATIENCE)
            await command.send(SECRET + "\n")
            await command.wait(PATIENCE)
    assert [data for _, code, data in events_of(cast) if code == "i"] == [f"hello {number}\n" for number in range(10)]
    assert SECRET not in cast.read_text() and '"i"' not in quiet.read_text()


async def test_input_stands_before_its_echo(stage: Stage, cast: Path) -> None:
    terminal = await stage.open()
    recording = terminal.record(cast, input=True)
    command = await terminal.start("cat")
    stage.say(("C",), b"ready ")
    await command.send("abc\n")
    stage.say(b"abc\r\n")
    recording.stop()
    assert [event[1:] for event in events_of(cast)[-3:]] == [("o", "ready "), ("i", "abc\n"), ("o", "abc\r\n")]


async def test_the_echo_goes_off_meanwhile(stage: Stage, cast: Path) -> None:
    """Between our question and the tty's turn a program may switch it off: then only the output can tell."""
    terminal = await stage.open()
    recording = terminal.record(cast, input=True)
    command = await terminal.start("login")
    stage.say(("C",), b"login: ")

    def off(_: bytes) -> None:
        stage.observer.tty = SILENT

    stage.channel.on_write = off
    await command.send("ada\n")
    stage.say(b"ada\r\npassword: ")  # it was echoed before
    stage.observer.tty = SANE
    await command.send(SECRET + "\n")
    stage.say(b"\r\nwelcome\r\n")  # it was not
    stage.observer.tty = SANE
    await command.send(SECRET + "\n")
    recording.stop()  # the exit code is unknown
    assert [data for _, code, data in events_of(cast) if code == "i"] == ["ada\n"]
    assert SECRET not in cast.read_text()


@pytest.mark.parametrize(
    "keys", [[SECRET + "\n"], [SECRET, "\n"], [*SECRET, "\r"], ["w\n"], ["42\r"], ["\t", "\x04"]], ids=repr
)
async def test_the_echo_was_off_between_two_looks(keys: list[str], stage: Stage, cast: Path) -> None:
    """Before and after the tty says that it echoes: only the output tells that it did not."""
    terminal = await stage.open()
    recording = terminal.record(cast, input=True)
    command = await terminal.start("login")
    stage.say(("C",), b"password: ")
    for key in keys:
        await command.send(key)
    stage.say(b"\r\nwelcome ")
    stage.say(b"back w\r\n42\r\n$ ")
    await command.send("whoami\n")
    stage.say(b"whoami\r\nada\r\n")
    recording.stop()
    assert [data for _, code, data in events_of(cast) if code == "i"] == ["whoami\n"]
    assert SECRET not in cast.read_text()


async def test_no_secret_slips_in_at_the_moment_of_its_prompt(
    cast: Path, home: Path, program: Callable[[str], str]
) -> None:
    """What is sent between the prompt and `stty -echo` is echoed or not; the recording says it only if it was."""
    rounds = 12
    async with opened(program("bash"), home) as terminal:
        recording = terminal.record(cast, input=True)
        command = await terminal.start(
            f"for i in $(seq {rounds}); do printf 'Password: '; stty -echo; read p; stty echo; echo; done"
        )
        for number in range(rounds):
            await command.wait(PATIENCE, Match("Password: "))
            await command.send(f"S3CRET{number:02}\n")
        await command.wait(PATIENCE, "finished")
        recording.stop()
        printed = terminal.transcript.read().decode()
    events = events_of(cast)
    typed = [data.strip() for _, code, data in events if code == "i"]
    assert all(secret in printed for secret in typed)
    assert typed == [f"S3CRET{n:02}" for n in range(rounds) if f"S3CRET{n:02}" in printed]


async def test_keys_are_known_by_their_echo(stage: Stage, cast: Path) -> None:
    terminal = await stage.open()
    recording = terminal.record(cast, input=True)
    command = await terminal.start("cat")
    stage.say(("C",))
    for sent, printed in (
        ("h", b"h"),
        ("i\x7f\r", b"i\b \b\r\n"),
        ("a\tb\x1b[A\n", b"a\tb^[[A\r\n"),
        ("é漢\n", "building…\r\ndone\r\né漢\r\n".encode()),  # behind what was printed before
        ("one\ntwo\n", b"one\r\nfirst\r\ntwo\r\nsecond\r\n"),
        ("\x04half\x04", b"half"),  # the tty has no echo for Ctrl-D
        ("\n", b"\r\n"),
    ):
        await command.send(sent)
        for byte in printed:
            stage.say(bytes([byte]))
    recording.stop()
    assert text(events_of(cast), "i") == "hi\x7f\ra\tb\x1b[A\né漢\none\ntwo\nhalf\n"


async def test_a_thousand_lines_at_once(stage: Stage, cast: Path) -> None:
    terminal = await stage.open()
    recording = terminal.record(cast, input=True)
    command = await terminal.start("cat")
    stage.say(("C",))
    lines = [f"line {number}\n" for number in range(1000)]
    for line in lines:
        await command.send(line)
    echo = "".join(lines).replace("\n", "\r\n").encode()
    for start in range(0, len(echo), 100):
        stage.say(echo[start : start + 100])
    recording.stop()
    assert text(events_of(cast), "i") == "".join(lines)


async def test_an_echo_answers_once_and_soon(stage: Stage, cast: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = await stage.open()
    recording = terminal.record(cast, input=True)
    command = await terminal.start("cat")
    stage.say(("C",))
    await command.send("same\n")
    stage.say(b"sa")
    await command.send("same\n")
    stage.say(b"me\r\n")
    assert text(events_of(cast), "i") == "same\n"
    stage.say(b"same\r\n")
    assert text(events_of(cast), "i") == "same\nsame\n"
    await command.send("never\n")
    stage.say(b"x" * REACH)
    stage.say(b"never\r\n")
    await command.send("late\n")
    monkeypatch.setattr("truetty.terminal.echo.LATEST", -1.0)
    stage.say(b"late\r\n")
    recording.stop()
    assert text(events_of(cast), "i") == "same\nsame\n"


async def test_while_the_echo_is_off_nothing_is_known_of_it(stage: Stage, cast: Path) -> None:
    terminal = await stage.open()
    recording = terminal.record(cast, input=True)
    command = await terminal.start("sudo x")
    stage.say(("C",), b"password: ")
    stage.observer.tty = SILENT
    await command.send(SECRET)
    await command.press("Enter")
    stage.observer.tty = SANE
    stage.say(b"\r\n")
    recording.stop()
    assert '"i"' not in cast.read_text()


# -- the file


async def test_the_file_is_ours_alone(stage: Stage, cast: Path) -> None:
    terminal = await stage.open()
    before = os.umask(0)
    try:
        terminal.record(cast)
    finally:
        os.umask(before)
    assert stat.S_IMODE(cast.stat().st_mode) == 0o600


async def test_no_file_is_overwritten_unasked(stage: Stage, cast: Path, tmp_path: Path) -> None:
    terminal = await stage.open()
    cast.write_text("precious")
    cast.chmod(0o644)
    link = tmp_path / "link.cast"
    for target in (cast, tmp_path / "nowhere"):
        link.unlink(missing_ok=True)
        link.symlink_to(target)
        with pytest.raises(truetty.Misuse):
            terminal.record(link)
    with pytest.raises(truetty.Misuse, match="is there already"):
        terminal.record(cast)
    assert cast.read_text() == "precious" and not (tmp_path / "nowhere").exists()
    terminal.record(cast, overwrite=True)
    assert stat.S_IMODE(cast.stat().st_mode) == 0o600 and cast.read_text().startswith("{")


async def test_only_a_regular_file_is_replaced(stage: Stage, cast: Path, tmp_path: Path) -> None:
    terminal = await stage.open()
    cast.write_text("precious")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name, target in (("to-file", cast), ("to-nothing", tmp_path / "nowhere"), ("to-device", Path(os.devnull))):
        (tmp_path / name).symlink_to(target)
    before = {path: path.lstat() for path in tmp_path.iterdir()}
    for path in before.keys() - {cast}:
        with pytest.raises(truetty.Misuse, match="no regular file"):
            terminal.record(path, overwrite=True)
    assert {path: path.lstat() for path in tmp_path.iterdir()} == before
    assert cast.read_text() == "precious" and terminal.changes.subscribers == 0


async def test_the_old_file_stays_until_the_new_one_is_there(
    stage: Stage, cast: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = await stage.open()
    cast.write_text("precious")

    def refuse(*_: object) -> None:
        raise OSError(28, os.strerror(28))

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", refuse)
        with pytest.raises(truetty.HostError, match=os.strerror(28)):
            terminal.record(cast, overwrite=True)
    assert cast.read_text() == "precious" and list(tmp_path.iterdir()) == [cast]
    reader = cast.open()
    terminal.record(cast, overwrite=True)
    assert reader.read() == "precious" and cast.read_text().startswith("{") and list(tmp_path.iterdir()) == [cast]
    reader.close()
    monkeypatch.chdir(tmp_path)
    terminal.record("file.cast", overwrite=True)
    assert list(tmp_path.iterdir()) == [cast]


async def test_a_stopped_recording_leaves_nothing_behind(stage: Stage, cast: Path) -> None:
    terminal = await stage.open()
    stopped = []
    for _ in range(20):
        recording = terminal.record(cast, overwrite=True, input=True)
        recording.stop()
        stopped.append(weakref.ref(recording))
    del recording
    gc.collect()
    assert terminal.changes.subscribers == 0 and not any(left() for left in stopped)


@pytest.mark.parametrize("path", ["nowhere/x.cast", "", "a\0b", "."])
async def test_a_place_that_cannot_be(path: str, stage: Stage, tmp_path: Path) -> None:
    terminal = await stage.open()
    for overwrite in (False, True):
        with pytest.raises(truetty.TruettyError):
            terminal.record(tmp_path / path if path else path, overwrite=overwrite)
    assert terminal.changes.subscribers == 0


@pytest.mark.parametrize("wanted", [{"version": 1}, {"version": 4}, {"idle_limit": 0}, {"idle_limit": float("nan")}])
async def test_what_cannot_be_meant(wanted: dict, stage: Stage, cast: Path) -> None:
    terminal = await stage.open()
    with pytest.raises(truetty.Misuse):
        terminal.record(cast, **wanted)
    assert not cast.exists()


async def test_a_full_disk_ends_the_recording_and_nothing_else(
    cast: Path, home: Path, program: Callable[[str], str]
) -> None:
    async with opened(program("bash"), home) as terminal:
        recording = terminal.record(cast)
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))
        try:
            outcome = await terminal.run("seq 100000", wait=PATIENCE)
            assert outcome.state == "finished" and outcome.output_bytes == 688_895
            await eventually(lambda: recording.stopped, "the recording has ended")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert recording.trouble == os.strerror(27)
        assert (await terminal.run("echo fine", wait=PATIENCE)).output == "fine\n"
    check(cast.read_bytes())  # every line is whole
    assert cast.stat().st_size <= 20_000 and recording.trouble is not None
    recording.stop()


async def test_a_header_that_does_not_fit(stage: Stage, cast: Path) -> None:
    terminal = await stage.open()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))
    try:
        recording = terminal.record(cast)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert recording.stopped and recording.trouble and cast.read_bytes() == b""
    stage.say(b"goes on")


async def test_what_a_reader_finds_at_any_moment_is_whole(
    cast: Path, home: Path, program: Callable[[str], str]
) -> None:
    async with opened(program("bash"), home) as terminal:
        terminal.record(cast)
        command = await terminal.start("for i in $(seq 2000); do echo $i; done")
        looks = 0
        while command.state == "running":
            for line in cast.read_bytes().split(b"\n")[:-1]:
                json.loads(line)
            assert cast.read_bytes().endswith(b"\n")
            looks += 1
            await asyncio.sleep(0.001)
        assert looks


def test_the_blocking_face(cast: Path, home: Path, program: Callable[[str], str]) -> None:
    with truetty.sync.Terminal(program("bash"), rc=False, env={"HOME": str(home)}) as terminal:
        with terminal.record(cast, version=2) as recording:
            terminal.run("echo hello", wait=PATIENCE)
            assert (recording.path, recording.stopped, recording.trouble) == (str(cast), False, None)
        assert recording.stopped and "hello\r\n" in text(events_of(cast))
        with pytest.raises(truetty.Misuse):
            terminal.record(cast)
        whole = terminal.record(cast, overwrite=True)
    assert whole.stopped and events_of(cast)[-1][1] == "x"
