"""The secrets of a shell's lines, as its marks tell them."""

from __future__ import annotations

from truetty.core.chain import Chain
from truetty.core.signs import Mark


def mark(letter: str, secret: str, following: str = "") -> Mark:
    return Mark(0, 9, letter, secret, 0, next=following)


def test_a_line_has_one_secret_and_its_end_tells_the_next() -> None:
    chain = Chain("k1")
    chain.follow(mark("C", "k1"))
    chain.follow(mark("D", "k1", "k2"))
    assert (chain.last, chain.current) == ("k1", "k2")
    chain.follow(mark("P", "k1", "k2"))  # the second witness of the same end
    assert (chain.last, chain.current) == ("k1", "k2")


def test_the_prompt_alone_can_tell_it() -> None:
    chain = Chain("k1")
    chain.follow(mark("P", "k1", "k2"))
    assert (chain.last, chain.current) == ("k1", "k2")


def test_a_line_that_has_begun_is_not_ended_by_marks_of_the_one_before() -> None:
    chain = Chain("k1")
    chain.follow(mark("D", "k1", "k2"))
    assert chain.knows("k1")
    chain.follow(mark("C", "k2"))
    assert not chain.knows("k1")
    assert chain.knows("k2")


def test_a_strangers_mark_moves_nothing() -> None:
    chain = Chain("k1")
    chain.follow(mark("D", "guess", "k9"))
    assert (chain.last, chain.current) == ("k1", "k1")
    assert not chain.knows("k9")


def test_a_shell_that_draws_none_keeps_its_first() -> None:
    chain = Chain("key")
    for letter in "CDPP":
        chain.follow(mark(letter, "key"))
    assert (chain.last, chain.current) == ("key", "key")


def test_a_hook_that_was_installed_again_begins_anew() -> None:
    chain = Chain("k1")
    chain.restart("k7")
    assert not chain.knows("k1")
    assert chain.knows("k7")


def test_a_prompt_without_an_end_before_it_shows_the_line_before_and_this_one() -> None:
    chain = Chain("k1")
    chain.follow(mark("D", "k1", "k2"))
    chain.follow(mark("C", "k2"))
    assert chain.knows_prompt(mark("P", "k1", "k2"))
    assert not chain.knows_prompt(mark("P", "k1", "k9"))
    assert not chain.knows_prompt(mark("P", "k1"))
