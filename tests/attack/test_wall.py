"""The same lines, decided by nobody, behind truetty's own wall: nothing outside of it may be touched."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest

from tests.attack.cage import SHELLS
from tests.attack.campaign import make
from tests.attack.lines import Line
from tests.attack.siege import SHARES, Sieges, besiege, besiege_all
from tests.attack.wall import WalledCage
from tests.attack.warden import NO_WALL
from tests.rows import each_row
from tests.sandbox.walls import require_wall

SEED = int(os.environ.get("TRUETTY_TEST_SEED", "1"))
SOME = 25  # lines of each family: seconds on two slow cores

BY_NAME = {shell.name: shell for shell in SHELLS}
# What a program can touch that tries every canary.
EVERYTHING = {
    *(f"changed /cage/{path}" for path in ("away/new", "home/.bashrc", "home/new", "repository/a")),
    *(f"changed /cage/work/.git/{path}" for path in ("config", "hooks/post-checkout")),
    *("reached a service by tcp", "reached a service by udp", "ended a process"),
}
KILL_ALL = "kill -9 -1"


@pytest.fixture(autouse=True)
def wall(program: Callable[[str], str]) -> None:
    require_wall()
    for name in ("git", "make", *BY_NAME):
        program(name)


@pytest.fixture(scope="module")
def cage() -> Iterator[WalledCage]:
    with WalledCage() as cage:
        yield cage


@each_row("shell", BY_NAME)
def test_without_a_wall_everything_is_touched(shell: str, cage: WalledCage) -> None:
    for text in ("./evil", "man ls"):
        assert set(cage.run(NO_WALL, [(BY_NAME[shell], text)]).touched) == EVERYTHING
    assert set(cage.run(NO_WALL, [(BY_NAME[shell], "touch F")]).touched) == {*EVERYTHING, "changed /cage/home/F"}
    for text in ("echo >F", "cd ../home; echo >F", "git config --file ../home/F x.y z"):
        assert cage.run(NO_WALL, [(BY_NAME[shell], text)]).touched == ("changed /cage/home/F",)
    assert cage.run(NO_WALL, [(BY_NAME[shell], "ls; git status")]).touched == ()


@each_row(("profile", "shell"), [(profile, shell) for profile in SHARES for shell in BY_NAME])
def test_behind_a_wall_nothing_is(profile: str, shell: str, cage: WalledCage) -> None:
    texts = ("touch F", "./evil", "man ls", "echo >F", "git config --global x.y z", "git config x.y z", "echo >/tmp/x")
    siege = cage.run(profile, [(BY_NAME[shell], text) for text in texts])
    assert siege.touched == () and siege.attempts == 3


def test_behind_a_wall_for_a_workspace_it_is_written(cage: WalledCage) -> None:
    """So lines do run, and find a workspace as it was."""
    made = [(BY_NAME["bash"], "echo >made && ./evil; rm F")]
    for _ in range(2):
        assert cage.run("workspace", made).attempts == 1
        assert cage.run("read-only", [(BY_NAME["bash"], "[ -e made ] && ./evil")]).attempts == 0
    assert cage.run("read-only", [(BY_NAME["bash"], "echo >made && ./evil")]).attempts == 0


def test_lines_behind_one_that_ends_its_wall_run_too(cage: WalledCage) -> None:
    bash = BY_NAME["bash"]
    siege = cage.run("read-only", [(bash, "./evil"), (bash, KILL_ALL), (bash, "./evil"), (bash, "while :; do :; done")])
    assert (siege.attempts, siege.unfinished, siege.walls, siege.touched) == (2, 1, 2, ())


def test_lines_behind_one_that_spoils_its_workspace_find_it_as_it_was(cage: WalledCage) -> None:
    bash = BY_NAME["bash"]
    siege = cage.run("workspace", [(bash, "git clean -fdxq"), (bash, "./evil"), (bash, "cat <F || ./evil")])
    assert (siege.attempts, siege.walls, siege.touched) == (2, 2, ())


def test_a_breach_names_its_line() -> None:
    sieges = besiege([Line("ls"), Line("echo >F"), Line("pwd")], {NO_WALL: 1})
    (breach,) = sieges.breaches
    assert breach.touched == ("changed /cage/home/F",) and [text for _, text in breach.lines] == ["echo >F"]
    assert "wall none: 3 lines run undecided" in sieges.report(1) and "touched by 1" in sieges.report(1)


def test_some_lines_of_each_family(record_property: Callable[[str, object], None]) -> None:
    go(SOME, record_property)


@pytest.mark.long
def test_all_lines(record_property: Callable[[str, object], None]) -> None:
    assert go(None, record_property).run["workspace"] > 100_000


def go(most: int | None, record_property: Callable[[str, object], None]) -> Sieges:
    sieges = besiege_all(make(SEED, most))
    record_property("report", sieges.report(SEED))
    assert not sieges.breaches, "\n".join([sieges.report(SEED), *map(str, sieges.breaches)])
    assert set(sieges.shells) == set(BY_NAME) and set(sieges.attempts) == set(SHARES), "all have run something"
    return sieges
