"""A command line as the policy sees it: every call in it, in order, and every place where it cannot see through.

Rule 1: a `Call` is one simple command: its words, the variables set for it, the files its redirections write.
Rule 2: a `Doubt` is something that may run what is not written here. It is always asked.
"""

from __future__ import annotations

from dataclasses import dataclass

from truetty.policy.words import Word


@dataclass(frozen=True, slots=True)
class Assignment:
    name: str
    value: Word | None  # None when it is an array, or is not known
    part: bool = False  # only an element of it, as in a[1]=x

    @property
    def text(self) -> str:
        return f"{self.name}={self.value.text if self.value else '…'}"


@dataclass(frozen=True, slots=True)
class Call:
    words: tuple[Word, ...]
    assignments: tuple[Assignment, ...] = ()
    writes: tuple[Word, ...] = ()
    looped: bool = False
    astray: bool = False  # in a loop that changes the directory: where this runs the second time is not known
    source: str = ""  # what is shown when there are no words

    @property
    def text(self) -> str:
        """In normal form, which regular expressions are matched against."""
        pieces = [*(assignment.text for assignment in self.assignments), *(word.text for word in self.words)]
        return " ".join(pieces) or self.source

    @property
    def program(self) -> str | None:
        return self.words[0].literal if self.words else None


@dataclass(frozen=True, slots=True)
class Doubt:
    source: str
    reason: str


Script = tuple[Call | Doubt, ...]
