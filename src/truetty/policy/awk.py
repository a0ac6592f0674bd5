"""What an awk call may hide. The language is a whole one, so only plain programs pass.

Rule 1: no `system`, no pipes, no redirection, no `getline`, no `@`: these run commands, write files or load code.
Rule 2: a file name of gawk's may be a connection: `/inet/tcp/0/host/80`. So a name must be written out, or begin with
        something that is, and the program must name neither ARGV nor SYMTAB, by which ARGV can be set.
Rule 3: a program in a file, or one that is not written out, is hidden.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from truetty.core import lazy
from truetty.policy.options import Known, parse
from truetty.policy.words import Word

_KNOWN: Final = Known(valued="Fv", long_valued=("--field-separator", "--assign"))
_HIDES: Final = lazy.pattern(r"system|getline|ARGV|SYMTAB|[|@>]")


def hidden(words: Sequence[Word]) -> str | None:
    parsed = parse(words, _KNOWN, permute=False)
    if parsed.unknown is not None:
        return f"What `awk {parsed.unknown}` does is not known."
    program = parsed.operands[0].literal if parsed.operands else None
    if program is None:
        return "What this `awk` does is not written out."
    if _HIDES.search(program):
        return "This `awk` program may run a command or write a file."
    if any("/inet" in (word.literal or word.source) or _may_be_any_name(word) for word in words):
        return "Where `awk` is gawk, a file name may be a connection: write out the files it reads."
    return None


def _may_be_any_name(word: Word) -> bool:
    """What a variable holds, or a command prints. A pattern finds files that are there."""
    return word.literal is None and (word.splits or not (word.several or word.start))
