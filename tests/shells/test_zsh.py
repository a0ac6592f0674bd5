"""zsh: its start-up files in their true order, its options, its history."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.shells.conftest import Open
from tests.shells.driver import Session, visible
from truetty.shells.editors.zsh import ZshEditor
from truetty.shells.row import LaunchRequest
from truetty.shells.table import recognise
from truetty.shells.zsh import Zsh

FILES = {
    name: f"order+={name.removeprefix('.')}:${{ZDOTDIR-unset}},\n"
    for name in (".zshenv", ".zprofile", ".zshrc", ".zlogin")
}


def lines(session: Session, text: str) -> list[str]:
    return visible(session.run(text).raw).splitlines()


@pytest.mark.parametrize(
    ("arguments", "order"),
    [
        ([], "zshenv:unset,zshrc:unset,"),
        (["-l"], "zshenv:unset,zprofile:unset,zshrc:unset,zlogin:unset,"),
        (["--login"], "zshenv:unset,zprofile:unset,zshrc:unset,zlogin:unset,"),
        (["-f"], ""),
        (["-lf"], ""),
        (["--no-rcs"], ""),
        (["-o", "no_rcs"], ""),
        (["-d"], "zshenv:unset,zshrc:unset,"),
        (["-o", "autocd"], "zshenv:unset,zshrc:unset,"),
    ],
    ids=str,
)
def test_files_in_their_true_order(arguments: list[str], order: str, open_session: Open) -> None:
    session = open_session(["zsh", *arguments], files=FILES)
    assert lines(session, 'echo "[$order] [${ZDOTDIR-unset}]"') == [f"[{order}] [unset]"]
    login = arguments in (["-l"], ["--login"], ["-lf"])
    assert lines(session, "[[ -o login ]]; echo $?") == ["0" if login else "1"]


def test_the_users_own_zdotdir(open_session: Open, home: Path) -> None:
    files = {f"z/{name}": text for name, text in FILES.items()}
    session = open_session("zsh", env={"ZDOTDIR": f"{home}/z"}, files=files)
    assert lines(session, "echo $order; print -r -- $ZDOTDIR; env | grep ZDOTDIR") == [
        f"zshenv:{home}/z,zshrc:{home}/z,",
        f"{home}/z",
        f"ZDOTDIR={home}/z",
    ]


def test_a_zdotdir_chosen_in_zshenv(open_session: Open, home: Path) -> None:
    files = {".zshenv": "ZDOTDIR=~/z; order+=env,\n", "z/.zshrc": "order+=rc,\n", ".zshrc": "order+=WRONG,\n"}
    session = open_session("zsh", files=files)
    assert lines(session, "echo $order; echo $ZDOTDIR") == ["env,rc,", f"{home}/z"]


@pytest.mark.parametrize("file", [".zshenv", ".zshrc"])
@pytest.mark.parametrize(
    "rc",
    [
        "return 3",
        "setopt nounset; echo $nope",
        "setopt errexit",
        "set -e; [[ -f /nonexistent ]] && :",
        "if then",
        "echo 'open",
        "nosuchcommand; false",
        "precmd_functions=()",
        "PROMPT_EOL_MARK=''",
        "precmd() { PROMPT='theme> '; PROMPT_EOL_MARK='' }",
        "unsetopt promptsp",
        "unsetopt promptcr promptpercent",
        "setopt promptsubst; PS1='$(echo me)> '",
        "readonly PROMPT_EOL_MARK=''; readonly PS2",
        "PROMPT_EOL_MARK='no newline'",
        "readonly histchars",
        "setopt interactivecomments histignorespace sharehistory extendedhistory",
        "alias printf=false eval=false builtin=false .=false unset=false setopt=false",
        "printf() { : }; unset() { : }; history() { : }; read() { : }; typeset() { : }",
        "bindkey -v",
        "setopt noglob noclobber shwordsplit ksharrays allexport",
        "setopt nobanghist rcquotes cshjunkiequotes",
        "emulate sh",
        "IFS=0123456789",
        "TRAPZERR() { echo zerr >/dev/null }",
        "preexec() { echo pre >/dev/null }; zshaddhistory() { return 0 }",
    ],
)
def test_whatever_the_users_file_does(file: str, rc: str, open_session: Open) -> None:
    session = open_session("zsh", files={file: rc + "\n"})
    assert visible(session.run("echo hi").raw) == "hi\n"
    assert session.run("(exit 7) && :").code == 7
    assert visible(session.run('echo "$?"').raw) == "7\n"
    if "err" in rc or "set -e" in rc:
        return  # there ^C ends zsh by itself
    started = session.start("sh -c 'echo go; exec sleep 600'")
    session.text(b"go\r\n", started.began())
    session.type(b"\x03")
    assert started.end().code == 130


def test_a_file_that_takes_away_both_hooks_is_healed(open_session: Open) -> None:
    session = open_session("zsh", files={".zshrc": "precmd_functions=(); PROMPT_EOL_MARK=''\n"}, ready=False)
    session.settle()
    assert not session.seen("P", 0)
    answer = session.heal()
    assert session.prompt(answer.end).code == 0


@pytest.mark.parametrize(
    ("mode", "output"),
    [("-x", "+(eval):1> echo hi\nhi\n"), ("-v", "hi\n"), ("-e", "hi\n"), ("-u", "hi\n"), ("-a", "hi\n")],
)
def test_options_show_nothing_of_ours(mode: str, output: str, open_session: Open) -> None:
    session = open_session("zsh")
    assert session.run(f"set {mode}").output == ""
    assert session.run("echo hi").output == output
    if mode != "-e":  # there text that does not parse ends the shell
        assert session.run('echo "a').code == 1
        assert session.run("echo hi").output == output


def test_history_stays_clean(open_session: Open, home: Path) -> None:
    session = open_session("zsh", files={".zshrc": "HISTFILE=~/hist SAVEHIST=100 HISTSIZE=100\n"})
    session.settle()
    since = len(session.buffer)
    session.type(b"echo person\n")
    session.prompt(since)
    for _ in range(3):
        session.run("echo ours")
    session.settle()
    session.heal()
    session.start("exit").began()
    session.ended()
    assert (home / "hist").read_text() == "echo person\n"


def test_the_line_is_pasted_where_it_may_be(open_session: Open) -> None:
    session = open_session("zsh")
    session.settle()
    assert session.paste
    started = session.start("echo hi")
    assert started.typed.line.startswith(b"\x1b[200~")
    assert visible(started.end().raw) == "hi\n"


def test_the_continuation_prompt_is_marked(open_session: Open) -> None:
    session = open_session("zsh")
    session.settle()
    since = len(session.buffer)
    session.type(b"echo 'a\n")
    session.until("2", session.key, since)


@pytest.mark.parametrize(
    ("setting", "is_last"),
    [
        ("true", True),
        ("setopt ksharrays", True),
        ("precmd_functions+=(f)", False),
        ("precmd_functions=(f $precmd_functions)", False),
        ("precmd() { f }", False),
        ("periodic() { f }", False),
        ("periodic_functions=(f)", False),
        ("setopt prompt_subst", False),
        ("zle -N zle-line-init f", False),
        ("sched +99:00 f", False),
    ],
)
def test_the_mark_tells_whether_hooks_follow_it(setting: str, is_last: bool, open_session: Open) -> None:
    session = open_session(["zsh", "-f"])
    session.run(f"f() {{ true; }}; {setting}")
    session.settle()
    told = [mark.options for mark in session.marks(0) if mark.letter == "P"][-1]
    assert ZshEditor().follows(told) is is_last, told


def test_set_shows_only_the_hook(open_session: Open) -> None:
    session = open_session("zsh")
    ours = [line for line in lines(session, "set") if "7717" in line or "_tt" in line or session.folder in line]
    lists = ["precmd_functions", "preexec_functions", "zshaddhistory_functions"]
    assert [line.split("=")[0] for line in ours] == ["PROMPT2", "PROMPT_EOL_MARK", "PS2", session.name, *lists]
    functions = {name for name in lines(session, "print -l ${(k)functions}") if "_tt" in name}
    assert functions == {f"{session.name}_{letter}" for letter in "cefghkpqrst"}


def test_prompt_without_a_mark() -> None:
    blank = b"\x1b[1m\x1b[7m%\x1b[27m\x1b[1m\x1b[0m" + b" " * 79 + b"\r \r"
    assert recognise("zsh").prompt_start(b"output" + blank + b"me> ") == 6
    assert recognise("zsh").prompt_start(b"output 50%\r\n") is None


def test_command_lines_that_are_no_prompt_are_left_alone() -> None:
    for arguments in (["-c", "true"], ["script.zsh"], ["-fc", "true"], ["-o", "autocd", "script"]):
        assert Zsh().launch(LaunchRequest("/bin/zsh", tuple(arguments), "/f", "k", "_tt_n", True, {})) is None
