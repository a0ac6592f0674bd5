"""Any text: nothing raises, and nothing is allowed that a shell turns into something else."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.policy.commands import TABLE
from truetty.policy import Policy, Rule, plain
from truetty.policy.parser import parse
from truetty.policy.script import Call
from truetty.policy.suggestions import exact, suggestion
from truetty.policy.tree import Unreadable
from truetty.policy.words import Builder, Word, ansi, has_braces
from truetty.shells.row import Dialect

READ_ONLY = Policy.read_only()
DENYING = Policy([Rule("deny", prefix="canary")], default="allow")
SHELLS = ("bash", "zsh", "dash", "mksh", "ksh")

# What shells find special, and a command that must never run, in every disguise.
TOKENS = [
    *("echo", "echo a", ":", "true", "printf '%s'", "test", "cd", "[", "]", "[[", "]]", "((", "))", "$((", "$(", "${"),
    *(
        "}",
        ")",
        "(",
        "`",
        "\\`",
        "'",
        '"',
        "$'",
        '$"',
        "\\",
        "\n",
        ";",
        "&",
        "|",
        "&&",
        "||",
        "|&",
        "<",
        ">",
        "<<",
        "<<<",
    ),
    *("EOF", "\nEOF\n", "<<EOF\n", "<<'EOF'\n", "<(", ">(", "2>&1", ">/dev/null", ">&", "&>", "x", "x=", "a=1", "a["),
    *("1", "+", "-", "{", "{a,b}", "*", "?", "~", "#", "%", "!", "@", "=", "==", "=~", "-eq", "-v", "-n", "if", "then"),
    *("fi", "do", "done", "for", "in", "while false", "case", "esac", "time", "coproc", "function", "$x", "$#", "$@"),
    *(
        '"${x:-',
        "'}\"",
        '"${x#',
        "@(",
        "+(a|",
        "# )",
        "break",
        "${x:-",
        "${x/",
        "${x@",
        "${!x",
        "x()",
        "$[",
        "\\\n",
        " ",
        " ",
        "\t",
        "canary",
        "$(canary)",
        "`canary`",
    ),
    *('"$(canary)"', "'$(canary)'", "a[$(canary)]", "'a[$(canary)]'", "{canary,}", "c''anary", "\\canary", "canary)"),
]
soup = st.lists(st.tuples(st.sampled_from(TOKENS), st.sampled_from(["", " "])), min_size=1, max_size=10).map(
    lambda pairs: "".join(token + blank for token, blank in pairs)
)


@given(st.text(max_size=60) | soup, st.sampled_from([*SHELLS, "sh", "fish", ""]))
def test_any_text_gets_an_answer(text: str, shell: str) -> None:
    decision = READ_ONLY.decide(text, cwd="/nowhere", shell=shell)
    assert decision.reason and decision.command == text
    if decision.verdict == "allow":
        assert decision.parts and all(part.verdict == "allow" for part in decision.parts)
    assert DENYING.decide(text, cwd=None, shell=shell).reason
    assert READ_ONLY.decide_typing(text).verdict == "ask"


@given(
    st.sampled_from([command for command, _ in TABLE if len(command) < 200]),
    st.sampled_from(TOKENS),
    st.integers(0, 200),
)
def test_a_changed_line_gets_an_answer(command: str, token: str, place: int) -> None:
    text = command[:place] + token + command[place:]
    decision = READ_ONLY.decide(text, cwd="/nowhere")
    if decision.verdict == "allow":
        assert decision.parts and all(part.verdict == "allow" for part in decision.parts)


@given(
    st.lists(st.sampled_from([*TOKENS, "git", "npm", "run", "x=1", "/a", "-I/", ""]) | st.text(max_size=5), min_size=1)
)
def test_a_suggested_rule_is_one_and_allows_the_call(words: list[str]) -> None:
    call = Call(tuple(map(Word.plain, words)))
    for text in (suggestion(call, Dialect.BASH), exact(call)):
        if text is not None:
            rule = Rule.parse("allow", text)
            assert rule.allows(call, Dialect.BASH) and not rule.beyond(call), text


@given(soup, st.sampled_from(Dialect))
def test_what_the_parser_takes_for_a_comment_or_a_here_document_is_not_plain(text: str, dialect: Dialect) -> None:
    """The reader says nothing against them: `plain` must have seen them all."""
    try:
        tree = parse(text.encode(), dialect)
    except Unreadable:
        return
    assert plain.objection(text) is not None or not holds(tree, {"Hash", "Hdoc"}), text


def holds(node: object, names: set[str]) -> bool:
    match node:
        case dict():
            return not names.isdisjoint(node) or any(holds(value, names) for value in node.values())
        case list():
            return any(holds(item, names) for item in node)
    return False


@given(st.text(max_size=40), st.sampled_from([Dialect.BASH, Dialect.ZSH]))
def test_words_keep_their_shape(text: str, dialect: Dialect) -> None:
    builder = Builder(dialect)
    builder.bare(text)
    builder.fixed(text)
    word = builder.word(text)
    assert len(builder.shape) >= len(text)
    assert word.literal is None or word.literal.endswith(text)
    assert isinstance(has_braces(text), bool)
    assert ansi(text) is None or isinstance(ansi(text), str)


@pytest.fixture(scope="module")
def cage(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with one program on the PATH, which leaves a trace when it is run."""
    root = tmp_path_factory.mktemp("cage")
    for name in ("bin", "work"):
        (root / name).mkdir()
    (root / "bin" / "canary").write_text(f"#!/bin/sh\n: > {root}/sung\n")
    (root / "bin" / "canary").chmod(0o755)
    (root / "work" / "a").write_text("")
    return root


@pytest.mark.parametrize("shell", SHELLS)
def test_what_is_allowed_runs_nothing_else_and_writes_nothing(
    shell: str, cage: Path, program: Callable[[str], str]
) -> None:
    """The shells themselves are the judges: builtins is all they find, and the canary."""
    path = program(shell)

    @settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
    @given(soup | soup.map(lambda text: f"echo {text}"))
    def run(text: str) -> None:
        if READ_ONLY.decide(text, cwd=str(cage / "work"), shell=shell).verdict != "allow":
            return
        if "while" in text or "done" in text:  # an endless loop would prove nothing
            return
        subprocess.run(
            [path, "-c", text],
            cwd=cage / "work",
            env={"PATH": str(cage / "bin"), "LC_ALL": "C.UTF-8", "HOME": str(cage)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=30,
        )
        assert not (cage / "sung").exists(), text
        assert [entry.name for entry in (cage / "work").iterdir()] == ["a"], text

    run()
