"""Rules that a person has answered with "always", in the settings file that the policy is from.

Rule 1: a rule is added at the end of `allow` in `[policy]`. All else in the file stays as it is, comments too.
Rule 2: where the policy is from elsewhere (a variable, a name on a command line), there is no file to write to: such
        rules hold until the process ends.
Rule 3: what cannot be written is refused, and nothing is allowed by it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final

from truetty.core.errors import Misuse
from truetty.policy import Rule
from truetty.service import text_file, toml_text
from truetty.settings import Settings, read_file, read_value

TABLE: Final = "policy"
LIST: Final = "allow"


class RuleBook:
    def __init__(self, settings: Settings) -> None:
        origin = settings.origins.get(TABLE, "")
        self.path: Final = origin if os.path.isabs(origin) else None
        self.rules: list[Rule] = []  # those that were added since the settings were read

    def add(self, texts: Sequence[str]) -> None:
        """Raises Misuse or HostError; then nothing was added."""
        rules = [Rule.parse(LIST, text) for text in texts]
        path = self.path
        if path is None:
            raise Misuse("the policy is from no settings file")
        read_file(path)  # what is not read must not be written either
        text_file.change(path, lambda text: _added(text or "", texts))
        self.rules += rules


def _added(text: str, rules: Sequence[str]) -> str:
    there = toml_text.read(text, (TABLE,))
    table = there if isinstance(there, dict) else {}
    known = table.get(LIST, [])
    allow = [*known, *(rule for rule in rules if rule not in known)]
    read_value(TABLE, {**table, LIST: allow}, "always")
    try:
        return toml_text.put(text, (TABLE,), {LIST: allow})
    except Misuse:  # it is written in braces
        return toml_text.put_value(text, TABLE, {**table, LIST: allow})
