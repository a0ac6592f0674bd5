"""Mutants: each fragment at each place of each line, then two at a time, then pieces of lines joined at random."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Final

from tests.attack.lines import Line

_LINES: Final = (
    *("ls", "ls a b", "echo a", "echo 'a' \"b\"", "cat a | wc -l", "ls; pwd", "ls && pwd || id", "echo $x"),
    *('echo "$x"', "echo ${x:-a}", "echo $(ls)", "echo `ls`", "echo $((1+2))", "[[ a == b ]]", "[ a = b ]"),
    *("x=1; echo $x", "cat <a >/dev/null", "ls 2>&1", "cat <<E\na\nE", "cat <<'E'\na\nE", "ls # a"),
    *("for i in a; do ls; done", "if true; then ls; fi", "case a in a) ls;; esac", "{ ls; }", "(ls)"),
    *("nice -n 5 ls", "timeout 5 ls", "find . -name a", "sort -k 1 a", "sed -n p a", "awk 1 a", "git log -1"),
    *("git diff -- a", "date +%s", "printf %s a", "diff <(ls) <(ls)", "LC_ALL=C ls", "cat <<<a", "ls {a,b}"),
    *("ls *", "test -f a", "while false; do ls; done", "ls | while true; do break; done"),
)
_FRAGMENTS: Final = (
    *("\\\n", "\n", "#", " # ", "'", '"', "`", "\\", "$", "$(touch F)", "`touch F`", ";touch F", "\ntouch F\n"),
    *("touch F", " touch F ", "|touch F", "&touch F", "(", ")", "{", "}", "[", "]", "<", ">", "|", "&", ";"),
    *("<<E\n", "\nE\n", "$(", "${", "$((", "$'", "=", "~", "!", "*", "?", " ", "\t", "-", "{touch,F}"),
    *("a[$(touch F)1]", "\\\nE\ntouch F\n", "$x", ">F", "|tee F", "-o F", "./evil"),
)


def single() -> Iterator[Line]:
    for text in _LINES:
        for place in range(len(text) + 1):
            for fragment in _FRAGMENTS:
                yield Line(text[:place] + fragment + text[place:])


def double(chance: random.Random, count: int) -> Iterator[Line]:
    for _ in range(count):
        text = chance.choice(_LINES)
        for _ in range(2):
            place = chance.randint(0, len(text))
            text = text[:place] + chance.choice(_FRAGMENTS) + text[place:]
        yield Line(text)


def joined(chance: random.Random, count: int) -> Iterator[Line]:
    """A piece is cut out, doubled, or replaced by a piece of another line, and a fragment is put in."""
    for _ in range(count):
        text, other = chance.choice(_LINES), chance.choice(_LINES)
        start, end = sorted(chance.choices(range(len(text) + 1), k=2))
        first, last = sorted(chance.choices(range(len(other) + 1), k=2))
        piece = chance.choice(
            ("", text[start:end] * 2, other[first:last], chance.choice(_FRAGMENTS) + other[first:last])
        )
        text = text[:start] + piece + text[end:]
        place = chance.randint(0, len(text))
        yield Line(text[:place] + chance.choice(_FRAGMENTS) + text[place:])
