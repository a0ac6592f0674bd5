"""What a kept terminal prints outlives the process that reads it: in its file, or in the pipe on the way there."""

from __future__ import annotations

import errno
import hashlib
import os
import random
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest

from truetty.store import lasting
from truetty.store.lasting import Carrier, GapRecord, LastingFile, LastingTranscript

PIPE = tuple[int, int, int]


@pytest.fixture
def pipe() -> Iterator[PIPE]:
    """The pipe and the word, as the keeper holds them."""
    out, into = os.pipe()
    word = os.memfd_create("whose")
    os.ftruncate(word, 8)
    yield out, into, word
    for descriptor in (out, into, word):
        os.close(descriptor)


def carrier(pipe: PIPE) -> Carrier:
    """Of a new process."""
    return Carrier(*(os.dup(descriptor) for descriptor in pipe))


class Pty:
    def __init__(self) -> None:
        self.master, self.slave = os.openpty()
        modes = termios.tcgetattr(self.slave)
        modes[1] &= ~termios.OPOST
        termios.tcsetattr(self.slave, termios.TCSANOW, modes)
        os.set_blocking(self.master, False)

    def print(self, data: bytes) -> None:
        assert os.write(self.slave, data) == len(data)


@pytest.fixture
def pty() -> Iterator[Pty]:
    made = Pty()
    yield made
    os.close(made.master)
    os.close(made.slave)


def take_all(file: LastingFile, master: int) -> bytes:
    data = b""
    while True:
        try:
            data += file.take(master)
        except BlockingIOError:
            return data


def test_what_is_taken_is_stored(pipe: PIPE, pty: Pty, tmp_path: Path) -> None:
    file = LastingFile(str(tmp_path / "t1"), 1, carrier(pipe))
    pty.print(b"one\n")
    assert take_all(file, pty.master) == b"one\n"
    pty.print(b"two\n")
    assert take_all(file, pty.master) == b"two\n"
    assert (tmp_path / "t1").read_bytes() == b"one\ntwo\n" and file.size == 8
    assert (tmp_path / "t1").stat().st_mode & 0o777 == 0o600


