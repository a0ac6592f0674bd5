"""What can be answered, and what Enter alone means, as far as a question shows it.

    Continue? [Y/n]             y, n; Enter is y          Level (low, high) [low]:    low, high; Enter is low
    replace a? [y]es, [n]o      y, n with their labels    1) staging  2) production   1, 2 with their labels
    ❯ Medium                    an option of a menu that is moved with the arrow keys; Enter takes it
    继续吗？（是/否）            brackets and marks of full width are read as those of ASCII

Rule 1: nothing is made up. A list that is not shown, or a default that may be something else, is not there.
Rule 2: the text may be hostile: every line is cut before it is looked at, and no pattern here takes more than a few
        passes over one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from truetty.core import lazy

# Longer than any line that asks something; what a program hides behind it is not looked at.
LONGEST_LINE: Final = 400
# More answers than one question lists.
MOST_CHOICES: Final = 40

YES: Final = frozenset(
    ("y", "yes", "j", "ja", "o", "oui", "s", "si", "sí", "sì", "sim", "t", "tak", "д", "да", "e", "evet", "k", "kyllä")
) | {"i", "igen", "a", "ano", "はい", "是"}
NO: Final = frozenset(
    ("n", "no", "nein", "non", "não", "nej", "nee", "nie", "н", "нет", "h", "hayır", "ei", "e", "nem", "ne")
) | {"いいえ", "否"}


@dataclass(frozen=True, slots=True)
class Choices:
    """`labels` are as many as `choices`, or none."""

    choices: tuple[str, ...]
    labels: tuple[str, ...] = ()
    default: str | None = None
    several: bool = False  # more than one may be picked

    @property
    def yes_no(self) -> bool:
        """Whether it comes down to yes or no."""
        pair = [choice.lower() for choice in self.choices]
        return len(pair) == 2 and any(a in YES and b in NO and a != b for a, b in (pair, pair[::-1]))


# ── in one line ───────────────────────────────────────────────────────────────────────────────────────────────────

# One character each, so that places in a line stay what they are.
_FULL_WIDTH: Final = str.maketrans("（）［］【】｛｝＜＞／｜，、：？＝", "()[][]{}<>/|,,:?=")
_GROUP: Final = lazy.pattern(r"\(([^()]{1,120})\)|\[([^\[\]]{1,120})\]|<([^<>]{1,120})>|\{([^{}]{1,120})\}")
_SEPARATOR: Final = lazy.pattern(r"\s*(?:[/|,]|,?\s+or\s+|,?\s+oder\s+|,?\s+ou\s+)\s*")
_ITEM: Final = lazy.pattern(r"[\w?!*+=-]{1,24}|/")
# `[y,n,q,a,d,/,?]` of git: a slash between commas is an answer.
_KEYS: Final = lazy.pattern(r"\S(?:, ?\S){2,}")
# `[Ynesfdaq?]` of hg: letters with a yes and a no, and a question mark for help.
_LETTERS: Final = lazy.pattern(r"(?i:y\w{0,12}n|n\w{0,12}y)\w{0,12}\?")
# `(eg, city)` and `(mm/dd/yyyy)` say how to answer, not with what.
_NO_LIST: Final = frozenset(
    ["eg", "e.g", "ie", "i.e", "ex", "mm", "dd", "yy", "yyyy", "hh", "ss", "optional", "required"]
)
_LETTER: Final = lazy.pattern(r"([\[(<])(\w|\?)[\])>]([^\W\d][\w' -]{0,30})?")
_INITIAL: Final = lazy.pattern(r"\b(\w)(\w{0,30}) \((\w)\)")
# `y/n`, `Yes/No/Cancel:` and `'yes' or 'no'` need no brackets, at the end.
_BARE: Final = lazy.pattern(r"\b(y(?:es)?['\"]?\s?(?:/|\bor\b)\s?['\"]?no?(?:/\w{1,12}){0,4})\b['\"]?[\s:?>)]*$", re.I)
_LAST_OR: Final = lazy.pattern(r"\s+or\s*$")
_NAMED: Final = lazy.pattern(r"\b(?:default|defaults to|standard)(?: is|:|=)?\s*['\"]?([^\s'\")\],;]{1,60})", re.I)
_AT_END: Final = lazy.pattern(r"[\[(<]([^\[\]()<>]{0,80})[\])>]\s*[:?>]*\s*$")
_WORD_ONLY: Final = lazy.pattern(
    r"\b(?:type|enter|only)\s+['\"‘“`]([^'\"’”`]{1,40})['\"’”`]"
    r"(?=\s+(?:to (?:confirm|continue|proceed|approve|accept|agree|delete)|will be accepted))",
    re.I,
)
_EXPAND: Final = lazy.pattern(r"^\?\s.{1,200}\(([a-z]{1,20})H\)\s*$")


def in_line(line: str) -> Choices | None:
    """The answers that one line lists, if it lists any."""
    line = _plain(line)
    found = _spelled(line) or _listed(line) or _lone(line)
    if found is None and (keys := _EXPAND.match(line)):  # inquirer's `expand`: one key each, H is for help
        return Choices((*keys[1], "h"), default="h")
    return found


def _plain(line: str) -> str:
    return line[-LONGEST_LINE:].translate(_FULL_WIDTH)


def _spelled(line: str) -> Choices | None:
    """`[y]es, [n]o, [A]ll`, `(N)ame or (Q)uit`, `Retry (r), abort (a)`: the letters count as they are written."""
    found = [match for match in _LETTER.finditer(line) if match[3]]
    letters = tuple(match[2] for match in found[:MOST_CHOICES])
    if len(letters) < 2 or len(set(letters)) < len(letters):
        named = {
            match[3]: match[1] + match[2] for match in _INITIAL.finditer(line) if match[1].lower() == match[3].lower()
        }
        return Choices(tuple(named)[:MOST_CHOICES], tuple(named.values())[:MOST_CHOICES]) if len(named) > 1 else None
    marked = [match[2] for match in found if match[1] == "["]
    labels = tuple((match[2] + _LAST_OR.sub("", match[3])).strip() for match in found[:MOST_CHOICES])
    return Choices(letters, labels, marked[0] if len(marked) == 1 else _named(line, letters))


def _listed(line: str) -> Choices | None:
    """`[Y/n]`, `(yes/no)? [no]`, `[y,n,q,?]`, `(y or [n])`, `[Paul/Jessica] (Paul)`: the last such list counts."""
    for match in reversed(list(_GROUP.finditer(line))):
        inner = next(group for group in match.groups() if group is not None)
        after = line[match.end() :]
        marked = re.fullmatch(r"(.*?)[\[<(]([\w?]{1,12})[\])>](.*)", inner)
        if match[4] is not None and line[: match.start()][-1:].isalnum():  # fdisk's `size{K,M}` is of a word
            continue
        items = _items(f"{marked[1]}{marked[2]}{marked[3]}" if marked else inner)
        if _is_list(items, inner, after, square=match[2] is not None):
            return _chosen(items, marked[2] if marked else None, after, line)
    if bare := _BARE.search(line):
        return _chosen([item.strip("'\" ") for item in _SEPARATOR.split(bare[1])], None, "", line)
    return None


def _items(inner: str) -> list[str]:
    if inner.lower() == "yn" or _LETTERS.fullmatch(inner):
        return list(inner)
    parts = inner.split(",") if _KEYS.fullmatch(inner) else _SEPARATOR.split(inner)
    return [item.strip("'\"‘’“”` ") for item in parts]


def _is_list(items: list[str], inner: str, after: str, *, square: bool) -> bool:
    folded = {item.lower() for item in items}
    if not 2 <= len(items) <= MOST_CHOICES or len(set(items)) < len(items) or not all(map(_ITEM.fullmatch, items)):
        return False
    if _NO_LIST & folded:
        return False
    if all(item.isdigit() for item in items):  # `(2/3)` is how far something has come
        return len(items) > 2 and not after.strip(" :?>")
    if all(len(item) == 1 for item in items) or folded & (YES | NO) or _default_after(after, items) is not None:
        return True
    # `(first, last)` and `(origin/main)` may be anything; a list of three, or in the brackets of a list, is one.
    return "," not in inner and (square or len(items) > 2)


def _chosen(items: list[str], marked: str | None, after: str, line: str) -> Choices:
    default = marked if marked is not None and marked in items and len(marked) < 4 else None
    if all(len(item) == 1 or item.lower() in YES | NO for item in items):
        capital = [item for item in items if item[0].isupper()]
        small = [item for item in items if item[0].islower()]
        if len(capital) == 1 and small and capital[0].lower() not in small:  # [Y/n]: the capital is what Enter means
            default = default or capital[0].lower()
            items = [item.lower() for item in items]
        elif not small and Choices(tuple(items)).yes_no:  # a program that asks (Y/N) takes the small letters too
            items = [item.lower() for item in items]
    return Choices(tuple(items), default=_default_after(after, items) or default or _named(line, items))


def _default_after(after: str, items: Sequence[str]) -> str | None:
    """`[no]` or `(Paul)` behind a list, when it is of that list."""
    for match in _GROUP.finditer(after):
        inner = next(group for group in match.groups() if group is not None)
        said = inner.rpartition("=")[2].rpartition(":")[2].strip().removeprefix("default").strip()
        for item in items:
            if item.lower() == said.lower():
                return item
    return None


def _named(line: str, items: Sequence[str]) -> str | None:
    match = _NAMED.search(line)
    said = match[1].strip(".").lower() if match else ""
    return next((item for item in items if item.lower() == said), None)


def _lone(line: str) -> Choices | None:
    """`Is this OK? (yes)`: only what Enter means is shown, and it is a yes or a no. `Type 'yes' to confirm`."""
    if at_end := _AT_END.search(line):
        match at_end[1].strip().lower():
            case "y" | "n" as default:
                return Choices(("y", "n"), default=default)
            case "yes" | "no" as default:
                return Choices(("yes", "no"), default=default)
    if word := _WORD_ONLY.search(line):
        return Choices(("yes", "no") if word[1].lower() == "yes" else (word[1],))
    return None


# ── a default for free text ───────────────────────────────────────────────────────────────────────────────────────

_TYPED: Final = lazy.pattern(r"\s[›‣»▸]\s+(\S.{0,80})$")
_AFTER_QUESTION: Final = lazy.pattern(r"[:?]\s+\(([^()]{1,80})\)\s*$")
_BEFORE_COLON: Final = lazy.pattern(r"\(([^()\s]{1,80})\)\s*[:>]\s*$")
_IN_BRACKETS: Final = lazy.pattern(r"\[([^\[\]]{0,80})\]\s*[:?>]?\s*$")
_RANGE: Final = lazy.pattern(r"\d+\s*(?:-|–|\.\.|to)\s*\d+")
_TWO_KEYS: Final = lazy.pattern(r"\w\s?[-–]\s?\w")
_WORD: Final = lazy.pattern(r"\w+")


def default_of_text(line: str) -> str | None:
    """What Enter alone means where any text may be typed; None when that is not shown."""
    line = _plain(line)
    if match := _NAMED.search(line):
        return match[1]
    if match := _TYPED.search(line) or _AFTER_QUESTION.search(line) or _IN_BRACKETS.search(line):
        value = match[1].strip()
        return value if _is_value(value) else None
    if line.startswith("? ") and (match := re.search(r"\s\(([^()\s]{1,80})\)\s*$", line)):  # inquirer's `input`
        return match[1]
    match = _BEFORE_COLON.search(line)
    if match and re.search(r"^[/~]|[\d.@\\]", match[1]) and _is_value(match[1]):  # `Age (years):` is no default
        return match[1]
    return None


def _is_value(text: str) -> bool:
    """`2-40959` is a range, `y-n` are two keys, and `dd/mm/yyyy` is a form."""
    words = _WORD.findall(text.lower())
    is_form = bool(words) and _NO_LIST.issuperset(words)
    return not (is_form or _RANGE.search(text) or _TWO_KEYS.fullmatch(text))


# ── in a list above the prompt ────────────────────────────────────────────────────────────────────────────────────

# `1) one`, `(1) one`, `[1] one`, `1: one`; and `* 0    one`, in a table, at the start of a line only.
_NUMBER: Final = lazy.pattern(
    r"(?:^|(?<=\s))([*>]\s?)?(?:[\[(]?(\d{1,3})[\]):.]{1,2}\s+(?=\S)|(?<=^..)(\d{1,3})\s{3,}(?=\S))"
)
_WIDE: Final = lazy.pattern(r"\s{3,}")
_MEANING: Final = lazy.pattern(r"^\s+([A-Z])(?:\s+or\s+([A-Z]))?\s+:\s+(\S.*)$")


def is_numbered(line: str) -> bool:
    """Whether a line is of a menu of numbers."""
    mark = _NUMBER.search(line[:LONGEST_LINE])
    return mark is not None and not line[: mark.start()].strip()


def menu_of_numbers(lines: Sequence[str]) -> Choices | None:
    """A menu of numbers, in one column or several; `lines` are those above the prompt, and it may begin anywhere."""
    found: list[tuple[int, str, bool]] = []
    for line in lines:
        line = line[:LONGEST_LINE]
        marks = list(_NUMBER.finditer(line))
        if not marks or line[: marks[0].start()].strip():
            continue
        ends = [mark.start() for mark in marks[1:]] + [len(line)]
        for mark, end in zip(marks, ends, strict=True):
            label = _WIDE.sub("  ", line[mark.end() : end].strip())
            found.append((int(mark[2] or mark[3]), label, bool(mark[1])))
    found.sort(key=lambda item: item[0])  # columns are read downwards
    numbers = [number for number, _, _ in found]
    if len(found) < 2 or numbers[0] > 1 or len(set(numbers)) < len(numbers) or len(found) > MOST_CHOICES:
        return None
    default = [str(number) for number, label, marked in found if marked or "(default)" in label.lower()]
    labels = tuple(label for _, label, _ in found)
    return Choices(tuple(map(str, numbers)), labels, default[0] if len(default) == 1 else None)


def meanings(choices: Choices, lines: Sequence[str]) -> Choices:
    """With what the lines above say of each letter, as in dpkg's `Y or I  : install the …`."""
    said: dict[str, str] = {}
    for line in lines:
        if match := _MEANING.match(line[:LONGEST_LINE]):
            said |= {letter: match[3].strip() for letter in match.group(1, 2) if letter}
    if not set(choices.choices) <= set(said):
        return choices
    return Choices(choices.choices, tuple(said[choice] for choice in choices.choices), choices.default)


