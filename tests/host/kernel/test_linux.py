"""The Linux observer on real shells: what it says in settled states, and what it must never say."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.host.kernel.driver import SHELLS, Pty
from truetty.host.base import Work
from truetty.host.kernel import observer_for, proc
from truetty.host.kernel.blind import BlindObserver
from truetty.host.kernel.linux import LinuxObserver

Start = Callable[..., Pty]
every_shell = pytest.mark.parametrize("shell", SHELLS)


# ── the prompt ──────────────────────────────────────────────────────────────────────────────────────────────────────


@every_shell
def test_prompt_program_and_end(start: Start, shell: str) -> None:
    pty = start(shell)
    ready = pty.settle("ready", conclusive=True)
    assert ready.reader == pty.pid
    assert pty.observer.look.knows_prompt
    assert pty.observer.tty.shell_in_front()

    pty.type("/bin/sleep 1000\r")
    pty.until(lambda: pty.in_front() == "sleep", "sleep is in front")
    pty.settle("running", conclusive=True)
    assert not pty.observer.tty.shell_in_front()
    assert [child.name for child in pty.children()] == ["sleep"]

    pty.type("\x03")
    pty.settle("ready", conclusive=True)
    pty.type("/bin/cat\r")
    waiting = pty.settle("waiting", "line", conclusive=True)
    assert (waiting.program, waiting.reader) == ("cat", pty.children()[0].pid)

    pty.type("\x04")
    pty.settle("ready", conclusive=True)
    assert pty.children() == []
    pty.type("exit\r")
    pty.settle("exited")


@every_shell
def test_prompt_is_the_same_in_every_process_of_a_shell(start: Start, shell: str) -> None:
    start(shell)
    argv = SHELLS[shell]
    other = start(*argv, prompt=False, env={f"V{n}": "x" * (37 * n % 400) for n in range(60)} | {"LC_ALL": "C.UTF-8"})
    other.settle("ready", conclusive=True)
    other.run("cd /")
    other.type("exec " + " ".join(argv) + "\r")
    watch = other.observer
    other.until(lambda: watch.look.observe().seen == "ready" and watch.process.cwd() == "/", "the new shell")
    other.settle("ready", conclusive=True)
    other.type(" ".join(argv) + "\r")
    nested = other.settle("waiting", "shell", conclusive=True)
    assert nested.reader == other.children()[0].pid


@every_shell
def test_prompt_after_trouble(start: Start, shell: str) -> None:
    pty = start(shell)
    for keys in ("echo abc\x03", "true\r", "/bin/true\r", "/bin/sleep 1000\r", "\x03", "/bin/sleep 1000\r", "\x1a"):
        pty.type(keys)
        if keys.startswith("/bin/sleep"):
            if shell != "ksh93":  # it has a sleep of its own
                pty.until(lambda: pty.in_front() == "sleep", "sleep is in front")
            pty.settle("running")
        else:
            pty.settle("ready", conclusive=True)
    # ksh93 has a sleep of its own; elsewhere the job is stopped, and does not make the shell so.
    assert pty.observer.look.observe().seen == "ready"


def test_nothing_learnt_is_soft(start: Start) -> None:
    pty = start("bash", prompt=False)
    pty.settle("waiting", "shell", conclusive=False)
    assert not pty.observer.look.knows_prompt
    pty.learn()
    pty.settle("ready", conclusive=True)


def test_learning_needs_a_shell_that_reads(start: Start) -> None:
    pty = start("bash")
    pty.type("sleep 1000\r")
    pty.settle("running")
    assert not pty.observer.look.learn()


def test_another_editing_mode_is_learnt_beside_the_first(start: Start) -> None:
    pty = start("ksh93")
    pty.type("set -o vi\r")
    pty.settle("waiting", "continuation", conclusive=False)
    assert pty.observer.look.learn()
    pty.settle("ready", conclusive=True)
    pty.run("set -o emacs")
    pty.run("true")
    second = start("ksh93", prompt=False)
    second.settle("ready")


def test_csh_without_its_editor_reads_what_is_left_of_its_buffer(start: Start) -> None:
    pty = start("tcsh")
    pty.type("unset edit\r")
    pty.settle("waiting", "shell", conclusive=False)
    assert pty.observer.look.learn()
    for _ in range(3):
        pty.run("true")
    pty.type("set x=$<\r")
    pty.settle("waiting", "line", conclusive=True)


def test_exec_of_another_shell(start: Start) -> None:
    pty = start("bash")
    before = pty.observer.process.program()
    pty.type("exec dash\r")
    look = pty.settle("waiting", "shell", conclusive=False)
    assert look.reader == pty.pid
    assert not pty.observer.look.knows_prompt
    assert pty.observer.process.program() not in (None, before)
    assert pty.observer.look.learn()
    pty.run("true")


def test_modes_left_behind_do_not_hide_the_prompt(start: Start) -> None:
    pty = start("dash")
    pty.run("stty -echo")
    pty.settle("ready", conclusive=True)
    pty.type("stty echo raw\r")
    pty.settle("ready", conclusive=True)


def test_modes_changed_under_the_editor_do_not_hide_the_prompt(start: Start) -> None:
    pty = start("bash")
    os.system(f"stty sane <{os.readlink(f'/proc/{pty.pid}/fd/0')}")
    assert pty.modes().canonical
    pty.settle("ready", conclusive=True)


# ── what the shell itself reads ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("shell", "line", "kind", "conclusive"),
    [
        ("bash", "read x", "line", True),
        ("bash", "read -s x", "secret", True),
        ("bash", "read -t 1000 x", "line", False),
        ("bash", "read -n 1 x", "key", True),
        ("bash", "read -e x", "line", True),
        ("bash", "f() { eval 'read -e x'; }; f", "line", True),
        ("bash", "x=$(read y)", "line", True),
        ("bash", "(read x)", "line", True),
        ("bash", "set +m; cat", "line", True),
        ("bash", 'echo "abc', "continuation", False),
        ("bash", "cat <<E", "continuation", False),
        ("zsh", "read x", "line", True),
        ("zsh", "read -s x", "secret", True),
        ("zsh", "vared PATH", "line", True),
        ("zsh", "if true", "continuation", False),
        ("fish", "read x", "line", False),  # it waits for more than the tty
        ("dash", "read x", "line", True),
        ("dash", "stty -echo; read x", "secret", True),
        ("dash", "if true", "continuation", False),
        ("ksh93", "read x", "line", True),
        ("ksh93", "if true", "continuation", False),
        ("mksh", "read x", "line", True),
        ("mksh", "read -n1 x", "key", True),
        ("mksh", "if true", "continuation", False),
        ("tcsh", "set x=$<", "line", True),
        ("tcsh", "foreach i (1 2)", "continuation", False),
        ("busybox", "read x", "line", True),
        ("busybox", "read -s x", "secret", True),
        ("busybox", 'echo "abc', "continuation", False),
    ],
)
def test_shell_reads(start: Start, shell: str, line: str, kind: str, conclusive: bool) -> None:
    pty = start(shell)
    if shell in ("bash", "zsh", "fish", "ksh93"):  # those lend their editor to commands
        pty.learn_work()
    pty.type(line + "\r")
    pty.settle("waiting", kind, conclusive)


@pytest.mark.parametrize("line", ["while :; do :; done", "wait", "sleep 1000 & wait", "set +m; sleep 1000"])
def test_shell_is_at_work(start: Start, line: str) -> None:
    pty = start("bash")
    pty.type(f"sleep 1000 & {line}\r")
    pty.settle("running", conclusive=True)
    busy = line.startswith("while")
    pty.until(lambda: pty.observer.look.observe().busy == busy, f"busy: {busy}")


def work(pty: Pty, *besides: int) -> Work:
    found = pty.observer.family.work(besides)
    assert found is not None
    return found


@pytest.mark.parametrize("line", ["read x", "wait", "(sleep 1000)", "sleep 1000 | cat"])
def test_a_shell_that_waits_sleeps_with_all_that_it_has_started(start: Start, line: str) -> None:
    pty = start("bash")
    pty.type(f"sleep 1000 & {line}\r")
    pty.until(lambda: work(pty).asleep, "all of them asleep")


@pytest.mark.parametrize("line", ["while :; do :; done", "(while :; do :; done)", "(while :; do :; done) & wait"])
def test_a_shell_that_works_uses_cpu(start: Start, line: str) -> None:
    pty = start("bash")
    before = work(pty).cpu
    pty.type(line + "\r")
    pty.until(lambda: work(pty).cpu > before + 0.2, "a fifth of a second was used")
    assert not work(pty).asleep


def test_the_work_of_an_earlier_job_is_left_out(start: Start) -> None:
    pty = start("bash")
    pty.run("(while :; do :; (:); done) &")
    (job,) = (one.pid for one in pty.children() if one.parent == pty.pid)
    assert not work(pty).asleep
    pty.until(lambda: work(pty, job).asleep, "the shell asleep at its prompt")


# ── the dangerous moment ────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("shell", ["bash", "dash", "zsh", "mksh"])
def test_never_ready_before_the_end_once_the_line_is_consumed(start: Start, tmp_path: Path, shell: str) -> None:
    pty = start(shell)
    truth = tmp_path / "n"
    for n in range(60):
        line = f"/bin/sleep 0.00{n % 5}; echo {n} >{truth}\r"
        needed = (pty.observer.process.consumed() or 0) + len(line)
        pty.type(line)
        for _ in range(100_000):
            look = pty.observer.look.observe()
            read = (look.consumed or 0) >= needed
            assert not (read and look.seen == "waiting" and look.conclusive), look
            if read and look.seen == "ready" and look.conclusive:
                break
            pty.pump(0)
        assert truth.read_text() == f"{n}\n"


def test_consumed_counts_the_shells_own_reading_only(start: Start, tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(b"x" * 100_000)
    pty = start("dash")
    before = pty.observer.process.consumed()
    line = f"/bin/cat {tmp_path}/big >/dev/null"
    pty.run(line)
    assert before is not None
    assert pty.observer.process.consumed() == before + len(line) + 1


# ── single facts ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_directory(start: Start, tmp_path: Path) -> None:
    pty = start("dash")
    folder = tmp_path / "a folder (deleted)"
    folder.mkdir()
    pty.run(f"cd '{folder}'")
    assert pty.observer.process.cwd() == str(folder)
    folder.rmdir()
    assert pty.observer.process.cwd() is None


def test_everyone_of_the_terminal(start: Start) -> None:
    pty = start("bash")
    pty.run("sleep 1001 & (setsid sh -c 'exec sleep 1002' &)")

    def names() -> list[str]:
        return sorted(process.name for process in pty.everyone())

    pty.until(lambda: names() == ["bash", "sleep", "sleep"], "the shell, its job and a daemon that holds its tty")
    assert [process.name for process in pty.children()] == ["sleep"]


def test_a_fork_of_ours_is_not_of_the_terminal(start: Start) -> None:
    pty = start("bash")
    slave = os.open(os.readlink(f"/proc/{pty.pid}/fd/0"), os.O_RDWR | os.O_NOCTTY)
    try:
        with subprocess.Popen(
            [sys.executable, "-c", "print(flush=True); input()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=(pty.master, slave),
        ) as fork:
            assert fork.stdout is not None
            fork.stdout.readline()
            assert [process.pid for process in pty.everyone()] == [pty.pid]
            fork.communicate(b"\n")
    finally:
        os.close(slave)


def test_zombies_do_not_live(start: Start) -> None:
    pty = start("bash")
    pty.type("sh -c 'sleep 0 & exec sleep 1000'\r")
    pty.settle("running")
    pty.until(lambda: any(one.state == "Z" for one in proc.descendants(pty.stat())), "a zombie")
    pty.until(lambda: [process.state for process in pty.children()] == ["S"], "one child, no zombie, that sleeps")


def test_exited_is_seen_before_and_after_it_is_waited_for(start: Start) -> None:
    pty = start("dash")
    pty.type("exit 3\r")
    pty.settle("exited")
    os.waitpid(pty.pid, 0)
    pty.settle("exited")
    assert pty.children() == []
    assert pty.observer.process.consumed() is None
    assert pty.observer.process.cwd() is None


def descriptors() -> set[int]:
    return {int(fd) for fd in os.listdir("/proc/self/fd") if os.path.lexists(f"/proc/self/fd/{fd}")}


def test_close_closes_everything(start: Start) -> None:
    pty = start("bash")
    before = descriptors()
    observer = LinuxObserver(pty.master, pty.pid)
    observer.look.observe()
    observer.family.everyone()
    kept = descriptors() - before
    assert kept
    assert not any(os.get_inheritable(fd) for fd in kept)
    observer.close()
    assert descriptors() == before


def test_the_best_observer_for_this_machine(start: Start) -> None:
    pty = start("bash")
    observer = observer_for(pty.master, pty.pid)
    assert isinstance(observer, LinuxObserver)
    observer.close()
    gone = subprocess.Popen(["true"])
    gone.wait()
    blind = observer_for(pty.master, gone.pid)
    assert isinstance(blind, BlindObserver)
    assert blind.look.observe().seen == "exited"
    blind.close()


def test_a_look_at_a_shell_that_did_not_run_opens_nothing(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    pty = start("bash")
    first = pty.settle("ready")

    def refuse(path: str, flags: int) -> int:
        raise AssertionError(f"{path} was opened")

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refuse)
        assert pty.observer.look.observe() == first


def test_looks_leave_nothing_open(start: Start) -> None:
    pty = start("bash")
    pty.type("script -qc cat /dev/null\r")
    pty.settle("waiting", "line")
    before = descriptors()
    pty.settle("waiting", "line")
    assert descriptors() == before


def test_out_of_descriptors_is_unknown(start: Start) -> None:
    pty = start("bash")
    pty.type("cat\r")
    pty.settle("waiting", "line")
    suggestive, conclusive = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, conclusive))
    try:
        look = pty.observer.look.observe()
        learnt = pty.observer.look.learn()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (suggestive, conclusive))
    assert (look.seen, look.conclusive) == ("unknown", False)
    assert not learnt
    pty.settle("waiting", "line", conclusive=True)
