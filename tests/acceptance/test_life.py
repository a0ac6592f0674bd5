"""What else happens in a terminal: keys that interrupt and suspend, jobs, broken tty modes, stops, refusals."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

import truetty
from tests.acceptance.session import PATIENCE, SHELLS, assert_healthy, eventually, opened
from truetty.until import Match

# An endless loop without any process of its own.
LOOP = dict.fromkeys(SHELLS, "echo looping; while :; do :; done") | {"fish": "echo looping; while true; true; end"}
LAST_PID = dict.fromkeys(SHELLS, "$!") | {"fish": "$last_pid"}


def in_front(terminal: truetty.Terminal) -> str:
    """The name of the program whose group holds the terminal."""
    try:
        group = int(Path(f"/proc/{terminal.pid}/stat").read_text().rpartition(")")[2].split()[5])
        return Path(f"/proc/{group}/comm").read_text().strip()
    except OSError:
        return ""


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


# ── interrupting and suspending ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("shell", SHELLS)
async def test_an_interrupted_program(shell: str, home: Path) -> None:
    async with opened(shell, home) as terminal:
        command = await terminal.start("sleep 100; echo not this")
        await eventually(lambda: in_front(terminal) == "sleep", "sleep holds the terminal")
        assert await command.interrupt()
        outcome = await command.wait(PATIENCE)
        assert (outcome.state, outcome.exit_code, outcome.closed) == ("finished", 130, False)
        assert "not this" not in outcome.output
        assert not await command.interrupt()  # too late, and it says so
        await assert_healthy(terminal)


@pytest.mark.parametrize("shell", SHELLS)
async def test_an_interrupted_loop_of_the_shell_itself(shell: str, home: Path) -> None:
    async with opened(shell, home) as terminal:
        command = await terminal.start(LOOP[shell])
        running = await command.wait(PATIENCE, until=Match("looping"))
        assert running.state == "running"
        await command.press("C-c")
        outcome = await command.wait(PATIENCE)
        assert (outcome.state, outcome.closed) == ("finished", False)
        assert outcome.output.startswith("looping\n")
        await assert_healthy(terminal)


@pytest.mark.parametrize("shell", SHELLS)
async def test_interrupted_without_hooks(shell: str, home: Path) -> None:
    """Ctrl-C drops the end mark, nothing is left to tell of the prompt: then the kernel does, and `$?` is asked for."""
    unhook = {
        "bash": "unset PROMPT_COMMAND; PS1='$ '",
        "zsh": "PROMPT_EOL_MARK=",
        "fish": "functions -e (functions -a | string match '_tt_*')",
        "dash": "PS1='$ '",
    }
    async with opened(shell, home) as terminal:
        command = await terminal.start(f"{unhook[shell]}; sleep 100; echo not this")
        await eventually(lambda: in_front(terminal) == "sleep", "sleep holds the terminal")
        await command.press("C-c")
        outcome = await command.wait(PATIENCE)
        assert (outcome.state, outcome.closed) == ("finished", False)
        assert outcome.exit_code in (130, None)
        assert "not this" not in outcome.output
        await assert_healthy(terminal)


@pytest.mark.parametrize("shell", ["bash", "fish"])
async def test_a_program_that_ignores_the_interrupt_is_killed(shell: str, home: Path) -> None:
    async with opened(shell, home) as terminal:
        command = await terminal.start("""sh -c 'trap "" INT TERM; echo deaf; while :; do sleep 0.1; done'""")
        await command.wait(PATIENCE, until=Match("deaf"))
        outcome = await command.kill()
        assert (outcome.state, outcome.closed) == ("finished", False)
        assert outcome.exit_code == 137
        await assert_healthy(terminal)


@pytest.mark.parametrize("shell", SHELLS)
async def test_suspended_and_taken_up_again(shell: str, home: Path) -> None:
    async with opened(shell, home) as terminal:
        command = await terminal.start("cat")
        outcome = await command.wait(PATIENCE)
        assert outcome.state == "waiting"
        await command.press("C-z")
        outcome = await command.wait(PATIENCE, until="finished")
        assert (outcome.state, outcome.closed) == ("finished", False)
        if shell != "fish":  # which keeps the code of the command before
            assert outcome.exit_code == 148
        (note,) = outcome.notes
        assert note.startswith("stopped in the background: cat ("), note
        await assert_healthy(terminal)
        jobs = await terminal.run("jobs", wait=PATIENCE)
        assert "cat" in jobs.output
        command = await terminal.start("fg")
        outcome = await command.wait(PATIENCE)
        assert outcome.state == "waiting"
        assert outcome.waiting is not None and (outcome.waiting.kind, outcome.waiting.program) == ("line", "cat")
        await command.send("still here\n")
        await command.wait(PATIENCE, until=Match(r"still here\n+still here"))
        await command.press("C-d")
        outcome = await command.wait(PATIENCE, until="finished")
        assert (outcome.state, outcome.exit_code, outcome.notes) == ("finished", 0, ())
        await assert_healthy(terminal)


@pytest.mark.parametrize("shell", SHELLS)
async def test_a_job_has_its_own_name(shell: str, home: Path) -> None:
    """The shell's name is what it has between fork and exec; on a machine that is very busy it has none yet."""
    async with opened(shell, home) as terminal:
        names = []
        for _ in range(20):
            outcome = await terminal.run("sleep 300 &", wait=PATIENCE)
            (note,) = outcome.notes
            assert re.fullmatch(rf"still running in the background: (sleep|a subshell of {shell}) \(\d+\)", note), note
            names.append("sleep (" in note)
        assert any(names)


