"""Reply rules: which question each covers, how often, and what none of them ever answers."""

from __future__ import annotations

import re
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rows import each_row
from truetty.core.errors import Misuse
from truetty.core.outcome import Waiting, WaitingKind
from truetty.questions.prompts import describe
from truetty.questions.replies import LONGEST_SEARCH, MOST_NOTES, Replies, Reply, ReplyAnswer


def ask(replies: Replies, text: str, kind: WaitingKind = "line", program: str | None = "tool") -> ReplyAnswer | None:
    lines = text.split("\n")
    return replies.answer(Waiting(kind, lines[-1], program), describe(kind, program, lines), lines)


def typed(replies: Replies, text: str, kind: WaitingKind = "line", program: str | None = "tool") -> str | None:
    answer = ask(replies, text, kind, program)
    return None if answer is None else answer.text


# ── what is covered ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_rule_answers_what_it_covers_and_says_so() -> None:
    rule = Reply(r"Proceed \(", "y")
    replies = Replies([rule])
    answer = ask(replies, "Would remove:\n  a\nProceed (Y/n)? ")
    note = r"answered 'y' to 'Proceed (Y/n)?' by rule 'Proceed \(' (1 of 1)"
    assert answer == ReplyAnswer("y\r", note, rule)
    assert replies.notes == (note,)


def test_what_no_rule_covers_is_left() -> None:
    replies = Replies([Reply("Proceed", "y")])
    assert ask(replies, "Delete everything? [y/N] ") is None
    assert replies.notes == ()


def test_no_rules_no_answers() -> None:
    assert ask(Replies([]), "Proceed? [Y/n] ") is None


def test_each_rule_answers_up_to_its_limit() -> None:
    replies = Replies([Reply("again", "yes", limit=2)])
    assert [typed(replies, "Try again? ") for _ in range(4)] == ["yes\r", "yes\r", None, None]
    assert [note.startswith("answered 'yes' to 'Try again?'") for note in replies.notes] == [True, True, False, False]
    assert replies.notes[2] == "left 'Try again?' unanswered: rule 'again' has answered 2 times"


def test_when_one_is_used_up_the_next_takes_over() -> None:
    replies = Replies([Reply("Overwrite", "y"), Reply("Overwrite", "n", limit=2)])
    assert [typed(replies, "Overwrite a? ") for _ in range(4)] == ["y\r", "n\r", "n\r", None]


def test_the_first_that_covers_it_answers() -> None:
    replies = Replies([Reply("Proceed", "y"), Reply("Delete", "n"), Reply(".", "?")])
    assert typed(replies, "Delete it? ") == "n\r"
    assert typed(replies, "Proceed? ") == "y\r"
    assert typed(replies, "Name: ") == "?\r"


def test_each_command_has_uses_of_its_own() -> None:
    rules = [Reply("Proceed", "y")]
    assert typed(Replies(rules), "Proceed? ") == typed(Replies(rules), "Proceed? ") == "y\r"


def test_a_rule_may_be_for_one_program() -> None:
    replies = Replies([Reply("Continue", "y", program="python3", limit=9)])
    assert typed(replies, "Continue? ", program="apt") is None
    assert typed(replies, "Continue? ", program=None) is None
    assert typed(replies, "Continue? ", program="python3") == "y\r"
    assert typed(replies, "Continue? ", program="python3.12") == "y\r"


def test_keys_alone_and_enter_alone() -> None:
    replies = Replies([Reply(r"\(END\)", "q", enter=False), Reply("Press ENTER", "")])
    assert typed(replies, "text\n(END)", "key", "less") == "q"
    for shell in ("bash", "rbash", "busybox", "ash", "ksh93", "mksh", "zsh", "fish"):  # `read -n1`, `read -k`
        assert typed(Replies([Reply("Continue", "y")]), "Continue? [y/n] ", "key", shell) == "y", shell
    assert typed(Replies([Reply("correct", "y")]), "Is this correct? (y/N) ", "key", "gpg") == "y\r"
    answer = ask(replies, "Press ENTER to continue")
    assert answer is not None
    assert answer.text == "\r"
    assert answer.note.startswith("answered Enter to 'Press ENTER to continue'")


