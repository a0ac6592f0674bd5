"""bash: its start-up files, its history, and all that users do to PROMPT_COMMAND."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.shells.conftest import Open
from tests.shells.driver import Session, visible
from truetty.shells.bash import Bash
from truetty.shells.row import LaunchRequest
from truetty.shells.table import recognise


def lines(session: Session, text: str) -> list[str]:
    return visible(session.run(text).raw).splitlines()


def test_the_users_file_is_read_once_and_after_the_systems(open_session: Open) -> None:
    session = open_session(
        "bash", files={".bashrc": "order+=own; PS1='me> '; alias hi='echo alias'; f() { echo f; }\n"}
    )
    order, hi, f, prompt, login = lines(session, 'echo $order; hi; f; echo "$PS1"; shopt -q login_shell || echo no')
    assert (order, hi, f, login) == ("own", "alias", "f", "no")
    assert prompt.endswith("\\]me> ")  # behind our mark, which has no width


PROFILES = {
    ".bash_profile": "order+=profile\n[ -f ~/.bashrc ] && . ~/.bashrc\n",
    ".bash_login": "order+=login\n",
    ".profile": "order+=plain\n",
    ".bashrc": "order+=rc\n",
}


@pytest.mark.parametrize(
    ("arguments", "order"),
    [
        ([], "rc"),
        (["--norc"], ""),
        (["--login"], "profilerc"),
        (["-l"], "profilerc"),
        (["-l", "--noprofile"], ""),
        (["--login", "--norc"], "profilerc"),
        (["--posix"], ""),
        (["--rcfile", "OTHER"], "other"),
        (["--init-file", "OTHER"], "other"),
        (["-O", "extglob", "+O", "dotglob"], "rc"),
        (["--noprofile", "-x"], "rc"),
    ],
    ids=str,
)
def test_arguments_are_honoured(arguments: list[str], order: str, open_session: Open, home: Path) -> None:
    (home / "other").write_text("order+=other\n")
    given = [str(home / "other") if word == "OTHER" else word for word in arguments]
    session = open_session(["bash", *given], files=PROFILES)
    if "-x" in given:
        session.run("set +x")
    assert lines(session, 'echo "[$order]"') == [f"[{order}]"]
    login = "-l" in given or "--login" in given
    assert lines(session, "shopt -q login_shell; echo $?") == ["0" if login else "1"]
    assert lines(session, "shopt -qo posix; echo $?") == ["0" if "--posix" in given else "1"]


@pytest.mark.parametrize("file", [".bash_login", ".profile"])
def test_the_first_profile_there_is(file: str, open_session: Open) -> None:
    later = {".bash_login": (".bash_login", ".profile"), ".profile": (".profile",)}[file]
    session = open_session(["bash", "-l"], files={name: PROFILES[name] for name in later})
    assert lines(session, "echo $order") == [PROFILES[file].strip().removeprefix("order+=")]


@pytest.mark.parametrize("arguments", [["--norc"], ["--norc", "--noprofile", "--login"]], ids=str)
def test_a_bare_shell_is_as_if_we_were_not_there(arguments: list[str], open_session: Open, home: Path) -> None:
    """We borrow POSIX mode to get in: no option and no variable may stay changed by it."""
    session = open_session(["bash", *arguments])
    shown = "shopt; set -o; declare -p HISTSIZE POSIXLY_CORRECT ENV SHELLOPTS BASHOPTS 2>&1 | sed 's/^bash: //'"
    ours = visible(session.run(shown).raw).splitlines()
    native = subprocess.run(
        ["script", "-qec", f"bash {' '.join(arguments)} -i", "/dev/null"],
        input=f" {{ {shown}; }} >native; exit\n",
        env={"HOME": str(home), "PATH": "/usr/bin:/bin", "TERM": "dumb"},
        cwd=home,
        text=True,
        capture_output=True,
        timeout=30,
        check=False,
    )
    assert native.returncode == 0
    assert ours == (home / "native").read_text().splitlines()


@pytest.mark.parametrize(
    "rc",
    [
        "return 3",
        "set -u; echo $nope",
        "set -e",
        "set -e; [ -f /nonexistent ] && :",
        "set -eu -o pipefail",
        "if then",
        "echo 'open",
        "nosuchcommand; false",
        ". /nonexistent/file",
        "readonly PROMPT_COMMAND='true'",
        "readonly PROMPT_COMMAND",
        "readonly PS2; readonly PS1",
        "PROMPT_COMMAND='true'",
        "PROMPT_COMMAND=('true' 'false')",
        "export PROMPT_COMMAND='printf x >/dev/null'",
        "unset PROMPT_COMMAND; unset PS1 PS2",
        "precmd() { PROMPT_COMMAND=precmd; PS1='theme> '; }; PROMPT_COMMAND=precmd",
        "alias printf=false eval=false command=false builtin=false unset=false .=false history=false",
        "printf() { :; }; eval() { :; }; command() { :; }; unset() { :; }; history() { :; }; read() { :; }",
        "set -o vi",
        "set -o posix",
        "shopt -s extglob nullglob failglob nocasematch nocaseglob",
        "IFS=0123456789",
        "trap 'echo DEBUG >/dev/null' DEBUG",
        "set -a",
        "set -f -C",
        "LC_ALL=C",
        "HISTCONTROL=ignoreboth:erasedups",
        "set +o history",
        "exec 3>/dev/null 4</dev/null",
    ],
)
def test_whatever_the_users_file_does(rc: str, open_session: Open) -> None:
    session = open_session("bash", files={".bashrc": rc + "\n"})
    assert visible(session.run("echo hi").raw) == "hi\n"
    assert session.run("(exit 7) && :").code == 7
    assert visible(session.run('echo "$?"').raw) == "7\n"
    started = session.start("sh -c 'echo go; exec sleep 600'")
    session.text(b"go\r\n", started.began())
    session.type(b"\x03")
    assert started.end().code == 130


@pytest.mark.parametrize("arguments", [[], ["--norc"], ["--login"]])
def test_mail_is_looked_for_as_often_as_ever(arguments: list[str], open_session: Open) -> None:
    session = open_session(["bash", *arguments], rc=False)
    assert visible(session.run("echo $MAILCHECK").raw) == "60\n"


def test_a_readonly_hook_says_nothing(open_session: Open) -> None:
    session = open_session("bash", files={".bashrc": "readonly PROMPT_COMMAND=true PS1='me> ' PS2\n"}, ready=False)
    session.run("echo hi")
    assert b"readonly" not in session.buffer


def test_what_the_file_prints_stands_before_the_prompt(open_session: Open) -> None:
    session = open_session("bash", files={".bashrc": "echo welcome; PS1='me> '\n"})
    session.text(b"me> ")
    assert session.buffer.index(b"welcome") < session.buffer.index(b"7717;P;") < session.buffer.index(b"me> ")


def test_a_file_that_exits(open_session: Open) -> None:
    session = open_session("bash", files={".bashrc": "exit 4\n"}, ready=False)
    assert session.ended() == 4


def test_a_file_that_execs(open_session: Open) -> None:
    session = open_session("bash", files={".bashrc": "exec dash\n"}, ready=False)
    session.text(b"# " if os.geteuid() == 0 else b"$ ")
    session.shell = recognise("dash")
    answer = session.heal()
    session.prompt(answer.end)
    assert visible(session.run("echo hi").raw) == "hi\n"


@pytest.mark.parametrize("control", ["", "ignorespace", "ignoreboth", "ignoredups", "erasedups:ignorespace"])
def test_history_stays_clean(control: str, open_session: Open, home: Path) -> None:
    session = open_session("bash", files={".bashrc": f"HISTCONTROL={control}\n"})
    session.settle()
    since = len(session.buffer)
    session.type(b"echo person\n")
    session.prompt(since)
    for _ in range(3):
        session.run("echo ours")
    session.settle()
    session.heal()
    assert [line.split(maxsplit=1)[1] for line in lines(session, "history")] == ["echo person"]
    session.start("exit").began()
    session.ended()
    assert not (home / ".bash_history").exists()  # HISTFILE is unset


def test_flags_follow_the_shell(open_session: Open) -> None:
    session = open_session("bash")
    assert "S" not in session.run("true").flags
    assert "x" in session.run("set -x").flags
    assert "x" not in session.run("set +x; HISTCONTROL=ignorespace").flags
    assert session.flags.endswith("S")


@pytest.mark.parametrize(
    ("mode", "output"),
    [
        ("-x", "+ echo hi\nhi\n"),
        ("-v", "echo hi\nhi\n"),
        ("-e", "hi\n"),
        ("-u", "hi\n"),
        ("-T", "hi\n"),
        ("-E", "hi\n"),
    ],
)
def test_options_show_nothing_of_ours(mode: str, output: str, open_session: Open) -> None:
    session = open_session("bash")
    assert session.run(f"set {mode}").output == ""
    assert session.run("echo hi").output in (output, "+" + output)


def test_a_debug_trap_shows_nothing_of_ours(open_session: Open) -> None:
    session = open_session("bash")
    assert session.run("trap 'echo debug' DEBUG").output == ""
    assert session.run("echo hi").output == "debug\nhi\n"
    assert session.run("trap - DEBUG").output == "debug\n"


def test_set_shows_only_the_hook(open_session: Open) -> None:
    session = open_session("bash")
    for text in ("true", "false"):
        session.run(text)
        ours = [line for line in lines(session, "set") if "7717;" in line or "_tt" in line or session.folder in line]
        assert [line.split("=")[0] for line in ours] == ["PROMPT_COMMAND", "PS0", "PS1", "PS2", session.name]
    assert lines(session, "declare -F") == []


def test_a_string_assigned_later_leaves_the_hook(open_session: Open) -> None:
    session = open_session("bash")
    session.run("PROMPT_COMMAND='PS1=\"theme> \"'; PROMPT_COMMAND+=('true')")
    session.settle()
    since = len(session.buffer)
    session.type(b" (exit 5)\n")
    assert session.prompt(since).code == 5


def test_before_bash_5_1_the_hook_is_a_string(open_session: Open) -> None:
    """The old branch of the hook, in this bash: P comes first and the user's own commands see `$?`."""
    session = open_session("bash", files={".bashrc": "PROMPT_COMMAND='seen=$?'\n"})
    hook = Path(session.folder, "hook").read_text().replace("case $BASH_VERSINFO.${BASH_VERSINFO[1]} in", "case 4.4 in")
    key = f"{session.name}=(x);PS0=;PS1='$ ';"
    key += "[[ ${PROMPT_COMMAND@a} != *a* ]]||{ unset PROMPT_COMMAND;PROMPT_COMMAND='seen=$?';}\n"
    Path(session.folder, "old").write_text(key + hook)
    session.run(f". {session.folder}/old; . {session.folder}/old")
    session.settle()
    since = len(session.buffer)
    session.type(b" (exit 5)\n")
    assert session.prompt(since).code == 5
    assert lines(session, "echo $seen ${#PROMPT_COMMAND[@]}") == ["5 1"]
    assert visible(session.run("echo $?").raw) == "0\n"


