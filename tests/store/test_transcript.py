"""The transcript against a plain bytearray, and against disks that fail."""

from __future__ import annotations

import contextlib
import errno
import gc
import hashlib
import os
import random
import resource
import shutil
import stat
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truetty.core.errors import HostError, Misuse
from truetty.store.spill import Allowance, Spill
from truetty.store.transcript import Transcript

KB = 1024


def bytes_of(seed: int, size: int) -> bytes:
    return random.Random(seed).randbytes(size)


def without(data: bytes, gaps: tuple[tuple[int, int], ...]) -> bytes:
    """What is left of the data when the gaps are taken out."""
    kept, at = b"", 0
    for start, end in gaps:
        kept += data[at:start]
        at = end
    return kept + data[at:]


@contextlib.contextmanager
def failing(monkeypatch: pytest.MonkeyPatch, call: str, code: int) -> Iterator[None]:
    def refuse(*_: object, **__: object) -> int:
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patch:
        patch.setattr(os, call, refuse)
        yield


# -- the model

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.binary(max_size=300), st.just(0)),
        st.tuples(st.just("blank"), st.integers(0, 2000), st.integers(0, 200)),
        st.tuples(st.just("read"), st.integers(-5, 2500), st.integers(-1, 700)),
        st.tuples(st.just("path"), st.just(0), st.just(0)),
        st.tuples(st.just("close"), st.just(0), st.just(0)),
    ),
    max_size=40,
)


@given(memory=st.integers(0, 600), steps=STEPS)
def test_equals_a_bytearray(memory: int, steps: list[tuple[str, bytes | int, int]]) -> None:
    transcript, model = Transcript(memory=memory), bytearray()
    for name, first, second in steps:
        match name, first:
            case "append", bytes(data):
                assert transcript.append(data) == len(model)
                model += data
            case "blank", int(start):
                transcript.blank(start, start + second)
                end = min(len(model), start + second)
                model[start:end] = b"*" * max(0, end - start)
            case "read", int(offset):
                start = max(0, offset)
                assert transcript.read(offset, second) == model[start : start + max(0, second)]
            case "path", _:
                if (path := transcript.path) is not None:
                    assert Path(path).read_bytes() == model
            case _:
                transcript.close()
        assert transcript.size == len(model)
    assert transcript.read() == model
    assert b"".join(transcript.read(at, 77) for at in range(0, len(model), 77)) == model
    assert transcript.gaps() == ()


def test_fifty_megabytes_in_random_pieces_with_blanks() -> None:
    chance = random.Random(7)
    transcript, plain = Transcript(), bytearray()
    while len(plain) < 50 << 20:
        data = chance.randbytes(chance.choice((1, 17, 4096, 65536, 300_000)))
        assert transcript.append(data) == len(plain)
        plain += data
        if chance.random() < 0.2:
            start = chance.randrange(len(plain))
            end = min(len(plain), start + chance.randrange(200))
            transcript.blank(start, end)
            plain[start:end] = b"*" * (end - start)
    digest = hashlib.sha256()
    for at in range(0, transcript.size, 1 << 18):
        digest.update(transcript.read(at, 1 << 18))
    assert digest.digest() == hashlib.sha256(plain).digest()
    path = transcript.path
    assert path is not None
    assert hashlib.sha256(Path(path).read_bytes()).digest() == digest.digest()


def test_memory_stays_flat_under_a_flood() -> None:
    data = bytes_of(1, 64 * KB)
    transcript = Transcript()
    for _ in range(64):
        transcript.append(data)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tracemalloc.start()
    try:
        for _ in range(3200):  # 200 MB
            transcript.append(data)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert transcript.size == 64 * KB * 3264
    assert peak < 4 << 20
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 8 * KB  # in kB on Linux
    assert transcript.read(64 * KB * 1000, 64 * KB) == data


