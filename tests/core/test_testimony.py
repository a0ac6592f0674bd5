"""What marks say, and which of them a look at the prompt confirms."""

from __future__ import annotations

from tests.rows import each_row
from truetty.core import testimony as said  # pytest would take a `Testimony` of ours for a class of tests
from truetty.core.observation import Observation
from truetty.core.signs import Hint, Mark
from truetty.core.testimony import DRAWING, Says
from truetty.testing import SECRETS

RUNNING = Observation("running")


def heard(*, has_marks: bool = True, sees: bool = True) -> said.Testimony:
    return said.Testimony(SECRETS, has_marks=has_marks, sees=sees)


def begun() -> said.Testimony:
    testimony = heard()
    testimony.on_start(Mark(0, 9, "C", SECRETS.start), first=True)
    return testimony


def prompt(code: int | None, start: int = 50) -> Mark:
    return Mark(start, start + 10, "P", SECRETS.key, code)


END = Mark(30, 40, "D", SECRETS.end, 3)


@each_row(
    ("letter", "secret", "in_front", "says"),
    [
        ("C", SECRETS.start, True, Says.START),
        ("C", SECRETS.start, False, Says.START),
        ("C", SECRETS.end, True, Says.NOTHING),
        ("D", SECRETS.end, True, Says.END),
        ("D", SECRETS.end, None, Says.END),
        ("D", SECRETS.end, False, Says.CLAIM),
        ("D", SECRETS.start, True, Says.NOTHING),
        ("H", SECRETS.answer, True, Says.ANSWER),
        ("H", SECRETS.end, True, Says.NOTHING),
        ("P", SECRETS.key, True, Says.PROMPT),
        ("P", SECRETS.key, False, Says.PROMPT),
        ("P", SECRETS.key, None, Says.UNSEEN),
        ("P", SECRETS.end, True, Says.NOTHING),
        ("2", SECRETS.key, True, Says.CONTINUATION),
        ("M", SECRETS.start, True, Says.NOTHING),
    ],
)
def test_what_a_mark_says(letter: str, secret: str, in_front: bool | None, says: Says) -> None:
    assert begun().on_mark(Mark(0, 9, letter, secret), in_front) is says


def test_an_end_without_a_start_is_one_only_of_the_shells_own_line() -> None:
    """Of a text with a syntax error the shell's hooks print D and no C."""
    secrets = said.Secrets("start", "end", "answer", "line")
    testimony = said.Testimony(secrets, has_marks=True, sees=True)
    assert testimony.on_mark(Mark(0, 9, "D", "end", 2), True) is Says.NOTHING
    secrets.use_line()
    assert testimony.on_mark(Mark(0, 9, "D", "line", 2), True) is Says.END
    assert testimony.on_mark(Mark(0, 9, "D", "line", 2), False) is Says.CLAIM
    secrets.use_own()
    assert testimony.on_mark(Mark(0, 9, "D", "line", 2), True) is Says.LINE_END  # of the line that runs the trigger


def test_where_no_look_can_confirm_a_prompt_mark_says_so_while_the_shell_is_in_front() -> None:
    testimony = heard(sees=False)
    assert testimony.on_mark(prompt(0), True) is Says.UNSEEN
    assert testimony.on_mark(prompt(0), False) is Says.PROMPT


def test_a_look_confirms_the_claim_before_the_prompt_mark() -> None:
    testimony = begun()
    assert testimony.for_prompt() is None
    testimony.on_mark(END, False)
    assert testimony.for_prompt() is END
    testimony.on_prompt(prompt(3), 1.0, True)
    testimony.on_prompt(prompt(127, 70), 1.1, True)  # of a line that was typed ahead
    assert testimony.for_prompt() is END


def test_a_later_prompt_mark_with_another_code_contradicts_the_claim() -> None:
    testimony = begun()
    testimony.on_mark(END, False)
    later = prompt(130)
    testimony.on_prompt(later, 1.0, True)
    assert testimony.for_prompt() is later


def test_what_the_shell_waited_for_between_an_end_and_its_prompt_was_a_hook() -> None:
    testimony = begun()
    testimony.on_place("the command's", 29)
    testimony.on_mark(END, False)
    testimony.on_place("seen before the mark was read", 39)
    testimony.on_prompt(prompt(3), 1.0, True)
    assert not testimony.hooks
    testimony.on_place("a hook's", 40)
    testimony.on_place("the prompt's own", 40)
    testimony.on_place("a hook's", 40)
    assert testimony.hooks == ("a hook's", "the prompt's own")


