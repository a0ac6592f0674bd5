"""Reading /proc: hostile names, the gone, and families."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from truetty.host.kernel import proc


@pytest.mark.parametrize("name", ["cat", "a b", ") S 1 (", "((", "\u00e4\u00f6\u00fc"])
def test_names_do_not_confuse(name: str) -> None:
    numbers = " ".join(str(n) for n in range(4, 53))
    found = proc.parse_stat(f"42 ({name}) S {numbers}\n".encode())
    assert (found.pid, found.name, found.state) == (42, name, "S")
    assert (found.parent, found.group, found.session, found.tty, found.front) == (4, 5, 6, 7, 8)
    assert (found.ticks, found.threads, found.born) == (14 + 15 + 16 + 17, 20, 22)
    assert (found.code, found.code_end, found.stack) == (26, 27, 28)


def test_ourselves() -> None:
    found = proc.stat(os.getpid())
    assert found is not None
    assert found.parent == os.getppid()
    assert found.group == os.getpgrp()
    assert proc.threads(found)[0] == os.getpid()
    assert proc.wakes(os.getpid(), os.getpid())


def test_the_main_thread_is_first_though_its_id_is_the_highest(monkeypatch: pytest.MonkeyPatch) -> None:
    found = proc.stat(os.getpid())
    assert found is not None
    several = found._replace(pid=32000, threads=3)
    monkeypatch.setattr(os, "listdir", lambda path: ["302", "301", "32000"])
    assert proc.threads(several) == [32000, 301, 302]


def test_the_gone_are_none() -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    assert proc.stat(gone.pid) is None
    assert proc.wakes(gone.pid, gone.pid) is None
    assert proc.ignored_signals(gone.pid) == 0


def test_kept_file_outlives_nobody() -> None:
    child = subprocess.Popen(["sleep", "1000"])
    kept = proc.ProcFile(f"/proc/{child.pid}/stat")
    try:
        assert proc.parse_stat(kept.read()).pid == child.pid
        child.kill()
        child.wait()
        with pytest.raises(ProcessLookupError):
            kept.read()
    finally:
        kept.close()
    with pytest.raises(FileNotFoundError):
        kept.read()


@pytest.mark.parametrize("files", ["children files", "none"])
def test_descendants(monkeypatch: pytest.MonkeyPatch, files: str) -> None:
    """Some kernels have no `children` files; then everybody is asked for his parent."""
    if files == "none":

        def missing(of: proc.Stat) -> list[int]:
            raise FileNotFoundError

        monkeypatch.setattr(proc, "children", missing)
    code = (
        "import subprocess as s; p = s.Popen(['sleep', '1000']); print(p.pid, flush=True); input(); p.kill(); p.wait()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        grandchild = int(child.stdout.readline())
        ourselves = proc.stat(os.getpid())
        assert ourselves is not None
        found = [one.pid for one in proc.descendants(ourselves)]
        assert found.index(child.pid) < found.index(grandchild)
        child.communicate(b"\n")