def test_small_transcripts_never_touch_the_disk() -> None:
    transcript = Transcript(memory=1000)
    transcript.append(b"x" * 1000)
    transcript.close()
    assert transcript.path is None
    assert transcript.read(990, 100) == b"x" * 10


# -- the file


def test_the_file_is_private_and_goes_with_the_transcript() -> None:
    transcript = Transcript(memory=10)
    transcript.append(b"secret" * 10)
    path = transcript.path
    assert path is not None
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    folder = os.path.dirname(path)
    assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
    transcript.close()
    assert transcript.read() == b"secret" * 10
    assert os.path.exists(path)
    del transcript
    gc.collect()
    assert not os.path.exists(folder)


def test_a_given_folder_stays_and_only_the_file_goes(tmp_path: Path) -> None:
    folder = tmp_path / "spill"
    transcript = Transcript(memory=10, folder=str(folder))
    transcript.append(b"a" * 100)
    assert [item.name for item in folder.iterdir()] == [os.path.basename(transcript.path or "")]
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    del transcript
    gc.collect()
    assert list(folder.iterdir()) == []


def test_close_leaves_no_descriptor() -> None:
    before = set(os.listdir("/proc/self/fd"))
    transcript = Transcript(memory=10)
    transcript.append(b"b" * 100)
    assert len(os.listdir("/proc/self/fd")) == len(before) + 1
    transcript.close()
    assert transcript.read() == b"b" * 100
    transcript.append(b"c" * 100)
    assert transcript.read(100) == b"c" * 100
    assert len(os.listdir("/proc/self/fd")) == len(before)


SCRIPT = """
import os, sys
from truetty.store.transcript import Transcript
transcript = Transcript(memory=10)
transcript.append(b"d" * 100)
print(transcript.path, flush=True)
if sys.argv[1] == "fork":
    child = os.fork()
    if child == 0:
        sys.exit(0)  # runs the interpreter's exit handlers
    os.waitpid(child, 0)
    print(os.path.exists(transcript.path), flush=True)
"""


def printed_by_script(word: str) -> str:
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", SCRIPT, word]
    return subprocess.run(command, env=environ, capture_output=True, text=True, check=True).stdout


def test_the_file_is_gone_when_the_interpreter_exits() -> None:
    path = printed_by_script("exit").strip()
    assert path and not os.path.exists(os.path.dirname(path))


def test_a_forked_child_that_exits_leaves_the_file() -> None:
    path, still_there = printed_by_script("fork").split()
    assert still_there == "True"
    assert not os.path.exists(path)


def test_a_folder_that_is_not_ours_alone_is_refused(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    plain = tmp_path / "plain"
    plain.touch()
    for folder in (shared, link, plain):
        with pytest.raises(Misuse):
            Transcript(folder=str(folder))


def test_a_link_put_in_place_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "spill", tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    transcript = Transcript(memory=10, folder=str(folder))
    folder.symlink_to(elsewhere)
    transcript.append(b"e" * 100)
    assert list(elsewhere.iterdir()) == []
    assert transcript.gaps() == ((0, 95),)
    assert transcript.read() == b"e" * 5


def test_a_link_planted_at_the_name_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    folder = tmp_path / "spill"
    folder.mkdir(mode=0o700)
    (folder / bytes(8).hex()).symlink_to(victim)
    monkeypatch.setattr(os, "urandom", bytes)
    transcript = Transcript(memory=10, folder=str(folder))
    transcript.append(b"f" * 100)
    assert victim.read_bytes() == b"precious"
    assert transcript.gaps() == ((0, 95),)
    assert transcript.path is None


def test_a_link_or_file_put_in_place_of_a_closed_file_is_not_read(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"P" * 200)
    for plant in (lambda at: os.symlink(victim, at), lambda at: shutil.copy(victim, at)):
        transcript = Transcript(memory=10, folder=str(tmp_path / "spill"))
        transcript.append(b"g" * 100)
        path = transcript.path
        assert path is not None
        transcript.close()
        os.unlink(path)
        plant(path)
        assert transcript.read() == b"g" * 5
        transcript.blank(0, 50)
        assert victim.read_bytes() == b"P" * 200
        assert transcript.gaps() == ((0, 95),)
        assert transcript.path is None
        del transcript
        gc.collect()
        assert os.path.lexists(path)  # not ours, so not ours to remove
        os.unlink(path)


# -- disks that fail


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "tiny"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k,mode=0700", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting a tmpfs is not allowed here; a limit of the file's size stands in for a full disk below")
    try:
        yield place
    finally:
        gc.collect()
        subprocess.run(["umount", "-l", str(place)], check=True)