@pytest.mark.parametrize("shell", SHELLS)
async def test_what_has_left_the_shells_family_is_named(shell: str, home: Path, program: Callable[[str], str]) -> None:
    setsid = program("setsid")
    async with opened(shell, home) as terminal:
        for command in (f"{setsid} -f sleep 301", f"{setsid} sh -c 'sleep 302; :' &"):
            outcome = await terminal.run(command, wait=PATIENCE)
            (note,) = outcome.notes
            one = rf"(sleep|sh|setsid|a subshell of {shell}) \(\d+\)"  # setsid and what it starts, if it is seen to end
            assert re.fullmatch(rf"still running in the background: {one}(, {one})?", note), note
        outcome = await terminal.run("true", wait=PATIENCE)
        assert outcome.notes == ()  # they are those of earlier commands


async def test_what_a_program_has_forked_is_called_by_its_name(home: Path, program: Callable[[str], str]) -> None:
    perl = program("perl")
    async with opened("bash", home) as terminal:
        outcome = await terminal.run(f"{perl} -e 'fork or sleep 303'", wait=PATIENCE)
        (note,) = outcome.notes
        assert re.fullmatch(r"still running in the background: perl \(\d+\)", note), note


@pytest.mark.parametrize("shell", SHELLS)
async def test_an_orphan_is_a_job(shell: str, home: Path, program: Callable[[str], str]) -> None:
    async with opened(shell, home) as terminal:
        await terminal.run(f"{program('setsid')} -f sleep 304", wait=PATIENCE)
        outcome = await terminal.run("true", wait=PATIENCE)  # another command, whose orphan it is not
        assert outcome.notes == ()
        await eventually(lambda: [job.name for job in terminal.jobs or ()] == ["sleep"], "the orphan is a job")
        for job in terminal.jobs or ():
            os.kill(job.pid, signal.SIGKILL)
        await eventually(lambda: terminal.jobs == [], "the orphan is gone")


@pytest.mark.parametrize("shell", SHELLS)
async def test_a_command_behind_ctrl_c_at_the_prompt_runs_whole(shell: str, home: Path) -> None:
    """The shell drops what is typed until it has drawn its new prompt."""
    async with opened(shell, home) as terminal:
        for number in range(20):
            await terminal.run("true", wait=PATIENCE)
            await terminal.press("C-c")
            outcome = await terminal.run(f"echo whole {number}", wait=PATIENCE)
            assert (outcome.state, outcome.exit_code, outcome.output) == ("finished", 0, f"whole {number}\n"), outcome
        await assert_healthy(terminal)


