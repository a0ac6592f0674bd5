"""tcsh: the private HOME is given back, its files are read, its aliases kept."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.shells.conftest import Open
from tests.shells.driver import visible
from truetty.shells.row import LaunchRequest
from truetty.shells.tcsh import Tcsh


@pytest.mark.parametrize(
    ("files", "read"),
    [
        ({".tcshrc": "set order=tcsh\n", ".cshrc": "set order=csh\n"}, "tcsh"),
        ({".cshrc": "set order=csh\n"}, "csh"),
        ({}, ""),
    ],
    ids=str,
)
def test_its_files(files: dict[str, str], read: str, open_session: Open, home: Path) -> None:
    session = open_session("tcsh", files=files)
    text = 'if (! $?order) set order=""\necho "[$order]" $HOME $home ~'
    assert visible(session.run(text).raw) == f"[{read}] {home} {home} {home}\n"


@pytest.mark.parametrize(("arguments", "rc"), [(["-f"], True), ([], False)])
def test_without_its_files(arguments: list[str], rc: bool, open_session: Open, home: Path) -> None:
    session = open_session(["tcsh", *arguments], rc=rc, files={".tcshrc": "set order=tcsh\n"})
    assert visible(session.run("echo $?order $HOME").raw) == f"0 {home}\n"


def test_a_login_shell(open_session: Open) -> None:
    session = open_session(["tcsh", "-l"], files={".tcshrc": "set order=rc\n", ".login": "set order=($order login)\n"})
    assert visible(session.run("echo $order").raw) == "rc login\n"


@pytest.mark.parametrize(
    "rc",
    [
        "echo $nope",
        "if (",
        'echo "open',
        "nosuchcommand",
        "exit 3",
        'alias precmd "echo title"',
        "alias precmd 'echo $status; false'",
        "set prompt='me%?> '; set prompt2='? '",
        "unset prompt2",
        "set noclobber noglob",
        "set histfile=~/hist savehist=100",
    ],
)
def test_whatever_the_users_file_does(rc: str, open_session: Open) -> None:
    session = open_session("tcsh", files={".tcshrc": rc + "\n"})
    assert visible(session.run("echo hi").raw) == "hi\n"
    assert session.run("sh -c 'exit 7'").code == 7
    assert visible(session.run("echo $status").raw) == "7\n"
    session.settle()
    since = len(session.buffer)
    session.type(b"sh -c 'exit 5'\n")
    assert session.prompt(since).code == 5


@pytest.mark.parametrize("text", ["rm *", "rm *; echo gone", "echo first; rm *"])
def test_it_asks_before_it_removes_everything(text: str, open_session: Open, home: Path) -> None:
    """In a file it would take the answer from that file, and remove everything."""
    session = open_session("tcsh", files={".tcshrc": "set rmstar\n"})
    assert session.run("mkdir ~/full; cd ~/full; touch one two").code == 0
    started = session.start(text)
    session.text(b"delete all files? [n/y] ", started.began())
    assert sorted(os.listdir(home / "full")) == ["one", "two"]
    session.type(b"n\n")
    started.end()
    assert sorted(os.listdir(home / "full")) == ["one", "two"]
    assert session.run("sh -c 'exit 3'; rm nosuch *.x").code == 1
    assert session.run("sh -c 'exit 3'; rm -f nosuch; sh -c 'exit 4' *").code == 4


def test_the_users_prompt_sees_the_status(open_session: Open) -> None:
    session = open_session("tcsh", files={".tcshrc": "set prompt='me%?> '\nalias precmd 'set seen=$status'\n"})
    session.run("sh -c 'exit 7'")
    session.text(b"me7> ")
    assert visible(session.run("echo $seen").raw) == "7\n"


def test_nothing_stays_but_the_hook(open_session: Open) -> None:
    session = open_session("tcsh")
    ours = [line for line in visible(session.run("set").raw).splitlines() if "_tt" in line or session.folder in line]
    assert [line.split("\t")[0] for line in ours] == ["_"]  # tcsh's own: the line that was typed
    assert {line.split("\t")[0] for line in visible(session.run("alias").raw).splitlines() if "tt" in line} == {
        f"{session.name}_u",
        "precmd",
    }


def test_command_lines_that_are_no_prompt_are_left_alone() -> None:
    for arguments in (["-c", "true"], ["script.csh"], ["-fc", "true"]):
        assert Tcsh().launch(LaunchRequest("/bin/tcsh", tuple(arguments), "/f", "k", "_tt_n", True, {})) is None
