"""A rule: a verdict, and the sub-commands it is about.

Rule 1: an allow rule is read strictly: its words, unquoted, at the start and in this order; a regular expression must
        match the whole sub-command. Variables set in front must be harmless or named by the rule.
Rule 2: a deny or ask rule is read generously: under any path, in any case, with options in between and in any order,
        and inside whatever runs it (`sudo`, `xargs`, `find -exec`). Where only the shell will know, it is asked.
Rule 3: behind the words of an allow rule only plain operands may stand: written out, no option, no setting (`A=b`).
        `npm test` does not allow `npm test --script-shell=x`; `npm test *` allows whatever follows.
Rule 4: in settings a rule is a text: `/…/` is a regular expression, everything else a prefix of words.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from truetty.core import lazy
from truetty.core.errors import Misuse
from truetty.policy.decision import VERDICTS, Verdict
from truetty.policy.script import Call
from truetty.policy.variables import harmless
from truetty.policy.words import Word, listed
from truetty.shells.row import Dialect

# Where a program of that name is the one that is meant.
SYSTEM: Final = ("/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/")

Match = Literal["yes", "maybe", "no"]

# Looks at a call that a rule's words match; a sentence when it does more than the rule is about, else None.
Check = Callable[[Sequence[Word]], str | None]

_ASSIGNMENT: Final = lazy.pattern(r"[A-Za-z_][A-Za-z0-9_]*=")
_CLUSTER: Final = lazy.pattern(r"-[A-Za-z0-9]{1,3}")  # short options in a rule: `rm -rf` also means `rm -f -r`

# Their first word says what they do: a rule of one word means nothing yet.
SUB_COMMANDS: Final = frozenset(
    listed("""
    git npm pnpm yarn bun cargo go docker podman kubectl helm pip pip3 uv poetry gh glab terraform systemctl apt apt-get
    brew dotnet bundle rails composer aws gcloud az conda hg svn deno
