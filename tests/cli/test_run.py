"""`truetty run`: what it prints and how, the size, the kind of terminal, background jobs, and what it says."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import truetty
from tests import warm
from tests.acceptance.watched import Watched
from tests.patience import PATIENCE
from truetty.cli.show import Show, way

SOURCE = str(Path(truetty.__file__).parents[1])
PLAIN = ("run", "--shell", "bash", "--no-rc")
RED = r"printf '\033[31mred\033[0m \033]0;title\007\033[Kplain\n'"


def test_two_forms_of_output_are_refused(home: Path) -> None:
    for place in ((), ("--keep",), ("--in", "build")):
        done = warm.run("run", *place, "--json", "--raw", f"touch {home}/made")
        error = json.loads(done.stdout)["error"]
        assert (done.returncode, done.stderr, error["code"]) == (125, b"", "misuse")
        said = "--raw prints bytes as they are, and --json prints an object: give one of them. Nothing was run."
        assert error["message"] == said
    assert not (home / "made").exists()


@pytest.fixture(autouse=True)
def environment(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", SOURCE)
    monkeypatch.setenv("SHELL", "/bin/bash")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)


def run(*words: str, **env: str | None) -> tuple[int, str, str]:
    merged = {**os.environ, **{name: value for name, value in env.items() if value is not None}}
    for name, value in env.items():
        if value is None:
            merged.pop(name, None)
    done = warm.run(*PLAIN, *words, stdin=None, env=merged)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def eventually(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


# -- colours


@pytest.mark.parametrize(
    ("options", "printed"),
    [
        ((), "red plain\n"),
        (("--color", "auto"), "red plain\n"),
        (("--color", "never"), "red plain\n"),
        (("--color", "always"), "\x1b[31mred\x1b[0m plain\n"),
        (("--raw",), "\x1b[31mred\x1b[0m \x1b]0;title\x07\x1b[Kplain\r\n"),
        (("--raw", "--color", "never"), "\x1b[31mred\x1b[0m \x1b]0;title\x07\x1b[Kplain\r\n"),
    ],
)
def test_colours_into_a_pipe(options: tuple[str, ...], printed: str) -> None:
    assert run(*options, RED) == (0, printed, "")


@pytest.mark.parametrize(
    ("options", "coloured"), [((), True), (("--color", "always"), True), (("--color", "never"), False)]
)
def test_colours_on_a_terminal(options: tuple[str, ...], coloured: bool) -> None:
    with Watched(*PLAIN, *options, RED) as person:
        assert person.ends() == 0
    assert (b"\x1b[31mred\x1b[0m" in person.seen) is coloured
    assert b"\x1b]0;title\x07\x1b[Kplain\r\n" in person.seen  # the rest is as it was


@pytest.mark.parametrize(
    "hook", ['PROMPT_COMMAND="hook;$PROMPT_COMMAND"', "PROMPT_COMMAND=(hook)", "PS1='$(sh -c :)$ '"], ids=str
)
def test_nothing_of_the_next_prompt_is_shown(home: Path, hook: str) -> None:
    (home / ".bashrc").write_text(f"hook() {{ sh -c 'exec sh -c :'; }}\n{hook}\n")
    with Watched("run", "--shell", "bash", "echo hi") as person:
        assert person.ends() == 0
    assert person.seen == b"hi\r\n"


def test_the_command_is_told_about_colours() -> None:
    ask = 'echo "${NO_COLOR-unset}"'
    assert run(ask)[1] == run("--color", "always", ask)[1] == "unset\n"
    assert run("--color", "never", ask)[1] == "1\n"
    assert run(ask, NO_COLOR="1")[1] == "1\n" and run("--color", "always", ask, NO_COLOR="1")[1] == "unset\n"


def test_a_sequence_may_come_in_pieces() -> None:
    """Cut anywhere, the text is the same."""
    text = b"a\x1b[1;31mred\x1b[0m\x1b]0;t\x07b\x1b[2K\x1b(Bc\r\nd\re\x1b[?25l\n"

    class Output:
        bytes = 0

        def reader(self) -> None:
            return None

    class Command:
        output = Output()

    def filtered(pieces: list[bytes], kind: str) -> bytes:
        show = Show(Command(), kind)  # type: ignore[arg-type]
        return b"".join(map(show._filtered, pieces)) + show._rest

    for kind, expected in (
        ("colours", b"a\x1b[1;31mred\x1b[0mbc\nd\re\n"),
        ("no-colours", text.replace(b"\x1b[1;31m", b"").replace(b"\x1b[0m", b"")),
        ("bytes", text),
    ):
        assert filtered([text], kind) == expected
        assert filtered([text[at : at + 1] for at in range(len(text))], kind) == expected
        for at in range(len(text)):
            assert filtered([text[:at], text[at:]], kind) == expected


def test_way() -> None:
    assert way(person=True, raw=False, color="auto") == "bytes" == way(person=False, raw=True, color="never")


# -- the terminal


def test_the_size_is_the_one_that_is_asked_for() -> None:
    assert run("--size", "50x10", "stty size")[1] == "10 50\n"
    with Watched(*PLAIN, "--size", "50x10", "stty size", size=(90, 20)) as person:
        assert person.ends() == 0 and b"10 50\r\n" in person.seen
    with Watched(*PLAIN, "stty size; read x; stty size", size=(90, 20)) as person:
        person.until("20 90")
        person.type("\r")
        assert person.ends() == 0


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "dash"])
def test_the_callers_kind_of_terminal_is_the_commands(shell: str) -> None:
    for term, expected in (
        ("dumb", "dumb"),
        ("screen", "screen"),
        ("no-such-kind", "no-such-kind"),
        (None, "xterm-256color"),
    ):
        if (shell, term) == ("fish", "dumb"):
            expected = "xterm-256color"  # its editor would draw into the output
        assert run("--shell", shell, "echo $TERM", TERM=term) == (0, f"{expected}\n", "")
    assert run("--env", "TERM=vt100", "echo $TERM", TERM="dumb")[1] == "vt100\n"


# -- what is left in the background


def test_what_ends_with_it_is_named() -> None:
    status, printed, said = run("sleep 1000 & echo $!")
    pid = int(printed.split()[-1])
    assert (status, said) == (0, f"truetty: ended with it: sleep ({pid}); --keep lets it run\n")
    eventually(lambda: not lives(pid))
    assert run("sleep 0 & wait")[2] == ""
    done = warm.run(*PLAIN, "--json", "sleep 1000 & echo $!", stdin=b"")  # with a pipe it runs in no server
    report = json.loads(done.stdout)
    assert report["notes"] == [f"ended with it: sleep ({report['output'].split()[-1]}); --keep lets it run"]


def test_a_sandbox_that_there_is_not() -> None:
    done = warm.run("run", "--sandbox", "foo", "ls", stdin=None)
    assert done.returncode == 125 and done.stderr.startswith(b"truetty: no sandbox is called 'foo': it is read-only")


# -- messages


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("--wait", "0.5", "sleep 5"), 124, "stopped after 0.5 s (--wait): 'sleep 5' had not finished."),
        (("--timeout", "1", "sleep 5"), 124, "stopped after 1 s (--timeout): 'sleep 5' had not finished."),
        (("--env", "=x", "true"), 125, "--env takes NAME=VALUE, or NAME alone to unset it; got '=x'."),
    ],
)
def test_what_it_says(words: tuple[str, ...], status: int, said: str) -> None:
    assert run(*words)[::2] == (status, f"truetty: {said}\n")


def test_a_recording_is_not_replaced_by_accident(tmp_path: Path) -> None:
    cast = tmp_path / "x.cast"
    cast.write_text("mine")
    done = warm.run("record", cast, "--", "true", stdin=None)
    assert (done.returncode, done.stderr.decode()) == (
        125,
        f"truetty: {cast} exists already. Use --overwrite to replace it.\n",
    )
    assert cast.read_text() == "mine"
    assert warm.run("record", "--overwrite", cast, "--", "true", stdin=None).returncode == 0


@pytest.mark.parametrize(
    ("url", "said"),
    [
        (
            "nonsense",
            "'nonsense' is not a truetty link, which looks like http://127.0.0.1:PORT/… And no server runs in which it "
            "could be a terminal or a command.",
        ),
        (
            "https://example.org/x",
            "'https://example.org/x' is not a truetty link. It looks like http://127.0.0.1:PORT/…",
        ),
        ("http://127.0.0.1:1/x", "This link is no longer in use: the command has gone on or truetty has ended."),
    ],
)
def test_links_that_lead_nowhere(url: str, said: str) -> None:
    done = warm.run("answer", url, stdin=None)
    assert (done.returncode, done.stdout, done.stderr.decode()) == (125, b"", f"truetty: {said}\n")
