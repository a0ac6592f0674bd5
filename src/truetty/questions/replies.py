"""Reply rules: what is answered without asking the caller, how often, and the notes about it.

Rule 1: nothing here types. A rule is looked up when the kernel says that a program waits; its owner sends the answer.
Rule 2: no rule answers a question for a secret: not where nothing is echoed, and not where the words ask for a
        password, a passphrase or a code. No rule answers a shell's prompt, or a program that only reads (`cat`): that
        is not a question.
Rule 3: a rule is for one question, not for all output: only the line that asks is searched, and the lines that belong
        to it. What a program has printed before cannot make a rule fit.
Rule 4: each rule answers up to its limit and no more, in one command; each answer is on record.
Rule 5: a dialog is steered with keys: text and Enter press the button that is chosen there, which may be the other one.
        A rule with text and Enter leaves it; one with an empty answer presses Enter, and its owner knows what that is.
Rule 6: a question may be hostile. Little of it is searched, and a pattern that could still take long is refused when
        the rule is made.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from truetty.core import kinds, patterns
from truetty.core.errors import Misuse
from truetty.core.kinds import Kind, Wrong
from truetty.core.outcome import Waiting
from truetty.questions import programs
from truetty.questions.description import Description

# Given what waits, what to type as it is; None leaves it waiting. Asked once for each waiting that no rule answered.
# A plain function is called in the event loop and must not block; a coroutine function may take its time.
OnWaiting = Callable[[Waiting], str | Awaitable[str | None] | None]

# Characters of a line, from its end, and of all lines of a question, that are searched.
LONGEST_SEARCH: Final = 160
MOST_SEARCHED: Final = 320
# How much of a prompt, a pattern or an answer is quoted in a note, and how many notes are kept.
LONGEST_QUOTE: Final = 80
MOST_NOTES: Final = 20


@dataclass(frozen=True, slots=True)
class Reply:
    """Where `pattern` is found in what is asked, `answer` is typed, and Enter after it."""

    pattern: str  # a regular expression, found anywhere in the question
    answer: str  # what is typed
    limit: int = 1  # times in one command
    program: str | None = None  # only when this one asks
    enter: bool = True  # False: the keys alone, for a program that reads key by key

    def __post_init__(self) -> None:
        reason = _refusal(self)
        if reason is not None:
            raise Misuse(f"no rule can be made of {self.pattern!r}: {reason}", pattern=self.pattern, reason=reason)


def _read(value: object) -> tuple[Reply, ...]:
    if not isinstance(value, list | tuple):
        raise Wrong("it is no list of replies")
    return tuple(item if isinstance(item, Reply) else _read_one(item) for item in value)


def _read_one(value: object) -> Reply:
    table = kinds.table(value, ("pattern", "answer", "limit", "program", "enter"))
    for name in ("pattern", "answer"):
        if name not in table:
            raise Wrong(f"a reply needs its {name}")
    try:
        return Reply(
            kinds.text(table["pattern"]),
            kinds.text(table["answer"], empty=True),
            kinds.whole_number(table.get("limit", 1), 1),
            kinds.text(table["program"]) if "program" in table else None,
            kinds.flag(table.get("enter", True)),
        )
    except Misuse as error:
        raise Wrong(str(error)) from None


# How the settings file says them.
REPLIES: Final = Kind(_read, "[[reply]] tables with pattern and answer; limit, program and enter if wanted")


class ReplyAnswer(NamedTuple):
    text: str  # to type as it is; Enter is in it
    note: str
    rule: Reply


class Replies:
    """The rules during one command: make a new one for the next."""

    def __init__(self, rules: Sequence[Reply]) -> None:
        self._rules = [(rule, patterns.compiled(rule.pattern)) for rule in rules]
        self._used = [0] * len(rules)
        self._notes: list[str] = []
        self._more = 0

    @property
    def notes(self) -> tuple[str, ...]:
        """What was answered, and what was left though a rule fits."""
        return (*self._notes, *([f"and {self._more} more"] if self._more else ()))

    def answer(self, waiting: Waiting, description: Description, lines: Sequence[str] = ()) -> ReplyAnswer | None:
        """The answer to this waiting; ask once for each. `lines` are the last ones: searched where no prompt stands."""
        if waiting.kind in ("shell", "continuation") or programs.plain(waiting.program) in programs.SILENT:
            return None
        covering = [
            at for at, (rule, _) in enumerate(self._rules) if self._covers(at, rule, waiting, description, lines)
        ]
        if not covering:
            return None
        asked = _quote(description.prompt.strip() or _last(lines))
        if waiting.kind == "secret" or description.secret:
            self._note(f"left {asked} to a person: it asks for a secret, and no rule answers one")
            return None
        free = next((at for at in covering if self._used[at] < self._rules[at][0].limit), None)
        if free is None:
            rule = self._rules[covering[-1]][0]
            self._note(f"left {asked} unanswered: rule {_quote(rule.pattern)} has answered {_times(rule.limit)}")
            return None
        rule = self._rules[free][0]
        if description.has_buttons and rule.enter and rule.answer and rule.answer.isprintable():
            self._note(
                f"left {asked} unanswered: Enter would press the button that is chosen there, not {_quote(rule.answer)}"
            )
            return None
        self._used[free] += 1
        answered = f"answered {_quote(rule.answer) if rule.answer else 'Enter'} to {asked}"
        note = f"{answered} by rule {_quote(rule.pattern)} ({self._used[free]} of {rule.limit})"
        self._note(note)
        # A program that reads one key goes on before Enter comes, and Enter would answer the next question.
        one_key = waiting.kind == "key" and programs.plain(waiting.program) in programs.ONE_KEY and rule.answer
        return ReplyAnswer(rule.answer + ("\r" if rule.enter and not one_key else ""), note, rule)

    def _covers(self, at: int, rule: Reply, waiting: Waiting, description: Description, lines: Sequence[str]) -> bool:
        if rule.program is not None and programs.plain(rule.program) != programs.plain(waiting.program):
            return False
        search = self._rules[at][1].search
        return any(
            search(line, max(0, len(line) - LONGEST_SEARCH)) is not None for line in _question(description, lines)
        )

    def _note(self, note: str) -> None:
        if len(self._notes) < MOST_NOTES:
            self._notes.append(note)
        else:
            self._more += 1


def _question(description: Description, lines: Sequence[str]) -> Iterator[str]:
    """The lines of the question, the one that asks first; each as it stands, and without the blanks at its end."""
    left = MOST_SEARCHED
    for line in (description.prompt if description.prompt.strip() else _last(lines), *reversed(description.about)):
        left -= min(len(line), LONGEST_SEARCH)
        if left < 0 or not line.strip():  # where nothing is asked, a rule that fits everything must not fit
            return
        yield line
        if line != line.rstrip():
            yield line.rstrip()


def _last(lines: Sequence[str]) -> str:
    return next((line for line in reversed(lines) if line.strip()), "")


def _quote(text: str) -> str:
    shown = text if len(text) <= LONGEST_QUOTE else f"{text[: LONGEST_QUOTE - 1]}…"
    return "'" + "".join(one if one.isprintable() else ascii(one)[1:-1] for one in shown) + "'"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


# ── which rules can be made ───────────────────────────────────────────────────────────────────────────────────────


def _refusal(rule: Reply) -> str | None:
    # Settings come from files, so the type of a value must be checked.
    texts = (rule.pattern, rule.answer, rule.program or "")
    if not all(isinstance(text, str) for text in texts) or not isinstance(rule.enter, bool):
        return "pattern, answer and program are text, enter is true or false"
    if isinstance(rule.limit, bool) or not isinstance(rule.limit, int) or rule.limit < 1:
        return f"a limit is a whole number from 1 on, not {rule.limit!r}"
    if any(not character.isprintable() for character in rule.answer):
        return "an answer is one line of printable text"
    if not rule.answer and not rule.enter:
        return "there is nothing to type"
    try:
        compiled = patterns.compiled(rule.pattern)
    except (re.error, OverflowError, RecursionError) as error:
        return f"not a regular expression: {error}"
    if compiled.flags & re.VERBOSE:
        return "a pattern with comments is too hard to bound"
    return patterns.slow(rule.pattern, LONGEST_SEARCH)
