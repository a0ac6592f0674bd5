"""A command line → allow, ask or deny, and the rule that said so.

Rule 1: every sub-command is judged, wherever it stands; the strictest verdict is the line's.
Rule 2: deny beats ask, ask beats allow. Where no rule matches, the default decides.
Rule 3: what cannot be read or hides what it runs is never allowed: it is asked, or denied where that is the default.
        Only a rule that names what is run inside (`sudo apt update`) lifts that.
Rule 4: a text that is not plain is never allowed (`plain.py`): the parser may have read it differently than the shell.
Rule 5: what a deny rule is about is asked wherever its words are written, in quotes too.
Rule 6: a policy that allows everything starts no parser.
Rule 7: it reads text. It stops mistakes and plain attacks; it does not contain a program.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from truetty.core import lazy
from truetty.core.errors import Misuse
from truetty.policy import advice, plain
from truetty.policy.decision import VERDICTS, Decision, Part, Verdict, strictest, unseen
from truetty.policy.hiding import hidden, hidden_by_variables
from truetty.policy.parser import Parser, dialect_of, parse
from truetty.policy.places import FINE, Places
from truetty.policy.reader import read
from truetty.policy.readers import READ_ONLY
from truetty.policy.rules import Match, Rule, rules_from
from truetty.policy.runners import carried, is_runner, name_of, texts, through
from truetty.policy.script import Call, Doubt, Script
from truetty.policy.suggestions import exact, suggestion
from truetty.policy.tree import Unreadable
from truetty.policy.variables import harmless
from truetty.policy.words import Word
from truetty.policy.writers import written
from truetty.shells.row import Dialect
from truetty.text.quoting import on_one_line

MOST_TEXTS: Final = 8  # texts inside a line that are read too (`bash -c 'bash -c …'`), each a call of the parser

# Where a command may begin, in a text that could not be parsed.
_CRUDE: Final = lazy.pattern(r"[;\n|&(){}`]|\$\(|\b(?:then|do|else|and|or|not|begin|if|while|until|exec)\b")


@dataclass(frozen=True, slots=True)
class _Judged:
    part: Part
    suggestion: str | None = None  # a rule that would allow it, if nothing else is in the way
    remedies: tuple[str, ...] = ()  # what else is to be changed, a sentence each

    def behind(self, part: Part, *remedies: str) -> _Judged:
        """With one more thing in the way, and what is now said of it."""
        return _Judged(part, self.suggestion, (*self.remedies, *remedies))


class Policy:
    def __init__(
        self,
        rules: Iterable[Rule] = (),
        *,
        default: Verdict = "ask",
        workspace: str | os.PathLike[str] | None = None,
        typing: Verdict = "ask",
        parser: Parser = parse,
    ) -> None:
        for verdict in (default, typing):
            if verdict not in VERDICTS:
                raise Misuse(f"not a verdict: {verdict!r}; there are {', '.join(VERDICTS)}", verdict=verdict)
        self.rules = tuple(rules)
        self.default: Verdict = default
        self.typing: Verdict = typing
        self.workspace = None if workspace is None else os.path.abspath(os.fspath(workspace))
        self._parser = parser
        self._strict = [rule for verdict in ("deny", "ask") for rule in self.rules if rule.verdict == verdict]
        self._allow = [rule for rule in self.rules if rule.verdict == "allow"]

    @classmethod
    def allow_all(cls) -> Policy:
        """The library's default: the caller has decided already."""
        return cls(default="allow", typing="allow")

    @classmethod
    def read_only(cls, *, workspace: str | os.PathLike[str] | None = None) -> Policy:
        """Commands that only read are allowed, everything else is asked. docs/policy.md lists them."""
        return cls(READ_ONLY, workspace=workspace)

    @classmethod
    def from_lists(
        cls,
        lists: Mapping[str, Sequence[str]],
        *,
        default: Verdict = "ask",
        workspace: str | os.PathLike[str] | None = None,
        typing: Verdict = "ask",
    ) -> Policy:
        """From lists of texts under allow, ask and deny, as settings files have them."""
        return cls(rules_from(lists), default=default, workspace=workspace, typing=typing)

    def extended(self, rules: Iterable[Rule]) -> Policy:
        """The same policy with more rules: what a person answered with "always"."""
        more = (*self.rules, *rules)
        return Policy(more, default=self.default, workspace=self.workspace, typing=self.typing, parser=self._parser)

    @property
    def allows_all(self) -> bool:
        return self.default == "allow" and self.workspace is None and not self._strict

    def decide(self, command: str, *, cwd: str | None = None, shell: str = "bash") -> Decision:
        """May take some milliseconds: the parser is a process. `judge` is the same for callers on an event loop."""
        if self.allows_all:
            return Decision("allow", "Everything is allowed.", None, command)
        try:
            dialect = dialect_of(shell)
            script = self._script(command, dialect)
        except Unreadable as error:
            return self._unread(command, error)
        judged = list(self._judge_script(script, dialect, Places.at(cwd, self.workspace), [MOST_TEXTS]))
        denied = any(one.part.verdict == "deny" and one.part.rule is not None for one in judged)
        if not denied and (one := self._by_raw_text(command)) is not None:
            judged.append(one)
        if not judged:
            remedy = "" if self.default == "allow" else advice.NOTHING
            return Decision(self.default, "There is nothing to run.", None, command, advice=remedy)
        return _summary(command, judged)

    async def judge(self, command: str, *, cwd: str | None = None, shell: str = "bash") -> Decision:
        """`decide`, without holding up the event loop."""
        if self.allows_all:
            return self.decide(command, cwd=cwd, shell=shell)
        return await asyncio.to_thread(self.decide, command, cwd=cwd, shell=shell)

    def decide_typing(self, text: str, *, program: str | None = None, secret: bool = False) -> Decision:
        """Keys for a running program: a permission of its own, since the program decides what they mean.

        With `secret` the text is in no field of the answer: it may be logged.
        """
        command = f"({len(text)} characters)" if secret else text
        whom = f"`{on_one_line(program)}`" if program else "a running program"
        rule = None if secret else self._crudely_denied(text)
        if rule is not None:
            return Decision("deny", _reason(rule, text), rule.text, command)
        what = {"allow": "is allowed", "ask": "needs a yes", "deny": "is denied"}[self.typing]
        remedy = "" if self.typing == "allow" else advice.TYPING
        return Decision(self.typing, f"Typing into {whom} {what} by this policy.", None, command, advice=remedy)

    def _by_raw_text(self, command: str) -> _Judged | None:
        """What is said against the text whatever it means."""
        if (objection := plain.objection(command)) is not None:
            part = Part(command, strictest("ask", self.default), objection.reason)
            return _Judged(part, remedies=(objection.remedy,))
        rule = next((rule for rule in self._strict if rule.is_named_in(command)), None)
        if rule is None:
            return None
        part = Part(command, "ask", f"It names what the rule {on_one_line(rule.text)!r} is about.", rule.text)
        return _Judged(part, remedies=(advice.without_words_of(rule),))

    def _script(self, command: str, dialect: Dialect) -> Script:
        if (character := unseen(command)) is not None:
            reason = f"It holds a character that cannot be seen: {on_one_line(character)}."
            raise Unreadable(reason, "Leave that character out.")
        source = command.encode()
        return read(self._parser(source, dialect), source, dialect)

    def _unread(self, command: str, error: Unreadable) -> Decision:
        rule = self._crudely_denied(command)
        if rule is not None:
            return Decision("deny", _reason(rule, command), rule.text, command)
        return Decision(strictest("ask", self.default), str(error), None, command, advice=error.remedy)

    def _crudely_denied(self, text: str) -> Rule | None:
        """For a text that does not parse: does a deny rule match at a place where a command may begin?"""
        for rule in self._strict:
            if rule.verdict != "deny":
                continue
            if rule.pattern is not None:
                if rule.pattern.search(text):
                    return rule
                continue
            for piece in _CRUDE.split(text):
                words = [Word.plain(word) for word in re.sub(r"[\"'\\]", "", piece).split()]
                while words and "=" in (words[0].literal or ""):
                    words.pop(0)
                if any(rule.concerns(Call(tuple(inner))) == "yes" for inner in (words, *carried(words))):
                    return rule
        return None

    def _judge_script(self, script: Script, dialect: Dialect, places: Places, budget: list[int]) -> Iterator[_Judged]:
        for item in script:
            if isinstance(item, Doubt):
                part = Part(item.source, strictest("ask", self.default), item.reason)
                yield _Judged(part, remedies=(advice.without(item.source),))
                continue
            places = places.before(item)
            yield self._judge(item, dialect, places)
            yield from self._inside(item, dialect, places, budget)
            places = places.after(replace(item, words=tuple(through(item.words))))

    def _inside(self, call: Call, dialect: Dialect, places: Places, budget: list[int]) -> Iterator[_Judged]:
        """Shell texts among the arguments: the call says how it is judged, but what is denied is denied there too."""
        for text in (text for words in (call.words, *carried(call.words)) for text in texts(words)):
            if budget[0] <= 0:
                return
            budget[0] -= 1
            try:
                script = self._script(text, dialect)
            except Unreadable as error:
                decision = self._unread(text, error)
                judged = [_Judged(Part(text, decision.verdict, decision.reason, decision.rule))]
            else:
                judged = list(self._judge_script(script, dialect, replace(places, directories=None), budget))
            yield from (one for one in judged if one.part.verdict == "deny" and one.part.rule is not None)

    def _judge(self, call: Call, dialect: Dialect, places: Places) -> _Judged:
        strict = self._strictly(call)
        if strict is not None and strict.part.verdict == "deny":
            return strict
        words = through(call.words)
        seen = call if words is call.words else replace(call, words=tuple(words))
        rule, judged = self._by_rule(call, seen, dialect, places)
        asked = strictest("ask", self.default)
        if doubt := hidden_by_variables(seen.assignments, rule.environment if rule is not None else {}):
            judged = _Judged(Part(call.text, asked, doubt), remedies=(advice.VARIABLE,))
        elif not (rule is not None and _names_inside(rule, words)) and (doubt := hidden(words, dialect)):
            judged = _Judged(Part(call.text, asked, doubt), remedies=(advice.without_hiding(words, dialect),))
        objection, limit = self._writing(seen, words, places)
        if objection is not None and limit != "allow":
            decides = strictest(judged.part.verdict, limit) != judged.part.verdict
            part = Part(call.text, limit, objection) if decides else judged.part
            judged = judged.behind(part, advice.writing(self.workspace))
        if strict is not None and judged.part.verdict != "deny":
            return judged.behind(strict.part, *strict.remedies)
        return judged

    def _strictly(self, call: Call) -> _Judged | None:
        """The first deny rule about this call or what it might run inside, else the first ask rule."""
        calls = [call, *(replace(call, words=tuple(words), assignments=()) for words in carried(call.words))]
        asked: _Judged | None = None
        for rule in self._strict:
            matches: set[Match] = {rule.concerns(one) for one in calls}
            if "yes" in matches and rule.verdict == "deny":
                return _Judged(Part(call.text, "deny", _reason(rule, call.text), rule.text))
            if asked is None and "yes" in matches:
                part = Part(call.text, "ask", _reason(rule, call.text), rule.text)
                asked = _Judged(part, remedies=(advice.without_ask_rule(rule),))
            elif asked is None and "maybe" in matches:
                text, about = on_one_line(call.text), on_one_line(rule.text)
                reason = f"Whether `{text}` is what the rule {about!r} is about cannot be known."
                asked = _Judged(Part(call.text, "ask", reason, rule.text), remedies=(advice.UNCERTAIN,))
        return asked

    def _by_rule(self, call: Call, seen: Call, dialect: Dialect, places: Places) -> tuple[Rule | None, _Judged]:
        """The allow rule, if one covers it all, and what is said by the rules."""
        if not call.words and all(harmless(item, dialect, alone=True) for item in call.assignments):
            return None, _Judged(Part(call.text, "allow", "It runs no program."))
        more, reads = None, False
        for rule in self._allow:
            subject = next((one for one in (call, seen) if rule.allows(one, dialect)), None)
            if subject is None:
                continue
            more = rule.check(subject.words) if rule.check is not None else _more(rule, subject, dialect, places)
            if more is None:
                return rule, _Judged(Part(call.text, "allow", _reason(rule, call.text), rule.text))
            reads = rule.check is not None
        if self.default == "allow":
            reason = "Nothing is said against it, and the default is to allow."
            return None, _Judged(Part(call.text, "allow", reason))
        text = on_one_line(call.text)
        reason = f"No rule allows `{text}`." if more is None else f"`{text}` goes beyond what is allowed: {more}."
        # A rule that is no wider than the call, where the program is known to be able to do more than read.
        offered = exact(seen) if reads else suggestion(seen, dialect)
        judged = _Judged(Part(call.text, self.default, reason), offered)
        if offered is None:
            return None, replace(judged, remedies=(advice.WRITTEN_OUT,))
        if _more(Rule.parse("allow", offered), seen, dialect, places) is not None:
            remedy = advice.NOT_MOVED if self.workspace is None else advice.INSIDE
            return None, replace(judged, remedies=(remedy,))
        return None, judged

    def _writing(self, call: Call, words: Sequence[Word], places: Places) -> tuple[str | None, Verdict]:
        """Why writing these files is not simply allowed, and how strictly."""
        more = written(words)
        if self.workspace is not None:
            return places.objection((*call.writes, *more.files)), strictest("ask", self.default)
        files = call.writes if more.by_nature else (*call.writes, *more.files)
        file = next((file for file in files if file.literal not in FINE), None)
        if file is None:
            return None, "allow"
        return f"It writes {on_one_line(file.text)}, and no workspace is set to write in.", self.default