def test_a_kernel_that_cannot_splice(pipe: PIPE, pty: Pty, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def splice(*_: object, **__: object) -> int:
        raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(os, "splice", splice)
    file = LastingFile(str(tmp_path / "t1"), 1, carrier(pipe), quota=6)
    pty.print(b"one\n")
    assert take_all(file, pty.master) == b"one\n"
    pty.print(b"two\n")
    assert take_all(file, pty.master) == b"two\n"
    assert (tmp_path / "t1").read_bytes() == b"one\ntw\0\0" and file.stored == 6 and file.size == 8
    assert file.read(6, 8) == b"o\n"


def test_what_was_on_the_way_is_found_by_the_next_process(pipe: PIPE, pty: Pty, tmp_path: Path) -> None:
    first, other = str(tmp_path / "t1"), str(tmp_path / "t2")
    LastingFile(first, 1, carrier(pipe))
    pty.print(b"on its way")
    assert carrier(pipe).take(1, pty.master) == 10  # and is killed
    again = carrier(pipe)
    assert again.left == (1, 10)
    stranger, owner = LastingFile(other, 2, again), LastingFile(first, 1, again)
    stranger.finish()
    owner.finish()
    assert (stranger.size, owner.size, again.left[1]) == (0, 10, 0)
    assert Path(first).read_bytes() == b"on its way"


def test_beyond_the_quota_the_newest_bytes_are_in_memory(
    pipe: PIPE, pty: Pty, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lasting, "DEFAULT_MEMORY", 8)
    file = LastingFile(str(tmp_path / "t1"), 1, carrier(pipe), quota=6)
    transcript = LastingTranscript(file)

    def printed(text: bytes) -> None:
        pty.print(text)
        taken = take_all(file, pty.master)
        assert taken == text  # whoever reads along misses nothing
        transcript.append(taken)

    for text in (b"1234", b"5678", b"90abcd"):
        printed(text)
    assert transcript.size == 14 and transcript.read() == b"1234567890abcd"
    assert transcript.gaps() == () and transcript.trouble == "quota reached"
    printed(b"efg")
    assert transcript.read() == b"123456" + b"defg" and transcript.read(14, 2) == b"ef"
    assert transcript.gaps() == ((6, 13),) and transcript.gaps(0, 10) == ((6, 10),) and file.stored == 6
    transcript.blank(14, 16)
    assert transcript.read(13) == b"d**g"
    transcript.settle()
    assert transcript.read(13) == b"d**g" and file.read(13, 17) == b"d**g"
    again = LastingFile(file.path, 1, carrier(pipe), quota=6)
    again.take_over([(6, None, "quota reached")])
    assert (again.size, again.gaps, again.stored) == (17, [(6, 17)], 6)


def test_a_full_disk_loses_what_it_refuses_and_says_so(pipe: PIPE, pty: Pty, tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("a tmpfs needs root")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k", "none", tmp_path], check=True)
    try:
        file = LastingFile(str(tmp_path / "t1"), 1, carrier(pipe))
        transcript = LastingTranscript(file)
        for letter in (b"a", b"b", b"c"):
            pty.print(letter * 3000)
            transcript.append(take_all(file, pty.master))
        assert transcript.size == 9000 and transcript.trouble == "the disk is full"
        assert transcript.read() == b"a" * 3000 + b"b" * 1096 and transcript.gaps() == ((4096, 9000),)
        os.close(file._fd)
    finally:
        subprocess.run(["umount", tmp_path], check=True)


def test_the_next_process_knows_the_gaps(pipe: PIPE, pty: Pty, tmp_path: Path) -> None:
    path = str(tmp_path / "t1")
    told: list[GapRecord] = []
    first = LastingFile(path, 1, carrier(pipe), quota=6, on_gap=lambda *gap: told.append(gap))
    for text in (b"1234", b"5678", b"90"):
        pty.print(text)
        take_all(first, pty.master)
    assert (told, first.stored) == ([(6, None, "quota reached")], 6)
    again = LastingFile(path, 1, carrier(pipe), quota=20, on_gap=lambda *gap: told.append(gap))
    again.take_over(list(told))
    assert (again.size, again.gaps, again.trouble) == (10, [(6, 10)], "quota reached")
    pty.print(b"abc")
    take_all(again, pty.master)
    assert told[1:] == [(6, None, "quota reached"), (6, 10, "quota reached")]
    third = LastingFile(path, 1, carrier(pipe), on_gap=lambda *gap: told.append(gap))
    third.take_over(told[:1])  # the second was killed before it had told the end
    assert (third.gaps, third.size, third.stored, told[3:]) == ([(6, 10)], 13, 9, told[2:3])


def test_what_was_on_the_way_and_has_no_room_is_not_stored_and_seen(pipe: PIPE, pty: Pty, tmp_path: Path) -> None:
    pty.print(b"on its way")
    assert carrier(pipe).take(1, pty.master) == 10  # and is killed
    file = LastingFile(str(tmp_path / "t1"), 1, carrier(pipe), quota=3)
    file.finish()
    assert (file.unstored, file.size, file.stored) == (b"its way", 10, 3)


def test_secrets_are_blanked_for_readers_at_once_and_in_the_file_at_the_end(
    pipe: PIPE, pty: Pty, tmp_path: Path
) -> None:
    file = LastingFile(str(tmp_path / "t1"), 1, carrier(pipe))
    transcript = LastingTranscript(file)
    pty.print(b"mark SECRET, mark SECRET.")
    transcript.append(take_all(file, pty.master))
    transcript.blank(5, 11)
    transcript.blank(18, 24)
    assert transcript.read() == b"mark ******, mark ******."
    assert transcript.read(8, 12) == b"***, mark **" and transcript.read(12, 4) == b" mar"
    assert b"SECRET" in (tmp_path / "t1").read_bytes()
    transcript.settle()
    assert transcript.read() == (tmp_path / "t1").read_bytes() == b"mark ******, mark ******."


READER = """
import os, select, sys
from truetty.store.lasting import Carrier, LastingFile
path, *numbers = sys.argv[1:]
master, out, into, word = map(int, numbers)
file = LastingFile(path, 1, Carrier(out, into, word))
file.finish()
print(flush=True)
while True:
    select.select([master], [], [])
    file.take(master)
"""


def test_a_reader_that_is_killed_again_and_again_loses_nothing(pipe: PIPE, pty: Pty, tmp_path: Path) -> None:
    script, path, rnd = tmp_path / "reader.py", tmp_path / "t1", random.Random(1)
    script.write_text(READER)
    printer = subprocess.Popen(["seq", "400000"], stdout=pty.slave)
    expected = b"".join(b"%d\n" % number for number in range(1, 400001))
    handed = (pty.master, *pipe)
    for _ in range(12):
        reader = subprocess.Popen(
            [sys.executable, script, path, *map(str, handed)], pass_fds=handed, stdout=subprocess.PIPE
        )
        assert reader.stdout is not None and reader.stdout.readline()
        goal = path.stat().st_size + rnd.randrange(1, 200_000)
        while path.stat().st_size < min(goal, len(expected)):
            assert reader.poll() is None
        reader.send_signal(signal.SIGKILL)
        reader.wait()
        reader.stdout.close()
    file = LastingFile(str(path), 1, carrier(pipe))
    file.finish()
    while file.size < len(expected):
        take_all(file, pty.master)
    assert printer.wait() == 0
    assert hashlib.sha256(path.read_bytes()).digest() == hashlib.sha256(expected).digest()
