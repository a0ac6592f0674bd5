"""Prompt hooks that read keys, throw them away or take their time: the next command is typed when they are done."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import truetty
from tests.acceptance.session import PATIENCE, assert_healthy, eventually, opened, sees

FLUSH = """python3 -c 'import termios; termios.tcflush(0, termios.TCIFLUSH)'"""
HOOKS = {
    "flush": FLUSH,
    "read": "IFS= read -r -t 0.05 x",
    "slow flush": f"sleep 0.3; {FLUSH}",
}


@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize("shell", ["bash", "zsh"])
async def test_commands_that_follow_at_once_reach_the_shell(shell: str, hook: str, home: Path) -> None:
    setting = {"bash": "PROMPT_COMMAND=f", "zsh": "precmd_functions+=(f)"}[shell]
    async with opened(shell, home) as terminal:
        outcome = await terminal.run(f"f() {{ {HOOKS[hook]}; }}; {setting}", wait=PATIENCE)
        assert outcome.exit_code == 0
        for number in range(5):
            outcome = await terminal.run(f"echo {number}; sh -c 'exit {number}'", wait=PATIENCE)
            assert (outcome.state, outcome.exit_code, outcome.output) == ("finished", number, f"{number}\n"), outcome
        await assert_healthy(terminal)


@pytest.mark.parametrize("limit", ["", "-t 0.3"])
@pytest.mark.parametrize("shell", ["bash", "zsh"])
async def test_a_hook_that_asks_where_the_cursor_is_from_the_first_prompt_on(
    shell: str, limit: str, home: Path, tmp_path: Path
) -> None:
    """It is answered, and its `read` is not taken for the prompt."""
    hook = rf"f() {{ local x; printf '\e[6n' >/dev/tty; IFS= read -rs {limit} -d R x </dev/tty; }}"
    setting = {"bash": "PROMPT_COMMAND=f", "zsh": "precmd_functions+=(f)"}[shell]
    with (home / f".{shell}rc").open("a") as file:
        file.write(f"{hook}\n{setting}\n")
    async with opened(shell, home) as terminal:
        for number in range(4):
            outcome = await terminal.run(f"echo {number} >>{tmp_path}/log; echo {number}", wait=PATIENCE)
            assert (outcome.state, outcome.exit_code, outcome.output) == ("finished", 0, f"{number}\n"), outcome
    assert (tmp_path / "log").read_text() == "0\n1\n2\n3\n"


@pytest.mark.parametrize("shell", ["bash", "zsh"])
async def test_a_start_up_file_that_asks_where_the_cursor_is(shell: str, home: Path) -> None:
    with (home / f".{shell}rc").open("a") as file:
        file.write(r"printf '\e[6n' >/dev/tty; IFS= read -rs -d R x </dev/tty" + "\n")
    async with opened(shell, home) as terminal:
        assert terminal.strategy == "rich"
        for text in ("one", "two"):
            outcome = await terminal.run(f"echo {text}", wait=PATIENCE)
            assert (outcome.state, outcome.exit_code, outcome.output) == ("finished", 0, f"{text}\n"), outcome


RC_FILES = {"bash": ".bashrc", "zsh": ".zshrc", "fish": ".config/fish/config.fish"}


class Gate:
    """A prompt hook that runs a program, which ends when it is let through."""

    def __init__(self, folder: Path) -> None:
        self._began, self._go, self._reached, self._fifo = (
            folder / name for name in ("began", "go", "reached", "gate")
        )
        os.mkfifo(self._fifo)
        self.hook = f"sh {folder}/hook"
        (folder / "hook").write_text(f"[ -e {self._go} ] || exit 0; touch {self._reached}; cat {self._fifo}")
        self.command = f"sh {folder}/command"
        (folder / "command").write_text(f"touch {self._began}; until [ -e {self._go} ]; do sleep 0.01; done; exit 3")

    async def reach(self, terminal: truetty.Terminal) -> truetty.Command:
        """Run a command that ends with 3. Its hook's program is in front before anything that was printed is read."""
        command = await terminal.start(self.command)
        await eventually(self._began.exists, "the command runs")
        self._go.touch()
        deadline = time.monotonic() + PATIENCE
        while not self._reached.exists():
            assert time.monotonic() < deadline, "the hook never ran"
            time.sleep(0.01)  # not asyncio's: nothing is to be read meanwhile
        return command

    async def open(self) -> None:
        for path in (self._began, self._go, self._reached):
            path.unlink()
        os.close(os.open(self._fifo, os.O_WRONLY))