def test_what_the_shell_waited_for_was_no_hook_if_an_end_mark_comes_later() -> None:
    testimony = begun()
    testimony.on_mark(END, False)
    testimony.on_place("a program that prints our marks", 40)
    testimony.on_mark(Mark(50, 60, "D", SECRETS.end, 3), False)
    testimony.on_prompt(prompt(3, 70), 1.0, True)
    assert not testimony.hooks


def test_after_keys_a_prompt_mark_no_longer_confirms_the_claim_for_good() -> None:
    testimony = begun()
    testimony.on_mark(END, False)
    testimony.on_prompt(prompt(3), 1.0, True)
    testimony.on_keys()
    later = prompt(1, 70)
    testimony.on_prompt(later, 2.0, True)
    assert testimony.for_prompt() is later


def test_an_earlier_prompt_mark_does_not_contradict() -> None:
    testimony = begun()
    testimony.on_prompt(prompt(130, 10), 1.0, True)
    testimony.on_mark(END, False)
    assert testimony.for_prompt() is END


def test_the_code_of_a_prompt_mark_is_unknown_where_nobody_can_tell_who_is_in_front() -> None:
    testimony = heard()
    testimony.on_prompt(prompt(130), 1.0, None)
    confirmed = testimony.for_prompt()
    assert confirmed is not None and confirmed.code is None


def test_output_begins_behind_the_last_start_mark_that_stands_at_its_place() -> None:
    testimony = heard()
    assert testimony.output_from is None and not testimony.started
    testimony.on_start(Mark(10, 20, "C", SECRETS.start), first=True)
    assert testimony.output_from == 20 and testimony.started
    testimony.on_start(Mark(20, 30, "C", SECRETS.start), first=False)
    assert testimony.output_from == 30
    testimony.on_start(Mark(90, 99, "C", SECRETS.start), first=False)
    assert testimony.output_from == 30


def test_a_late_echo_of_our_line_is_not_output() -> None:
    testimony = heard()
    testimony.on_start(Mark(10, 20, "C", SECRETS.start), first=True)
    second = Mark(64, 74, "C", SECRETS.start)
    testimony.on_echo(second.start)
    testimony.on_start(second, first=False)
    assert testimony.output_from == 74


def test_a_program_without_marks_is_started_by_typing() -> None:
    assert heard(has_marks=False).started


def test_a_prompt_mark_is_a_claim_until_a_look_shows_otherwise() -> None:
    testimony = heard()
    testimony.on_prompt(prompt(0), 1.0, True)
    testimony.on_look(RUNNING, 1.0 + DRAWING)
    assert testimony.claimed is not None
    testimony.on_look(RUNNING, 1.1 + DRAWING)
    assert testimony.claimed is None
    testimony.on_prompt(prompt(0), 5.0, True)
    testimony.on_look(Observation("waiting", kind="shell"), 5.1)
    assert testimony.claimed is not None
    testimony.on_look(Observation("waiting", kind="line"), 5.1)
    assert testimony.claimed is None


def test_the_continuation_prompt_until_the_next_start_or_prompt() -> None:
    testimony = heard()
    testimony.on_mark(Mark(0, 9, "2", SECRETS.key), True)
    assert testimony.continuation and testimony.is_continuation
    testimony.on_prompt(prompt(0), 1.0, True)
    assert testimony.continuation and not testimony.is_continuation
    testimony.on_start(Mark(60, 70, "C", SECRETS.start), first=True)
    assert not testimony.continuation


def test_the_answer_tells_the_code_only_of_a_text_that_has_run_and_if_it_can_be_its_own() -> None:
    answer = Mark(70, 80, "H", SECRETS.answer, 5)
    testimony = heard()
    assert testimony.code_of(answer) is None
    testimony.on_start(Mark(10, 20, "C", SECRETS.start), first=True)
    assert testimony.code_of(answer) == 5 and testimony.code_of(None) is None
    testimony.on_question(status_is_ours=False)
    assert testimony.code_of(answer) is None


def test_foreign_marks_are_hints() -> None:
    testimony = heard()
    testimony.on_hint(Hint(0, 5, "133", "D", 4))
    testimony.on_hint(Hint(5, 9, "133", "A"))
    assert testimony.hinted and testimony.hint_code == 4


def test_a_directory_that_a_program_tells_is_no_mark() -> None:
    testimony = heard()
    testimony.on_hint(Hint(0, 5, "7", ""))
    testimony.on_hint(Hint(5, 9, "3008", "start"))
    assert not testimony.hinted