def _more(rule: Rule, call: Call, dialect: Dialect, places: Places) -> str | None:
    """What the call does beyond a rule of the user's; None if the rule covers it."""
    if any(one.allows(call, dialect) and one.check is not None and one.check(call.words) is None for one in READ_ONLY):
        return None  # it only reads, whatever its words
    if places.workspace is not None and not places.holds_all_directories():
        return "a rule of yours counts inside the workspace only"
    if places.moved and any("/" in word and not word.startswith(("/", "-")) for word in rule.words[:2]):
        return f"{on_one_line(rule.text)!r} is another program in another directory"
    if rest := rule.beyond(call):
        return f"the rule {on_one_line(rule.text)!r} says nothing of {on_one_line(rest[0].source)}"
    if rule.takes_all or rule.pattern is not None:
        return None
    operand = next((word for word in call.words[len(rule.words) :] if places.leaves(word.literal or "")), None)
    return None if operand is None else f"{on_one_line(operand.source)} is outside the workspace"


def _names_inside(rule: Rule, words: Sequence[Word]) -> bool:
    """`sudo apt` says what is run; `sudo`, `sudo -u` and every regular expression do not."""
    if len(rule.words) < 2 or not words or not (is_runner(name_of(words[0])) or name_of(words[0]) in ("source", ".")):
        return False
    return rule.words[1][:1] not in ("-", "") and "=" not in rule.words[1]


