"""Who waits for the keyboard is said, with what it waits for; who does not is never said to.

`wait` wakes at every change: one that comes back `finished` after seconds of work proves that no waiting was reported.
"""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import truetty
from tests.acceptance.session import PATIENCE, SHELLS, assert_healthy, opened
from truetty.terminal.report import IN_PIPE
from truetty.until import Match

# Longer than what decides anything inside; the issue's own 40 seconds run with the long tests.
LENGTHS = (4, pytest.param(40, marks=pytest.mark.long))
SECRET = "hunter2-is-no-secret"
SCREEN = frozenset({"key", "fullscreen"})


@dataclass(frozen=True, slots=True)
class Question:
    """A command that asks, what it is then waiting for, and an answer with what comes of it."""

    text: str
    kind: str | frozenset[str]
    prompt: str = ""  # a pattern
    answer: str = "ada\n"
    output: str = ""  # a pattern
    code: int | None = 0  # None: not ours to say
    shell: str = "bash"
    needs: str = "sh"
    hint: str = ""

    def __str__(self) -> str:
        return f"{self.shell}: {self.text[:40]}"


QUESTIONS = [
    *(Question("read x; echo got $x", "line", output="got ada\n$", shell=shell) for shell in ("bash", "zsh", "dash")),
    Question("read x; echo got $x", "line", prompt="read> ", output="got ada\n$", shell="fish"),
    Question("read -p 'Name: ' x; echo got $x", "line", prompt="^Name: $", output="Name: ada\ngot ada\n$"),
    Question("read -P 'Name: ' x; echo got $x", "line", prompt="^Name: $", output="got ada\n$", shell="fish"),
    Question("read -P 'Name: ' x; test $x; or read -s -P 'pw> ' y", "line", prompt="^Name: $", shell="fish"),
    Question("read -e -p 'Name: ' x; echo got $x", "line", prompt="^Name: $", output="got ada\n$"),
    Question("vared -p 'Name: ' -c x; echo got $x", "line", prompt="^Name: $", output="got ada\n$", shell="zsh"),
    Question("read -n1 x; echo; echo got $x", "key", answer="y", output="got y\n$"),
    Question(
        "read -n1 -p 'Go? ' x; echo; echo got $x", "key", "Go", hint="send your answer, without Enter", answer="y"
    ),
    Question("read -p '继续吗？（是/否）' x; echo got $x", "line", answer="是\n", hint="send '是' or '否' and Enter"),
    Question("read -k1 x; echo; echo got $x", "key", answer="y", output="got y\n$", shell="zsh"),
    Question("read -t 1000 x; echo got $x", "line", output="got ada\n$"),
    Question(
        "select x in one two; do echo got $x; break; done", "line", prompt=r"^#\? $", answer="2\n", output="got two\n$"
    ),
    *(Question("cat", "line", answer="\x04", shell=shell) for shell in SHELLS),
    Question("cat | sort", "line", answer="b\na\n\x04", output="a\nb\n$"),
    Question("sh -c 'read x; exit $x'", "line", answer="9\n", code=9),
    Question("sh -c 'sleep 1000 & read x; kill $!; exit 8'", "line", code=8),
    Question("python3", "key", prompt="^>>> $", answer="exit(6)\n", code=6, needs="python3"),
    Question("""python3 -c 'print("got", input("Name? "))'""", "line", prompt=r"^Name\? $", output="got ada\n$"),
    Question("node", "key", prompt="^> $", answer=".exit\n", needs="node"),
    Question("vim", "fullscreen", answer="\x1b:q!\r", needs="vim"),
    Question("less /etc/services /etc/passwd", SCREEN, answer="q", needs="less"),
    Question("top", SCREEN, answer="q", needs="top"),
    Question("npm init", "key", prompt="^package name: ", answer="\x03", code=None, needs="npm"),
]


async def waiting_for(command: truetty.Command) -> truetty.Waiting:
    outcome = await command.wait(PATIENCE)
    assert (outcome.state, outcome.exit_code, outcome.evidence) == ("waiting", None, None), outcome
    assert outcome.waiting is not None
    return outcome.waiting


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
async def test_who_waits_is_said_and_an_answer_moves_on(
    question: Question, home: Path, program: Callable[[str], str]
) -> None:
    program(question.needs)
    async with opened(question.shell, home) as terminal:
        await terminal.run(f"cd {home}", wait=PATIENCE)
        command = await terminal.start(question.text)
        waiting = await waiting_for(command)
        assert waiting.kind in question.kind if isinstance(question.kind, frozenset) else waiting.kind == question.kind
        assert re.search(question.prompt, waiting.prompt), waiting
        assert question.hint in ("", waiting.hint), waiting
        await command.send(question.answer)
        outcome = await command.wait(PATIENCE, until="finished")
        assert (outcome.state, outcome.evidence, outcome.waiting) == ("finished", "mark", None)
        assert question.code in (outcome.exit_code, None)
        assert re.search(question.output, outcome.output), outcome.output
        await assert_healthy(terminal)