@pytest.mark.parametrize("pattern", ["Name:", "Name: $", "Name:$", "^Name", r"\AName", ".*Name.*", "^.*Name.*$"])
def test_blanks_at_the_end_do_not_matter(pattern: str) -> None:
    assert typed(Replies([Reply(pattern, "ada")]), "hello\nName: ") == "ada\r"


def test_a_question_on_the_line_above_is_a_question() -> None:
    assert typed(Replies([Reply("Sure", "y")]), "Sure (y/n)?\n") == "y\r"
    assert typed(Replies([Reply("favourite", "red")]), "Give me your favourite colour\n") == "red\r"


def test_the_lines_that_belong_to_a_question_count() -> None:
    question = (
        "The authenticity of host 'example.org (192.0.2.7)' can't be established.\n"
        "ED25519 key fingerprint is SHA256:p2QAMXNIC1TJYWeIOttrVc98/R1BUFWu3/LiyKgUfQM.\n"
        "Are you sure you want to continue connecting (yes/no/[fingerprint])? "
    )
    assert typed(Replies([Reply("SHA256:p2QAMXNIC1TJ", "yes")]), question, program="ssh") == "yes\r"
    assert typed(Replies([Reply("SHA256:somethingelse", "yes")]), question, program="ssh") is None
    assert typed(Replies([Reply("staging", "1")]), "1) staging\n2) production\n#? ", program="bash") == "1\r"


def test_what_was_printed_before_is_no_question() -> None:
    """A program that prints the words of a rule, and then asks something else, gets no answer."""
    replies = Replies([Reply("Proceed", "y", limit=9)])
    assert typed(replies, "Proceed? [Y/n] \nDelete all? [y/N] ") is None
    assert typed(replies, "Proceed? [Y/n] y\n\nDelete all? ") is None


def test_a_rule_for_everything_answers_no_silence() -> None:
    replies = Replies([Reply("", "y", limit=99), Reply(".*", "y", limit=99)])
    assert typed(replies, "", program="cat") is None
    assert typed(replies, "  ") is None
    assert typed(replies, "Sure?\n", program="cat") is None
    assert typed(replies, "Sure? ") == "y\r"


# ── what is never answered ──────────────────────────────────────────────────────────────────────────────────────────

SECRETS = [
    ("secret", "[sudo] password for ada: "),
    ("secret", "Proceed? [Y/n] "),  # nothing is echoed, whatever it says
    ("secret", ""),
    ("line", "Password: "),
    ("key", "Password: "),
    ("key", "Enter OTP: "),
    ("line", "Enter passphrase for key 'k': "),
    ("line", "API token: "),
    ("key", "? Registry password\nctrl+t toggle visibility"),
    ("fullscreen", "│ Passphrase: ____ │\n│ <OK>   <Cancel>  │"),
]


@each_row(("kind", "text"), SECRETS)
def test_no_rule_answers_a_secret(kind: WaitingKind, text: str) -> None:
    replies = Replies([Reply(".*", "hunter2", limit=99), Reply("(?i)pass", "hunter2", limit=99)])
    assert ask(replies, text, kind) is None
    assert not any("hunter2" in note for note in replies.notes)
    if text:
        assert "asks for a secret" in replies.notes[0]


@given(st.sampled_from(get_args(WaitingKind)), st.text(max_size=200), st.sampled_from(["bash", "python", None]))
def test_whatever_is_printed_no_secret_and_no_shell_is_answered(
    kind: WaitingKind, text: str, program: str | None
) -> None:
    answer = ask(Replies([Reply("", "y")]), text, kind, program)
    if kind in ("secret", "shell", "continuation") or describe(kind, program, text.split("\n")).secret:
        assert answer is None


@pytest.mark.parametrize("kind", ["shell", "continuation"])
def test_a_shell_is_not_answered(kind: WaitingKind) -> None:
    assert typed(Replies([Reply(".*", "rm -rf /")]), "Proceed? [Y/n] $ ", kind, "bash") is None


# ── how long it takes ───────────────────────────────────────────────────────────────────────────────────────────────

