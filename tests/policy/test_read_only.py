"""The read-only default, on a table of tricky commands."""

from __future__ import annotations

import functools
import re
from pathlib import Path

from tests.policy.commands import ELSEWHERE, TABLE
from tests.rows import each_row
from truetty.policy import READ_ONLY, Policy, Rule
from truetty.policy.parser import parse

# Each line is parsed once, however many tests and rules it meets: a parser is a process.
POLICY = Policy(READ_ONLY, parser=functools.cache(parse))
CWD = "/nowhere/project"


def test_the_table_is_as_long_as_it_says() -> None:
    assert len(TABLE) >= 300
    assert len({command for command, _ in TABLE}) == len(TABLE)


@each_row(("command", "verdict"), TABLE)
def test_the_verdict_is_right_and_has_a_reason(command: str, verdict: str) -> None:
    decision = POLICY.decide(command, cwd=CWD)
    assert decision.verdict == verdict, decision
    assert decision.command == command
    assert decision.reason.endswith(".") and "\n" not in decision.reason and decision.reason.isprintable()
    if verdict == "allow":
        assert {part.verdict for part in decision.parts} == {"allow"}
        assert decision.suggestions == ()


@each_row(("shell", "command", "verdict"), ELSEWHERE)
def test_each_shell_is_read_in_its_own_language(shell: str, command: str, verdict: str) -> None:
    assert POLICY.decide(command, cwd=CWD, shell=shell).verdict == verdict


@each_row("command", [command for command, verdict in TABLE if verdict == "ask"])
def test_suggested_rules_allow_what_they_were_suggested_for(command: str) -> None:
    decision = POLICY.decide(command, cwd=CWD)
    rules = [Rule.parse("allow", text) for text in decision.suggestions]
    again = POLICY.extended(rules).decide(command, cwd=CWD)
    assert again.verdict == ("allow" if rules else "ask"), again


def test_an_allowed_part_names_its_rule() -> None:
    decision = POLICY.decide("git --no-pager log -1 | head -3", cwd=CWD)
    assert [(part.command, part.rule) for part in decision.parts] == [
        ("git --no-pager log -1", "git log"),
        ("head -3", "head"),
    ]
    assert decision.rule == "git log"


def test_the_default_rules_only_allow() -> None:
    assert {rule.verdict for rule in READ_ONLY} == {"allow"}
    assert len({rule.text for rule in READ_ONLY}) == len(READ_ONLY)


def test_the_documentation_lists_the_default_rules() -> None:
    page = (Path(__file__).parents[2] / "docs" / "policy.md").read_text()
    blocks = page.partition("<!-- rules -->")[2].partition("<!-- end of rules -->")[0].split("\n\n")
    listed = [name for block in blocks if block.strip().startswith("`") for name in re.findall(r"`([^`]+)`", block)]
    assert sorted(listed) == sorted(rule.text for rule in READ_ONLY)