def waits_in_hook(terminal: truetty.Terminal) -> bool:
    conversation = terminal._conversation
    assert conversation is not None and conversation.run is not None
    return conversation.run.machine.testimony.waits_at != () or conversation.run.machine.ending is not None


@pytest.mark.parametrize(
    ("shell", "rc"),
    [
        ("bash", "PROMPT_COMMAND='{hook}'"),
        ("bash", "f() {{ {hook}; }}; PROMPT_COMMAND=(true f)"),
        ("bash", "PS1='$({hook})$ '"),
        ("zsh", "precmd() {{ {hook} }}"),
        ("zsh", "setopt prompt_subst; PS1='$({hook})$ '"),
        ("fish", "function fish_prompt; {hook}; echo '> '; end"),
        ("fish", "function f --on-event fish_prompt; {hook}; end"),
    ],
)
async def test_an_outcome_does_not_wait_for_a_program_of_a_prompt_hook(
    shell: str, rc: str, home: Path, tmp_path: Path
) -> None:
    """Where the shell waits for such programs is learnt once; from then on D is enough."""
    gate = Gate(tmp_path)
    path = home / RC_FILES[shell]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(rc.format(hook=gate.hook) + "\n")
    async with opened(shell, home) as terminal:
        if sees(terminal):  # where the shell waits for commands is shown by a look at one that reads
            reader = await terminal.start("cat")
            assert (await reader.wait(PATIENCE)).state == "waiting"
            await reader.press("C-d")
            assert (await reader.wait(PATIENCE)).exit_code == 0
        command = await gate.reach(terminal)
        if sees(terminal):
            await eventually(lambda: waits_in_hook(terminal), "a look shows where the shell waits for the hook")
        await gate.open()
        outcome = await command.wait(PATIENCE)
        assert (outcome.state, outcome.exit_code, outcome.evidence) == ("finished", 3, "mark"), outcome
        command = await gate.reach(terminal)
        if not sees(terminal):
            await gate.open()  # who is in front can be told there, and where the shell is cannot
        outcome = await command.wait(PATIENCE)
        assert (outcome.state, outcome.exit_code, outcome.evidence) == ("finished", 3, "mark"), outcome
        if sees(terminal):
            await gate.open()
        await assert_healthy(terminal)


ENDINGS = {
    "bash": "f() {{ [[ ! -e {armed} ]] || exit 0; }}; PROMPT_COMMAND+=(f)",
    "zsh": "precmd() {{ [[ ! -e {armed} ]] || exit 0 }}",
    "fish": "function fish_prompt; test -e {armed}; and exit 0; end",
    "tcsh": "alias precmd 'if (-e {armed}) exit 0'",
    "dash": "PS1='$(test -e {armed} && kill -9 $$)'",
    "ksh": "PS1='$(test -e {armed} && kill -9 $$)'",
    "mksh": "PS1='$(test -e {armed} && kill -9 $$)'",
}


@pytest.mark.parametrize("shell", ENDINGS)
async def test_a_shell_that_its_prompt_ends_tells_nothing_of_the_command(
    shell: str, home: Path, tmp_path: Path, program: Callable[[str], str]
) -> None:
    """Whether its keys are typed before the end, or the terminal is closed by then, is a matter of moments. Of what was
    not typed the shell's failure is told."""
    program(shell)
    async with opened(shell, home) as terminal:
        await terminal.run(ENDINGS[shell].format(armed=tmp_path / "armed"), wait=PATIENCE)
        await terminal.run(f"touch {tmp_path}/armed", wait=PATIENCE)
        outcome = None
        with contextlib.suppress(truetty.Closed):
            outcome = await terminal.run(f"touch {tmp_path}/made", wait=PATIENCE)
    assert not (tmp_path / "made").exists()
    if outcome is not None:
        assert (outcome.state, outcome.ok) == ("finished", False) and outcome.exit_code in (None, 137), outcome
        assert outcome.closed and "nothing showed that the command had run" in " ".join(outcome.notes), outcome
