"""Whether a text for a shell of the Bourne family is surely complete, so that the shell will not ask for more.

Rule 1: in doubt the answer is no. Then the text takes the other way into the shell, even if it is complete.
Rule 2: errors in the text are not looked for: the shell reports them.

Not followed at all, and so "no": here-documents, `case`, backquotes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from truetty.core import lazy

# A piece of the text outside quotes. What matches nothing here is an ordinary character of a word.
_TOKEN: Final = lazy.pattern(
    r"(?P<blank>[ \t]+)"
    r"|(?P<joint>\\\n)"
    r"|(?P<end>\n|;;|;|&&|\|\||\|&|&>|>&|<&|&|\|)"
    r"|(?P<unknown><<(?!<)|`)"
    r"|(?P<open>\$\(\(|\$\(|[<>=]\(|\(\(|\()"
    r"|(?P<close>\))"
    r"|(?P<brace>\$\{)"
    r"|(?P<single>\$?')"
    r'|(?P<double>\$?")'
    r"|(?P<escape>\\.)"
    r"|(?P<word>(?:[^\s;&|<>()`'\"\\$]|\$(?![({'\"])|<<<|<(?![(<])|>(?!\())+)",
    re.DOTALL,
)
_IN_DOUBLE: Final = lazy.pattern(
    r'[^"\\`$]+|\\.|\$(?![({])|(?P<open>\$\(\(|\$\(|\$\{)|(?P<end>")|(?P<unknown>`)', re.DOTALL
)
_IN_BRACE: Final = lazy.pattern(
    r"[^}\\'\"`$]+|\\.|\$(?![({])|(?P<open>\$\(\(|\$\(|\$\{)|(?P<quote>['\"])|(?P<end>\})|(?P<unknown>`)", re.DOTALL
)
_SINGLE: Final = lazy.pattern(r"[^']*'")
_ANSI: Final = lazy.pattern(r"(?:[^'\\]|\\.)*'", re.DOTALL)

# What a word at the place of a command opens, and what closes it.
_CLOSES: Final = {
    "if": "fi",
    "for": "done",
    "while": "done",
    "until": "done",
    "select": "done",
    "repeat": "done",
    "{": "}",
    "[[": "]]",
}
# After these a command is still to come.
_LEADS: Final = frozenset({"then", "do", "else", "elif", "if", "while", "until", "!", "{", "time"})
_UNKNOWN_WORDS: Final = frozenset({"case", "foreach", "function", "coproc"})
# Most texts are one command of plain words. Without a word of the language nothing can be open in them.
_PLAIN: Final = lazy.pattern(r"[\w ./:,@%+-]*")
_LANGUAGE: Final = _LEADS | _UNKNOWN_WORDS | {*_CLOSES, *_CLOSES.values()}


class _Doubt(Exception):
    """The text is unfinished, or nothing can be said of it."""


def is_complete(text: str, *, several: bool = True) -> bool:
    """`several`: it may be more than one line of commands."""
    if _PLAIN.fullmatch(text) and _LANGUAGE.isdisjoint(text.split(" ")):
        return True
    reader = _Reader(text)
    try:
        reader.read()
    except _Doubt:
        return False
    return several or not reader.several


class _Reader:
    """Reads one text once, from its beginning to its end."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._open: list[str] = []  # what closes what is open
        self._at_command = True  # the next word is a command, or a word of the language
        self._wants_more = False  # an operator or a word stands last that something must follow
        self._word = ""  # as far as it is read; quotes in it make it no word of the language
        self._begun = False  # a command stands in this line
        self._ended = False  # a line of commands has ended
        self.several = False  # and another one follows

    def read(self) -> None:
        at = 0
        while at < len(self._text):
            found = _TOKEN.match(self._text, at)
            if found is None or found.lastgroup == "unknown":
                raise _Doubt
            at = self._take(found.lastgroup or "", found[0], found.end())
        self._end_word()
        if self._open or self._wants_more or self._text.endswith("\\"):
            raise _Doubt

    def _take(self, kind: str, token: str, at: int) -> int:
        """Returns where to go on."""
        match kind:
            case "blank":
                self._end_word()
            case "end":
                self._end_word()
                self._ended = self._ended or (token == "\n" and self._begun and not (self._open or self._wants_more))
                self._at_command = token not in ("&>", ">&", "<&")
                self._wants_more = token in ("&&", "||", "|", "|&") or (token == "\n" and self._wants_more)
            case "open":
                if token == "(" and not self._text.startswith("()", at - 1) and self._is_argument():
                    raise _Doubt  # `f( )` is a function, `*(.)` a pattern
                self._begin()
                self._open.append(")" * token.count("("))
                self._word, self._at_command, self._wants_more = "", True, False
            case "close":
                return self._close_parenthesis(at)
            case "joint":
                pass  # the word goes on in the next line
            case "word":
                if token.startswith("#") and self._text[: at - len(token)].endswith(")"):
                    raise _Doubt  # behind `(…)` it begins a comment, behind `$(…)` it is a part of the word
                if token.startswith("#") and not self._word:
                    return self._past_comment(at - len(token))
                self._word += token
            case "escape":
                self._word += "\\"
            case _:
                self._word += "'"
                return _past_quote(self._text, token, at)
        return at

    def _past_comment(self, at: int) -> int:
        end = self._text.find("\n", at)
        return len(self._text) if end < 0 else end

    def _close_parenthesis(self, at: int) -> int:
        self._end_word()
        if not self._open or not self._open[-1].startswith(")"):
            raise _Doubt
        left = self._open.pop()[1:]
        if left:
            self._open.append(left)
        elif self._text[at - 2 : at] == "()":
            self._wants_more = True  # a function, whose body is to come
            self._at_command = True
            return at
        self._word, self._at_command = "'", False
        return at

    def _end_word(self) -> None:
        word, self._word = self._word, ""
        if not word:
            return
        self._begin()
        if "[" in word and word not in ("[", "[["):
            raise _Doubt  # a subscript may hold blanks: it goes on until it is closed
        if self._open and self._open[-1] == "]]":
            if word == "]]":
                self._open.pop()
            self._wants_more = self._at_command = False
            return
        if self._at_command:
            self._on_command_word(word)
        else:
            self._wants_more = False
            # `for x do`, `for x; do`: a word of the language may stand here too.
            self._at_command = word == "do"

    def _is_argument(self) -> bool:
        """Whether what comes now belongs to a word or follows one. `a=(` begins a list."""
        return not self._word.endswith("=") if self._word else not self._at_command

    def _begin(self) -> None:
        self._begun = True
        self.several = self.several or self._ended

    def _on_command_word(self, word: str) -> None:
        if word in _UNKNOWN_WORDS:
            raise _Doubt
        if closing := _CLOSES.get(word):
            self._open.append(closing)
        elif word in _CLOSES.values() and (not self._open or self._open.pop() != word):
            raise _Doubt
        self._wants_more = word in _LEADS
        self._at_command = word in _LEADS