""")
)

# Options of git's that come before the sub-command: those that change nothing, and those that take a word.
_GIT_PLAIN: Final = frozenset({"--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs"})
_GIT_VALUED: Final = frozenset(
    {"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--attr-source"}
)


@dataclass(frozen=True, slots=True)
class Rule:
    verdict: Verdict
    prefix: str | None = None
    regex: str | None = None
    reason: str | None = None
    check: Check | None = field(default=None, repr=False)
    environment: Mapping[str, str] = field(init=False, repr=False, compare=False)
    words: tuple[str, ...] = field(init=False, repr=False, compare=False)
    takes_all: bool = field(init=False, repr=False, compare=False)  # it ends with `*`
    pattern: re.Pattern[str] | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise Misuse(f"not a verdict: {self.verdict!r}; there are {', '.join(VERDICTS)}", rule=self.text)
        if (self.prefix is None) == (self.regex is None):
            raise Misuse("a rule has a prefix or a regular expression, and not both", rule=self.text)
        environment, words, pattern = {}, _split(self.prefix), None
        takes_all = words[-1:] == ["*"]
        if takes_all:
            words.pop()
        while words and (named := _ASSIGNMENT.match(words[0])):
            environment[named[0][:-1]] = words.pop(0)[named.end() :]
        if self.regex is not None:
            try:
                pattern = re.compile(self.regex)
            except re.error as error:
                raise Misuse(f"not a regular expression: {self.text}: {error}", rule=self.text) from None
        elif not words:
            raise Misuse(
                f"the rule {self.text!r} names no program; for everything there is the default", rule=self.text
            )
        object.__setattr__(self, "environment", environment)
        object.__setattr__(self, "words", tuple(words))
        object.__setattr__(self, "takes_all", takes_all)
        object.__setattr__(self, "pattern", pattern)

    @classmethod
    def parse(cls, verdict: Verdict, text: str, reason: str | None = None) -> Rule:
        """A rule from its text in a settings file."""
        stripped = text.strip()
        if len(stripped) > 2 and stripped.startswith("/") and stripped.endswith("/"):
            return cls(verdict, regex=stripped[1:-1], reason=reason)
        return cls(verdict, prefix=stripped, reason=reason)

    @property
    def text(self) -> str:
        return f"/{self.regex}/" if self.regex is not None else self.prefix or ""

    def allows(self, call: Call, dialect: Dialect) -> bool:
        """Strictly. What the words do beyond the rule is for `check` to say, or else for `beyond`."""
        if self.pattern is None and not (call.words and _is_program(self.words[0], call.words[0])):
            return False  # first, as most rules are about another program
        foreign = [item for item in call.assignments if not harmless(item, dialect)]
        if self.pattern is not None:
            texts = {call.text} if foreign else {call.text, Call(call.words, source=call.source).text}
            return any(self.pattern.fullmatch(text) for text in texts)
        for item in foreign:
            literal = None if item.value is None or item.part else item.value.literal
            if literal is None or self.environment.get(item.name) != literal:
                return False
        words = without_git_options(call.words, _GIT_PLAIN)
        if len(words) < len(self.words):
            return False
        return all(mine == word.literal for mine, word in zip(self.words[1:], words[1:], strict=False))

    def beyond(self, call: Call) -> Sequence[Word]:
        """The words behind those of the rule, from the first that is no plain operand; none if the rule covers all."""
        if self.pattern is not None or self.takes_all:
            return ()
        rest = without_git_options(call.words, _GIT_PLAIN)[len(self.words) :]
        if rest and len(self.words) == 1 and self.words[0] in SUB_COMMANDS:
            return rest
        return next((rest[place:] for place, word in enumerate(rest) if not is_plain(word)), ())

    def concerns(self, call: Call) -> Match:
        """Generously, for deny and ask."""
        if self.pattern is not None:
            return "yes" if self.pattern.search(call.text) else "no"
        if any(item.name in self.environment and item.value is None for item in call.assignments):
            return "maybe"
        given = {item.name: item.value.literal for item in call.assignments if item.value is not None}
        if any(given.get(name, "") != value for name, value in self.environment.items()):
            return "no"
        if not call.words or call.words[0].literal is None:
            return "no"
        mine, name = self.words[0], call.words[0].literal
        if mine != name and ("/" in mine or mine.casefold() != os.path.basename(name).casefold()):
            return "no"
        return _follows(self.words[1:], without_git_options(call.words, None)[1:])

    def is_named_in(self, text: str) -> bool:
        """Of a deny rule: whether its words are written anywhere in the text, whatever they mean there."""
        if self.verdict != "deny":
            return False
        if self.pattern is not None:
            return self.pattern.search(text) is not None
        names = (os.path.basename(self.words[0]), *self.words[1:])
        return all(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text, re.IGNORECASE) for name in names)


def is_plain(word: Word) -> bool:
    """Whether it can only be an operand."""
    return word.literal is not None and not word.literal.startswith("-") and "=" not in word.literal


def rules_from(lists: Mapping[str, Sequence[str]]) -> tuple[Rule, ...]:
    """`{"allow": ["npm test", "/^make( -j\\d+)?$/"], "deny": ["rm"]}`, as settings files have it."""
    rules: list[Rule] = []
    for name, texts in lists.items():
        verdict = next((verdict for verdict in VERDICTS if verdict == name), None)
        if verdict is None or isinstance(texts, str):
            raise Misuse(f"rules are lists of texts under {', '.join(VERDICTS)}, not {name!r}", rule=name)
        rules += [Rule.parse(verdict, text) for text in texts]
    return tuple(rules)


def without_git_options(words: Sequence[Word], known: frozenset[str] | None) -> Sequence[Word]:
    """`git --no-pager log` is `git log`. With None for known, everything before the sub-command goes."""
    if not words or os.path.basename(words[0].literal or "") != "git":
        return words
    place = 1
    while place < len(words) and (literal := words[place].literal) is not None and literal.startswith("-"):
        if known is not None and literal not in known:
            break
        place += 2 if literal in _GIT_VALUED else 1
    return [words[0], *words[place:]]


def _is_program(mine: str, word: Word) -> bool:
    name = word.literal
    if name is None or not name.endswith(mine):
        return False
    return name == mine or ("/" not in mine and name.removesuffix(mine) in SYSTEM)


def _follows(mine: Sequence[str], words: Sequence[Word]) -> Match:
    """Whether the rule's further words are there: sub-commands in order with options between, options anywhere."""
    letters = {letter for word in words for letter in (word.literal or "") if _is_short(word)}
    literals = {word.literal for word in words}
    unknown = any(word.literal is None and word.may_be_option for word in words)
    place = 0
    maybe = False
    for wanted in mine:
        if wanted.startswith("-"):
            if wanted in literals or (_CLUSTER.fullmatch(wanted) and set(wanted) <= letters):
                continue
            if not unknown:
                return "no"
            maybe = True
            continue
        while place < len(words):
            literal = words[place].literal
            if literal == wanted:
                break
            if literal is None:
                return "maybe"
            if not literal.startswith("-"):
                return "no"
            following = words[place + 1].literal if place + 1 < len(words) else None
            takes_word = "=" not in literal and following is not None and following != wanted
            place += 2 if takes_word and not (following or "").startswith("-") else 1
        if place >= len(words):
            return "no"
        place += 1
    return "maybe" if maybe else "yes"


def _is_short(word: Word) -> bool:
    return word.literal is not None and word.literal.startswith("-") and not word.literal.startswith("--")


def _split(prefix: str | None) -> list[str]:
    if prefix is None:
        return []
    try:
        words = shlex.split(prefix)
    except ValueError:
        words = prefix.split()
    return words
