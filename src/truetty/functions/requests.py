"""What one call of a verb asks for, as one checked value.

Rule 1: every argument is read here, in its type and its meaning, before the service is asked for anything. What the
        service checks itself (command texts, ids, names of keys), it checks before it does anything too. So a refused
        call has started, typed and opened nothing.
Rule 2: which ids there are is known to the service alone: `id` is None where the model sent none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from truetty.core import patterns
from truetty.core import until as untils
from truetty.core.errors import Misuse
from truetty.core.until import Until
from truetty.functions import arguments
from truetty.functions.arguments import Arguments
from truetty.functions.table import RUN_WAIT, SEND_WAIT, Verb
from truetty.service.service import PAGE

# A command in the background that fails at once should say so in the same answer.
BACKGROUND_WAIT: Final = 0.5
LARGEST_PAGE: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Run:
    command: str
    terminal: str | None
    cwd: str | None
    task: str | None
    shell: str | None
    kill_after: float | None
    key: str | None
    wait: float
    until: Until
    tokens: int | None
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Read:
    id: str | None
    offset: int | None
    limit: int
    grep: re.Pattern[str] | None
    context: int
    tail: int | None
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Wait:
    id: str | None
    wait: float
    until: Until
    tokens: int | None
    only_new: bool
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Send:
    id: str | None
    text: str
    keys: tuple[str, ...]
    wait: float
    tokens: int | None
    only_new: bool
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Look:
    """A call of `screen`."""

    id: str | None


@dataclass(frozen=True, slots=True)
class Stop:
    id: str | None
    close: bool
    tokens: int | None
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Listing:
    """A call of `terminals`."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A call of `handoff`."""

    id: str | None
    reason: str | None
    wait: float | None
    notes: tuple[str, ...]
    tokens: None = None


Request = Run | Read | Wait | Send | Look | Stop | Listing | Offer


def request(verb: Verb, sent: object) -> Request:
    """`sent` is what the model sent: an object, or its JSON text."""
    return _REQUESTS[verb.name](arguments.read(verb, sent))


def _run(sent: Arguments) -> Run:
    patience = BACKGROUND_WAIT if sent.flag("background") else RUN_WAIT
    return Run(
        sent.text("command") or "",
        sent.text("terminal_id"),
        sent.text("cwd"),
        sent.text("task"),
        sent.text("shell"),
        sent.number("kill_after"),
        sent.text("key"),
        sent.number("wait", patience),
        _until(sent),
        sent.whole("max_output_tokens"),
        sent.notes,
    )


def _read(sent: Arguments) -> Read:
    limit = sent.whole("limit")
    grep = sent.text("grep")
    return Read(
        sent.text("id"),
        sent.whole("offset"),
        PAGE if limit is None else max(1, min(limit, LARGEST_PAGE)),
        None if grep is None else patterns.compile_checked(grep),
        sent.whole("context") or 0,
        sent.whole("tail"),
        sent.notes,
    )


def _wait(sent: Arguments) -> Wait:
    wait, tokens = sent.number("wait", RUN_WAIT), sent.whole("max_output_tokens")
    return Wait(sent.text("id"), wait, _until(sent), tokens, sent.flag("only_new"), sent.notes)


def _send(sent: Arguments) -> Send:
    names = (*sent.texts("keys"), *(["Enter"] if sent.flag("enter") else []))
    wait, tokens = sent.number("wait", SEND_WAIT), sent.whole("max_output_tokens")
    return Send(sent.text("id"), sent.text("text") or "", names, wait, tokens, sent.flag("only_new"), sent.notes)


def _until(sent: Arguments) -> Until:
    """`for` in words, or the parameter that is named like one."""
    named: list[Until] = []
    if (words := sent.text("for")) is not None:
        bare = words.strip()
        if not (bare in ("match", "idle", "port") and bare in sent.values):
            named.append(untils.read(words))
    if (pattern := sent.text("match")) is not None:
        named.append(untils.matching(patterns.compile_checked(pattern)))
    if (seconds := sent.number("idle")) is not None:
        named.append(untils.Idle(seconds))
    if (number := sent.whole("port")) is not None:
        named.append(untils.Port(number))
    if len(named) > 1:
        raise Misuse("wait is for one thing: for, match, idle or port", known=["for", "match", "idle", "port"])
    return named[0] if named else untils.Settled()


_REQUESTS: Final[Mapping[str, Callable[[Arguments], Request]]] = {
    "run": _run,
    "read": _read,
    "wait": _wait,
    "send": _send,
    "screen": lambda sent: Look(sent.text("id")),
    "stop": lambda sent: Stop(sent.text("id"), sent.flag("close"), sent.whole("max_output_tokens"), sent.notes),
    "terminals": lambda sent: Listing(),
    "handoff": lambda sent: Offer(sent.text("id"), sent.text("reason"), sent.number("wait"), sent.notes),
}
