"""The seed's scenarios on real shells: marks that work, marks that stop, silence, and shells that die or change.

`wait` wakes at every change, so one `wait` that comes back `finished` also proves that nothing else was said before.
That nothing was said too early is seen from a file which the command makes as its last act.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import truetty
from tests.acceptance.session import PATIENCE, SHELLS, assert_healthy, opened
from truetty.until import Match

# Longer than every constant inside; the seed's own 40 seconds run with the long tests.
PAUSES = (6, pytest.param(40, marks=pytest.mark.long))

# What takes the prompt hooks away in each shell.
UNHOOK = {
    "bash": "PROMPT_COMMAND=; unset PROMPT_COMMAND; PS1='$ '; PS2='> '",
    "zsh": "PROMPT_EOL_MARK=; precmd_functions=(); zshaddhistory_functions=(); PS1='%% '; unset -f -m '_tt_*'",
    "fish": "functions -e (functions -a | string match '_tt_*') fish_prompt; function fish_prompt; echo '> '; end",
    "dash": "PS1='$ '; PS2='> '",
}
# What no mark can be printed without. `command` in dash is what `builtin` is in bash and zsh.
FUNCTIONS = {
    "bash": "builtin() { :; }; printf() { :; }; .() { :; }",
    "zsh": "builtin() { :; }; printf() { :; }",
    "fish": "function .; end; function source; end; function printf; end",
    "dash": "command() { :; }; printf() { :; }",
}
UNSURE = "the output may end with the shell's prompt"
STEADY = "sh -c 'i=0; while [ $i -lt 60 ]; do echo line $i; i=$((i+1)); sleep 0.05; done'"
STEADY_OUTPUT = "".join(f"line {number}\n" for number in range(60))


def assert_output(outcome: truetty.Outcome, expected: str) -> None:
    """Exact; or, where no mark told where the prompt began, with the prompt behind it and a note that says so."""
    noted = any(UNSURE in note for note in outcome.notes)
    assert outcome.output == expected or (noted and outcome.output.startswith(expected)), outcome


async def folder_of(terminal: truetty.Terminal) -> str:
    """The terminal's private directory."""
    await terminal.run("true", wait=PATIENCE)
    assert terminal._conversation is not None
    return terminal._conversation.link.channel.files.path


# ── the table ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("shell", SHELLS)
async def test_a_quick_command_is_finished_by_its_mark(shell: str, home: Path) -> None:
    async with opened(shell, home) as terminal:
        assert terminal.strategy == "rich"
        for code in (0, 1, 7, 126, 255):
            outcome = await terminal.run(f"echo quick; sh -c 'exit {code}'", wait=PATIENCE)
            assert (outcome.state, outcome.evidence, outcome.strategy) == ("finished", "mark", "rich")
            assert (outcome.exit_code, outcome.output, outcome.notes) == (code, "quick\n", ())
            assert (outcome.signal, outcome.waiting, outcome.closed, outcome.complete) == (None, None, False, True)


@pytest.mark.parametrize("shell", SHELLS)
async def test_steady_output_is_finished_when_it_is(shell: str, home: Path, tmp_path: Path) -> None:
    end = tmp_path / "end"
    async with opened(shell, home) as terminal:
        outcome = await terminal.run(f"{STEADY}; touch {end}; sh -c 'exit 3'", wait=PATIENCE)
        assert end.exists()
        assert (outcome.state, outcome.evidence, outcome.exit_code) == ("finished", "mark", 3)
        assert outcome.output == STEADY_OUTPUT


@pytest.mark.parametrize("pause", PAUSES)
@pytest.mark.parametrize("shell", SHELLS)
async def test_a_pause_is_no_end(shell: str, pause: int, home: Path, tmp_path: Path) -> None:
    end = tmp_path / "end"
    async with opened(shell, home) as terminal:
        command = await terminal.start(f"echo before; sleep {pause}; echo after; touch {end}")
        during = await command.wait(PATIENCE, until=Match("before"))
        assert (during.state, during.evidence, during.exit_code) == ("running", None, None)
        outcome = await command.wait(pause + PATIENCE)
        assert end.exists()
        assert (outcome.state, outcome.evidence, outcome.exit_code) == ("finished", "mark", 0)
        assert outcome.output == "before\nafter\n"


