"""`core/keys.py`: every table entry, every rule, and the refusals."""

from __future__ import annotations

import shutil
import string
import subprocess
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rows import each_row
from truetty.core.errors import BadKey
from truetty.terminal.keys import CONTROLS, CURSOR, MODIFIERS, NAMES, SYNONYMS, encode

PLAIN = {
    "Enter": "\r",
    "Tab": "\t",
    "Escape": "\x1b",
    "Esc": "\x1b",
    "Space": " ",
    "Backspace": "\x7f",
    "Delete": "\x1b[3~",
    "Insert": "\x1b[2~",
    "Home": "\x1b[H",
    "End": "\x1b[F",
    "PageUp": "\x1b[5~",
    "PageDown": "\x1b[6~",
    "Up": "\x1b[A",
    "Down": "\x1b[B",
    "Right": "\x1b[C",
    "Left": "\x1b[D",
    "F1": "\x1bOP",
    "F2": "\x1bOQ",
    "F3": "\x1bOR",
    "F4": "\x1bOS",
    "F5": "\x1b[15~",
    "F6": "\x1b[17~",
    "F7": "\x1b[18~",
    "F8": "\x1b[19~",
    "F9": "\x1b[20~",
    "F10": "\x1b[21~",
    "F11": "\x1b[23~",
    "F12": "\x1b[24~",
    "F13": "\x1b[1;2P",
    "F16": "\x1b[1;2S",
    "F17": "\x1b[15;2~",
    "F20": "\x1b[19;2~",
}

CHORDS = {
    "C-@": "\x00",
    "C-Space": "\x00",
    "C-[": "\x1b",
    "C-\\": "\x1c",
    "C-]": "\x1d",
    "C-^": "\x1e",
    "C-_": "\x1f",
    "C-/": "\x1f",
    "C-?": "\x7f",
    "C-2": "\x00",
    "C-8": "\x7f",
    "C-Backspace": "\x08",
    "M-x": "\x1bx",
    "M-X": "\x1bX",
    "M-.": "\x1b.",
    "M--": "\x1b-",
    "M-+": "\x1b+",
    "Alt-x": "\x1bx",
    "M-é": "\x1bé",
    "M-Enter": "\x1b\r",
    "M-Tab": "\x1b\t",
    "M-Escape": "\x1b\x1b",
    "M-Space": "\x1b ",
    "M-Backspace": "\x1b\x7f",
    "C-M-x": "\x1b\x18",
    "M-C-x": "\x1b\x18",
    "C-M-Space": "\x1b\x00",
    "C-M-Backspace": "\x1b\x08",
    "S-x": "X",
    "S-é": "É",
    "M-S-x": "\x1bX",
    "S-Tab": "\x1b[Z",
    "BTab": "\x1b[Z",
    "M-S-Tab": "\x1b\x1b[Z",
    "S-Up": "\x1b[1;2A",
    "M-Up": "\x1b[1;3A",
    "M-S-Down": "\x1b[1;4B",
    "C-Left": "\x1b[1;5D",
    "C-S-Right": "\x1b[1;6C",
    "C-M-Home": "\x1b[1;7H",
    "C-M-S-End": "\x1b[1;8F",
    "S-C-M-End": "\x1b[1;8F",
    "C-Delete": "\x1b[3;5~",
    "S-Insert": "\x1b[2;2~",
    "C-PageUp": "\x1b[5;5~",
    "M-PageDown": "\x1b[6;3~",
    "S-F1": "\x1b[1;2P",
    "C-F4": "\x1b[1;5S",
    "C-F5": "\x1b[15;5~",
    "M-F12": "\x1b[24;3~",
    "C-F13": "\x1b[1;6P",
}