def test_disk_full_then_room_again(tiny_disk: Path) -> None:
    ballast = tiny_disk / "ballast"
    ballast.write_bytes(b"\0" * 32 * KB)
    data = bytes_of(2, 400 * KB)
    transcript = Transcript(memory=20 * KB, folder=str(tiny_disk))
    for at in range(0, 200 * KB, 1000):
        transcript.append(data[at : at + 1000])
    assert transcript.trouble == os.strerror(errno.ENOSPC)
    (gap,) = transcript.gaps()
    assert gap[0] >= 20 * KB  # a full disk still took what it could
    assert transcript.read() == without(data[: transcript.size], (gap,))
    ballast.unlink()
    full = transcript.size
    for at in range(full, full + 15 * KB, 1000):
        transcript.append(data[at : at + 1000])
    assert transcript.trouble is None
    assert transcript.read() == without(data[: transcript.size], transcript.gaps())
    assert transcript.gaps(full) == ()
    assert sum(end - start for start, end in transcript.gaps()) == transcript.size - len(transcript.read())


def test_a_file_size_limit_is_like_a_full_disk() -> None:
    data = bytes_of(8, 100_000)
    transcript = Transcript(memory=10_000)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (23_456, hard))  # Python ignores SIGXFSZ, so this is an errno
    try:
        for at in range(0, 60_000, 1000):
            transcript.append(data[at : at + 1000])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert transcript.trouble == os.strerror(errno.EFBIG)
    ((start, end),) = transcript.gaps()
    assert start == 23_456  # the part that fitted was kept
    transcript.append(data[60_000:])
    assert transcript.trouble is None
    assert transcript.gaps() == ((start, end),)
    assert transcript.read() == data[:start] + data[end:]


def test_an_error_of_the_disk_is_a_gap_and_writing_resumes(monkeypatch: pytest.MonkeyPatch) -> None:
    data = bytes_of(3, 100_000)
    transcript = Transcript(memory=10_000)
    transcript.append(data[:30_000])
    with failing(monkeypatch, "pwrite", errno.EIO):
        for at in range(30_000, 60_000, 1000):
            assert transcript.append(data[at : at + 1000]) == at
        assert transcript.trouble == os.strerror(errno.EIO)
        assert transcript.gaps()
    transcript.append(data[60_000:])
    assert transcript.trouble is None
    gaps = transcript.gaps()
    assert len(gaps) == 1 and gaps[0][0] == 25_000 and 50_000 <= gaps[0][1] <= 60_000
    assert transcript.read() == without(data, gaps)
    assert transcript.read(0, 25_000) == data[:25_000]
    assert transcript.read(24_990, 30_000) == without(data[:54_990], gaps)[24_990:]
    assert transcript.gaps(0, 25_000) == transcript.gaps(gaps[0][1]) == ()
    assert transcript.gaps(30_000, 40_000) == ((30_000, 40_000),)
    path = transcript.path
    assert path is not None
    stored = Path(path).read_bytes()
    assert len(stored) == len(data)
    assert without(stored, gaps) == without(data, gaps)