# ── background jobs ─────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("shell", SHELLS)
async def test_a_background_job_is_named_and_its_later_output_is_the_terminals(
    shell: str, home: Path, tmp_path: Path
) -> None:
    go, job, script = tmp_path / "go", tmp_path / "job", tmp_path / "script"
    script.write_text(f"until [ -e {go} ]; do sleep 0.05; done\necho late\n")
    async with opened(shell, home) as terminal:
        outcome = await terminal.run(f"sh {script} & echo {LAST_PID[shell]} >{job}; echo started", wait=PATIENCE)
        assert (outcome.state, outcome.evidence, outcome.exit_code) == ("finished", "mark", 0)
        assert outcome.output.endswith("started\n")
        assert any(f"({job.read_text().strip()})" in note for note in outcome.notes), outcome.notes
        outcome = await terminal.run("echo meanwhile", wait=PATIENCE)
        assert (outcome.output, outcome.notes) == ("meanwhile\n", ())  # named once is enough
        before = terminal.transcript.size
        go.touch()
        await eventually(lambda: b"late\r\n" in terminal.transcript.read(before), "the job's output in the transcript")
        outcome = await terminal.run("echo again", wait=PATIENCE)
        assert outcome.output.startswith("again\n")  # behind it bash itself says here that the job is done
        assert "late" not in outcome.output
        await assert_healthy(terminal)


@pytest.mark.parametrize("shell", SHELLS)
async def test_a_command_ends_though_its_job_prints_on_and_on(shell: str, home: Path) -> None:
    async with opened(shell, home) as terminal:
        text = f"sh -c 'while :; do echo noise; sleep 0.01; done' & echo pid {LAST_PID[shell]}; sh -c 'exit 6'"
        outcome = await terminal.run(text, wait=PATIENCE)
        assert (outcome.state, outcome.exit_code) == ("finished", 6)
        outcome = await terminal.run("echo meanwhile; sh -c 'exit 5'", wait=PATIENCE)
        assert (outcome.state, outcome.exit_code) == ("finished", 5)
        assert "meanwhile\n" in outcome.output
        # By KILL: dash 0.5.12 survives a TERM that comes while it starts a program, in any terminal, 4 times in 100.
        outcome = await terminal.run(f"kill -9 {LAST_PID[shell]}; wait", wait=PATIENCE)
        assert outcome.state == "finished"
        await assert_healthy(terminal)


# ── tty modes ───────────────────────────────────────────────────────────────────────────────────────────────────

LEFT_BEHIND = (
    "stty raw -echo",
    "stty intr undef",
    "stty -icanon -echo min 0 time 1",
    "stty -isig",
    "stty -onlcr -opost",
    "stty ixon",
    "stty -icrnl",
    "stty susp undef eof undef",
)
WHOLE = ("icanon", "echo", "isig", "onlcr", "opost", "icrnl", "-ixon", "intr = ^C", "susp = ^Z", "eof = ^D")


@pytest.mark.parametrize("shell", SHELLS)
async def test_modes_left_behind_are_mended_before_the_next_command(shell: str, home: Path) -> None:
    async with opened(shell, home) as terminal:
        for broken in LEFT_BEHIND:
            outcome = await terminal.run(broken, wait=PATIENCE)
            assert (outcome.state, outcome.exit_code) == ("finished", 0), broken
            outcome = await terminal.run("stty -a", wait=PATIENCE)
            assert (outcome.state, outcome.exit_code) == ("finished", 0), broken
            modes = f" {outcome.output.replace(';', ' ').replace(chr(10), ' ')} "
            missing = [mode for mode in WHOLE if f" {mode} " not in modes]
            assert not missing, f"after {broken!r}: {modes}"
            await assert_healthy(terminal)


