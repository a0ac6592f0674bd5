"""What an awk call may hide. The language is a whole one, so only plain programs pass.

Rule 1: no `system`, no pipes, no redirection, no `getline`, no `@`: these run commands, write files or load code.
Rule 2: a program in a file, or one that is not written out, is hidden.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from truetty.policy.options import Known, parse
from truetty.policy.words import Word

_KNOWN: Final = Known(valued="Fv", long_valued=("--field-separator", "--assign"))
_HIDES: Final = re.compile(r"system|getline|[|@>]")


def hidden(words: Sequence[Word]) -> str | None:
    parsed = parse(words, _KNOWN, permute=False)
    if parsed.unknown is not None:
        return f"What `awk {parsed.unknown}` does is not known."
    program = parsed.operands[0].literal if parsed.operands else None
    if program is None:
        return "What this `awk` does is not written out."
    if _HIDES.search(program):
        return "This `awk` program may run a command or write a file."
    return None
