"""The private directory: who may read it, what is put back, and whose is swept."""

from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import truetty
from truetty.files import create
from truetty.host import folder
from truetty.host.folder import OWNER, PREFIX, Folder, sweep


@pytest.fixture
def owned() -> Iterator[Folder]:
    made = Folder()
    yield made
    made.remove()


def test_only_its_user_may_look_into_it(owned: Folder) -> None:
    owned.write({"text": b"ls\n"})
    assert os.stat(owned.path).st_mode & 0o777 == 0o700
    assert os.stat(f"{owned.path}/text").st_mode & 0o777 == 0o600


def test_one_that_was_removed_is_made_again_with_what_must_last(owned: Folder) -> None:
    owned.write({"hook": b"lasting"}, lasting=True)
    owned.remove()
    owned.write({"text": b"ls\n"})
    assert Path(owned.path, "hook").read_bytes() == b"lasting"
    assert owned.has("text") and owned.has(OWNER)


def test_the_folder_of_a_living_process_stays(owned: Folder) -> None:
    sweep(os.path.dirname(owned.path))
    assert owned.has(OWNER)


def left_behind(where: Path, owner: str) -> Path:
    path = where / f"{PREFIX}left"
    path.mkdir()
    (path / OWNER).write_text(owner)
    return path


def dead_process() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def namespace() -> str:
    return os.readlink("/proc/self/ns/pid")


def test_the_folder_of_a_dead_process_is_swept(tmp_path: Path) -> None:
    path = left_behind(tmp_path, f"{dead_process()} 1 {namespace()}")
    sweep(str(tmp_path))
    assert not path.exists()


def test_the_folder_of_a_process_of_which_nothing_is_known_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where `/proc` hides other processes, a living one has no start time."""
    path = left_behind(tmp_path, f"{os.getpid()} 1 {namespace()}")
    monkeypatch.setattr(folder, "_start", lambda pid: folder.UNKNOWN)
    sweep(str(tmp_path))
    assert path.exists()


def test_a_reused_pid_is_not_the_owner(tmp_path: Path) -> None:
    path = left_behind(tmp_path, f"{os.getpid()} 1 {namespace()}")
    sweep(str(tmp_path))
    assert not path.exists()


def test_the_folder_of_a_process_in_another_pid_namespace_stays(tmp_path: Path) -> None:
    path = left_behind(tmp_path, f"{dead_process()} 1 pid:[1]")
    sweep(str(tmp_path))
    assert path.exists()


@pytest.mark.parametrize("owner", ["", "12", "a pid of nobody"])
def test_a_folder_that_does_not_name_its_owner_stays(tmp_path: Path, owner: str) -> None:
    """Another process may be making it at this moment: the file is there, and nothing is in it yet."""
    path = left_behind(tmp_path, owner)
    sweep(str(tmp_path))
    assert path.exists()


def test_a_sweep_in_another_pid_namespace_removes_nothing(owned: Folder, program: Callable[[str], str]) -> None:
    unshare = [program("unshare"), "--user", "--map-root-user", "--pid", "--fork", "--mount", "--mount-proc"]
    if subprocess.run([*unshare, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine lets no process make a pid namespace")
    sweeping = f"from truetty.host import folder; folder.sweep({os.path.dirname(owned.path)!r})"
    environ = os.environ | {"PYTHONPATH": str(Path(truetty.__file__).parents[1])}
    subprocess.run([*unshare, sys.executable, "-c", sweeping], env=environ, check=True)
    assert owned.has(OWNER)


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Places on which there is no room, as the test says: no file there gets its content."""
    places: set[str] = set()
    found, write = os.statvfs, os.write
    open_there: set[int] = set()

    def is_full(path: str) -> bool:
        return any(path.startswith(place) for place in places)

    def room(path: str) -> os.statvfs_result:
        seen = found(path)
        return os.statvfs_result((*seen[:3], 0, 0, *seen[5:])) if is_full(path) else seen

    def create_there(path: str) -> int:
        descriptor = create(path)
        (open_there.add if is_full(path) else open_there.discard)(descriptor)
        return descriptor

    def fill(descriptor: int, data: bytes) -> int:
        if descriptor in open_there:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(descriptor, data)

    monkeypatch.setattr(os, "statvfs", room)
    monkeypatch.setattr(os, "write", fill)
    monkeypatch.setattr("truetty.host.folder.create", create_there)
    return places


