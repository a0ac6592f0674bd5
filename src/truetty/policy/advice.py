"""What would make an asked command allowed, in a sentence for its author.

Rule 1: each sentence is about one thing in the line. Everything else that is asked has a sentence of its own.
Rule 2: where no rule helps, it says what to write instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from truetty.policy.hiding import hidden
from truetty.policy.rules import Rule
from truetty.policy.runners import is_runner, name_of
from truetty.policy.words import Word
from truetty.shells.row import Dialect
from truetty.text.quoting import on_one_line

NOTHING: Final = "Write a command."
VARIABLE: Final = "Leave the variable out, or write its value out, here and in an allow rule for this command."
INSIDE: Final = "Run it inside the workspace, with operands inside it."
TYPING: Final = 'A policy with typing = "allow" allows it; or run a command that asks nothing.'
NOT_MOVED: Final = "Run it without `cd` in front."
UNCERTAIN: Final = "Write out its words: then it can be seen that the rule is not about it."
WRITTEN_OUT: Final = "Write out all of its words and values, and allow them by a rule."
_PROGRAM: Final = "Write out the name of the program."
_WORDS: Final = "Write out all of its words."
_RUNNER: Final = "An allow rule lifts this only if it names what is run: `sudo apt update`, not `sudo`."
_HIDDEN: Final = "No rule lifts this: leave that out, or write what it would run as a command of its own."


def by_rules(texts: Sequence[str]) -> str:
    quoted = ", ".join(f'"{on_one_line(text)}"' for text in texts)
    return f"To allow it, add to the allow rules: {quoted}."


def without(source: str) -> str:
    """For a doubt: the smallest piece of the text that cannot be seen through."""
    return f"Leave out `{on_one_line(source)}`, or write out what it stands for."


def without_hiding(words: Sequence[Word], dialect: Dialect) -> str:
    if not words or words[0].literal is None:
        return _PROGRAM
    name = name_of(words[0])
    if is_runner(name) or name in ("source", "."):
        return _RUNNER
    written_out = [Word.plain("a") if word.literal is None else word for word in words]
    return _WORDS if hidden(written_out, dialect) is None else _HIDDEN


def without_ask_rule(rule: Rule) -> str:
    return f"Take {on_one_line(rule.text)!r} out of the ask rules."


def without_words_of(rule: Rule) -> str:
    return f"Write it without the words of the rule {on_one_line(rule.text)!r}."


def writing(workspace: str | None) -> str:
    if workspace is None:
        return "With a workspace, a policy of your own allows writing inside it."
    return f"Write only to files inside the workspace {on_one_line(workspace)}, by names that are written out."