@pytest.mark.parametrize("shell", SHELLS)
async def test_a_silent_command_is_finished_when_it_is(shell: str, home: Path, tmp_path: Path) -> None:
    end = tmp_path / "end"
    async with opened(shell, home) as terminal:
        outcome = await terminal.run(f"sleep 3; touch {end}", wait=PATIENCE)
        assert end.exists()
        assert (outcome.state, outcome.evidence, outcome.exit_code, outcome.output) == ("finished", "mark", 0, "")


# ── integration breaks after the start mark ─────────────────────────────────────────────────────────────────────


def breaking(way: str, shell: str, folder: str) -> str:
    match way:
        case "files":
            return f"{UNHOOK[shell]}; sh -c 'rm -f {folder}/d*'"
        case "folder":
            return f"{UNHOOK[shell]}; rm -rf {folder}"
        case _:
            return f"{UNHOOK[shell]}; {FUNCTIONS[shell]}"


@pytest.mark.parametrize("way", ["files", "folder", "functions"])
@pytest.mark.parametrize("shell", SHELLS)
async def test_broken_integration_is_finished_by_the_kernel(shell: str, way: str, home: Path, tmp_path: Path) -> None:
    end = tmp_path / "end"
    async with opened(shell, home) as terminal:
        broken = breaking(way, shell, await folder_of(terminal))
        outcome = await terminal.run(f"{broken}; echo out; touch {end}; sh -c 'exit 7'", wait=PATIENCE)
        assert outcome.state == "finished"
        assert end.exists()
        assert (outcome.evidence, outcome.closed) == ("kernel", False)
        assert outcome.strategy != "rich"
        assert outcome.exit_code in (7, None)
        assert_output(outcome, "out\n")
        if way != "functions":
            await assert_healthy(terminal)
            return
        # Without `builtin` itself the end mark cannot be printed: then the exit code is unknown.
        outcome = await terminal.run("echo healthy; sh -c 'exit 4'", wait=PATIENCE)
        assert outcome.state == "finished"
        assert outcome.exit_code in (4, None)
        assert outcome.exit_code == 4 or outcome.notes


@pytest.mark.parametrize("shell", SHELLS)
async def test_a_lost_end_mark_alone_gives_no_wrong_code(shell: str, home: Path) -> None:
    """The prompt hook still works, but what it finds in `$?` is not the command's."""
    async with opened(shell, home) as terminal:
        folder = await folder_of(terminal)
        outcome = await terminal.run(f"sh -c 'rm -f {folder}/d*'; echo out; sh -c 'exit 7'", wait=PATIENCE)
        assert outcome.state == "finished"
        assert outcome.exit_code in (7, None)
        assert_output(outcome, "out\n")
        await assert_healthy(terminal)


@pytest.mark.parametrize("shell", SHELLS)
async def test_broken_integration_with_steady_output(shell: str, home: Path, tmp_path: Path) -> None:
    end = tmp_path / "end"
    async with opened(shell, home) as terminal:
        broken = breaking("files", shell, await folder_of(terminal))
        outcome = await terminal.run(f"{broken}; {STEADY}; touch {end}; sh -c 'exit 7'", wait=PATIENCE)
        assert end.exists()
        assert (outcome.state, outcome.evidence) == ("finished", "kernel")
        assert outcome.exit_code in (7, None)
        assert_output(outcome, STEADY_OUTPUT)
        await assert_healthy(terminal)


@pytest.mark.parametrize("pause", PAUSES)
@pytest.mark.parametrize("shell", SHELLS)
async def test_broken_integration_with_a_pause(shell: str, pause: int, home: Path, tmp_path: Path) -> None:
    end = tmp_path / "end"
    async with opened(shell, home) as terminal:
        broken = breaking("files", shell, await folder_of(terminal))
        text = f"{broken}; echo before; sleep {pause}; echo after; touch {end}; sh -c 'exit 7'"
        outcome = await terminal.run(text, wait=pause + PATIENCE)
        assert end.exists()
        assert (outcome.state, outcome.evidence) == ("finished", "kernel")
        assert outcome.exit_code in (7, None)
        assert_output(outcome, "before\nafter\n")
        await assert_healthy(terminal)


# ── the shell dies, or becomes another ──────────────────────────────────────────────────────────────────────────

