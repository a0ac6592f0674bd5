"""Finding control sequences in text: where they begin and end, which are cut off, and which do not matter.

Rule 1: a sequence is found left to right, and an ESC always begins a new one, even inside a string.
Rule 2: what is removed leaves a NUL behind until all is removed, so that no broken sequence is completed by the text
        after it.
Rule 3: controls inside a sequence take effect at once and the sequence goes on; CAN, SUB and what is not ASCII end it.
"""

from __future__ import annotations

import re

from truetty.core import lazy

LONGEST_SEQUENCE = 256  # characters of one sequence that are looked at
ERASE_RIGHT, ERASE_ALL = "\x01", "\x02"  # what stands for EL 0 and EL 2 once sequences are removed
_SOON = 2048
_DISTINCT = 24  # different sequences removed one by one before a pattern takes over

_C0 = r"\x00-\x17\x19\x1c-\x1f\x7f"  # what may stand inside a sequence
_FINAL = r"0-OQ-WYZ\\`-~"  # what ends a sequence right after its ESC

# One sequence or control in well-formed text. Colours and strings are not captured: they do nothing.
TOKEN = lazy.pattern(
    r"\x1b\[[0-9;:]*m|\x1b\][^\a\x18\x1a\x1b]*[\a\x18\x1a]?|\x1b[PX^_][^\x18\x1a\x1b]*[\x18\x1a]?"
    rf"|(\r\n|\x1b\[[0-?]*[ -/]*[@-~]|\x1b[{_FINAL}]|\x1b[ -/]+[0-~]|[\x00-\x1f\x7f])"
)
_CUT = lazy.pattern(
    rf"\x1b(?P<early>[{_C0}]*)"
    rf"(?:(?P<osc>\])[^\a\x18\x1a]*|(?P<string>[PX^_])[^\x18\x1a]*|(?P<body>\[[{_C0} -?]*|[ -/][{_C0} -/]*)|)"
)
_CUT_BYTES = lazy.pattern(rb"\x1b(?:\[[ -?]*|[ -/]*)")
_ABORTED = r"(?:[\x18\x1a]|[^\x00-\x9f]|(?=\x1b)|\Z)"
_ODD = lazy.pattern(
    rf"\x1b(?P<early>[{_C0}]*)(?:(?P<csi>\[[{_C0} -?]*)(?:(?P<csi_final>[@-~])|{_ABORTED})"
    rf"|(?P<esc>[ -/][{_C0} -/]*)(?:(?P<esc_final>[0-~])|{_ABORTED})|(?P<final>[{_FINAL}])|{_ABORTED}"
    r"|(?P<string>\][^\a\x18\x1a\x1b]*[\a\x18\x1a]?|[PX^_][^\x18\x1a\x1b]*[\x18\x1a]?))"
)
_BODY = lazy.pattern(r"\[[0-?]*[ -/]*|[ -/]*")
_EFFECT = lazy.pattern(r"[^\b-\x0f]+")
_NO_EFFECT = lazy.pattern(rf"[{_C0}]+")
_ENDS = {"]": lazy.pattern(r"[\a\x18\x1a\x1b]"), "P": lazy.pattern(r"[\x18\x1a\x1b]")}

# Sequences that leave text and cursor alone while no mode is set: colours, reports, cursor shape, keyboard and mouse
# modes, what is set already. Erasing the rest of a line and whole lines is told apart.
_IDLE = (
    rb"\[(?:[0-9;:]*[mcnt]|[<-?][0-9;:]*[a-gi-km-z]|\?(?:1|5|8|9|12|25|66|69|10[01][0-9]|2004|202[67]|2031)[hl]|\?7h|4l"
    rb"|[0-9]* q)|[=>]|\(B"
)
_HARMLESS = lazy.pattern(rb"\x1b(?:" + _IDLE + rb"|\[(?:0?(?P<right>K)|2(?P<all>K)))")
_HARMLESS_OR_STRING = lazy.pattern(
    rb"\x1b(?:" + _IDLE + rb"|\][^\a\x18\x1a\x1b]*(?:\a|\x1b\\)|[P^_X][^\x18\x1a\x1b]*\x1b\\)"
)
# Where stepping through sequences one by one must begin.
_SPECIAL = lazy.pattern(rb"[\b\v\f\x0e\x0f]|\x1b(?!" + _IDLE + rb"|\[[02]?K|\][^\a\x18\x1a\x1b]*(?:\a|\x1b\\)|\\)")


