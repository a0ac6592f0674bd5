"""Options, keys and leftovers that a command sets in the middle of a session: the next commands run and say how."""

from __future__ import annotations

from pathlib import Path

import pytest

import truetty
from tests.acceptance.session import PATIENCE, opened

SETTINGS = [
    ("bash", "stty erase e"),
    ("bash", "stty olcuc"),
    ("bash", "enable -n printf echo"),
    ("bash", "enable -n eval"),
    ("bash", "enable -n builtin"),
    ("bash", "enable -n ."),
    ("bash", "builtin() { :; }"),
    ("bash", 'bind \'"e": "X"\''),
    ("bash", 'bind \'"\\C-j": "X"\''),
    ("bash", "bind '\\C-m: self-insert'"),
    ("bash", "bind -r '\\C-j'"),
    ("bash", "set -o vi"),
    ("bash", "histchars='e^#'"),
    ("bash", "stty susp 2"),
    ("bash", "stty intr 7"),
    ("bash", "PROMPT_COMMAND=(true); PS0="),
    ("bash", "PROMPT_COMMAND=('echo -n X')"),
    ("bash", "set +o emacs"),
    ("zsh", "stty erase e"),
    ("zsh", "stty olcuc"),
    ("zsh", "bindkey -s e X"),
    ("zsh", "bindkey -s '^M' X"),
    ("zsh", "bindkey -r '^M'"),
    ("zsh", "bindkey -v"),
    ("zsh", "unsetopt zle"),
    ("zsh", "print -z leftover"),
    ("zsh", "histchars='e^#'"),
    ("zsh", "stty intr 7"),
    ("zsh", "setopt correct"),
    ("zsh", "PROMPT_EOL_MARK="),
    ("zsh", "setopt no_prompt_sp"),
    ("zsh", "setopt no_prompt_cr"),
    ("zsh", "disable eval"),
    ("zsh", "disable printf"),
    ("zsh", "disable print"),
    ("zsh", "alias -g printf=X"),
    ("zsh", "disable -r '{'"),
    ("fish", "stty erase e"),
    ("fish", "commandline leftover"),
    ("fish", "bind \\n ''"),
    ("fish", "bind e ''"),
    ("fish", "fish_vi_key_bindings"),
    ("dash", "stty erase e"),
    ("dash", "stty olcuc"),
    ("ksh93", "trap ':' DEBUG"),
]


@pytest.mark.parametrize(("shell", "setting"), SETTINGS)
async def test_the_next_commands_are_right(shell: str, setting: str, home: Path) -> None:
    async with opened(shell, home) as terminal:
        outcome = await terminal.run(setting, wait=PATIENCE)
        assert (outcome.state, outcome.exit_code) == ("finished", 0), outcome
        await assert_right(terminal)


@pytest.mark.parametrize("first", ["^", "a!", "!"])
async def test_texts_that_history_would_change_though_its_characters_are_read_only(first: str, home: Path) -> None:
    async with opened("zsh", home) as terminal:
        await terminal.run("readonly histchars", wait=PATIENCE)
        for code in (3, 0):
            outcome = await terminal.run(f"sh -c 'echo $0; exit {code}' '{first}b'", wait=PATIENCE)
            assert (outcome.state, outcome.exit_code, outcome.output) == ("finished", code, f"{first}b\n"), outcome
        await assert_right(terminal)


async def assert_right(terminal: truetty.Terminal) -> None:
    for text, code, output in (("echo here", 0, "here\n"), ("sh -c 'exit 7'", 7, ""), ("echo two", 0, "two\n")):
        outcome = await terminal.run(text, wait=PATIENCE)
        said = (outcome.state, outcome.exit_code, outcome.output.lower(), outcome.evidence)  # olcuc: capitals
        assert said == ("finished", code, output, "mark"), outcome


@pytest.mark.parametrize(
    ("shell", "setting"), [("fish", "bind --erase --all"), ("bash", r"bind -r '\e[7720~'; bind -r '\e[7719~'")]
)
async def test_a_text_that_the_editor_did_not_get_is_lost_once(shell: str, setting: str, home: Path) -> None:
    """Without our keys it stands at the prompt as text, and nothing of it has run."""
    async with opened(shell, home) as terminal:
        await terminal.run(setting, wait=PATIENCE)
        outcome = await terminal.run(f"touch {home}/ran", wait=PATIENCE)
        assert (outcome.state, outcome.exit_code, (home / "ran").exists()) == ("finished", None, False), outcome
        assert outcome.notes
        await assert_right(terminal)


@pytest.mark.parametrize("option", ["prompt_sp", "no_prompt_sp", "no_prompt_cr"])
async def test_an_interrupt_ends_the_output_before_the_prompt_of_zsh(option: str, home: Path) -> None:
    """Standard output is another, and zsh prints no sign of its own before its prompt: the hook's marks are enough."""
    async with opened("zsh", home) as terminal:
        await terminal.run(f"setopt {option}; exec >/dev/null", wait=PATIENCE)
        command = await terminal.start("sleep 1000")
        await command.interrupt()
        outcome = await command.wait(PATIENCE, until="finished")
        assert (outcome.exit_code, outcome.evidence, outcome.output.strip()) == (130, "mark", "^C"), outcome


@pytest.mark.parametrize("setting", ["set -x", "set -v", "echo one; set -x", "echo one; set -v"])
@pytest.mark.parametrize("shell", ["ksh93", "mksh", "dash", "busybox"])
async def test_no_output_shows_an_end_mark(shell: str, setting: str, home: Path) -> None:
    async with opened(shell, home) as terminal:
        for text in (setting, "echo two", "echo three"):
            outcome = await terminal.run(text, wait=PATIENCE)
            assert (outcome.state, outcome.exit_code) == ("finished", 0), outcome
            assert "7717" not in outcome.output and "/d" not in outcome.output, outcome
            assert text.startswith("set") or text.split()[-1] in outcome.output or "one" in outcome.output, outcome


async def test_a_text_that_never_ran_has_no_exit_code(home: Path) -> None:
    """Without these bash cannot read the private file: our Enter accepts an empty line, which has an end mark."""
    async with opened("bash", home) as terminal:
        await terminal.run("enable -n . source", wait=PATIENCE)
        outcome = await terminal.run(f"touch {home}/ran; : {'x' * 200}", wait=PATIENCE)
        assert (outcome.state, outcome.exit_code, (home / "ran").exists()) == ("finished", None, False), outcome
        assert outcome.notes


@pytest.mark.parametrize(
    ("shell", "rc", "code"),
    [("bash", "PROMPT_COMMAND='sleep 0.1'", 2), ("zsh", "p() { sleep 0.1 }; precmd_functions+=(p)", 1)],
)
async def test_a_syntax_error_before_a_slow_prompt(shell: str, rc: str, code: int, home: Path) -> None:
    """D comes without C while the hook's program is in front, and the stop for the tty's modes is not left to the next
    command."""
    with (home / f".{shell}rc").open("a") as file:
        file.write(f"{rc}\n")
    async with opened(shell, home) as terminal:
        for _ in range(3):
            await terminal.run("stty -echo", wait=PATIENCE)
            outcome = await terminal.run("echo a ;; b", wait=PATIENCE)
            assert (outcome.state, outcome.exit_code, outcome.evidence) == ("finished", code, "mark"), outcome
            assert "error" in outcome.output
            assert (await terminal.run("echo ok", wait=PATIENCE)).output == "ok\n"