DEATHS = [
    *((shell, "set -e; false", 1, None) for shell in ("bash", "zsh", "dash")),
    *((shell, "echo last words; exit 3", 3, None) for shell in SHELLS),
    *((shell, "kill -9 $$", 137, "SIGKILL") for shell in ("bash", "zsh", "dash")),
    ("fish", "kill -9 $fish_pid", 137, "SIGKILL"),
    *((shell, "exec false", 1, None) for shell in SHELLS),
    *((shell, "exec sh -c 'sleep 1; echo last words; exit 5'", 5, None) for shell in SHELLS),
]


@pytest.mark.parametrize(("shell", "text", "code", "signal"), DEATHS)
async def test_a_shell_that_dies(shell: str, text: str, code: int, signal: str | None, home: Path) -> None:
    async with opened(shell, home) as terminal:
        assert (terminal.closed, terminal.exit_code) == (False, None)
        outcome = await terminal.run(text, wait=PATIENCE)
        assert (outcome.state, outcome.evidence, outcome.closed) == ("finished", "exit", True)
        assert (outcome.exit_code, outcome.signal) == (code, signal)
        assert ("last words" in outcome.output) == ("last words" in text)
        assert (terminal.closed, terminal.exit_code) == (True, code)
        with pytest.raises(truetty.Closed) as refusal:
            await terminal.run("echo more")
        assert (refusal.value.code, refusal.value.exit_code) == ("closed", code)


OTHERS = {"bash": "bash", "zsh -f": "zsh", "dash": "dash", "fish": "fish"}


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("shell", SHELLS)
async def test_exec_of_another_shell(shell: str, other: str, home: Path) -> None:
    async with opened(shell, home) as terminal:
        pid = terminal.pid
        outcome = await terminal.run(f"exec {other}", wait=PATIENCE)
        assert (outcome.state, outcome.evidence, outcome.closed) == ("finished", "kernel", False)
        assert outcome.exit_code is None  # nothing has ended that could have had one
        assert_output(outcome, "" if other != "fish" else "Welcome to fish")
        assert (terminal.shell, terminal.pid) == (OTHERS[other], pid)
        await assert_healthy(terminal)


async def test_exec_of_each_shell_in_turn(home: Path) -> None:
    async with opened("bash", home) as terminal:
        for other in (*OTHERS, *OTHERS):
            outcome = await terminal.run(f"exec {other}", wait=PATIENCE)
            assert (outcome.state, outcome.evidence) == ("finished", "kernel")
            await assert_healthy(terminal)


@pytest.mark.parametrize("nested", ["bash", "zsh -f", "dash", "fish", "su", "bash -c 'exec dash'"])
@pytest.mark.parametrize("shell", SHELLS)
async def test_a_nested_shell_waits(shell: str, nested: str, home: Path) -> None:
    if nested == "su" and os.geteuid() != 0:
        nested = "sh -i"  # su would ask for a password
    async with opened(shell, home) as terminal:
        command = await terminal.start(nested)
        outcome = await command.wait(PATIENCE)
        assert outcome.state == "waiting"
        assert outcome.waiting is not None and outcome.waiting.kind == "shell"
        await command.send("echo $((40+2))\n" if nested != "fish" else "math 40+2\n")
        outcome = await command.wait(PATIENCE, until=Match(r"(?m)^42"))
        assert not command.finished
        await command.send("exit 5\n")
        outcome = await command.wait(PATIENCE, until="finished")
        assert (outcome.state, outcome.evidence, outcome.exit_code) == ("finished", "mark", 5)
        await assert_healthy(terminal)


async def test_fish_on_its_first_start_of_all(home: Path, tmp_path: Path, program: Callable[[str], str]) -> None:
    """It computes completions for a while, in the group that holds the terminal; its prompt is there all the same."""
    fish = shutil.copy2(program("fish"), tmp_path / "fish")  # another file: of this one nothing was ever learnt
    async with opened("bash", home) as terminal:
        shutil.rmtree(home / ".local/share/fish")
        command = await terminal.start(str(fish))
        outcome = await command.wait(PATIENCE)
        assert outcome.waiting is not None and outcome.waiting.kind == "shell"
        await command.send("exit\n")
        outcome = await command.wait(PATIENCE, until="finished")
        assert (outcome.state, outcome.exit_code) == ("finished", 0)
        other = tmp_path / "other"  # the first may still be computing for the home it had
        other.mkdir()
        outcome = await terminal.run(f"exec env HOME={other} {fish}", wait=PATIENCE)
        assert (outcome.state, outcome.evidence, outcome.exit_code) == ("finished", "kernel", None)
        await assert_healthy(terminal)