@pytest.mark.parametrize("shell", SHELLS)
async def test_modes_that_a_shell_has_kept_are_mended_before_every_command(shell: str, home: Path) -> None:
    """zsh keeps what a successful command has left, and sets it again for each command until another one succeeds."""
    async with opened(shell, home) as terminal:
        for text in ("stty raw -echo", "sh -c 'exit 7'", "stty raw -echo; sh -c 'exit 6'", "true", "true"):
            assert (await terminal.run(text, wait=PATIENCE)).state == "finished"
        outcome = await terminal.run("printf 'one\\ntwo\\n'", wait=PATIENCE)
        assert (outcome.state, outcome.exit_code, outcome.output) == ("finished", 0, "one\ntwo\n")
        await assert_healthy(terminal)


@pytest.mark.parametrize("broken", ["stty raw -echo", "stty intr undef", "stty -isig"])
@pytest.mark.parametrize("shell", SHELLS)
async def test_an_interrupt_reaches_a_program_that_broke_the_modes(shell: str, broken: str, home: Path) -> None:
    async with opened(shell, home) as terminal:
        command = await terminal.start(f"{broken}; sleep 100")
        await eventually(lambda: in_front(terminal) == "sleep", "sleep holds the terminal")
        await command.interrupt()
        outcome = await command.wait(PATIENCE)
        assert (outcome.state, outcome.exit_code) == ("finished", 130)
        await assert_healthy(terminal)


@pytest.mark.parametrize("before", ["true", "stty ixon"])
@pytest.mark.parametrize("shell", SHELLS)
async def test_ctrl_s_stops_nobody(shell: str, before: str, home: Path) -> None:
    async with opened(shell, home) as terminal:
        await terminal.run(before, wait=PATIENCE)
        command = await terminal.start("sh -c 'echo go; read x; echo on'")
        await command.wait(PATIENCE, until=Match("go"))
        await command.send("\x13\n")
        outcome = await command.wait(PATIENCE, until="finished")
        assert (outcome.state, outcome.exit_code) == ("finished", 0)
        assert outcome.output.endswith("on\n")
        await assert_healthy(terminal)


@pytest.mark.parametrize("before", ["true", "stty ixon"])
@pytest.mark.parametrize("shell", SHELLS)
async def test_ctrl_s_right_behind_a_command_stops_nobody(shell: str, before: str, home: Path) -> None:
    async with opened(shell, home) as terminal:
        await terminal.run(before, wait=PATIENCE)
        command = await terminal.start("sh -c 'read x; echo on'")
        await command.send("\x13\n")
        outcome = await command.wait(PATIENCE, until="finished")
        assert (outcome.state, outcome.exit_code) == ("finished", 0)
        assert outcome.output.endswith("on\n")
        await assert_healthy(terminal)


# ── what nobody read ────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("shell", SHELLS)
async def test_what_was_left_half_typed_is_no_part_of_the_next_command(shell: str, home: Path) -> None:
    async with opened(shell, home) as terminal:
        for typed in ("half a line", "   ", "another"):
            await terminal.send(typed)
            await assert_healthy(terminal)


@pytest.mark.parametrize("typed", ["half a line", "\x13", "# a line\n"])
@pytest.mark.parametrize("shell", SHELLS)
async def test_what_a_command_never_read_is_no_part_of_the_next(shell: str, typed: str, home: Path) -> None:
    async with opened(shell, home) as terminal:
        command = await terminal.start("sleep 1")
        await eventually(lambda: in_front(terminal) == "sleep", "sleep holds the terminal")
        await command.send(typed)
        outcome = await command.wait(PATIENCE, until="finished")
        assert (outcome.state, outcome.exit_code) == ("finished", 0)
        await assert_healthy(terminal)


# ── stops and refusals ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("shell", SHELLS)
async def test_a_stopped_shell_is_running_with_a_note(shell: str, home: Path) -> None:
    async with opened(shell, home) as terminal:
        assert terminal.pid is not None
        os.kill(terminal.pid, signal.SIGSTOP)
        command = await terminal.start("echo back")
        outcome = await command.wait(0)
        for _ in range(PATIENCE):
            if outcome.notes:
                break
            outcome = await command.wait(1)
        assert outcome.state == "running"
        assert any("stopped" in note for note in outcome.notes), outcome
        os.kill(terminal.pid, signal.SIGCONT)
        outcome = await command.wait(PATIENCE)
        assert (outcome.state, outcome.exit_code, outcome.output, outcome.notes) == ("finished", 0, "back\n", ())
        await assert_healthy(terminal)


