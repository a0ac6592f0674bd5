"""fish: its configuration, its key modes, its status."""

from __future__ import annotations

import pytest

from tests.shells.conftest import Open
from tests.shells.driver import visible
from truetty.shells.fish import Fish
from truetty.shells.row import LaunchRequest


def test_configuration_is_read_once(open_session: Open) -> None:
    files = {
        ".config/fish/conf.d/a.fish": "set -g order $order conf\n",
        ".config/fish/config.fish": "set -g order $order config\nfunction fish_prompt; echo 'me> '; end\n",
    }
    session = open_session("fish", files=files)
    session.text(b"me> ")
    assert visible(session.run("echo $order").raw) == "conf config\n"


@pytest.mark.parametrize("arguments", [["--no-config"], ["-N"], []], ids=str)
def test_no_configuration(arguments: list[str], open_session: Open) -> None:
    files = {".config/fish/config.fish": "set -g order config\n"}
    session = open_session(["fish", *arguments], rc=bool(arguments), files=files)
    assert visible(session.run('echo "[$order]"').raw) == "[]\n"


def test_the_users_own_arguments(open_session: Open) -> None:
    session = open_session(["fish", "--private", "-C", "set -g first own", "--login"])
    assert visible(session.run("echo $first; status is-login; and echo login").raw) == "own\nlogin\n"


@pytest.mark.parametrize(
    "config",
    [
        "return 3",
        "echo (",
        "nosuchcommand",
        "fish_vi_key_bindings",
        "fish_hybrid_key_bindings",
        "function fish_prompt; set -l s $status; printf '%s> ' $s; end",
        "function fish_prompt; end",
        "function fish_title; end; function fish_greeting; echo hello; end",
        "function echo; builtin echo $argv; end",
        "set -gx LC_ALL C",
        "set -g fish_autosuggestion_enabled 0",
        "abbr -a e eval; alias printf=false; alias source=false",
    ],
)
def test_whatever_the_configuration_does(config: str, open_session: Open) -> None:
    session = open_session("fish", files={".config/fish/config.fish": f"set -g fish_greeting\n{config}\n"})
    assert visible(session.run("builtin echo hi").raw) == "hi\n"
    assert session.run("sh -c 'exit 7'").code == 7
    assert visible(session.run("builtin echo $status").raw) == "7\n"


@pytest.mark.parametrize("keys", [b"touch person", b"touch person\x1b", b"touch person\x1b0"], ids=str)
def test_the_clearing_key_in_vi_mode(keys: bytes, open_session: Open) -> None:
    session = open_session("fish", files={".config/fish/config.fish": "set -g fish_greeting; fish_vi_key_bindings\n"})
    session.settle()
    session.type(keys)
    session.settle()
    session.type(session.shell.clears_line)
    session.settle()
    assert visible(session.run("echo mine").raw) == "mine\n"
    assert session.run("test -e person").code == 1


def test_history_stays_clean(open_session: Open) -> None:
    session = open_session("fish")
    session.settle()
    since = len(session.buffer)
    session.type(b"echo person\n")
    session.prompt(since)
    session.run("echo ours")
    assert session.folder not in session.run("history --max 20 | cat").output


def test_prompt_without_a_mark(open_session: Open) -> None:
    session = open_session("fish")
    session.run("printf x")
    session.settle()
    at = session.shell.prompt_start(session.buffer)
    assert at is not None
    assert at in [mark.end for mark in session.marks(0) if mark.letter == "D"]
    assert session.shell.prompt_start(b"nothing") is None


def test_command_lines_that_are_no_prompt_are_left_alone() -> None:
    for arguments in (["-c", "true"], ["--command=true"], ["script.fish"], ["-d", "3", "script.fish"], ["--version"]):
        assert Fish().launch(LaunchRequest("/bin/fish", tuple(arguments), "/f", "k", "_tt_n", True, {})) is None
