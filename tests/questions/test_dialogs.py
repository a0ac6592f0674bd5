"""Dialogs as they stand on a screen. What whiptail and dialog really draw is in tests/acceptance/test_dialogs.py."""

from __future__ import annotations

from truetty.questions.choices import Choices
from truetty.questions.dialogs import find, is_frame
from truetty.questions.prompts import describe

YES_NO = """\
   ┌──┤ Disk ├──┐
   │ Erase      │
   │ the disk?  │
   │            │
   │ All of it. │
   │            │
   │ <Yes> <No> │
   └────────────┘"""
MENU = """\
┌──┤ Colours ├──┐
│ Which one?    │
│               │
│   red  blood  │
│   blue sky  ↓ │
│               │
│ <Ok> <Cancel> │
└───────────────┘"""
BOXES = """\
┌─────────────────┐
│ Which ones?     │
│ ┌─────────────┐ │
│ │ [*] a Apple │ │
│ │ [ ] b Pear  │ │
│ └────↓(+)─────┘ │
├─────────────────┤
│ < OK > <Cancel> │
└─────────────────┘"""
FIELD = """\
┌──┤ Who ├──────┐
│ Your name?    │
│               │
│ ada__________ │
│               │
│ <Ok> <Cancel> │
└───────────────┘"""
INNER_FIELD = """\
┌──────Who──────┐
│ Passphrase?   │
│ ┌───────────┐ │
│ │           │ │
│ └───────────┘ │
├───────────────┤
│ <OK> <Cancel> │
└───────────────┘"""


def test_a_question_with_buttons() -> None:
    lines = YES_NO.split("\n")
    found = find(lines, (12, 6))
    assert found is not None and is_frame([*lines, "", " "])
    assert (found.title, found.text, found.question) == ("Disk", ("Erase the disk?", "All of it."), "Erase the disk?")
    assert (found.buttons, found.focus, found.options, found.field) == (("Yes", "No"), "No", None, None)
    unknown = find(lines)
    assert unknown is not None and unknown.focus is None


def test_options_with_the_cursor_and_without() -> None:
    lines = MENU.split("\n")
    expected = Choices(("red", "blue"), ("blood", "sky"), "blue")
    with_cursor, without = find(lines, (4, 4)), find(lines)
    assert with_cursor is not None and (with_cursor.options, with_cursor.text) == (expected, ("Which one?",))
    assert without is not None and without.options == Choices(("red", "blue"), ("blood", "sky"))


def test_boxes_in_a_frame_of_their_own() -> None:
    found = find(BOXES.split("\n"), (2, 7))
    assert found is not None and found.ticks and found.text == ("Which ones?",)
    assert found.options == Choices(("a", "b"), ("Apple", "Pear"), several=True)


def test_a_field() -> None:
    found = find(FIELD.split("\n"))
    assert found is not None and (found.field, found.text, found.options) == ("ada", ("Your name?",), None)
    asked = describe("fullscreen", "whiptail", FIELD.split("\n"))
    assert (asked.asks, asked.prompt, asked.about, asked.default) == ("text", "Your name?", ("Who",), "ada")


def test_a_field_for_a_secret() -> None:
    for cursor in (None, (4, 3)):
        asked = describe("key", "dialog", INNER_FIELD.split("\n"), cursor)
        assert (asked.asks, asked.prompt, asked.secret) == ("passphrase", "Passphrase?", True)


def test_no_dialog() -> None:
    for text in ("", "└──┘", "┌──┐\n└──┘", "┌──┐\n│ hi │\n└──┘", "<Yes> <No>", "└──┘\n<Ok>\n┌──┐"):
        assert find(text.split("\n")) is None
    assert not is_frame(["└──┘", "$ "]) and not is_frame([])
