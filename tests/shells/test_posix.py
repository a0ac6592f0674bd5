"""dash, busybox ash, ksh93 and mksh: ENV, their own files, and what they say under their options."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.shells.conftest import Open
from tests.shells.driver import Session, visible
from truetty.shells.posix import DASH, MKSH
from truetty.shells.row import LaunchRequest
from truetty.shells.table import recognise

SHELLS = ("dash", "ash", "ksh93", "mksh")
every = pytest.mark.parametrize("shell", SHELLS)


def lines(session: Session, text: str) -> list[str]:
    return visible(session.run(text).raw).splitlines()


@every
def test_the_users_env_file_is_read_once(shell: str, open_session: Open) -> None:
    session = open_session(shell, env={"ENV": "$HOME/.shrc"}, files={".shrc": "order=$order.env; PS1='me> '\n"})
    session.text(b"me> ")
    assert lines(session, "echo $order; echo $ENV; env | grep '^ENV='") == [".env", "$HOME/.shrc", "ENV=$HOME/.shrc"]


@pytest.mark.parametrize(("shell", "file"), [("ksh93", ".kshrc"), ("mksh", ".mkshrc")])
def test_its_own_file_is_read_when_there_is_no_env(shell: str, file: str, open_session: Open) -> None:
    session = open_session(shell, files={file: "order=own\n"})
    assert lines(session, "echo $order; echo ${ENV-unset}") == ["own", "unset"]


@every
def test_no_files_without_rc(shell: str, open_session: Open) -> None:
    files = {".shrc": "order=env\n", ".kshrc": "order=own\n", ".mkshrc": "order=own\n"}
    session = open_session(shell, rc=False, env={"ENV": "$HOME/.shrc"}, files=files)
    assert lines(session, "echo [$order]; echo $ENV") == ["[]", "$HOME/.shrc"]


@every
def test_a_login_shell_reads_its_profile(shell: str, open_session: Open) -> None:
    session = open_session([shell, "-l"], files={".profile": "order=profile\n"})
    assert lines(session, "echo $order") == ["profile"]


@every
@pytest.mark.parametrize(
    "rc",
    [
        "return 3",
        "set -u; echo $nope",
        "set -e",
        "set -e; [ -f /nonexistent ] && :",
        "if then",
        "echo 'open",
        "nosuchcommand; false",
        ". /nonexistent/file",
        "readonly zz=1; zz=2",
        "unset PS1 PS2",
        "PS1='$(echo me)> '",
        "alias printf=false eval=false command=false unset=false .=false builtin=false",
        "printf() { :; }; read() { :; }; test() { :; }",
        "IFS=0123456789",
        "set -f -C",
        "set -a",
    ],
)
def test_whatever_the_users_file_does(shell: str, rc: str, open_session: Open) -> None:
    session = open_session(shell, env={"ENV": "$HOME/.shrc"}, files={".shrc": rc + "\n"})
    assert visible(session.run("echo hi").raw) == "hi\n"
    assert session.run("(exit 7) && :").code == 7
    assert visible(session.run('echo "$?"').raw) == "7\n"
    assert session.run("(exit 0)").code == 0


@every
def test_a_readonly_prompt_is_left_alone(shell: str, open_session: Open) -> None:
    session = open_session(
        shell, env={"ENV": "$HOME/.shrc"}, files={".shrc": "PS1='me> '; readonly PS1\n"}, ready=False
    )
    session.text(b"me> ")
    assert session.run("(exit 5)").code == 5
    assert b"read" not in session.buffer.lower().replace(b"already", b"")


@every
def test_the_users_prompt_stays_visible(shell: str, open_session: Open) -> None:
    session = open_session(shell, env={"PS1": "exported> ", "ENV": "$HOME/.shrc"}, files={".shrc": 'PS1="[$PS1"\n'})
    session.text(b"[exported> ")
    assert b"\x01" not in session.buffer


@every
def test_the_continuation_prompt_is_marked(shell: str, open_session: Open) -> None:
    session = open_session(shell)
    session.settle()
    since = len(session.buffer)
    session.type(b"echo 'a\n")
    session.until("2", session.key, since)
    session.text(b"> ", since)


@every
def test_what_set_prints_is_no_mark(shell: str, open_session: Open) -> None:
    session = open_session(shell)
    started = session.start("set")
    ended = started.end()
    assert (ended.by, ended.code) == ("D", 0)
    names = {line.split("=")[0] for line in visible(ended.raw).splitlines() if session.key in line or "_tt" in line}
    assert names <= {"PS1", "PS2"}


@pytest.mark.parametrize(
    ("shell", "mode", "output"),
    [
        ("dash", "-x", "+ echo hi\nhi\n"),
        ("dash", "-v", "hi\n"),
        ("ash", "-x", "+ echo hi\nhi\n"),
        ("ash", "-v", "hi\n"),
        ("mksh", "-x", "+ echo hi\nhi\n"),
        *((shell, mode, "hi\n") for shell in SHELLS for mode in ("-e", "-u", "-a", "-f")),
    ],
)
def test_options_show_nothing_of_ours(shell: str, mode: str, output: str, open_session: Open) -> None:
    session = open_session(shell)
    first = session.run(f"set {mode}").output
    if (shell, mode) != ("mksh", "-x"):  # there a trace cannot be hidden from the command that starts it
        assert first == ""
    session.settle()
    assert session.run("echo hi").output == output
    assert session.run("echo hi").code == 0


@every
@pytest.mark.parametrize("text", ["[ -f /nonexistent ] && echo yes", "! true", "false || (exit 1) || [ 1 = 1 ]"])
def test_errexit_ends_only_what_it_would(shell: str, text: str, open_session: Open) -> None:
    session = open_session(shell)
    session.run("set -e")
    code = 0 if "||" in text else 1
    assert session.run(text).code == code
    assert visible(session.run("echo $?").raw) == f"{code}\n"
    session.start("false").began()
    assert session.ended() == 1


def test_mksh_keeps_the_persons_history_alone(open_session: Open) -> None:
    session = open_session("mksh")
    session.settle()
    since = len(session.buffer)
    session.type(b"echo person\n")
    session.prompt(since)
    for _ in range(3):
        session.run("echo ours")
    assert session.folder not in session.run("fc -l").output


def test_signals() -> None:
    ksh93 = recognise("ksh93")
    assert (ksh93.signal_of(265), ksh93.signal_of(256), ksh93.signal_of(137)) == (9, None, None)
    assert recognise("dash").signal_of(137) is None


def test_a_prompt_that_has_its_own_quotes_in_mksh(open_session: Open) -> None:
    session = open_session("mksh", env={"ENV": "$HOME/.shrc"}, files={".shrc": "PS1=$'\\002\\r\\002\\e[1m\\002me> '\n"})
    session.text(b"\x1b[1mme> ")
    assert b"\x01" not in session.buffer
    assert b"\x02" not in session.buffer


def test_command_lines_that_are_no_prompt_are_left_alone() -> None:
    for name, recipe in (("dash", DASH), ("mksh", MKSH)):
        for arguments in (["-c", "true"], ["script.sh"], ["-ec", "true"], ["-o", "vi", "script"]):
            assert recipe.launch(LaunchRequest(f"/bin/{name}", tuple(arguments), "/f", "k", "_tt_n", True, {})) is None


def test_busybox_runs_its_applet(open_session: Open) -> None:
    session = open_session("busybox")
    assert session.argv[:2] == ("busybox", "sh")
    assert lines(session, "echo $0") == ["sh"]
    assert Path("/proc/self").exists()