def special_soon(data: bytes) -> bool:
    """Whether the first lines have a sequence that does something: then it is not worth while to look at them all."""
    return _SPECIAL.search(data, 0, data.rfind(b"\n", 0, _SOON) + 1) is not None


def special_lines(data: bytes, least: int) -> tuple[int, int]:
    """From the line with the first sequence that does something, to the end of a line `least` bytes further on."""
    found = _SPECIAL.search(data)
    at = found.start() if found else 0
    return data.rfind(b"\n", 0, at) + 1, data.find(b"\n", at + least) + 1 or len(data)


def without_harmless(data: bytes) -> bytes | None:
    """The bytes without sequences that do nothing, a NUL for each; None when there are others."""
    left = data
    for _ in range(_DISTINCT):
        # Few different colours are used at a time, and replacing one everywhere is faster than any pattern.
        at = left.find(b"\x1b")
        if at < 0:
            return left
        found = _HARMLESS.match(left, at)
        if found is None:
            if left[at + 1 : at + 2] not in (b"]", b"P", b"_", b"^", b"X"):
                return None
            break
        left = left.replace(found[0], b"\x01" if found["right"] else b"\x02" if found["all"] else b"\0")
    left = _HARMLESS_OR_STRING.sub(b"\0", data)
    left = left.replace(b"\x1b[K", b"\x01").replace(b"\x1b[0K", b"\x01").replace(b"\x1b[2K", b"\x02")
    return None if b"\x1b" in left else left


def cut_short(data: bytes) -> int:
    """Where a simple sequence begins that the end of the bytes cuts off, or -1."""
    at = data.rfind(b"\x1b", -LONGEST_SEQUENCE)
    return at if at >= 0 and _CUT_BYTES.fullmatch(data, at) else -1


def split_cut(text: str) -> tuple[str, str, str]:
    """The text up to a sequence that its end cuts off, that sequence, and the kind of string when it is one."""
    at = text.rfind("\x1b")
    cut = _CUT.fullmatch(text, at) if at >= 0 else None
    if cut is None:
        return text, "", ""
    body = cut["body"] or ""
    effects = _EFFECT.sub("", cut["early"] + body)
    # The ESC may also have ended a string: without it, what takes effect now would be taken for a part of that.
    before = f"{text[:at]}\x18{effects}" if effects else text[:at]
    if cut["osc"] or cut["string"]:
        return before, "", "]" if cut["osc"] else "P"
    return before, ("\x1b" + _NO_EFFECT.sub("", body))[: LONGEST_SEQUENCE - 1], ""


def after_string(text: str, kind: str) -> tuple[str, str]:
    """The text after the end of a string that was open, and the kind of string that still is."""
    end = _ENDS[kind].search(text)
    if end is None:
        return "", kind
    return text[end.start() if end[0] == "\x1b" else end.end() :], ""


def tokens(text: str) -> list[str | None]:
    """Text and controls by turns: the odd places hold a control or sequence, or None for one that does nothing."""
    parts: list[str | None] = TOKEN.split(text)
    if "\x1b" in parts:
        parts = TOKEN.split(_ODD.sub(_straighten, text))
    return parts


def _straighten(sequence: re.Match[str]) -> str:
    """A sequence with controls inside, or one that was broken off: the controls, then what is left of it.

    Of a string a CAN is left, for it comes between a character and the REP that would repeat it.
    """
    body = sequence["csi"] or sequence["esc"] or ""
    final = sequence["csi_final"] or sequence["esc_final"] or sequence["final"]
    effects = _EFFECT.sub("", sequence["early"] + body)
    if sequence["string"]:
        return f"{effects}\x18"
    body = _NO_EFFECT.sub("", body)
    return f"{effects}\x1b{body}{final}" if final and _BODY.fullmatch(body) else effects