SLOW = [
    "(a+)+$",
    "(a*)*b",
    "(?:a|aa)+$",
    "(.*a){20}",
    "(a?){30}a{30}",
    "(?P<x>a+)+!",
    "((a+)b?)+!",
    "(x+x+)+y",
    "a.*b.*c.*d.*e!",
    "a?" * 40 + "a" * 40,
    "(a|a)" * 40 + "!",
    r"(\w+\s?)+$",
    "[^?]*[^!]*[^x]*[^y]*z",
]


@each_row("pattern", SLOW)
def test_a_pattern_that_could_take_long_is_no_rule(pattern: str) -> None:
    with pytest.raises(Misuse) as refused:
        Reply(pattern, "y")
    assert refused.value.pattern == pattern


# The worst that are let through, each with a text made against it.
ALLOWED = [
    (r"(.*)x(.*)x(.*)x!", "x"),
    (r"a.*b.*c!", "abc"),
    (r".*a.*b.*c!.*", "abc"),
    (r"[^?]*a?a?a?[^!]*!", "a"),
    (r"^.*continue.*\[Y/n\].*$", "continue[Y/n]"),
    (r"\w+ \w+\?!", "a "),
    (r"(yes|no|maybe) [abc]*!", "yes "),
]


@pytest.mark.parametrize(("pattern", "piece"), ALLOWED)
def test_a_hostile_prompt_hangs_nothing(pattern: str, piece: str) -> None:
    replies = Replies([Reply(pattern, "y")])
    line = piece * (100_000 // len(piece)) + "-"
    assert ask(replies, "\n".join([line] * 40)) is None


def test_usual_patterns_are_rules() -> None:
    for pattern in (r"[Cc]ontinue\?", r"\[Y/n\]\s*$", r"overwrite '.+'\?", r"^Proceed \(Y/n\)\? ?$", "(?i)are you sure",
                    "Do you want to (continue|proceed|go on)", r"Username for 'https://.*':", r"replace \S+\? \[y\]es",
                    r".*Is this (ok|OK|correct).*", r"\d{1,3} files? will be removed"):  # fmt: skip
        assert Reply(pattern, "y").pattern == pattern


def test_only_the_end_of_a_long_line_is_searched_and_its_start_stays_its_start() -> None:
    replies = Replies([Reply("^Proceed", "y", limit=9), Reply("start", "y", limit=9), Reply("end", "n", limit=9)])
    assert typed(replies, "x" * LONGEST_SEARCH + "Proceed?") is None
    assert typed(replies, "start" + "x" * LONGEST_SEARCH) is None
    assert typed(replies, "x" * LONGEST_SEARCH + "end? ") == "n\r"


# ── which rules can be made ─────────────────────────────────────────────────────────────────────────────────────────


@each_row(
    "wrong",
    [
        {"pattern": "("},
        {"pattern": 5},
        {"pattern": "(?x) a # b"},
        {"answer": "y\n"},
        {"answer": "\x03"},
        {"answer": "\x1b[A"},
        {"answer": None},
        {"limit": 0},
        {"limit": "2"},
        {"limit": True},
        {"program": 7},
        {"enter": "no"},
        {"answer": "", "enter": False},
    ],
)
def test_what_makes_no_sense_is_refused(wrong: dict) -> None:
    with pytest.raises(Misuse) as refused:
        Reply(**{"pattern": "Proceed", "answer": "y", **wrong})
    assert refused.value.code == "misuse"
    assert refused.value.reason


def test_notes_are_short_and_few() -> None:
    replies = Replies([Reply("z", "y" * 1000, limit=1000)])
    for _ in range(100):
        assert ask(replies, "z" * 1000) is not None
    assert len(replies.notes) == MOST_NOTES + 1
    assert replies.notes[-1] == f"and {100 - MOST_NOTES} more"
    assert max(map(len, replies.notes)) < 300


def test_notes_hide_no_control_characters() -> None:
    replies = Replies([Reply("Sure", "y")])
    ask(replies, "\x1b[2JSure\u202e? ")
    assert re.fullmatch(r"[ -~]+", replies.notes[0])
