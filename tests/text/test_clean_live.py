"""Clean text of real programs, at full length, as they print it now: the same that xterm.js shows."""

# ruff: noqa: E501 - programs stand here as they are run
from __future__ import annotations

from pathlib import Path

import pytest

import truetty
from tests.patience import PATIENCE
from tests.text import truth

CARGO = r"""
import sys, time
crates = [f"crate-{n} v{n % 7}.{n % 3}.{n}" for n in range(120)]
for n, crate in enumerate(crates):
    sys.stdout.write(f"\r\x1b[K\x1b[1m\x1b[32m   Compiling\x1b[0m {crate}\n")
    bar = "=" * (n // 5) + ">"
    sys.stdout.write(f"\x1b[1m\x1b[36m    Building\x1b[0m [{bar:<26}] {n}/{len(crates)}: {crate.split()[0]}, core(build)\r")
    sys.stdout.flush()
sys.stdout.write("\r\x1b[K\x1b[1m\x1b[32m    Finished\x1b[0m dev [unoptimized + debuginfo] target(s) in 12.34s\n")
"""
TQDM = r"""
import sys
for n in range(400):
    part = n / 399
    bar = "█" * int(part * 40) + "▏▎▍▌▋▊▉█"[int(part * 320) % 8] * (part < 1)
    sys.stderr.write(f"\r{part:4.0%}|{bar:<40}| {n}/399 [00:{n // 20:02}<00:{20 - n // 20:02}, {n / 3:6.2f}it/s]")
sys.stderr.write("\nall done\n")
"""
NESTED = r"""
import sys
for outer in range(5):
    for inner in range(40):
        sys.stdout.write(f"\router {outer + 1}/5\n\rinner {inner + 1}/40 {'#' * inner}\x1b[K\x1b[A")
sys.stdout.write("\n\n\x1b[Kdone\n")
"""
UNICODE = "".join(
    f"{chr(point)} {chr(point)}\u0301 x\n"
    for block in ((0xA1, 0x180), (0x370, 0x400), (0x590, 0x5F0), (0x900, 0x980), (0x3040, 0x3100), (0x4E00, 0x4E80), (0x1F300, 0x1F650))
    for point in range(*block)
)  # fmt: skip
EMOJI = "👩‍🚀 👨‍👩‍👧‍👦 🏳️‍🌈 🇩🇪 1️⃣ ❤️ 🧑🏽‍💻 ok\n" * 40

COMMANDS = {
    "ls": "ls --color=always -lR /usr/lib /usr/share/doc 2>/dev/null | head -c 1000000",
    "long ls": "ls --color=always -lR /usr/lib /usr/share/doc 2>/dev/null | head -c 6000000",
    "git log": "git log -p --color=always --stat",
    "git diff": "git diff --color=always HEAD~5 --word-diff=color",
    "apt": "apt-cache show bash coreutils; apt-get -s install hello 2>&1; apt list --installed 2>/dev/null | head -300",
    "npm": "npm help; npm ls --color=always",
    "pip": "python3 -m pip list --disable-pip-version-check 2>&1; python3 -m pip help install",
    "cargo": "python3 cargo.py",
    "tqdm": "python3 tqdm.py",
    "nested bars": "python3 nested.py",
    "top": "timeout 4 top -n 2 -d 0.3",
    "vim": "vim -u NONE -c 'normal ihello' -c 'redraw!' -c 'q!'; echo after",
    "unicode": "cat unicode.txt",
    "emoji": "cat emoji.txt",
    "man": "man ls | cat; man -P cat bash | head -c 200000",
    "grep": "grep --color=always -rn the /usr/share/doc/bash /usr/share/common-licenses 2>/dev/null | head -2000",
}
SIZE = (120, 30)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    for name, text in (("cargo.py", CARGO), ("tqdm.py", TQDM), ("nested.py", NESTED)):
        (tmp_path / name).write_text(text)
    (tmp_path / "unicode.txt").write_text(UNICODE)
    (tmp_path / "emoji.txt").write_text(EMOJI)
    return tmp_path


HISTORY = """
git init -q && git config user.email a@b && git config user.name 'Zoë Å' || exit
for n in $(seq 1 40); do seq $n $((n * 30)) > file$((n % 5)).txt; printf 'é %s\\t日本\\n' $n >> notes.md; git add -A; git commit -qm "change $n: ünï"; done
"""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] if name.startswith("long") else []) for name in COMMANDS]
)
async def test_real_programs_read_as_in_xterm(name: str, place: Path, xterm: truth.Xterm) -> None:
    async with truetty.Terminal("bash", rc=False, cwd=place, size=SIZE, env={"LESS": None}) as terminal:
        if name.startswith("git"):
            assert (await terminal.run(HISTORY, wait=PATIENCE)).exit_code == 0
        command = await terminal.start(COMMANDS[name])
        outcome = await command.wait(PATIENCE, "finished")
        assert outcome.state == "finished" and outcome.complete
        raw = command.output.raw()
        expected = xterm.text(*SIZE, raw)
        assert len(raw) > 100
        assert truth.without_tabs(command.output.text(), SIZE[0]) == expected
