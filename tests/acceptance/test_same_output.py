"""The same `ls`, a thousand times, gives the same output a thousand times: to the byte, and as text."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import truetty
from tests.patience import PATIENCE

SHELLS = ("bash", "zsh", "fish", "dash")
# fish draws its prompt anew with every key: ten times the price of the others.
COUNTS = {"bash": 300, "zsh": 300, "fish": 100, "dash": 300}
SIZE = (120, 30)

# Prompts of several lines, which move the cursor, erase, save and restore it, and draw themselves again.
REDRAWING = {
    "bash": (
        ".bashrc",
        r"""
PROMPT_COMMAND='printf "asking git...\r\e[K"; printf "\e[s\e[1;1Hclock\e[u"'
PS1='\n\e[7m \w \e[0m\e[999C\e[8D12:00:00\r\e[1A\e[K\e[1Bdone \$?=$?\r\e[K\[\e[32m\]>\[\e[0m\] '
PS0='\r\e[K'
""",
    ),
    "zsh": (
        ".zshrc",
        r"""
setopt promptsubst
PROMPT=$'\n%{\e[s\e[1;1Hclock\e[u%}%F{blue}%~%f\n%(?..%? )%# '
RPROMPT='%*'
precmd() { print -nP '\r\e[Kasking git...\r\e[K' }
zle-line-init() { PROMPT="${PROMPT} "; zle reset-prompt; PROMPT="${PROMPT% }"; zle reset-prompt }
zle -N zle-line-init
TMOUT=1
TRAPALRM() { zle && zle reset-prompt }
""",
    ),
    "fish": (
        ".config/fish/config.fish",
        r"""
function fish_prompt
    printf '\r\e[Kasking git...\r\e[K\n\e[s\e[1;1Hclock\e[u%s\n> ' (pwd)
end
function fish_right_prompt
    date +%T
end
function draw_again --on-event fish_prompt
    commandline -f repaint
    commandline -f repaint
end
""",
    ),
    "dash": (".dashrc", r"""PS1='$(printf "\n\033[s\033[1;1Hclock\033[u\033[1A\r\033[Kasking\r\033[K\n%s" "$PWD")
> '"""),
}  # fmt: skip

ALTERNATE = {
    "vim": "vim -u NONE -c q",
    "less": "less +q text",
    "tput": "tput smcup; echo on the other screen; tput rmcup",
    "left on": "tput smcup; echo on the other screen",
}


def shown(terminal: truetty.Terminal) -> str:
    return f"the end of the transcript: {terminal.transcript.read()[-3000:]!r}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Some forty files: several lines of columns."""
    place = tmp_path / "folder"
    place.mkdir()
    for number in range(40):
        (place / f"file-{number:03d}{'x' * (number % 13)}.txt").touch()
    (place / "text").write_text("".join(f"line {n}\n" for n in range(200)))
    return place


def listed(folder: Path) -> str:
    """What `ls` prints on a terminal of our width, by the program itself without any terminal."""
    done = subprocess.run(["ls", "-C", "-w", str(SIZE[0])], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


def environment(shell: str, home: Path, *, redrawing: bool = False) -> dict[str, str | None]:
    env: dict[str, str | None] = {"HOME": str(home), "TERM": "xterm-256color"}
    if redrawing:
        name, text = REDRAWING[shell]
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text)
        if shell == "dash":
            env["ENV"] = str(home / name)
    return env


async def expect(terminal: truetty.Terminal, listing: str) -> None:
    # fish's own `ls` is a function that adds options.
    outcome = await terminal.run("command ls" if terminal.shell == "fish" else "ls", wait=PATIENCE)
    assert (outcome.state, outcome.exit_code, outcome.evidence) == ("finished", 0, "mark"), (
        f"{outcome}\n{shown(terminal)}"
    )
    assert terminal.command is not None
    same = terminal.command.output.raw() == listing.replace("\n", "\r\n").encode()
    assert same, f"{terminal.command.output.raw()[:2000]!r}\n{shown(terminal)}"
    # Tabs between columns may be kept or shown as the blanks they are.
    assert outcome.output.expandtabs() == listing.expandtabs(), shown(terminal)
    assert (outcome.omitted, outcome.complete) == (0, True)


async def repeat(shell: str, count: int, folder: Path, env: dict[str, str | None]) -> None:
    listing = listed(folder)
    async with truetty.Terminal(shell, cwd=folder, env=env, size=SIZE) as terminal:
        for _ in range(count):
            await expect(terminal, listing)


@pytest.mark.parametrize("redrawing", [False, True], ids=["plain", "redrawing"])
@pytest.mark.parametrize("shell", SHELLS)
async def test_again_and_again(shell: str, redrawing: bool, folder: Path, home: Path) -> None:
    await repeat(shell, COUNTS[shell], folder, environment(shell, home, redrawing=redrawing))


@pytest.mark.long
@pytest.mark.parametrize("redrawing", [False, True], ids=["plain", "redrawing"])
@pytest.mark.parametrize("shell", SHELLS)
async def test_a_thousand_times(shell: str, redrawing: bool, folder: Path, home: Path) -> None:
    await repeat(shell, 1000, folder, environment(shell, home, redrawing=redrawing))


@pytest.mark.parametrize("redrawing", [False, True], ids=["plain", "redrawing"])
async def test_twenty_terminals_at_once(redrawing: bool, folder: Path, home: Path) -> None:
    async with asyncio.TaskGroup() as group:
        for number in range(20):
            shell = SHELLS[number % len(SHELLS)]
            own = home / str(number)
            own.mkdir()
            env = environment(shell, own, redrawing=redrawing)
            group.create_task(repeat(shell, 10 if shell == "fish" else 50, folder, env))


@pytest.mark.parametrize("shell", SHELLS)
async def test_more_than_sixteen_thousand_characters(shell: str, folder: Path, home: Path) -> None:
    for number in range(1000):
        (folder / f"a-rather-long-name-{number:04d}").touch()
    listing = listed(folder)
    assert 16_000 < len(listing) < 30_000  # more than others keep, and within what an agent is given by default
    await repeat(shell, 30, folder, environment(shell, home, redrawing=True))


@pytest.mark.parametrize("before", ALTERNATE)
@pytest.mark.parametrize("shell", SHELLS)
async def test_after_the_alternate_screen(
    shell: str, before: str, folder: Path, home: Path, program: Callable[[str], str]
) -> None:
    program(ALTERNATE[before].split()[0])
    listing = listed(folder)
    env = environment(shell, home, redrawing=True)
    async with truetty.Terminal(shell, cwd=folder, env=env, size=SIZE) as terminal:
        for _ in range(5):
            outcome = await terminal.run(ALTERNATE[before], wait=PATIENCE)
            assert (outcome.state, outcome.exit_code) == ("finished", 0), f"{outcome}\n{shown(terminal)}"
            for _ in range(3):
                await expect(terminal, listing)