@pytest.mark.parametrize("shell", SHELLS)
async def test_closing_ends_a_stopped_shell(shell: str, home: Path) -> None:
    async with opened(shell, home) as terminal:
        pid = terminal.pid
        assert pid is not None
        await terminal.start("sleep 100")
        await eventually(lambda: in_front(terminal) == "sleep", "sleep holds the terminal")
        os.kill(pid, signal.SIGSTOP)
        await terminal.close()
        assert terminal.closed
        assert not alive(pid)


@pytest.mark.parametrize("shell", SHELLS)
async def test_one_command_at_a_time(shell: str, home: Path) -> None:
    async with opened(shell, home) as terminal:
        command = await terminal.start("sh -c 'read x; echo got $x'")
        await command.wait(PATIENCE)
        with pytest.raises(truetty.Busy) as refusal:
            await terminal.run("echo second")
        assert (refusal.value.command_id, refusal.value.state) == (command.id, "waiting")
        await command.send("it\n")
        outcome = await command.wait(PATIENCE)
        assert (outcome.state, outcome.exit_code) == ("finished", 0)
        assert outcome.output.endswith("got it\n")
        assert b"second" not in terminal.transcript.read()
        await assert_healthy(terminal)


@pytest.mark.parametrize("shell", SHELLS)
async def test_a_closed_terminal_refuses_everything(shell: str, home: Path) -> None:
    async with opened(shell, home) as terminal:
        pid = terminal.pid
        assert pid is not None
        command = await terminal.start("sleep 100")
        await eventually(lambda: in_front(terminal) == "sleep", "sleep holds the terminal")
        await terminal.close()
        await terminal.close()
        assert (terminal.closed, alive(pid)) == (True, False)
        assert (await command.wait(PATIENCE)).state == "finished"
        with pytest.raises(truetty.Closed):
            await terminal.run("true")
        with pytest.raises(truetty.Closed):
            await terminal.send("x")
        with pytest.raises(truetty.Closed):
            await terminal.press("Enter")
        with pytest.raises(truetty.Closed):
            await terminal.resize(80, 24)


# ── a directory that was removed ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("shell", SHELLS)
async def test_a_removed_directory_is_nowhere(shell: str, home: Path) -> None:
    """Not the directory where the shell was before, and not another one that now has the name or the mark of it."""
    async with opened(shell, home) as terminal:
        outcome = await terminal.run(f"mkdir {home}/gone; cd {home}/gone", wait=PATIENCE)
        assert outcome.cwd == f"{home}/gone"
        outcome = await terminal.run("rmdir ../gone", wait=PATIENCE)
        assert (outcome.exit_code, outcome.cwd, terminal.cwd) == (0, None, None)
        (home / "gone").mkdir()
        (home / "gone (deleted)").mkdir()
        outcome = await terminal.run("true", wait=PATIENCE)
        assert outcome.cwd is None
        await terminal.run(f"cd {home}", wait=PATIENCE)
        outcome = await terminal.run("exit 3", wait=PATIENCE)
        assert (outcome.closed, outcome.cwd, terminal.cwd) == (True, str(home), str(home))


async def test_a_registry_takes_a_terminal_out_of_a_removed_directory(home: Path) -> None:
    async with truetty.Registry(shell="bash", env={"HOME": str(home)}) as registry:
        first = await registry.acquire(home)
        await first.run("mkdir gone && cd gone && rmdir ../gone", wait=PATIENCE)
        strict = await registry.acquire(home, require_cwd=True)
        assert strict is not first and strict.cwd == str(home)
        moved = await registry.acquire(home, task="other")
        outcome = await moved.run("touch made; ls", wait=PATIENCE)
        assert moved is first and (moved.cwd, outcome.output) == (str(home), "made\n")