def test_no_file_can_be_made_and_later_it_can(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    transcript = Transcript(memory=100)
    with failing(monkeypatch, "open", errno.EMFILE):
        for _ in range(10):
            transcript.append(b"h" * 100)
    assert transcript.gaps() == ((0, 950),)
    assert len(list(tmp_path.iterdir())) <= 1  # one folder, however often it was tried
    transcript.append(b"i" * 1000)
    assert transcript.read(950) == b"h" * 50 + b"i" * 1000
    del transcript
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_the_folder_is_removed_before_the_first_byte(tmp_path: Path) -> None:
    folder = tmp_path / "spill"
    folder.mkdir(mode=0o700)
    transcript = Transcript(memory=10, folder=str(folder))
    folder.rmdir()
    transcript.append(b"j" * 100)
    assert transcript.gaps() == ()
    assert transcript.read() == b"j" * 100


@pytest.mark.parametrize("private", [True, False])
def test_the_folder_is_removed_under_an_open_file(tmp_path: Path, private: bool) -> None:
    data = bytes_of(4, 3_000_000)
    transcript = Transcript(memory=1000, folder=None if private else str(tmp_path / "spill"))
    transcript.append(data[:1_500_000])
    first = transcript.path
    assert first is not None
    shutil.rmtree(os.path.dirname(first))
    transcript.append(data[1_500_000:])
    assert transcript.read() == data
    second = transcript.path
    assert second is not None and second != first
    assert Path(second).read_bytes() == data
    shutil.rmtree(os.path.dirname(second))
    transcript.close()
    assert transcript.read() == data
    assert transcript.gaps() == ()
    third = transcript.path
    assert third is not None
    del transcript
    gc.collect()
    assert not os.path.exists(third)


def test_a_removed_file_that_cannot_be_copied_is_a_gap_after_close(monkeypatch: pytest.MonkeyPatch) -> None:
    transcript = Transcript(memory=10)
    transcript.append(b"k" * 100)
    path = transcript.path
    assert path is not None
    os.unlink(path)
    with failing(monkeypatch, "pwrite", errno.ENOSPC):
        assert transcript.path is None
        assert transcript.gaps() == ()  # the descriptor still has everything
        transcript.close()
    assert transcript.gaps() == ((0, 95),)
    assert transcript.read() == b"k" * 5
    del transcript
    gc.collect()
    assert not os.path.exists(os.path.dirname(path))


def test_a_copy_of_a_removed_file_leaves_gaps_as_holes(monkeypatch: pytest.MonkeyPatch) -> None:
    transcript = Transcript(memory=0)
    transcript.append(b"l" * 10)
    with failing(monkeypatch, "pwrite", errno.EIO):
        transcript.append(b"m" * (20 << 20))
    transcript.append(b"n" * 10)
    path = transcript.path
    assert path is not None
    os.unlink(path)
    path = transcript.path
    assert path is not None
    assert os.stat(path).st_blocks * 512 < 1 << 20
    assert transcript.read() == b"l" * 10 + b"n" * 10


def test_a_truncated_file_is_a_gap() -> None:
    transcript = Transcript(memory=10)
    transcript.append(b"o" * 100)
    os.truncate(transcript.path or "", 40)
    assert transcript.read() == b"o" * 45
    assert transcript.gaps() == ((40, 95),)


def test_a_disk_that_cannot_be_read_is_a_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    transcript = Transcript(memory=10)
    transcript.append(b"p" * 100)
    with failing(monkeypatch, "pread", errno.EIO):
        assert transcript.read(10, 20) == b""
    assert transcript.gaps() == ((10, 30),)


def test_a_write_that_fails_after_close_loses_nothing_older(monkeypatch: pytest.MonkeyPatch) -> None:
    transcript = Transcript(memory=10)
    transcript.append(b"q" * 100)
    transcript.close()
    with failing(monkeypatch, "pwrite", errno.EIO):
        transcript.append(b"r" * 100)
    gaps = transcript.gaps()
    assert gaps == ((100, 195),)
    assert transcript.read() == b"q" * 100 + b"r" * 5
    transcript.append(b"s" * 100)
    assert transcript.read() == b"q" * 100 + b"r" * 5 + b"s" * 100


def test_out_of_descriptors_is_no_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    transcript = Transcript(memory=10)
    transcript.append(b"q" * 100)
    transcript.close()
    with failing(monkeypatch, "open", errno.EMFILE), pytest.raises(HostError):
        transcript.read()
    assert transcript.read() == b"q" * 100
    assert transcript.gaps() == ()


def test_a_secret_that_cannot_be_blanked_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    transcript = Transcript(memory=10)
    transcript.append(b"r" * 50 + b"SECRET" + b"s" * 50)
    with failing(monkeypatch, "pwrite", errno.EIO):
        transcript.blank(50, 56)
    assert transcript.read() == b"r" * 50 + b"s" * 50
    assert transcript.gaps() == ((50, 56),)


# -- quotas


def test_a_quota_bounds_the_file_and_the_newest_stay_readable() -> None:
    data = bytes_of(5, 100_000)
    transcript = Transcript(memory=1000, quota=10_000)
    for at in range(0, 100_000, 500):
        transcript.append(data[at : at + 500])
    ((start, end),) = transcript.gaps()
    assert start == 10_000
    assert 99_000 <= end <= 99_500
    assert transcript.trouble == "quota reached"
    assert transcript.read() == data[:10_000] + data[end:]
    assert os.path.getsize(transcript.path or "") == 10_000


def test_a_total_is_shared_and_given_back() -> None:
    total = Allowance(1000)
    first, second = (Transcript(memory=0, total=total) for _ in range(2))
    first.append(b"t" * 700)
    second.append(b"u" * 700)
    assert second.gaps() == ((300, 700),)
    assert total.remaining == 0
    del first
    gc.collect()
    assert total.remaining == 700
    second.append(b"v" * 100)
    assert second.read() == b"u" * 300 + b"v" * 100


def test_a_quota_of_nothing_makes_no_file() -> None:
    transcript = Transcript(memory=10, quota=0)
    transcript.append(b"w" * 100)
    assert transcript.path is None
    assert transcript.gaps() == ((0, 95),)
    assert transcript.read() == b"w" * 5


def test_no_quota_at_all() -> None:
    transcript = Transcript(memory=0, quota=None, total=Allowance(None))
    transcript.append(b"w" * 5000)
    assert transcript.gaps() == ()
    with pytest.raises(Misuse):
        Transcript(quota=-1)


# -- another store


class Spliced(Spill):
    """A file that another program fills before the bytes are appended."""

    def __init__(self, folder: str) -> None:
        super().__init__(folder)
        self.writes = 0

    def arrive(self, data: bytes) -> None:
        super().write(self.holds, memoryview(data))

    def write(self, at: int, data: memoryview) -> int:
        self.writes += 1
        return super().write(at, data)


def test_a_store_that_has_the_bytes_already_is_not_written_to(tmp_path: Path) -> None:
    store = Spliced(str(tmp_path / "spill"))
    transcript = Transcript(memory=100, store=store)
    data = bytes_of(6, 1000)
    for at in range(0, 1000, 50):
        store.arrive(data[at : at + 50])
        transcript.append(data[at : at + 50])
    transcript.blank(990, 1000)
    transcript.blank(100, 110)
    expected = data[:100] + b"*" * 10 + data[110:990] + b"*" * 10
    assert transcript.read() == expected
    assert store.writes == 0
    assert Path(transcript.path or "").read_bytes() == expected


class Kept:
    """Text that was made of bytes; whether it was told to forget them."""

    forgotten = False

    def forget(self) -> None:
        self.forgotten = True


@pytest.mark.parametrize(("start", "forgets"), [(3, True), (9, True), (10, False), (15, False)])
def test_kept_text_is_forgotten_if_its_own_bytes_are_blanked(start: int, forgets: bool) -> None:
    transcript = Transcript()
    transcript.append(b"0123456789behind it")
    kept = Kept()
    transcript.keep(kept, 10)
    transcript.blank(start, start + 3)
    assert kept.forgotten is forgets
