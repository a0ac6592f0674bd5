"""Whatever is asked says what would make it allowed."""

from __future__ import annotations

import functools

import pytest

from tests.policy.commands import ELSEWHERE, TABLE
from tests.rows import each_row
from truetty.policy import READ_ONLY, Policy, Rule
from truetty.policy.parser import parse

POLICY = Policy(READ_ONLY, parser=functools.cache(parse))
CWD = "/nowhere/project"


def is_sentence(text: str) -> bool:
    return text.endswith(".") and text[:1].isupper() and text.isprintable()


@each_row(("shell", "command", "verdict"), [*(("bash", *row) for row in TABLE), *ELSEWHERE])
def test_each_line_of_the_tables_has_advice_if_it_is_asked(shell: str, command: str, verdict: str) -> None:
    decision = POLICY.decide(command, cwd=CWD, shell=shell)
    assert is_sentence(decision.advice) if verdict == "ask" else decision.advice == "", decision


# Harmless lines of daily use that are asked; what to do about it; the line after that.
DAILY = [
    ("awk '{ print $1 }' \"$file\"", "Write out all of its words.", "awk '{ print $1 }' a"),
    ("ls # list", "Leave out every # that begins a word.", "ls"),
    ("ls \\\n  -l", "Write it on one line.", "ls -l"),
    ("cat <<EOF\nhello $USER\nEOF", "Give the text as an argument or in a file.", 'cat <<< "hello $USER"'),
    ("cat <<-EOF\n\ta\n\tEOF\nls", "Give the text as an argument or in a file.", "echo a; ls"),
    ("echo $((x + 1))", "Leave out `$((x + 1))`, or write out what it stands for.", "echo $((2 + 1))"),
    ("[[ $x -eq 1 ]]", "Leave out `$x -eq 1`, or write out what it stands for.", "[[ $x == 1 ]]"),
    ("echo ${x:=y}", "Leave out `${x:=y}`, or write out what it stands for.", "echo ${x:-y}"),
    ('cat < "$x"', 'Leave out `< "$x"`, or write out what it stands for.', "cat < a"),
    ("bash -c ls", "No rule lifts this: leave that out, or write what it would run as a command of its own.", "ls"),
    ("$cmd -l", "Write out the name of the program.", "ls -l"),
    ("echo 'unclosed", "Mend its syntax.", "echo 'closed'"),
    ("ls\u00a0-l", "Leave that character out.", "ls -l"),
    (
        "PAGER=less git log",
        "Leave the variable out, or write its value out, here and in an allow rule for this command.",
        "git log",
    ),
]


@each_row(("command", "advice", "mended"), DAILY)
def test_who_follows_the_advice_is_allowed(command: str, advice: str, mended: str) -> None:
    decision = POLICY.decide(command, cwd=CWD)
    assert (decision.verdict, decision.advice) == ("ask", advice), decision
    assert POLICY.decide(mended, cwd=CWD).verdict == "allow"


@each_row(
    ("command", "rules"),
    [
        ("npm test", ("npm test",)),
        ("npm run build && npm test", ("npm run build", "npm test")),
        ("rg -z foo", ("/^rg -z foo$/",)),
        ("git branch -D old", ("/^git branch -D old$/",)),
        ("date 01010000", ("/^date 01010000$/",)),
        ("/opt/tool -I/", ("/^/opt/tool -I/$/",)),
        ("/+/", ("/^/\\+/$/",)),
    ],
)
def test_the_rules_are_named_and_allow_it(command: str, rules: tuple[str, ...]) -> None:
    decision = POLICY.decide(command, cwd=CWD)
    quoted = ", ".join(f'"{rule}"' for rule in rules)
    assert decision.suggestions == rules
    assert decision.advice == f"To allow it, add to the allow rules: {quoted}."
    assert POLICY.extended([Rule.parse("allow", rule) for rule in rules]).decide(command, cwd=CWD).verdict == "allow"


def test_an_option_beyond_a_rule_of_ones_own_has_a_rule_that_names_it() -> None:
    decision = Policy.from_lists({"allow": ["npm test"]}).decide("npm test --watch", cwd=CWD)
    assert decision.suggestions == ("npm test --watch",)


def test_what_several_things_are_in_the_way_of_has_all_remedies_and_no_suggestion() -> None:
    decision = POLICY.decide("npm test > x; eval y", cwd=CWD)
    assert decision.suggestions == ()
    assert decision.advice == (
        "With a workspace, a policy of your own allows writing inside it. "
        "No rule lifts this: leave that out, or write what it would run as a command of its own. "
        'To allow it, add to the allow rules: "npm test".'
    )


def test_outside_the_workspace_no_rule_is_suggested_that_would_not_help() -> None:
    policy = Policy(READ_ONLY, workspace="/nowhere/project")
    assert policy.decide("npm test", cwd="/nowhere/project").suggestions == ("npm test",)
    decision = policy.decide("npm test", cwd="/elsewhere")
    assert decision.suggestions == ()
    assert decision.advice.startswith("Run it inside the workspace, with operands inside it. To allow it, ")
    decision = policy.decide("ls > /elsewhere/x", cwd="/nowhere/project")
    assert "inside the workspace /nowhere/project" in decision.advice


def test_a_program_of_this_directory_is_another_one_elsewhere() -> None:
    decision = POLICY.decide("cd /tmp && ./gradlew", cwd=CWD)
    assert decision.suggestions == ()
    assert decision.advice == 'Run it without `cd` in front. To allow it, add to the allow rules: "./gradlew".'


@each_row(
    ("command", "advice"),
    [
        ("git push", "Take 'git push' out of the ask rules."),
        ("git $x", "Write out its words: then it can be seen that the rule is not about it."),
        ("echo rm", "Write it without the words of the rule 'rm'."),
        ("sudo ls", "An allow rule lifts this only if it names what is run: `sudo apt update`, not `sudo`."),
    ],
)
def test_what_a_rule_of_ones_own_asks(command: str, advice: str) -> None:
    policy = Policy.from_lists({"ask": ["git push"], "deny": ["rm"]}, default="allow")
    decision = policy.decide(command, cwd=CWD)
    assert (decision.verdict, decision.advice) == ("ask", advice)


def test_what_the_default_denies_has_advice_and_what_a_rule_denies_has_none() -> None:
    policy = Policy.from_lists({"deny": ["rm"]}, default="deny")
    assert policy.decide("npm test", cwd=CWD).advice == 'To allow it, add to the allow rules: "npm test".'
    decision = policy.decide("npm test # all", cwd=CWD)
    assert decision.suggestions == () and decision.advice.startswith("Leave out every # that begins a word. To allow")
    assert policy.decide("npm test; rm x", cwd=CWD).advice == ""
    assert policy.decide("", cwd=CWD).advice == "Write a command."


@pytest.mark.parametrize("shell", ["fish", "nu"])
def test_a_language_nobody_checks(shell: str) -> None:
    advice = POLICY.decide("ls", cwd=CWD, shell=shell).advice
    assert advice == "Run it in a shell whose language can be checked, such as a POSIX shell."


def test_typing_has_advice_where_it_is_not_allowed() -> None:
    for verdict in ("ask", "deny"):
        assert 'typing = "allow"' in Policy.from_lists({}, typing=verdict).decide_typing("y").advice
    assert Policy.from_lists({}, typing="allow").decide_typing("y").advice == ""
    assert Policy.from_lists({"deny": ["rm"]}).decide_typing("rm x").advice == ""