SPELLINGS = {
    "C-c": ("c-c", "C-C", "Ctrl-C", "ctrl-c", "ctrl+c", "Ctrl+C", "Control-c", "CTRL+C", "^C", "^c"),
    "C-[": ("^[", "Ctrl+["),
    "C-^": ("^^",),
    "C-?": ("^?",),
    "C-Space": ("ctrl+space", "C- ", "Ctrl+Spacebar"),
    "M-x": ("m-x", "Alt-x", "alt+x", "Meta-x", "A-x", "Option+x"),
    "C-M-x": ("ctrl+alt+x", "Ctrl-Alt-X", "C-A-x"),
    "C-S-Right": ("Ctrl+Shift+Right", "shift-ctrl-ArrowRight"),
    "S-Tab": ("shift+tab", "BTab", "BackTab", "Back-Tab", "S-BTab"),
    "Enter": ("enter", "ENTER", "Return", "CR"),
    "Escape": ("esc", "ESC", "escape"),
    "PageUp": ("pageup", "page-up", "Page_Up", "page up", "PgUp", "PPage"),
    "PageDown": ("PgDn", "pgdown", "NPage"),
    "C-PageUp": ("ctrl+page-up", "C-pgup"),
    "Delete": ("Del", "DC"),
    "Backspace": ("BSpace", "bs", "back space"),
    "F5": ("f5",),
}


@each_row(("name", "sent"), [*PLAIN.items(), *CHORDS.items()])
def test_a_key_sends_what_xterm_sends(name: str, sent: str) -> None:
    assert encode(name) == sent.encode()


@each_row("letter", string.ascii_lowercase)
def test_ctrl_and_a_letter(letter: str) -> None:
    code = bytes([ord(letter) - ord("a") + 1])
    assert encode(f"C-{letter}") == encode(f"C-{letter.upper()}") == encode(f"^{letter.upper()}") == code
    assert encode(f"C-M-{letter}") == b"\x1b" + code


@each_row(("name", "spellings"), SPELLINGS.items())
def test_a_key_has_many_spellings(name: str, spellings: tuple[str, ...]) -> None:
    assert {spelling: encode(spelling) for spelling in spellings} == dict.fromkeys(spellings, encode(name))


@each_row(("synonym", "name"), SYNONYMS.items())
def test_a_synonym_is_its_key(synonym: str, name: str) -> None:
    assert encode(synonym) == encode(synonym.upper()) == encode(name)
    assert name in NAMES and synonym not in NAMES


@each_row("character", [*string.digits, *string.ascii_letters, *string.punctuation, *" é語🙂"])
def test_a_printable_character_is_itself(character: str) -> None:
    assert encode(character) == character.encode()


def test_keys_are_pressed_one_after_another() -> None:
    assert encode("Escape", ":", "w", "q", "Enter") == b"\x1b:wq\r"
    assert encode() == b""


def application_cases() -> Iterator[tuple[str, bytes]]:
    for name, letter in CURSOR.items():
        yield name, f"\x1bO{letter}".encode()
        yield f"C-{name}", f"\x1b[1;5{letter}".encode()
    for name in ("Enter", "Tab", "Backspace", "Delete", "PageUp", "F1", "F5", "F13", "a", "C-c", "M-x", "S-Tab"):
        yield name, encode(name)


@each_row(("name", "sent"), [*application_cases()])
def test_application_mode_changes_bare_cursor_keys_only(name: str, sent: bytes) -> None:
    assert encode(name, application=True) == sent