SECRETS = [
    ("bash", "read -s x; echo; echo ${#x}", ""),
    ("bash", "read -sp 'Secret: ' x; echo; echo ${#x}", "Secret: "),
    ("zsh", "read -s x; echo; echo ${#x}", ""),
    ("dash", "stty -echo; read x; stty echo; echo ${#x}", ""),
    ("bash", "python3 -c 'import getpass; print(len(getpass.getpass()))'", "Password: "),
    ("fish", "read -s -P 'pw> ' x; string length $x", "pw> "),
    ("fish", "read -s x; string length $x", "read> "),
    ("fish", "python3 -c 'import getpass; print(len(getpass.getpass()))'", "Password: "),
]


@pytest.mark.parametrize(("shell", "text", "prompt"), SECRETS)
async def test_a_secret_is_asked_for_and_not_kept(shell: str, text: str, prompt: str, home: Path) -> None:
    async with opened(shell, home) as terminal:
        command = await terminal.start(text)
        waiting = await waiting_for(command)
        assert (waiting.kind, waiting.prompt) == ("secret", prompt)
        await command.send(f"{SECRET}\n")
        outcome = await command.wait(PATIENCE)
        assert (outcome.state, outcome.exit_code) == ("finished", 0)
        assert outcome.output.endswith(f"\n{len(SECRET)}\n") or outcome.output == f"{len(SECRET)}\n"
        await assert_healthy(terminal)
        assert SECRET.encode() not in terminal.transcript.read()


