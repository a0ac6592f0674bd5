"""Names of keys → the bytes an xterm sends for them.

Rule 1: the tables come first; a name is looked up, never guessed. What is not found is `BadKey`.
Rule 2: a chord that a terminal sends as it sends a simpler one (S-Enter, C-S-c) is refused with the name of
        that one: the caller would believe a key was pressed that no program can see.
Rule 3: names are forgiving in case and spelling (`C-c`, `Ctrl+C`, `^C`; `PageUp`, `page-up`, `PgUp`).
        Only a character keeps its case where the terminal does: `M-x` and `M-X` differ, `C-x` and `C-X` do not.
Rule 4: text is not a key: a name of one printable character is that character, and a longer one must be in a table.

    C- Ctrl- Control-    M- A- Alt- Meta- Option-    S- Shift-    in any order; `+` joins as well as `-`
"""

from __future__ import annotations

import re
from typing import Final

from truetty.core import lazy
from truetty.core.errors import BadKey
from truetty.core.kinds import described

ESC: Final = b"\x1b"

# Keys that send one byte. A terminal has no form for them with Shift, and with Ctrl only what CONTROLS says.
PLAIN: Final[dict[str, bytes]] = {
    "Enter": b"\r",
    "Tab": b"\t",
    "Escape": b"\x1b",
    "Space": b" ",
    "Backspace": b"\x7f",  # what terminfo's xterm entries, Debian and the kernel's erase character agree on
}

# Keys that send CSI letter, SS3 letter in application mode (DECCKM), and CSI 1;modifier letter with modifiers.
CURSOR: Final[dict[str, str]] = {"Up": "A", "Down": "B", "Right": "C", "Left": "D", "End": "F", "Home": "H"}

# Keys that send SS3 letter in any mode, and CSI 1;modifier letter with modifiers.
PROGRAM: Final[dict[str, str]] = {"F1": "P", "F2": "Q", "F3": "R", "F4": "S"}

# Keys that send CSI number ~, and CSI number;modifier ~ with modifiers. The gaps (16, 22) are the VT220's.
NUMBERED: Final[dict[str, int]] = {
    "Insert": 2,
    "Delete": 3,
    "PageUp": 5,
    "PageDown": 6,
    "F5": 15,
    "F6": 17,
    "F7": 18,
    "F8": 19,
    "F9": 20,
    "F10": 21,
    "F11": 23,
    "F12": 24,
}

# F13 and up are Shift with F1 and up in the terminfo entries of xterm, and so in every program that reads them.
SHIFTED: Final[dict[str, str]] = {f"F{number}": f"F{number - 12}" for number in range(13, 21)}

# What Ctrl makes of other characters than letters: those of ASCII first, then what xterm sends on a US keyboard.
PUNCTUATION: Final[dict[int, str]] = {
    0x00: "@2",
    0x1B: "[3",
    0x1C: "\\4",
    0x1D: "]5",
    0x1E: "^6~",
    0x1F: "_7/",
    0x7F: "?8",
}
CONTROLS: Final[dict[str, bytes]] = {
    **{letter: bytes([ord(letter) & 0x1F]) for letter in "abcdefghijklmnopqrstuvwxyz"},
    **{character: bytes([code]) for code, characters in PUNCTUATION.items() for character in characters},
    "Space": b"\x00",
    "Backspace": b"\x08",
}

# Other names that people, tmux, curses and browsers use.
ALSO: Final[dict[str, str]] = {
    "Enter": "Return CR",
    "Escape": "Esc",
    "Space": "Spacebar",
    "Backspace": "BS BSpace",
    "Delete": "Del DC",
    "Insert": "Ins IC",
    "PageUp": "PgUp PPage Prior",
    "PageDown": "PgDn PgDown NPage Next",
    "Up": "ArrowUp UpArrow",
    "Down": "ArrowDown DownArrow",
    "Left": "ArrowLeft LeftArrow",
    "Right": "ArrowRight RightArrow",
}
SYNONYMS: Final[dict[str, str]] = {synonym: name for name, also in ALSO.items() for synonym in also.split()}

# The modifiers and their weights in xterm's `1;modifier` parameter, which is one more than their sum.
SHIFT: Final = 1
ALT: Final = 2
CTRL: Final = 4
PREFIXES: Final[dict[int, str]] = {
    CTRL: "c ctrl ctl control",
    ALT: "m a alt meta opt option",
    SHIFT: "s shift",
}
MODIFIERS: Final[dict[str, int]] = {prefix: weight for weight, words in PREFIXES.items() for prefix in words.split()}

NAMES: Final[tuple[str, ...]] = (*PLAIN, *CURSOR, *PROGRAM, *NUMBERED, *SHIFTED)
"""The keys that have a name. Every printable character is a key too, and modifiers go in front of either."""

_PREFIX: Final = lazy.pattern(rf"({'|'.join(MODIFIERS)})[-+](?=.)", re.IGNORECASE | re.DOTALL)
_FILLERS: Final = lazy.pattern(r"[-_ ]")


def encode(*names: str, application: bool = False) -> bytes:
    """The bytes of these keys pressed one after another.

    `application` is the terminal's cursor-key mode (DECCKM), which the program in it has set.
    """
    for name in names:
        if not isinstance(name, str):
            hint = "Did you mean press(*keys)?" if isinstance(name, list | tuple) else "Write each as text."
            raise BadKey(f'keys are names, as in press("C-c", "Up"), not {described(name)}. {hint}', key=name)
    return b"".join(_key(name, application) for name in names)


