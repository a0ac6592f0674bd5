"""Lines that try to get round a policy: made by families, decided, and run in a cage where they are allowed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from tests.attack import campaign
from tests.attack.cage import SHELLS, Cage, Effect, shells_of
from tests.attack.campaign import attack, attack_all, decide, is_way_round, make
from tests.attack.findings import FINDINGS
from tests.attack.lines import ALL, Line
from tests.attack.policies import READS_ONLY, USERS
from tests.rows import each_row
from truetty.shells.row import Dialect

SEED = int(os.environ.get("TRUETTY_TEST_SEED", "1"))
SOME = 25  # lines of each family: seconds on two slow cores

BY_NAME = {shell.name: shell for shell in SHELLS}


@pytest.fixture(scope="module")
def cage() -> Iterator[Cage]:
    with Cage() as cage:
        yield cage


@pytest.fixture(autouse=True)
def programs(program: Callable[[str], str]) -> None:
    for name in ("bwrap", "git", "make", *BY_NAME):
        program(name)


def everything(line: Line, dialect: Dialect) -> Sequence[str]:
    """The weakest policy there is."""
    return [READS_ONLY]


@each_row("shell", BY_NAME)
def test_the_cage_sees_what_a_line_does(shell: str, cage: Cage) -> None:
    seen = cage.run(BY_NAME[shell], "touch F; echo >G; ./evil; man ls; date -s 0101")
    assert seen.canaries == ("touch F", "evil ", "man ls")
    assert seen.changed == ("/cage/work/F", "/cage/work/G")
    assert "Operation not permitted" in seen.refusals
    assert cage.run(BY_NAME[shell], "echo x >>a; echo x >/tmp/x").changed == ("/cage/work/a", "/tmp/x")
    assert cage.run(BY_NAME[shell], "ls; git status; cat a | wc -l") == Effect(said="")


@each_row("shell", BY_NAME)
def test_nothing_outlives_its_line(shell: str, cage: Cage) -> None:
    assert not cage.run(BY_NAME[shell], "(sleep 9; touch F) & setsid sh -c 'sleep 9; touch F' &")
    assert cage.run(BY_NAME[shell], "pgrep sleep && echo still >F") == Effect(said="")


def test_nothing_outside_the_cage_can_be_changed(cage: Cage, tmp_path: Path) -> None:
    for place in ("/", "/usr/bin", "/etc", "/var/tmp", "/dev", "/run", "/root", str(Path.cwd()), str(tmp_path)):
        seen = cage.run(BY_NAME["bash"], f"echo >{place}/truetty-was-here")
        assert seen.said or place == "/dev", place  # the cage has devices of its own
        assert not os.path.exists(f"{place}/truetty-was-here"), place
    assert not cage.run(BY_NAME["bash"], f"ls {tmp_path} && touch F; echo >/dev/tcp/127.0.0.1/22 && touch F")


def test_the_families_make_every_finding() -> None:
    made = {line.text for line in make(SEED)}
    assert not [line for finding in FINDINGS for line in finding.lines if line not in made]


@each_row(("finding", "shell"), [(finding, shell) for finding in FINDINGS for shell in finding.shells])
def test_the_cage_would_have_found(finding, shell: str, cage: Cage) -> None:
    assert is_way_round(cage.run(BY_NAME[shell], finding.lines[0]), [READS_ONLY]), finding.what


def test_a_weak_policy_is_seen_through() -> None:
    counts = attack([Line("ls # x\\\ntouch F"), Line("ls")], everything)
    assert [(way.text, way.shell) for way in counts.ways_round] == [("ls # x\\\ntouch F", shell) for shell in BY_NAME]
    assert sum(counts.run.values()) == 2 * len(SHELLS) and counts.decided == counts.allowed == {READS_ONLY: 8}
    assert "ran touch F; changed /cage/work/F" in str(counts.ways_round[0])
    assert "policy read-only: 8 decided, 8 allowed, 12 run; canaries touched by 6" in counts.report(SEED)


@each_row(("text", "shells"), [(line, finding.shells or BY_NAME) for finding in FINDINGS for line in finding.lines])
def test_no_policy_allows_a_finding(text: str, shells: Sequence[str]) -> None:
    dialects = {BY_NAME[shell].dialect for shell in shells}
    assert not [dialect for dialect in dialects if decide(Line(text, policies=USERS), dialect)]


def test_a_seed_makes_the_same_lines() -> None:
    assert list(make(SEED, 5)) == list(make(SEED, 5)) != list(make(SEED + 1, 5))


def test_some_lines_of_each_family(record_property: Callable[[str, object], None]) -> None:
    go(SOME, record_property)


@pytest.mark.long
def test_all_lines(record_property: Callable[[str, object], None]) -> None:
    assert go(None, record_property).made > 100_000


def go(most: int | None, record_property: Callable[[str, object], None]) -> campaign.Counts:
    counts = attack_all(make(SEED, most))
    record_property("report", counts.report(SEED))
    assert not counts.ways_round, "\n".join([counts.report(SEED), *map(str, counts.ways_round)])
    assert {shell.name for shell in shells_of(ALL)} == set(counts.run), "every shell has run something"
    return counts