# ── moved with the arrow keys ─────────────────────────────────────────────────────────────────────────────────────

_BAR: Final = lazy.pattern(r"^\s*[│┃]\s?")
_OPTION: Final = lazy.pattern(
    r"^(?P<indent>\s*)(?P<pointer>[❯›▸►▶»→➤➜‣>*]?)\s*(?P<box>[●◉⦿◯○◻◼☐☑✔]|\[[ xX*]\]|\([ xX*]\))?\s*(?P<label>\S.*)?$"
)
_INSTRUCTION: Final = lazy.pattern(
    r"[↑↓]|\barrow|\bnavigate\b|^\s*(?:└|Instructions:)|^\s*\d+/\d+\s*$|enter/return:", re.I
)


def menu_of_options(lines: Sequence[str]) -> Choices | None:
    """The options below a question that is answered with arrow keys; `lines` are those below it."""
    options: list[tuple[str, str, str]] = []
    for line in lines:
        line = _BAR.sub("", line[:LONGEST_LINE]).rstrip()
        match = _OPTION.match(line)
        if match is None or not match["label"] or _INSTRUCTION.search(line) or _INSTRUCTION.search(match["label"]):
            continue
        if " / " in match["label"] and match["box"]:  # `● Yes / ○ No`
            return menu_of_options(line.split(" / "))
        options.append((match["pointer"], match["box"] or "", match["label"]))
    boxed = [option for option in options if option[1]]
    options = boxed if len(boxed) > 1 else options
    chosen = [label for pointer, _, label in options if pointer] or [label for _, box, label in options if box == "●"]
    if not 2 <= len(options) <= MOST_CHOICES or (len(chosen) != 1 and not boxed):
        return None
    several = len(boxed) > 1 and not any(box == "●" and not pointer for pointer, box, _ in boxed)
    default = chosen[0] if len(chosen) == 1 and not several else None
    return Choices(tuple(label for _, _, label in options), default=default, several=several)