def _reason(rule: Rule, text: str) -> str:
    what = {"allow": "is allowed", "ask": "needs a yes", "deny": "is denied"}[rule.verdict]
    because = f": {rule.reason}" if rule.reason else ""
    return f"`{on_one_line(text)}` {what} by the rule {on_one_line(rule.text)!r}{because}."


def _summary(command: str, judged: Sequence[_Judged]) -> Decision:
    parts = tuple(one.part for one in judged)
    verdict = strictest(*(part.verdict for part in parts))
    said = [part for part in parts if part.verdict == verdict]
    decisive = next((part for part in said if part.rule is not None and verdict == "deny"), said[0])
    if verdict == "deny" and decisive.rule is not None:
        return Decision(verdict, decisive.reason, decisive.rule, command, parts)
    open_ = [one for one in judged if one.part.verdict != "allow"]
    texts = tuple(dict.fromkeys(one.suggestion for one in open_ if one.suggestion))
    sentences = dict.fromkeys(remedy for one in open_ for remedy in one.remedies)
    suggestions = texts if all(one.suggestion and not one.remedies for one in open_) else ()
    text = " ".join([*sentences, *([advice.by_rules(texts)] if texts else [])])
    return Decision(verdict, decisive.reason, decisive.rule, command, parts, suggestions, text)
