"""A command behaves as if a person had typed it: what a shell keeps from line to line, jobs, traps, history."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.session import PATIENCE, assert_healthy, opened

# shell, commands, the output of the last one
ROWS = [
    ("bash", ["echo one two", "echo $_"], "two\n"),
    ("zsh", ["echo one two", "echo $_"], "two\n"),
    ("bash", ["false | true | (exit 3)", "echo ${PIPESTATUS[@]}"], "1 0 3\n"),
    ("zsh", ["false | true | (exit 3)", "echo $pipestatus"], "1 0 3\n"),
    ("fish", ["false | true | false", "echo $pipestatus"], "1 0 1\n"),
    ("bash", ["(exit 7)", "echo $?"], "7\n"),
    ("zsh", ["(exit 7)", "echo $?"], "7\n"),
    ("bash", ["set -x", "echo hi"], "+ echo hi\nhi\n"),
    ("bash", ["trap 'echo err' ERR", "false"], "err\n"),
    ("zsh", ["TRAPZERR() { echo err }", "false"], "err\n"),
    ("bash", ["sleep 300 & true", "jobs", "kill %1"], ""),
    ("bash", ["sleep 300 & true", "jobs | sed 's/  */ /g'"], "[1]+ Running sleep 300 &\n"),
    ("zsh", ["sleep 300 & true", "jobs"], "[1]  + running    sleep 300\n"),
    ("zsh", ["sleep 300 & true", "kill -9 %1", "echo alive"], "alive\n"),
    ("bash", ["history -c", "echo a", "echo b", "history | tail -3 | sed 's/^ *[0-9]* *//'"],
     "echo a\necho b\nhistory | tail -3 | sed 's/^ *[0-9]* *//'\n"),
    ("bash", ["history -c", "echo a", "echo b", "fc -ln -2 | sed 's/^[ \t]*//'"], "echo a\necho b\n"),
    ("bash", ["a=$HISTCMD", "true", "echo $((HISTCMD - a))"], "2\n"),
    ("zsh", ["echo a", "echo b", "fc -ln -2"], "echo a\necho b\n"),
    ("zsh", ["a=$HISTCMD", "true", "echo $((HISTCMD - a))"], "2\n"),
    ("bash", ["a=$LINENO", "true", "echo $((LINENO - a))"], "2\n"),
    ("zsh", ["a=$LINENO", "true", "echo $((LINENO - a))"], "2\n"),
    ("bash", ["a='\\#'; b=${a@P}", "true", "echo $((${a@P} - b))"], "2\n"),
    ("bash", ["set -T; trap 'echo ret' RETURN", "true"], ""),
    ("bash", ["set -e", "! true", "[ a = b ] && echo", "echo alive"], "alive\n"),
    ("bash", ["return 3", "echo $?"], "2\n"),
    ("bash", ["alias hi='echo hello'", "hi"], "hello\n"),
    ("fish", ["echo (status current-command)"], "echo\n"),
    ("bash", ["f() { echo ${FUNCNAME[*]}; }", "f"], "f\n"),
    ("bash", ["trap 'echo d' DEBUG", "true"], "d\n"),
    ("zsh", ["echo $funcstack $zsh_eval_context"], "toplevel\n"),
    ("bash", ["echo 'a  b'  \"c\td\""], "a  b c\td\n"),
    ("bash", ["echo wow!", "echo \"a!b\" '!c'"], "a!b !c\n"),
    ("zsh", ["echo \"a!b\" '!c'"], "a!b !c\n"),
    ("bash", ["stty erase e", "echo here"], "here\n"),
    ("zsh", ["stty erase e", "echo here"], "here\n"),
]  # fmt: skip


@pytest.mark.parametrize(("shell", "commands", "output"), ROWS, ids=lambda value: str(value)[:60])
async def test_as_typed(shell: str, commands: list[str], output: str, home: Path) -> None:
    async with opened(shell, home) as terminal:
        for command in commands:
            outcome = await terminal.run(command, wait=PATIENCE)
            assert (outcome.state, outcome.evidence) == ("finished", "mark"), (command, outcome)
        assert outcome.output == output


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
async def test_the_users_history_file_gets_what_a_setting_allows(shell: str, kept: bool, home: Path) -> None:
    names = {"bash": ".bash_history", "zsh": ".zsh_history", "fish": ".local/share/fish/fish_history"}
    with (home / ".zshrc").open("a") as file:
        file.write("HISTFILE=~/.zsh_history SAVEHIST=100\n")
    async with opened(shell, home, history=kept) as terminal:
        await terminal.run("echo seven", wait=PATIENCE)
        await terminal.run("exit", wait=PATIENCE)
    path = home / names[shell]
    assert (path.exists() and "echo seven" in path.read_text()) == kept


async def test_after_the_hook_was_installed_again_the_exit_code_is_the_last_commands(home: Path) -> None:
    async with opened("bash", home) as terminal:
        outcome = await terminal.run("unset PROMPT_COMMAND; PS1='$ '; (exit 9)", wait=PATIENCE)
        assert (outcome.state, outcome.exit_code, outcome.evidence) == ("finished", 9, "kernel")
        assert (await terminal.run("echo $?", wait=PATIENCE)).output == "9\n"


async def test_ksh93_writes_no_history_file_of_the_users(home: Path) -> None:
    async with opened("ksh93", home) as terminal:
        await assert_healthy(terminal)
        assert (await terminal.run("env | grep HISTFILE", wait=PATIENCE)).output == ""
    assert not (home / ".sh_history").exists()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
async def test_an_open_paste_does_not_swallow_the_next_command(shell: str, home: Path) -> None:
    async with opened(shell, home) as terminal:
        await terminal.run("true", wait=PATIENCE)
        await terminal.send("\x1b[200~abc")
        outcome = await terminal.run("echo one", wait=PATIENCE)
        assert (outcome.state, outcome.exit_code, outcome.output) == ("finished", 0, "one\n")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize("text", [")", "if true", "echo 'open", "for x in 1 2", "echo a |", "echo a >"])
async def test_a_text_that_the_shell_does_not_accept_answers_at_once(shell: str, text: str, home: Path) -> None:
    async with opened(shell, home) as terminal:
        outcome = await terminal.run(text, wait=PATIENCE)
        assert outcome.state == "finished" and outcome.exit_code not in (0, None), outcome
        assert (
            "rror" in outcome.output or "nexpected" in outcome.output or "nmatched" in outcome.output or outcome.output
        )
        after = await terminal.run("echo two", wait=PATIENCE)
        assert (after.exit_code, after.output) == (0, "two\n")