@pytest.fixture
def candidates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A tmpfs, the user's own folder and the temporary directory."""
    places = [str(tmp_path / name) for name in ("shm", "run", "tmp")]
    for place in places:
        os.mkdir(place)
    monkeypatch.setattr(folder, "SHARED_MEMORY", places[0])
    monkeypatch.setenv("XDG_RUNTIME_DIR", places[1])
    monkeypatch.setattr("tempfile.tempdir", places[2])
    return places


@pytest.mark.parametrize(("count", "taken"), [(0, 0), (1, 1), (2, 2)])
def test_a_place_without_room_is_passed_over(candidates: list[str], full: set[str], count: int, taken: int) -> None:
    full.update(candidates[:count])
    made = Folder()
    assert os.path.dirname(made.path) == candidates[taken] == folder.place()
    assert [os.listdir(place) for place in candidates if place != candidates[taken]] == [[], []]
    made.remove()


def test_where_no_place_has_room_nothing_is_left(candidates: list[str], full: set[str]) -> None:
    full.update(candidates)
    with pytest.raises(OSError, match="No space left"):
        Folder()
    assert [os.listdir(place) for place in candidates] == [[], [], []]


def test_little_room_is_better_than_none(
    candidates: list[str], full: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "LEAST_ROOM", 1 << 62)
    full.add(candidates[2])
    made = Folder()
    assert os.path.dirname(made.path) == candidates[0]
    made.remove()


def test_a_place_that_is_not_ours_is_passed_over(candidates: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder, "SHARED_MEMORY", "/no/such/place")
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    assert folder.place() == candidates[2]


def test_where_there_is_no_room_is_named_with_it(candidates: list[str], full: set[str]) -> None:
    full |= set(candidates)
    with pytest.raises(OSError, match="No space left") as raised:
        Folder()
    for place in candidates:
        assert re.search(rf"{re.escape(place)} \([\d,]+ KiB, 0 KiB free\)", str(raised.value))
    assert "Free some, or set TMPDIR" in str(raised.value)


def test_what_finds_no_room_leaves_nothing_behind(owned: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write

    def fill(descriptor: int, data: bytes) -> int:
        if len(data) <= 1000:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(descriptor, data[:1000])

    monkeypatch.setattr(os, "write", fill)
    with pytest.raises(OSError, match="No space left"):
        owned.write({"c1": b"x" * 5000})
    assert not owned.has("c1")


def test_of_several_files_all_are_gone_when_one_finds_no_room(owned: Folder, full: set[str]) -> None:
    before = os.listdir(owned.path)
    full.add(f"{owned.path}/d1")
    with pytest.raises(OSError, match="No space left"):
        owned.write({"v1": b"text", "d1": b"end"})
    assert os.listdir(owned.path) == before
    full.clear()
    owned.write({"v1": b"text", "d1": b"end"})
    assert owned.has("v1") and owned.has("d1")


def test_one_that_could_not_be_made_again_is_made_again_later(owned: Folder, full: set[str]) -> None:
    owned.write({"hook": b"lasting"}, lasting=True)
    owned.remove()
    full.add(f"{owned.path}/hook")
    with pytest.raises(OSError, match="No space left"):
        owned.write({"text": b"ls\n"})
    full.clear()
    owned.write({"text": b"ls\n"})
    assert Path(owned.path, "hook").read_bytes() == b"lasting" and owned.has(OWNER)