def _past_quote(text: str, opening: str, at: int) -> int:
    """Where the quoted piece ends that has begun at `at`."""
    match opening:
        case "'":
            found = _SINGLE.match(text, at)
        case "$'":
            found = _ANSI.match(text, at)
        case _:
            return _past(_IN_BRACE if opening == "${" else _IN_DOUBLE, text, at)
    if found is None:
        raise _Doubt
    return found.end()


def _past(inside: re.Pattern[str], text: str, at: int, *, quoted: bool = False) -> int:
    """Double quotes and `${`: other pieces may lie in them."""
    while found := inside.match(text, at):
        at = found.end()
        match found.lastgroup:
            case "end":
                return at
            case "unknown":
                raise _Doubt
            case "quote" if inside is _IN_BRACE and quoted:
                raise _Doubt  # shells differ in what a quote means there
            case "quote":
                at = _past_quote(text, found[0], at)
            case "open" if found[0] == "${":
                at = _past(_IN_BRACE, text, at, quoted=quoted or inside is _IN_DOUBLE)
            case "open":
                at = _past_substitution(text, at, found[0].count("("))
    raise _Doubt


def _past_substitution(text: str, at: int, depth: int) -> int:
    """`$(` inside of quotes: only a plain one is followed, without parentheses, quotes and comments of its own."""
    for place in _plain(text, at):
        if text[place] == ")":
            depth -= 1
            if depth == 0:
                return place + 1
    raise _Doubt


def _plain(text: str, at: int) -> Iterator[int]:
    for place in range(at, len(text)):
        if text[place] in "('\"`#\\\n":
            return
        yield place
