"""Whose the prompt is, and what may stand there."""

from __future__ import annotations

from truetty.core.signs import Mark
from truetty.terminal.wire.prompt import Prompt, PromptState


def test_the_life_of_a_prompt() -> None:
    prompt = Prompt()
    assert prompt.state is PromptState.AWAITED and not prompt.is_free
    prompt.on_free()
    assert prompt.is_free and prompt.is_clean
    prompt.on_trigger()
    assert prompt.state is PromptState.TAKEN and not prompt.is_free
    prompt.on_end_mark()
    assert prompt.state is PromptState.AWAITED and not prompt.is_free
    prompt.on_free()
    prompt.on_end_mark()  # P came with it
    assert prompt.is_clean
    prompt.on_exit()
    prompt.on_free()  # the end of a command comes with the end of the shell
    assert prompt.state is PromptState.GONE


def test_keys_that_are_left_must_be_cleared() -> None:
    prompt = Prompt()
    prompt.on_keys(b"half a li", 5, left=True)
    prompt.on_free()
    assert prompt.is_free and not prompt.is_clean  # typed ahead of the first prompt
    prompt.on_clear()
    prompt.on_keys(b"read by a program\n", 5, left=False)
    assert prompt.is_clean and not prompt.output_stopped
    prompt.on_keys(b"\x13", 5, left=True)
    assert prompt.output_stopped
    prompt.on_clear()
    assert not prompt.output_stopped and prompt.is_clean


def test_a_prompt_begins_at_its_mark() -> None:
    prompt = Prompt()
    prompt.is_continuation = True
    prompt.on_mark(Mark(10, 30, "P", "key", 0, ""))
    assert prompt.begins_at == 30 and not prompt.is_continuation


def test_where_the_first_keys_were_typed() -> None:
    prompt = Prompt()
    prompt.on_mark(Mark(10, 30, "P", "key", 0, ""))
    prompt.on_keys(b"a", 40, left=True)
    prompt.on_keys(b"b", 41, left=True)
    assert prompt.keys_at == 40
    prompt.on_mark(Mark(50, 70, "P", "key", 0, ""))
    assert prompt.keys_at is None