def _key(name: str, application: bool) -> bytes:
    modifiers, base = _parse(name)
    if base in SHIFTED:
        _refuse(name, modifiers, SHIFT, f"{base} is Shift with {SHIFTED[base]} already")
        return _function(SHIFTED[base], modifiers | SHIFT, application)
    if base in PLAIN or len(base) == 1:
        return _typed(name, modifiers, base)
    return _function(base, modifiers, application)


def _function(base: str, modifiers: int, application: bool) -> bytes:
    """A key that sends a sequence, and so has room in it for modifiers."""
    parameter = f";{modifiers + 1}" if modifiers else ""
    if base in NUMBERED:
        return f"\x1b[{NUMBERED[base]}{parameter}~".encode()
    letter = CURSOR.get(base) or PROGRAM[base]
    if modifiers:
        return f"\x1b[1{parameter}{letter}".encode()
    return f"\x1b{'O' if application or base in PROGRAM else '['}{letter}".encode()


def _typed(name: str, modifiers: int, base: str) -> bytes:
    """A key that sends a character: Alt puts ESC before it, Ctrl changes it, Shift is the capital of a letter."""
    escape = ESC if modifiers & ALT else b""
    if base == "Tab" and modifiers & ~ALT == SHIFT:
        return escape + b"\x1b[Z"
    if modifiers & CTRL:
        control = CONTROLS.get(base.lower() if len(base) == 1 else base)
        if control is None:
            raise _bad(name, "a terminal has no code for it", _spelled(modifiers & ~CTRL, base))
        _refuse(name, modifiers, SHIFT, f"a terminal sends the same for {_spelled(modifiers & ~SHIFT, base)}")
        return escape + control
    if base in PLAIN:
        _refuse(name, modifiers, SHIFT, f"a terminal sends the same for {_spelled(modifiers & ~SHIFT, base)}")
        return escape + PLAIN[base]
    if modifiers & SHIFT:
        capital = base.upper()
        if len(capital) != 1 or capital == base.lower():
            raise _bad(name, "which character Shift makes of it depends on the keyboard: name that character")
        return escape + capital.encode()
    return escape + base.encode()


def _parse(name: str) -> tuple[int, str]:
    """The modifiers in front of a key, and the key: its name in the tables, or one printable character."""
    if len(name) == 2 and name[0] == "^" and name[1].lower() in CONTROLS:
        return CTRL, name[1]
    modifiers, rest = 0, name
    while found := _PREFIX.match(rest):
        modifier = MODIFIERS[found[1].lower()]
        _refuse(name, modifiers, modifier, "a modifier is named twice")
        modifiers |= modifier
        rest = rest[found.end() :]
    if rest == " ":
        return modifiers, "Space"
    if len(rest) == 1 and rest.isprintable():
        return modifiers, rest
    folded = _folded(rest)
    if folded in _BACKTAB:
        return modifiers | SHIFT, "Tab"
    if folded in _BY_FOLDED_NAME:
        return modifiers, _BY_FOLDED_NAME[folded]
    raise _bad(name, *_advice(modifiers, rest))


def _folded(name: str) -> str:
    return _FILLERS.sub("", name).lower()


_BACKTAB: Final = frozenset({"btab", "backtab"})
_BY_FOLDED_NAME: Final[dict[str, str]] = {
    **{_folded(name): name for name in NAMES},
    **{_folded(synonym): name for synonym, name in SYNONYMS.items()},
}
_BY_BYTE: Final[dict[str, str]] = {
    **{control.decode(): f"C-{character}" for character, control in reversed(CONTROLS.items())},
    **{code.decode(): name for name, code in PLAIN.items()},
    "\n": "Enter",
}


def _advice(modifiers: int, rest: str) -> tuple[str, str | None]:
    """Why no key has this name, and the name that was probably meant."""
    if rest in _BY_BYTE:
        return "a key is named, not given as its code", _spelled(modifiers, _BY_BYTE[rest])
    from difflib import get_close_matches

    close = get_close_matches(_folded(rest), _BY_FOLDED_NAME, n=1, cutoff=0.7)
    if close and len(rest) > 2:  # two letters are close to everything
        return "no key has this name", _spelled(modifiers, _BY_FOLDED_NAME[close[0]])
    if not modifiers and len(rest) > 1 and rest.isprintable():
        return "no key has this name; text is sent, not pressed", None
    return "no key has this name", None


def _spelled(modifiers: int, base: str) -> str:
    """The plain name of a chord."""
    named = ((CTRL, "C-"), (ALT, "M-"), (SHIFT, "S-"))
    return "".join(prefix for weight, prefix in named if modifiers & weight) + base


def _refuse(name: str, modifiers: int, unwanted: int, reason: str) -> None:
    if modifiers & unwanted:
        raise _bad(name, reason)


def _bad(name: str, reason: str, suggestion: str | None = None) -> BadKey:
    meant = f" (did you mean {suggestion}?)" if suggestion else ""
    return BadKey(f"{name!r} cannot be pressed: {reason}{meant}", key=name, reason=reason, known=NAMES)