def test_the_continuation_prompt_is_marked(open_session: Open) -> None:
    session = open_session("bash")
    session.settle()
    since = len(session.buffer)
    session.type(b"echo 'a\n")
    session.until("2", session.key, since)
    session.text(b"> ", since)


def test_names_given_to_sh(open_session: Open, tmp_path: Path) -> None:
    (tmp_path / "sh").symlink_to("/usr/bin/bash")
    session = open_session([str(tmp_path / "sh")], env={"ENV": "$HOME/.shrc"}, files={".shrc": "order=env\n"})
    assert lines(session, "echo $order $ENV; shopt -qo posix; echo $?") == ["env $HOME/.shrc", "0"]


def test_command_lines_that_are_no_prompt_are_left_alone() -> None:
    for arguments in (
        ["-c", "true"],
        ["script.sh"],
        ["-xc", "true"],
        ["--norc", "file"],
        ["--", "file"],
    ):
        assert Bash().launch(LaunchRequest("/bin/bash", tuple(arguments), "/f", "k", "_tt_n", True, {})) is None


def test_signals_and_prompts() -> None:
    bash = recognise("bash")
    assert bash.signal_base == 128
    assert (bash.signal_of(130), bash.signal_of(265)) == (None, None)  # a program may itself exit with 130
    assert bash.prompt_start(b"output\x1b[?2004hme> ") == 6
    assert bash.prompt_start(b"output") is None
