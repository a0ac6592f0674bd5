"""The terminal itself: modes that are left behind, put back, and written as `stty` writes them."""

from __future__ import annotations

import os
import termios
import tty
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.host.kernel.driver import Pty
from truetty.host.kernel.tty import LocalTty

Start = Callable[..., Pty]


@pytest.fixture
def dash(start: Start) -> Pty:
    return start("dash")


def test_given_modes_are_sane(dash: Pty) -> None:
    modes = dash.modes()
    assert modes.canonical and modes.echo and modes.signals and modes.sane
    assert modes.interrupt == b"\x03"


@pytest.mark.parametrize(
    "change",
    [
        *(
            "-echo",
            "raw",
            "-icanon",
            "-isig",
            "-icrnl",
            "igncr",
            "inlcr",
            "istrip",
            "-ixon",
            "-opost",
            "-onlcr",
            "ocrnl",
        ),
        *("intr undef", "intr ^X", "quit undef", "susp undef", "eof ^X", "erase ^H"),
    ],
)
def test_harmful_changes_are_seen_and_mended(dash: Pty, change: str) -> None:
    dash.type(f"stty {change}\r")
    dash.until(lambda: not dash.modes().sane, f"stty {change} to show")
    dash.settle("ready")
    dash.observer.tty.mend()
    assert dash.modes().sane
    assert dash.modes().interrupt == b"\x03"
    dash.run("true")


def test_no_interrupt_character_is_empty(dash: Pty) -> None:
    dash.run("stty intr undef")
    assert dash.modes().interrupt == b""


def test_harmless_choices_survive_mending(dash: Pty) -> None:
    dash.run("stty tostop -echoctl")
    assert dash.modes().sane
    dash.run("stty -echo")
    dash.observer.tty.mend()
    flags = termios.tcgetattr(dash.master)[3]
    assert flags & termios.TOSTOP
    assert not flags & termios.ECHOCTL


def test_adopted_modes_are_the_sane_ones(dash: Pty) -> None:
    dash.run("stty erase ^H")
    assert not dash.modes().sane
    dash.observer.tty.adopt()
    assert dash.modes().sane
    dash.run("stty erase ^?")
    dash.observer.tty.mend()
    assert termios.tcgetattr(dash.master)[6][termios.VERASE] == b"\x08"


def test_stopped_output_flows_again(dash: Pty, tmp_path: Path) -> None:
    dash.type(f"\x13: >{tmp_path}/begun; echo not''yet\r")  # Ctrl-S
    dash.until((tmp_path / "begun").exists, "the line to be read")
    for _ in range(50):
        dash.pump()
    assert b"notyet" not in dash.screen
    dash.observer.tty.mend()
    dash.until(lambda: b"notyet" in dash.screen, "the output")


def test_input_that_is_on_its_way_is_unread() -> None:
    """On one CPU the thread that hands it over has often not run yet."""
    master, slave = os.openpty()
    tty.setraw(slave)
    terminal, usual = LocalTty(master, slave=slave), os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(usual)})
    try:
        for _ in range(3000):
            os.write(master, b"x")
            assert terminal.unread() == 1
            os.read(slave, 1)
    finally:
        os.sched_setaffinity(0, usual)
        terminal.close()
        os.close(master)
