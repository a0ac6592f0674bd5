"""What cannot hold for a terminal in a sandbox (`host/wall.py`): test by test, and why.

A test that is not named here must pass inside as outside. `./test walled` runs all of them inside; a whole run
only those of `IN_EVERY_RUN`, beside the usual ones.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import pytest

from tests.acceptance.left_out import find_reason
from tests.sandbox.walls import require_wall
from truetty.host.sandbox import SandboxHost
from truetty.host.wall import PRIVATE, Sandbox
from truetty.terminal import opening

ROOT: Final = Path(__file__).parents[2]

# Ends, exit codes and exact output, in a quarter of a minute. `tests/sandbox/` has what is different inside.
IN_EVERY_RUN: Final = ("test_exact",)

IMPOSSIBLE: Final[dict[str, tuple[str, ...]]] = {
    "a process has another number inside, and these look outside for the number that a program has printed": (
        "broken_start.py::test_closing_a_terminal_that_hangs",
        "life.py::test_a_background_job_is_named",
        "stranger.py::test_a_command_that_a_stranger_has_read",
    ),
    "the shell's terminal is called /dev/console inside, and its devpts is a stranger's": ("stranger_devpts.py::",),
    "nobody gains rights inside: sudo and su fail": (
        "passwords.py::test_a_login_shell",
        "passwords.py::test_sudo",
        "passwords.py::test_the_password_of_su",
        r"scenarios.py::test_a_nested_shell_waits\[walled-\w+-su\]",
    ),
    "the network inside is its own: no server of the test is in it": (
        "listening.py::test_a_(command_on|far_shell|question_of)",
        "passwords.py::test_a_session_by_ssh",
        "passwords.py::test_the_password_of_ssh",
        r"waiting.py::test_who_listens_to_a_silent_port_is_not_said_to_wait\[walled-\w+-4\]",
    ),
    "gpg speaks to its agent over a Unix socket": ("gpg.py::",),
    "our private folder is read-only inside, and stays there when it is removed outside": (
        "private_folder.py::test_an_end_without_a_code",
        r"scenarios.py::test_a_lost_end_mark_alone_gives_no_wrong_code\[walled-dash",
        r"scenarios.py::test_broken_integration_is_finished_by_the_kernel\[walled-(\w+-folder|dash-files)",
        r"scenarios.py::test_broken_integration_with_\w+\[walled-dash",
    ),
    "a signal that ends the shell is told as its exit code": (r"scenarios.py::test_a_shell_that_dies\[.*SIGKILL",),
    "nothing: these start processes of their own, which make terminals outside": ("cli",),
}


def apply(monkeypatch: pytest.MonkeyPatch, workspace: Path, place: Path) -> None:
    """Terminals of the profile `workspace`, in which the files of the test, at `place`, can be written too."""
    require_wall()
    # Hidden otherwise, and programs of tests lie there.
    ours = [str(ROOT)] if any(ROOT.is_relative_to(private) for private in PRIVATE) else []
    sandbox = Sandbox("workspace", workspace=os.fspath(workspace), writable=(os.fspath(place), *ours))
    monkeypatch.setattr(opening, "LocalHost", lambda: SandboxHost(sandbox))


def reason_to_leave_out(test: str) -> str | None:
    """Of a test by its node id; None: it must pass inside."""
    return find_reason(test, IMPOSSIBLE)