async def test_the_pager_of_git_log(home: Path, tmp_path: Path, program: Callable[[str], str]) -> None:
    git = [program("git"), "-C", str(tmp_path), "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    subprocess.run([*git, "init", "-q"], check=True)
    for number in range(12):
        subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", f"commit {number}"], check=True)
    async with opened("bash", home, GIT_PAGER=program("less"), PAGER=program("less")) as terminal:
        await terminal.run(f"cd {tmp_path}", wait=PATIENCE)
        command = await terminal.start("git log")
        waiting = await waiting_for(command)
        assert (waiting.kind in SCREEN, waiting.program) == (True, "less")
        await command.press("q")
        outcome = await command.wait(PATIENCE, until="finished")
        assert (outcome.state, outcome.exit_code) == ("finished", 0)
        await assert_healthy(terminal)
    async with opened("bash", home) as terminal:  # no pager is started here unless one was asked for
        outcome = await terminal.run(f"git -C {tmp_path} log", wait=PATIENCE)
        assert (outcome.state, outcome.exit_code, outcome.output.count("    commit ")) == ("finished", 0, 12)


async def test_the_question_of_apt_get(home: Path, tmp_path: Path, program: Callable[[str], str]) -> None:
    """With a package database of its own, in which one package is installed: nothing of this machine is touched."""
    for folder in ("lists/partial", "archives/partial"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "status").write_text(
        "Package: demo\nStatus: install ok installed\nPriority: optional\nSection: misc\nInstalled-Size: 5\n"
        "Maintainer: nobody <nobody@localhost>\nArchitecture: all\nVersion: 1\nDescription: nothing\n\n"
    )
    places = {"State": tmp_path, "State::status": tmp_path / "status", "Cache": tmp_path, "Log": tmp_path}
    options = [f"-o Dir::{name}={place}" for name, place in places.items()]
    options += ["-o Dir::Etc::sourcelist=/dev/null", "-o Dir::Etc::sourceparts=/dev/null", "-o Debug::NoLocking=1"]
    async with opened("bash", home) as terminal:
        for answer, code in (("n\n", 1), ("\x03", 130)):
            command = await terminal.start(f"{program('apt-get')} {' '.join(options)} remove demo")
            waiting = await waiting_for(command)
            assert (waiting.kind, waiting.program) == ("line", "apt-get")
            assert waiting.prompt == "Do you want to continue? [Y/n] "
            await command.send(answer)
            outcome = await command.wait(PATIENCE)
            assert (outcome.state, outcome.exit_code) == ("finished", code)
            await assert_healthy(terminal)


async def test_a_busy_neighbour_does_not_hide_a_reader(home: Path) -> None:
    """Both are of the foreground group; one of them cannot go on without us, whatever the other computes."""
    async with opened("bash", home) as terminal:
        command = await terminal.start("sh -c 'while :; do :; done & cat; kill $!; exit 4'")
        waiting = await waiting_for(command)
        assert (waiting.kind, waiting.program) == ("line", "cat")
        await command.press("C-d")
        outcome = await command.wait(PATIENCE)
        assert (outcome.state, outcome.exit_code) == ("finished", 4)


ASK = """python3 -c 'print("got", input("Name? "))'"""


@pytest.mark.parametrize(
    ("pipe", "prompt", "to"),
    [("tail", "", "tail"), ("grep got", "", "grep"), ("cat", "Name? ", None), ("tee /dev/null | tail", "", "tee")],
)
@pytest.mark.parametrize("shell", SHELLS)
async def test_a_question_in_a_pipe_is_said_to_be_there(
    shell: str, pipe: str, prompt: str, to: str | None, home: Path
) -> None:
    async with opened(shell, home) as terminal:
        command = await terminal.start(f"{ASK} | {pipe}")
        outcome = await command.wait(PATIENCE)
        assert outcome.state == "waiting" and outcome.waiting is not None, outcome
        assert (outcome.waiting.kind, outcome.waiting.program, outcome.waiting.prompt) == ("line", "python3", prompt)
        assert outcome.notes == ((IN_PIPE.format("python3", to),) if to else ())
        await command.send("ada\n")
        outcome = await command.wait(PATIENCE)
        assert (outcome.state, outcome.exit_code, outcome.notes) == ("finished", 0, ()), outcome
        assert outcome.output.endswith("got ada\n"), outcome.output


async def test_who_has_printed_nothing_has_no_question_in_the_pipe(home: Path) -> None:
    async with opened("bash", home) as terminal:
        command = await terminal.start("cat | sort")
        outcome = await command.wait(PATIENCE)
        assert (outcome.state, outcome.notes) == ("waiting", ()), outcome
        await command.send("\x04")
        await command.wait(PATIENCE)


# ── more than one question ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("shell", SHELLS)
async def test_each_question_is_a_new_waiting(shell: str, home: Path) -> None:
    async with opened(shell, home) as terminal:
        ask = "printf '{} '; read {}"
        text = "; ".join(ask.format(f"Question {name}?", name) for name in "abc")
        command = await terminal.start(f"sh -c '{text.replace(chr(39), chr(34))}; echo $a$b$c'")
        for name in "abc":
            waiting = await waiting_for(command)
            assert (waiting.kind, waiting.prompt) == ("line", f"Question {name}? ")
            again = await command.wait(0.3)  # told already: nothing new until it changes
            assert (again.state, again.waiting) == ("waiting", waiting)
            assert command.state == "waiting"
            await command.send(f"{name.upper()}\n")
        outcome = await command.wait(PATIENCE)
        assert (outcome.state, outcome.exit_code, outcome.output.splitlines()[-1]) == ("finished", 0, "ABC")


async def test_the_same_question_again_is_a_new_waiting(home: Path) -> None:
    async with opened("bash", home) as terminal:
        command = await terminal.start("until [ \"$x\" = yes ]; do read -p 'Sure? ' x; done; echo sure")
        for _ in range(5):
            assert (await waiting_for(command)).prompt == "Sure? "
            await command.send("no\n")
        await waiting_for(command)
        await command.send("yes\n")
        outcome = await command.wait(PATIENCE)
        assert (outcome.state, outcome.output) == ("finished", "Sure? no\n" * 5 + "Sure? yes\nsure\n")


async def test_waiting_until_a_pattern(home: Path) -> None:
    async with opened("bash", home) as terminal:
        command = await terminal.start("read a; echo first $a; read b; echo second $b; read c; echo third")
        await command.send("1\n")
        outcome = await command.wait(PATIENCE, until=Match("first (.)"))
        assert not command.finished
        assert "first 1\n" in outcome.output
        await command.send("2\n")
        outcome = await command.wait(PATIENCE, until=re.compile("SECOND 2", re.IGNORECASE))
        assert not command.finished
        assert "second 2\n" in outcome.output
        outcome = await command.wait(0.3, until=Match("first"))  # an earlier wait has returned that already
        assert not command.finished
        await command.send("3\n")
        outcome = await command.wait(PATIENCE, until=Match("never printed"))  # the end ends every wait
        assert (outcome.state, outcome.exit_code) == ("finished", 0)
        assert outcome.output.endswith("third\n")


# ── and who does not wait ───────────────────────────────────────────────────────────────────────────────────────

MAKEFILE = """\
all: {targets}
{targets}: %:
\t@i=0; while [ $$i -lt $(COUNT) ]; do i=$$((i+1)); sleep 0.1; [ $$((i % 10)) -ne 0 ] || echo $@ $$i; done
"""
BUSY = "import time; end = time.monotonic() + {length}\nwhile time.monotonic() < end: pass"
THREADS = "import threading, time\nfor _ in range(9): threading.Thread(target=time.sleep, args=[{length}]).start()"
WORK = {
    "sleep": "sleep {length}",
    "sleep in a pipe": "sleep {length} | cat",
    "sleep before a pipe": "sh -c '(sleep {length}; echo x) | cat | cat'",
    "sleep with the keyboard open": "sleep {length} </dev/tty",
    "a script": "sh -c 'sleep {length}; true'",
    "a wait for a job": "sleep {length} & wait $!; jobs",
    "make": "make -j2 -f {folder}/Makefile COUNT={length}0",
    "dd": "timeout {length} dd if=/dev/zero of=/dev/null bs=1M",
    "a busy loop": f"{sys.executable} {{folder}}/busy.py",
    "a busy shell": "i=0; s=$SECONDS; while [ $((SECONDS-s)) -lt {length} ]; do i=$((i+1)); done",
    "a read of something else": (
        "mkfifo {folder}/fifo; sh -c 'sleep {length}; echo x >{folder}/fifo' & read x <{folder}/fifo; wait; jobs"
    ),
    "a poll of something else": f"{sys.executable} -c 'import select; select.select([], [], [], {{length}})'",
    "threads": f"{sys.executable} {{folder}}/threads.py",
    "dots": "sh -c 'i=0; while [ $i -lt {length} ]; do printf .; sleep 1; i=$((i+1)); done'",
    "a question that nobody asks": "printf 'Continue? [Y/n] '; sleep {length}",
}
BASH = frozenset({"a wait for a job", "a busy shell", "a read of something else"})  # the rest runs in any shell


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("work", WORK)
async def test_who_works_is_not_said_to_wait(
    work: str, length: int, home: Path, tmp_path: Path, program: Callable[[str], str]
) -> None:
    program("make")
    shell = "bash" if work in BASH else SHELLS[list(WORK).index(work) % len(SHELLS)]
    (tmp_path / "Makefile").write_text(MAKEFILE.format(targets="one two"))
    (tmp_path / "busy.py").write_text(BUSY.format(length=length))
    (tmp_path / "threads.py").write_text(THREADS.format(length=length))
    async with opened(shell, home) as terminal:
        command = await terminal.start(WORK[work].format(length=length, folder=tmp_path))
        outcome = await command.wait(2 * length + PATIENCE)
        assert (outcome.state, outcome.evidence) == ("finished", "mark"), outcome
        assert outcome.exit_code in (0, 124)
        assert outcome.duration >= length - 1  # it did work that long
        await assert_healthy(terminal)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("shell", SHELLS)
async def test_who_listens_to_a_silent_port_is_not_said_to_wait(
    shell: str, length: int, home: Path, program: Callable[[str], str]
) -> None:
    connected: asyncio.Future[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Future()
    silent = await asyncio.start_server(lambda *ends: connected.set_result(ends), "127.0.0.1", 0)
    async with silent:
        port = silent.sockets[0].getsockname()[1]
        async with opened(shell, home) as terminal:
            command = await terminal.start(f"{program('curl')} -sS --noproxy '*' http://127.0.0.1:{port}/")
            reader, writer = await asyncio.wait_for(asyncio.shield(connected), PATIENCE)
            assert (await asyncio.wait_for(reader.readline(), PATIENCE)).startswith(b"GET ")
            outcome = await command.wait(length)
            assert (outcome.state, outcome.waiting, outcome.evidence) == ("running", None, None), outcome
            writer.close()
            outcome = await command.wait(PATIENCE)
            assert (outcome.state, outcome.exit_code) == ("finished", 52)
            await assert_healthy(terminal)


@pytest.mark.parametrize("count", [70, pytest.param(1000, marks=pytest.mark.long)])
@pytest.mark.parametrize("shell", SHELLS)
async def test_nobody_is_said_to_wait_in_many_short_commands(shell: str, count: int, home: Path) -> None:
    """Between two commands shells read lines of ours, too: none of that is the command's."""
    async with opened(shell, home) as terminal:
        for number in range(count):
            command = await terminal.start(f"/bin/true; /bin/echo {number}")
            outcome = await command.wait(PATIENCE)
            told = (outcome.state, outcome.exit_code, outcome.output, outcome.evidence)
            assert told == ("finished", 0, f"{number}\n", "mark"), outcome


@pytest.mark.parametrize("shell", SHELLS)
async def test_who_follows_a_file_is_not_said_to_wait(shell: str, home: Path, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("one\n")
    async with opened(shell, home) as terminal:
        command = await terminal.start(f"tail -f {file}")
        await command.wait(PATIENCE, until=Match("one"))
        outcome = await command.wait(4)
        assert (outcome.state, outcome.waiting) == ("running", None)
        with file.open("a") as more:
            more.write("two\n")
        outcome = await command.wait(PATIENCE, until=Match("two"))
        assert (outcome.state, outcome.output) == ("running", "one\ntwo\n")
        await command.interrupt()
        outcome = await command.wait(PATIENCE)
        assert (outcome.state, outcome.exit_code) == ("finished", 130)
