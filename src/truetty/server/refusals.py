"""Errors on the wire: `{"error": {"code", "message", "facts"}}`, the HTTP status of each, and back to exceptions.

Rule: a client raises the class that the server raised, with the same message and facts. `code` says which class it is.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from truetty.core.errors import HostError, Misuse, TruettyError
from truetty.core.outcome import Outcome
from truetty.server import limits, shapes


class Unknown(Misuse):
    """There is no such verb or route. Facts: name, known."""

    code = "unknown"


class Stale(Misuse):
    """The command no longer asks what was to be answered. Facts: command_id, episode."""

    code = "stale"


class Settled(Misuse):
    """The question has been answered. Facts: question_id, answer, by."""

    code = "settled"


class KeyReused(Misuse):
    """The key of another request. Facts: key."""

    code = "key_reused"


class TooLarge(Misuse):
    """More than one request may hold. Facts: limit, value."""

    code = "too_large"


class OtherProtocol(HostError):
    """The client and the server have no number of the protocol in common. Facts: server, spoken."""

    code = "other_protocol"


class Stopping(HostError):
    """The server is ending, and takes nothing more."""

    code = "stopping"


# Of a code that is not here: 500, an error of the server's or of its machine.
STATUS: Final[Mapping[str, int]] = {
    **dict.fromkeys(("misuse", "bad_key", "bad_command"), 400),
    "denied": 403,
    **dict.fromkeys(("unknown_terminal", "unknown"), 404),
    **dict.fromkeys(("busy", "closed", "held", "settled", "stale"), 409),
    "too_large": 413,
    **dict.fromkeys(("key_reused", "spawn_failed"), 422),
    "other_protocol": 426,
    "limit_reached": 429,
    "stopping": 503,
}
# Of `too_large`, by the limit: HTTP has statuses of their own for two of them.
_TOO_LARGE: Final = {"url": 414, "head": 431}
# What its machine has run out of is no fault of the server, and callers can do something about it.
_SHORTAGES: Final = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN)
INTERNAL: Final = "internal"  # a fault in the server; its log has it


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error, as it is on the wire."""

    code: str
    message: str
    facts: dict[str, object]

    @property
    def status(self) -> int:
        status = STATUS.get(self.code, 500)
        return _TOO_LARGE.get(str(self.facts.get("limit")), status) if self.code == TooLarge.code else status


def refusal(error: Exception) -> Refusal:
    if isinstance(error, OSError) and error.errno in _SHORTAGES:
        reason = os.strerror(error.errno)
        return Refusal(HostError.code, f"the machine of the server is short of something: {reason}", {"reason": reason})
    if not isinstance(error, TruettyError):
        return Refusal(INTERNAL, "the server has failed at this; its log says how", {})
    return Refusal(error.code, str(error), shapes.plain(error.facts))


def head_too_large() -> TooLarge:
    most = limits.LARGEST_HEAD
    message = f"the head of a request has at most {most:,} bytes. Nothing was done."
    return TooLarge(message, limit="head", value=most)


def error(found: Refusal) -> TruettyError:
    """The exception that was refused with. One of a code that this version does not know is a `HostError`."""
    facts = dict(found.facts)
    if isinstance(facts.get("outcome"), Mapping):
        facts["outcome"] = shapes.made(Outcome, facts["outcome"])
    return _CLASSES.get(found.code, HostError)(found.message, **facts)


def _classes(kind: type[TruettyError]) -> Iterator[type[TruettyError]]:
    yield kind
    for one in kind.__subclasses__():
        yield from _classes(one)


# Of classes with one code the base: another one is made by its own module only.
_CLASSES: Final = {kind.code: kind for kind in reversed(list(_classes(TruettyError)))}
