"""Which files a call writes, for programs known to write.

Rule 1: a word that might be a file that is written counts as one.
Rule 2: `by_nature` programs (`rm`, `cp`, `mkdir`) do nothing else: a rule that names one allows writing. With others
        (`sort -o`, `sed -i`, `tee`) a person may overlook that they write.
Rule 3: whatever makes a link (`ln`, `cp -a`) must have both ends inside: a link leads a later path elsewhere.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from truetty.policy import sed
from truetty.policy.options import Known, parse
from truetty.policy.runners import name_of
from truetty.policy.words import Word, listed

_ALL: Final = listed("""
    rm rmdir unlink mkdir touch truncate chmod chown chgrp shred mv ln mkfifo mknod
""")
_LAST: Final = frozenset({"cp", "install", "rsync", "scp"})
_KEEPS_LINKS: Final = frozenset("adPrRl")

# Programs with an option that names a file to write: letters, then long names.
_OPTIONS: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "sort": ("o", ("--output",)),
    "shuf": ("o", ("--output",)),
    "tree": ("o", ("--output",)),
    "iconv": ("o", ("--output",)),
    "less": ("oO", ("--log-file", "--LOG-FILE")),
    "curl": (
        "oDc",
        ("--output", "--output-dir", "--dump-header", "--cookie-jar", "--trace", "--trace-ascii", "--stderr"),
    ),
    "wget": ("OoaP", ("--output-document", "--output-file", "--append-output", "--directory-prefix")),
    "git": ("", ("--output",)),
    "patch": ("od", ("--output", "--directory")),
    "unzip": ("d", ()),
    "tar": ("C", ("--directory",)),
    "gcc": ("o", ()),
    "cc": ("o", ()),
}
# These write their second operand: options must be told from operands. Only harmless ones are known.
UNIQ: Final = Known(
    "cduiz", "fsw", listed("--count --repeated --unique --ignore-case"), ("--skip-fields", "--skip-chars")
)
XXD: Final = Known("bpuieaE", "lscgo", clusters=False)
_FIND_FILES: Final = frozenset({"-fprint", "-fprint0", "-fprintf", "-fls"})


@dataclass(frozen=True, slots=True)
class Written:
    files: tuple[Word, ...] = ()
    by_nature: bool = False


def written(words: Sequence[Word]) -> Written:
    if not words:
        return Written()
    name, rest = name_of(words[0]), words[1:]
    operands = [word for word in rest if not (word.literal or "").startswith("-")]
    if name in _ALL:
        directories = _after(rest, "t", ("--target-directory",))
        leads = _link_ends(operands, directories) if name == "ln" else ()
        return Written((*operands, *directories, *leads), by_nature=True)
    if name in _LAST:
        keeps = any(_KEEPS_LINKS & set(word.literal or "") for word in rest if _is_short(word))
        long = any(
            (word.literal or "").startswith(("--archive", "--recursive", "--preserve", "--link", "--no-d"))
            for word in rest
        )
        ends = operands if keeps or long else operands[-1:]
        return Written((*ends, *_after(rest, "t", ("--target-directory",))), by_nature=True)
    match name:
        case "tee":
            return Written(tuple(operands))
        case "dd":
            return Written(tuple(_dd(word) for word in rest if _may_start(word, "of=")))
        case "sed" | "gsed":
            return Written(tuple(sed.files_in_place(rest)))
        case "uniq":
            parsed = parse(rest, UNIQ, permute=False)
            return Written(tuple((operands if parsed.unknown is not None else parsed.operands)[1:]))
        case "xxd":  # the file that it writes is the last word, or there is none
            parsed = parse(rest, XXD, permute=False)
            return Written(tuple(rest[1:][-1:] if parsed.unknown is not None else parsed.operands[1:]))
        case "find":
            return Written(_find(rest))
        case "tree":  # values are words further on: in `-Lo 2 x` the file is `x`
            start = next((n for n, word in enumerate(rest, 1) if _is_short(word) and "o" in (word.literal or "")), None)
            if start is not None:
                return Written(tuple(rest[start:]))
    if name in _OPTIONS:
        return Written(_after(rest, *_OPTIONS[name]))
    return Written()


def _after(words: Sequence[Word], letters: str, long: tuple[str, ...]) -> tuple[Word, ...]:
    """The values of these options, attached or as the next word, in clusters and cut short."""
    found: list[Word] = []
    for place, word in enumerate(words):
        literal = word.literal
        if literal is None or not literal.startswith("-"):
            continue
        name, equals, value = literal.partition("=")
        if literal.startswith("--"):
            if len(name) > 2 and any(option.startswith(name) for option in long):
                found += [Word.plain(value)] if equals else words[place + 1 : place + 2]
            continue
        hit = next((n for n, letter in enumerate(literal[1:], 1) if letter in letters), None)
        if hit is not None:
            attached = literal[hit + 1 :]
            found += [Word.plain(attached)] if attached else words[place + 1 : place + 2]
    return tuple(found)


def _link_ends(operands: Sequence[Word], directories: Sequence[Word]) -> tuple[Word, ...]:
    """Where a link leads is read from where it stands: in the last operand, or beside it."""
    places = [word.literal or "" for word in (*operands[-1:], *directories)]
    targets = [word.literal or "" for word in (operands if directories else operands[:-1])]
    return tuple(
        Word.plain(os.path.join(start, target))
        for place in places
        for start in (place, os.path.dirname(place))
        for target in targets
        if ".." in target.split("/")
    )


def _find(words: Sequence[Word]) -> tuple[Word, ...]:
    found = [words[n + 1] for n, word in enumerate(words[:-1]) if word.literal in _FIND_FILES]
    if any(word.literal == "-delete" for word in words):
        starts = []
        for word in words:
            if (word.literal or "").startswith(("-", "(", "!")):
                break
            starts.append(word)
        found += starts or [Word.plain(".")]
    return tuple(found)


def _dd(word: Word) -> Word:
    return Word(word.source, None) if word.literal is None else Word.plain(word.literal[3:])


def _may_start(word: Word, text: str) -> bool:
    if word.literal is not None:
        return word.literal.startswith(text)
    return word.splits or word.start.startswith(text) or text.startswith(word.start)


def _is_short(word: Word) -> bool:
    literal = word.literal or ""
    return literal.startswith("-") and not literal.startswith("--")
