"""Completion, asked for in the real shells."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests import warm
from tests.patience import PATIENCE
from tests.server.live import Live
from truetty.cli.completion.model import options, places, values
from truetty.cli.table import COMMANDS
from truetty.sync import Terminal

# What is typed, and what it may become. A line that ends in a blank asks for the next word.
CASES: dict[str, list[str]] = {
    "truetty ru": ["run"],
    "truetty re": ["record", "replay"],
    "truetty hel": ["help"],
    "truetty help doc": ["doctor"],
    "truetty run --sh": ["--shell"],
    "truetty run --no-rc --ti": ["--timeout"],
    "truetty run --shell zs": ["zsh"],
    "truetty run --sandbox work": ["workspace", "workspace+network"],
    "truetty run --cwd fol": ["folder"],
    "truetty run ls --js": [],
    "truetty run -- --js": [],
    "truetty run ls fil": ["file.cast"],
    "truetty run known-pro": ["known-program"],
    "truetty shot x.svg --scr": ["--screen"],
    "truetty shot x.svg ls --scr": [],
    "truetty replay fil": ["file.cast"],
    "truetty replay file.cast --sp": ["--speed"],
    "truetty policy ": ["check", "try"],
    "truetty policy ch": ["check"],
    "truetty policy check --policy read": ["read-only"],
    "truetty setup claude-": ["claude-code", "claude-desktop"],
    "truetty schema anth": ["anthropic"],
    "truetty completion f": ["fish"],
    "truetty settings get total": ["total_quota"],
    "truetty doctor --wa": [],
}


@pytest.fixture
def folder(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "place" / "folder").mkdir(parents=True)
    (tmp_path / "place" / "file.cast").touch()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "known-program").write_text("#!/bin/sh\n")
    (tmp_path / "bin" / "known-program").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path / "place")
    return tmp_path / "place"


def script(shell: str, folder: Path) -> Path:
    done = warm.run("completion", shell, stdin=None)
    assert (done.returncode, done.stderr) == (0, b"")
    path = folder.parent / f"completion.{shell}"
    path.write_bytes(done.stdout)
    return path


def lines(*command: str) -> list[str]:
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stderr == ""
    return done.stdout.splitlines()


@pytest.mark.parametrize(("line", "expected"), CASES.items())
def test_bash(line: str, expected: list[str], folder: Path, program: Callable[[str], str]) -> None:
    assert ask_bash(line, folder, program) == expected


def ask_bash(line: str, folder: Path, program: Callable[[str], str]) -> list[str]:
    words = shlex.split(line) + ([""] if line.endswith(" ") else [])
    ask = f'COMP_WORDS=({shlex.join(words)}) COMP_CWORD={len(words) - 1}; _truetty; printf "%s\\n" "${{COMPREPLY[@]}}"'
    found = lines(program("bash"), "--norc", "-c", f"source {script('bash', folder)}; compopt() {{ :; }}; {ask}")
    return sorted(set(filter(None, found)))


@pytest.mark.parametrize(("line", "expected"), CASES.items())
def test_fish(line: str, expected: list[str], folder: Path, program: Callable[[str], str]) -> None:
    assert ask_fish(line, folder, program) == expected


def ask_fish(line: str, folder: Path, program: Callable[[str], str]) -> list[str]:
    ask = f"source {script('fish', folder)}; complete -C {shlex.quote(line)}"
    found = {one.split("\t")[0].rstrip("/") for one in lines(program("fish"), "--no-config", "-c", ask)}
    return sorted(found)


@pytest.fixture
def typed(folder: Path) -> Iterator[Callable[[str, str, str], None]]:
    """Type a line and Tab in a shell, and wait for the line it becomes."""
    terminals: dict[str, Terminal] = {}

    def opened(shell: str) -> Terminal:
        terminal = terminals[shell] = Terminal(shell, rc=False, cwd=folder, size=(100, 40)).__enter__()
        begin = "autoload -Uz compinit; compinit -u -D; " if shell == "zsh" else ""
        outcome = terminal.run(f"{begin}source {script(shell, folder)}")
        assert outcome.exit_code == 0 and outcome.output == ""
        # Keys before the prompt would be echoed by the tty, where no C-u takes them away.
        wait_for(terminal, lambda shown: shown.endswith(("#", "$", "%", ">")), "a prompt")
        return terminal

    def type_and_look(shell: str, line: str, becomes: str) -> None:
        terminal = terminals.get(shell) or opened(shell)
        terminal.send(f"{line}\t")
        wait_for(terminal, lambda shown: becomes in shown, f"{line!r} to become {becomes!r}")
        terminal.press("C-u")
        wait_for(terminal, lambda shown: "truetty" not in shown.splitlines()[-1], "an empty line")

    def wait_for(terminal: Terminal, condition: Callable[[str], bool], what: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while not condition(terminal.screen().text.rstrip()):
            assert time.monotonic() < deadline, f"waited for {what}:\n{terminal.screen().text}"
            time.sleep(0.02)

    yield type_and_look
    for terminal in terminals.values():
        terminal.close()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_tab_in_a_terminal(shell: str, typed: Callable[[str, str, str], None]) -> None:
    for line, expected in CASES.items():
        if len(expected) == 1:
            start = line[: line.rindex(" ") + 1]
            typed(shell, line, f"{start}{expected[0]}")
        elif expected and shell == "zsh":  # a second Tab lists them
            typed(shell, f"{line}\t", expected[-1])


def test_zsh_completes_from_the_fpath(folder: Path, program: Callable[[str], str]) -> None:
    """A file named _truetty in a directory of the fpath, as packages have it."""
    functions = folder.parent / "functions"
    functions.mkdir()
    script("zsh", folder).rename(functions / "_truetty")
    with Terminal("zsh", rc=False, cwd=folder) as terminal:
        outcome = terminal.run(
            f"fpath=({functions} $fpath); autoload -Uz compinit; compinit -u -D; print $_comps[truetty]"
        )
        assert outcome.output == "_truetty\n"


def test_an_option_has_the_same_values_everywhere() -> None:
    """A script has one list of values for each option."""
    for place in places():
        for option in place.row.options:
            one = options()[option.name]
            assert (values(option), option.kind == "switch") == (values(one), one.kind == "switch"), option


def test_every_command_and_option_is_in_every_script() -> None:
    for shell in ("bash", "zsh", "fish"):
        text = warm.run("completion", shell, stdin=None).stdout.decode()
        for name in (*COMMANDS, "help", "version"):
            assert name in text
        for name in options():
            assert (name if shell != "fish" else f"-l {name[2:]} ") in text


def test_another_shell_is_refused() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "truetty", "completion", "tcsh"], capture_output=True, timeout=PATIENCE
    )
    assert (done.returncode, done.stdout) == (125, b"")
    assert done.stderr == b"truetty: no completion for 'tcsh': there are bash, zsh, fish\n"


# -- terminals of the server


NAMED = ("build-one", "$(touch expanded)")  # a name is any text, and no shell expands it


@pytest.fixture
def server(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Live]:
    """With two terminals, and `truetty` on the PATH, which is asked until the server has answered within its 0.2 s."""
    monkeypatch.setenv("TRUETTY_STATE", str(tmp_path / "state"))
    program = tmp_path / "bin" / "truetty"
    ask = f'found=$({sys.executable} -m truetty "$@")'
    program.write_text(f'#!/bin/sh\nuntil {ask}; [ -n "$found" ]; do :; done; printf \'%s\\n\' "$found"\n')
    program.chmod(0o755)
    live = Live(tmp_path / "state")
    for name in NAMED:
        live.post("/v1/terminals", name=name, shell="bash", rc=False)
    yield live
    live.end()


TERMINALS = {
    "truetty log bu": ["build-one"],
    "truetty run --in bu": ["build-one"],
    "truetty close t": ["t1", "t2"],
    "truetty log build-one ": [],
}


@pytest.mark.parametrize("shell", ["bash", "fish"])
def test_ids_and_names_are_the_servers(shell: str, server: Live, folder: Path, program: Callable[[str], str]) -> None:
    for line, expected in TERMINALS.items():
        found = ask_bash(line, folder, program) if shell == "bash" else ask_fish(line, folder, program)
        assert found == expected, line
    ask = ask_bash if shell == "bash" else ask_fish
    assert len(ask("truetty log ", folder, program)) == 4
    assert not (folder / "expanded").exists()


def test_ids_and_names_in_zsh(server: Live, typed: Callable[[str, str, str], None]) -> None:
    typed("zsh", "truetty log bu", "truetty log build-one")
    typed("zsh", "truetty run --in bu", "truetty run --in build-one")