@each_row(
    ("name", "reason", "suggestion"),
    [
        ("", "no key", None),
        ("C-", "no key", None),
        ("Entr", "no key", "Enter"),
        ("Escpae", "no key", "Escape"),
        ("C-Lefft", "no key", "C-Left"),
        ("Ctrl+Alt+PageUpp", "no key", "C-M-PageUp"),
        ("F21", "no key", "F2"),
        ("F0", "no key", None),
        ("C-c C-c", "no key", None),
        ("yes", "text is sent", None),
        (":wq", "text is sent", None),
        ("^CC", "text is sent", None),
        ("\r", "named", "Enter"),
        ("\n", "named", "Enter"),
        ("\t", "named", "Tab"),
        ("\x1b", "named", "Escape"),
        ("\x7f", "named", "Backspace"),
        ("\x03", "named", "C-c"),
        ("\x00", "named", "C-@"),
        ("\x1b[A", "no key", None),
        ("\udc80", "no key", None),
        ("C-C-c", "twice", None),
        ("Alt-M-c", "twice", None),
        ("S-F13", "Shift with F1", None),
        ("C-S-F13", "Shift with F1", None),
        ("S-Enter", "the same for Enter", None),
        ("S-Space", "the same for Space", None),
        ("M-S-Enter", "the same for M-Enter", None),
        ("C-S-c", "the same for C-c", None),
        ("C-S-Tab", "no code", "S-Tab"),
        ("C-Enter", "no code", "Enter"),
        ("C-Tab", "no code", "Tab"),
        ("C-M-Enter", "no code", "M-Enter"),
        ("C-1", "no code", "1"),
        ("C-é", "no code", "é"),
        ("S-1", "keyboard", None),
        ("S-ß", "keyboard", None),
        ("S-語", "keyboard", None),
    ],
)
def test_what_cannot_be_pressed_is_refused(name: str, reason: str, suggestion: str | None) -> None:
    with pytest.raises(BadKey) as refused:
        encode("a", name)
    assert refused.value.code == "bad_key"
    assert refused.value.key == name
    assert refused.value.known == NAMES
    message = str(refused.value)
    assert repr(name) in message and reason in message
    if suggestion is None:
        assert "did you mean" not in message
    else:
        assert message.endswith(f"(did you mean {suggestion}?)")


# The capabilities terminfo has for keys. `infocmp` is part of ncurses-bin, which every Debian has.
TERMINFO = {
    **{f"kf{number}": f"F{number}" for number in range(1, 21)},
    "kbs": "Backspace",
    "kcbt": "S-Tab",
    "kdch1": "Delete",
    "kich1": "Insert",
    "kpp": "PageUp",
    "knp": "PageDown",
    "khome": "Home",
    "kend": "End",
    "kcuu1": "Up",
    "kcud1": "Down",
    "kcuf1": "Right",
    "kcub1": "Left",
    "kUP": "S-Up",
    "kUP3": "M-Up",
    "kLFT5": "C-Left",
    "kRIT6": "C-S-Right",
    "kHOM7": "C-M-Home",
    "kDC5": "C-Delete",
    "kPRV3": "M-PageUp",
    "kf25": "C-F1",
    "kf37": "C-S-F1",
    "kf41": "C-S-F5",
    "kf49": "M-F1",
    "kf61": "M-S-F1",
}


def test_the_keys_are_those_of_terminfo() -> None:
    """Programs look keys up in terminfo, whose entries are written for application mode."""
    infocmp = shutil.which("infocmp")
    assert infocmp, "infocmp is not installed (package ncurses-bin)"
    listed = subprocess.run([infocmp, "-x", "-1", "xterm-256color"], capture_output=True, text=True, check=True).stdout
    capabilities = dict(line.strip(" \t,").split("=", 1) for line in listed.splitlines() if "=" in line)
    wanted = {name: capabilities[name].replace("\\E", "\x1b").replace("^?", "\x7f").encode() for name in TERMINFO}
    assert {name: encode(key, application=True) for name, key in TERMINFO.items()} == wanted


@given(st.text(max_size=12))
def test_any_text_is_a_key_or_a_refusal(name: str) -> None:
    try:
        sent = encode(name)
    except BadKey as refused:
        assert refused.key == name
    else:
        assert sent


@given(
    prefixes=st.lists(st.sampled_from([*MODIFIERS]), max_size=3),
    joint=st.sampled_from("-+"),
    base=st.sampled_from([*NAMES, *(character for character in CONTROLS if len(character) == 1), "x"]),
)
def test_modifiers_in_any_order_are_the_same(prefixes: list[str], joint: str, base: str) -> None:
    def pressed(order: list[str]) -> bytes | None:
        try:
            return encode("".join(prefix + joint for prefix in order) + base)
        except BadKey:
            return None

    assert pressed(prefixes) == pressed(prefixes[::-1]) == pressed([prefix.upper() for prefix in prefixes])
