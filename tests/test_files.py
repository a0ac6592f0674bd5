"""Files: what is made is private, what is read is checked, what is replaced is whole."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from truetty import files


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_file_is_private_and_new(tmp_path: Path) -> None:
    path = tmp_path / "new"
    os.close(files.create(str(path)))
    assert mode(path) == 0o600
    with pytest.raises(FileExistsError):
        files.create(str(path))
    (tmp_path / "link").symlink_to(tmp_path / "target")
    with pytest.raises(FileExistsError):
        files.create(str(tmp_path / "link"))
    assert not (tmp_path / "target").exists()
    folder = os.open(tmp_path, os.O_RDONLY)
    descriptor = files.create("inside", access=os.O_RDWR, folder=folder)
    os.write(descriptor, b"x")
    assert os.pread(descriptor, 9, 0) == b"x" and (tmp_path / "inside").exists()
    os.close(descriptor)
    os.close(folder)


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_each_folder_that_is_made_is_private(tmp_path: Path, umask: int) -> None:
    tmp_path.chmod(0o755)
    before = os.umask(umask)
    try:
        files.make_folder(str(tmp_path / "state" / "truetty" / "more"))
        files.make_folder(str(tmp_path / "state"))
    finally:
        os.umask(before)
    for folder in ("state", "state/truetty", "state/truetty/more"):
        assert mode(tmp_path / folder) == 0o700
    assert mode(tmp_path) == 0o755


def test_a_trusted_file_stands_in_folders_of_its_user(tmp_path: Path) -> None:
    folder = tmp_path / "above" / "folder"
    folder.mkdir(parents=True)
    path = folder / "file"
    path.write_bytes(b"x")
    path.chmod(0o600)
    (tmp_path / "link").symlink_to(path)
    for wide in (folder, folder.parent):
        for bits in (0o777, 0o775, 0o757):
            wide.chmod(bits)
            for name in (path, tmp_path / "link"):
                with pytest.raises(files.Refused, match=rf"write to its folder {wide} \(mode {bits:o}\); advice"):
                    files.read_trusted(str(name), 10, "; advice")
        wide.chmod(0o1777)  # as /tmp is
        assert files.read_trusted(str(path), 10, "") == b"x"
        wide.chmod(0o755)
    assert files.read_trusted(str(tmp_path / "link"), 10, "") == b"x"


def test_appending_makes_it_private(tmp_path: Path) -> None:
    path = tmp_path / "log"
    for line in (b"a\n", b"b\n"):
        descriptor = files.append(str(path))
        os.write(descriptor, line)
        os.close(descriptor)
        path.chmod(0o644)
    os.close(files.append(str(path)))
    assert path.read_bytes() == b"a\nb\n" and mode(path) == 0o600
    (tmp_path / "link").symlink_to(path)
    os.mkfifo(tmp_path / "pipe")
    for other in ("link", "pipe"):
        with pytest.raises(OSError):
            files.append(str(tmp_path / other))


READERS: list[Callable[[str], bytes]] = [
    lambda path: files.read_secret(path, 10, "; advice"),
    lambda path: files.read_trusted(path, 10, "; advice"),
]


@pytest.mark.parametrize("read", READERS)
def test_what_is_read_is_checked(tmp_path: Path, read: Callable[[str], bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    path.chmod(0o600)
    assert read(str(path)) == b"0123456789"
    path.chmod(0o622)
    with pytest.raises(files.Refused, match=r"others may .* \(mode 622\); advice"):
        read(str(path))
    path.chmod(0o600)
    path.write_bytes(b"01234567890")
    with pytest.raises(files.Refused, match="too large"):
        read(str(path))
    os.mkfifo(tmp_path / "pipe", 0o600)
    for other in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(files.Refused, match="no file"):
            read(str(other))
    with pytest.raises(FileNotFoundError):
        read(str(tmp_path / "none"))
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    if path.stat().st_uid:
        with pytest.raises(files.Refused, match="another user"):
            read(str(path))


def test_others_may_read_what_is_only_trusted(tmp_path: Path) -> None:
    path, link = tmp_path / "file", tmp_path / "link"
    path.write_bytes(b"x")
    path.chmod(0o644)
    link.symlink_to(path)
    assert files.read_trusted(str(link), 10, "") == files.read_plain(str(link)) == b"x"
    with pytest.raises(files.Refused, match="others may use it"):
        files.read_secret(str(path), 10, "")
    path.chmod(0o600)
    with pytest.raises(OSError):
        files.read_secret(str(link), 10, "")
    with pytest.raises(files.Refused, match="no file"):
        files.read_plain(str(tmp_path))


def test_a_replacement_is_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), files.replacement(str(path)) as new:
        Path(new).write_text("half")
        raise ZeroDivisionError
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]
    with files.replacement(str(path)) as new:
        Path(new).write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new" and list(tmp_path.iterdir()) == [path]


def test_the_folders_of_a_user() -> None:
    assert files.user_folder("XDG_CONFIG_HOME", {"HOME": "/home/ada"}) == "/home/ada/.config"
    assert files.user_folder("XDG_STATE_HOME", {"HOME": "/home/ada"}) == "/home/ada/.local/state"
    assert files.user_folder("XDG_STATE_HOME", {"HOME": "/h", "XDG_STATE_HOME": "/s"}) == "/s"
    assert files.user_folder("XDG_CONFIG_HOME", {"HOME": "/h", "XDG_CONFIG_HOME": "not/absolute"}) == "/h/.config"
    assert files.home_of({"HOME": ""}) == os.path.expanduser("~")
