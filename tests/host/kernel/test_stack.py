"""What is learnt of prompts, for whom it is kept, and what it takes to be recognised."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from tests.host.kernel.driver import SHELLS, Pty
from truetty.host.kernel import proc
from truetty.host.kernel import stack as prompts
from truetty.host.kernel.calls import Block, Device, blocked
from truetty.host.kernel.stack import Key, Look, Path, Prompts

Start = Callable[..., Pty]
EDITED = Look("pselect6", 0, 0x14E0, True)
LINES = Look("read", 8192, 0x298, False)
NOWHERE: Path = frozenset()


@pytest.fixture
def bash(start: Start) -> Pty:
    return start("bash")


@pytest.fixture
def key(bash: Pty) -> Key:
    found = prompts.key_of(bash.stat())
    assert found is not None
    return found


def block_of(pty: Pty) -> Block:
    found = os.stat(os.readlink(f"/proc/{pty.pid}/fd/0"))
    return blocked(pty.stat(), pty.pid, Device(found.st_rdev, found.st_dev))


@pytest.mark.parametrize(
    ("learnt", "seen", "verdict"),
    [
        ([], EDITED, "strange"),
        ([EDITED], EDITED, "prompt"),
        ([EDITED], EDITED._replace(depth=0x1500), "editor"),
        ([EDITED], EDITED._replace(call="poll"), "prompt"),
        ([EDITED], EDITED._replace(editing=False), "other"),
        ([EDITED], Look("read", 4096, 0x7E8, False), "other"),
        ([EDITED], Look("read", 1024, 0x12C8, False), "unlearnt"),
        ([EDITED, Look("read", 1024, 0x12C8, False)], Look("read", 1024, 0x12C8, False), "prompt"),
        ([LINES], LINES, "prompt"),
        ([LINES], LINES._replace(editing=True), "prompt"),
        ([LINES], LINES._replace(depth=0x300), "editor"),
        ([LINES], Look("read", 1, 0x298, False), "other"),
        ([LINES], EDITED, "unlearnt"),
    ],
)
def test_verdicts_where_the_path_cannot_be_compared(
    bash: Pty, key: Key, learnt: list[Look], seen: Look, verdict: str
) -> None:
    known = Prompts()
    for look in learnt:
        known.learn(key, look, NOWHERE)
    assert known.judge(key, seen, bash.stat()) == verdict


def test_the_path_must_be_the_same(bash: Pty, key: Key) -> None:
    known = Prompts()
    path = prompts.path_of(bash.stat(), block_of(bash))
    assert len(path) > 2
    known.learn(key, EDITED, path)
    assert known.judge(key, EDITED, bash.stat()) == "prompt"
    # A job in the background may change the modes under the editor: then the path alone is enough.
    assert known.judge(key, EDITED._replace(editing=False), bash.stat()) == "prompt"
    bash.type("read -e x\r")
    bash.settle("waiting", "line")
    assert known.judge(key, EDITED, bash.stat()) == "builtin"


@pytest.mark.parametrize("shell", SHELLS)
def test_the_path_of_a_shell_is_the_same_after_commands_and_in_other_processes(start: Start, shell: str) -> None:
    first, second = start(shell), start(shell)
    path = prompts.path_of(first.stat(), block_of(first))
    assert len(path) > 2
    for line in ("true", "/bin/true", "cd /", "echo a | /bin/cat"):
        second.run(line)
    later = prompts.path_of(second.stat(), block_of(second))
    assert 2 * len(path & later) >= len(path)


def test_kept_for_one_file_and_one_name(bash: Pty, key: Key) -> None:
    known = Prompts()
    known.learn(key, EDITED, NOWHERE)
    for other in ((key[0], key[1] + 1, key[2], key[3]), (*key[:2], key[2] + 1, key[3]), (*key[:3], "sh")):
        assert known.judge(other, EDITED, bash.stat()) == "strange"


def test_bounds(bash: Pty, key: Key) -> None:
    known = Prompts()
    for depth in range(100):
        known.learn(key, EDITED._replace(depth=depth), NOWHERE)
    verdicts = [known.judge(key, EDITED._replace(depth=depth), bash.stat()) for depth in range(100)]
    assert verdicts.count("prompt") < 20
    assert verdicts[-1] == "prompt"
    for inode in range(1000):
        known.learn((0, inode, 0, "x"), EDITED, NOWHERE)
    assert known.judge(key, EDITED, bash.stat()) == "strange"


def test_a_script_is_not_an_interactive_shell(start: Start, bash: Pty) -> None:
    assert prompts.is_interactive_shell(bash.stat())
    script = start("bash", "-c", "read x; true", prompt=False)
    script.settle("waiting", "line")
    assert not prompts.is_interactive_shell(script.stat())
    other = start("cat", prompt=False)
    assert not prompts.is_interactive_shell(other.stat())


def test_read_on_the_very_depth_of_the_prompt_is_not_the_prompt(start: Start) -> None:
    """Functions and lists deepen the stack of bash by steps; some sum of them is the prompt's own depth."""
    pty = start("bash")
    depth = _depth(pty)
    pty.run('f() { "$@"; }')
    plain = _depth_of_read(pty, "read -e x")
    steps = {
        "f {}": _depth_of_read(pty, "f read -e x") - plain,
        "{{ {}; }}": _depth_of_read(pty, "{ read -e x; }") - plain,
        "if :; then {}; fi": _depth_of_read(pty, "if :; then read -e x; fi") - plain,
        ": && {}": _depth_of_read(pty, ": && read -e x") - plain,
    }
    tried = 0
    for counts in _sums(list(steps.values()), depth - plain):
        line = "read -e x"
        for form, count in zip(steps, counts, strict=True):
            for _ in range(count):
                line = form.format(line)
        pty.type(line + "\r")
        pty.settle("waiting", "line", hard=True)
        tried += _depth(pty) == depth
        pty.run("")
        if tried == 5:
            break
    # On a build of bash where no such sum exists there is nothing to confuse, and the steps have shown as much.
    assert tried > 0 or not any(_sums(list(steps.values()), depth - plain))


def _depth(pty: Pty) -> int:
    stack = int(proc.read(f"/proc/{pty.pid}/syscall").split()[7], 16)
    return pty.stat().stack - stack


def _depth_of_read(pty: Pty, line: str) -> int:
    pty.type(line + "\r")
    pty.settle("waiting", "line", hard=True)
    depth = _depth(pty)
    pty.run("")
    return depth


def _sums(steps: list[int], total: int) -> list[list[int]]:
    """Every way to reach `total` with few of each step."""
    if not steps:
        return [[]] if total == 0 else []
    ways = []
    for count in range(6):
        ways += [[count, *rest] for rest in _sums(steps[1:], total - count * steps[0])]
    return ways
