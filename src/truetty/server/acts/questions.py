"""Questions: what the policy would have a person asked. Each is open until it is answered, or its caller has gone.

Rule 1: the call that has asked waits. A yes lets it go on, a no is `Denied`, and the command is in no terminal before.
Rule 2: a question is answered once. A second answer is `Settled`, which says who has answered and what.
Rule 3: a caller that goes, or whose patience is over, takes its question back: nothing has run.
Rule 4: `always` allows by rules, and writes them into the settings file that the policy is from (`kept_in`). Those of
        another policy hold as long as this server lives. A rule that would not allow the command, or that cannot be
        written, is refused, and the question stays open.
Rule 5: numbers go on in the next server: an answer to a question of the one before is an answer to no other.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from truetty.core.errors import Denied, LimitReached, Misuse
from truetty.policy import Asker, Decision, Rule
from truetty.server import limits
from truetty.server.caller import Caller
from truetty.server.events import Events
from truetty.server.forms import Question, Questions, SettledQuestion
from truetty.server.refusals import Settled, Unknown
from truetty.server.shapes import plain
from truetty.server.state import keys
from truetty.service.permissions import Location, Permissions, asked_at
from truetty.service.rule_book import RuleBook
from truetty.text.quoting import on_one_line


@dataclass(frozen=True, slots=True)
class _Open:
    question: Question
    answer: asyncio.Future[SettledQuestion]
    location: Location | None  # where the command was judged; None: it is typing
    permissions: Permissions  # of the caller
    is_kept: bool  # `always` writes its rules into the settings file


class QuestionActs:
    """The open questions, and the verbs about them. `number` is of the last one, and `note` writes down the next."""

    def __init__(
        self,
        permissions: Permissions,
        events: Events,
        number: int,
        note: Callable[[int], None],
        book: RuleBook,
    ) -> None:
        self._book = book
        self._permissions = permissions
        self._events = events
        self._number = number
        self._note = note
        self._open: dict[str, _Open] = {}
        self._settled: dict[str, SettledQuestion] = {}  # the last ones

    # -- asking

    def asker(
        self,
        caller: Caller,
        *,
        terminal: str | None = None,
        task: str | None = None,
        cwd: str | None = None,
        patience: float | None = None,
        permissions: Permissions | None = None,
        is_kept: bool = True,
    ) -> Asker:
        """What asks for this caller. `patience`: seconds after which it takes its question back. `permissions`: those
        that `always` changes, if they are the caller's own. `is_kept`: they are as the settings say."""

        async def ask(decision: Decision) -> bool:
            question, answer = self._ask(
                decision, caller.name, terminal, task, cwd, permissions or self._permissions, is_kept
            )
            try:
                async with caller.rest(), asyncio.timeout(patience):
                    settled = await answer
            except TimeoutError:
                reason = f"No person has answered within {patience:g} s."
                raise _denied(decision, f"{decision.reason} {reason}", None, question.id) from None
            finally:
                self._take_back(question.id)
            if settled.answer is None:
                raise _denied(decision, f"{decision.reason} The caller has gone.", None, question.id)
            if settled.answer == "deny":
                word = f' "{settled.word}"' if settled.word else ""
                raise _denied(decision, f"{decision.reason} The answer was no.{word}", False, question.id)
            return True

        return ask

    def _ask(
        self,
        decision: Decision,
        client: str | None,
        terminal: str | None,
        task: str | None,
        cwd: str | None,
        permissions: Permissions,
        is_kept: bool,
    ) -> tuple[Question, asyncio.Future[SettledQuestion]]:
        if len(self._open) >= limits.MOST_QUESTIONS:
            message = f"{limits.MOST_QUESTIONS} questions are open already: a person must answer some"
            raise LimitReached(message, limit="questions", value=limits.MOST_QUESTIONS)
        self._number += 1
        self._note(self._number)
        location = asked_at.get()
        is_kept = is_kept and self._book.path is not None
        question = Question(
            id=f"q{self._number}",
            command=decision.command,
            reason=decision.reason,
            rule=decision.rule,
            suggestions=decision.suggestions,
            terminal_id=terminal,
            task=task,
            client=client,
            asked_at=time.time(),
            parts=decision.parts,
            cwd=location.cwd if cwd is None and location is not None else cwd,
            key=keys.current.get(),
            kept_in=self._book.path if is_kept else None,
        )
        answer: asyncio.Future[SettledQuestion] = asyncio.get_running_loop().create_future()
        self._open[question.id] = _Open(question, answer, location, permissions, is_kept)
        self._events.publish("question", question=plain(question))
        return question, answer

    def withdraw(self, key: str) -> None:
        """The client has gone that sent the request with this key."""
        for question in [one for one in self.waiting() if one.key == key]:
            self._take_back(question.id)

    def _take_back(self, id: str) -> None:
        if id in self._open:
            self._settle(id, SettledQuestion(id, None, "the caller has gone", None, None))

    def _settle(self, id: str, settled: SettledQuestion) -> None:
        answer = self._open.pop(id).answer
        self._settled[id] = settled
        if len(self._settled) > limits.MOST_QUESTIONS:
            del self._settled[next(iter(self._settled))]
        if not answer.done():
            answer.set_result(settled)
        self._events.publish("settled", question_id=id, **{**plain(settled), "id": id})

    # -- verbs

    def waiting(self) -> Sequence[Question]:
        return [one.question for one in self._open.values()]

    def about(self, terminal_id: str) -> tuple[str, ...]:
        """The ids of those that are about this terminal."""
        return tuple(one.id for one in self.waiting() if one.terminal_id == terminal_id)

    async def questions(self, caller: Caller) -> Questions:
        return Questions(tuple(self.waiting()), self._events.seq)

    async def settle(
        self, caller: Caller, *, question_id: str, answer: str, rule: str | None, word: str | None
    ) -> SettledQuestion:
        asked = self._find(question_id)
        texts: tuple[str, ...] = ()
        if answer == "always":
            texts = (rule,) if rule is not None else asked.question.suggestions
            if not texts:
                raise Misuse("no rule is known that would allow it: name one, or allow it once", name="rule")
            rules = [Rule.parse("allow", text) for text in texts]
            if rule is not None:
                await self._check(rule, rules, asked)
                self._find(question_id)  # it may have been settled meanwhile
            if asked.is_kept:
                await asyncio.to_thread(self._book.add, texts)
                self._permissions.allow(rules)
                self._find(question_id)
            if asked.permissions is not self._permissions or not asked.is_kept:
                asked.permissions.allow(rules)
        elif rule is not None:
            raise Misuse("a rule goes with always alone", name="rule")
        named = caller.name or "an unnamed client"
        made = SettledQuestion(question_id, answer, named, "; ".join(texts) or None, word)
        self._settle(question_id, made)
        return made

    def _find(self, id: str) -> _Open:
        if (before := self._settled.get(id)) is not None:
            message = f"{id} is settled: {before.answer or 'no answer'}, by {before.by}"
            raise Settled(message, question_id=id, answer=before.answer, by=before.by)
        if id not in self._open:
            raise Unknown(f"no question {id[:100]!r}", name=id[:100], known=[*self._open])
        return self._open[id]

    async def _check(self, text: str, rules: Sequence[Rule], asked: _Open) -> None:
        """Misuse for rules that would not allow what is asked about."""
        id = asked.question.id
        objection = await asked.permissions.objection(rules, asked.question.command, asked.location)
        if objection is not None:
            message = f"the rule {on_one_line(text)!r} would not allow {id}, which stays open: {objection}"
            raise Misuse(message, name="rule", question_id=id)


def _denied(decision: Decision, message: str, answered: bool | None, question_id: str) -> Denied:
    facts: dict[str, Any] = {"rule": decision.rule, "reason": decision.reason, "verdict": decision.verdict}
    facts |= {"suggestions": decision.suggestions, "answered": answered, "question_id": question_id}
    return Denied(message, command=decision.command, **facts)
