"""The numbers of the wire's protocol: which are spoken, and what two sides have in common.

Rule 1: our clients say on each request which numbers they speak, in the header `Truetty-Protocol: LOWEST-HIGHEST`. A
        request without it is answered: curl has none.
Rule 2: verbs about the server itself are answered in every protocol. So a newer truetty can end an older server, or let
        one of its own version follow.
Rule 3: each answer over HTTP says which truetty the server is, in the header `Truetty-Version`. A client that is newer
        uses what is there.
"""

from __future__ import annotations

from typing import Final

from truetty.core.errors import Misuse
from truetty.core.version import VERSION

Span = tuple[int, int]  # the lowest and the highest number

PROTOCOL: Final[Span] = (1, 1)
HEADER: Final = "Truetty-Protocol"
VERSION_HEADER: Final = "Truetty-Version"
TIMELESS: Final = frozenset({"hello", "status", "shutdown", "upgrade"})  # verbs
_MOST_DIGITS: Final = 6


def written() -> str:
    """What stands in the header."""
    return f"{PROTOCOL[0]}-{PROTOCOL[1]}"


def highest(ours: Span, theirs: Span) -> int | None:
    """The highest number that both speak."""
    found = min(ours[1], theirs[1])
    return found if found >= max(ours[0], theirs[0]) else None


def described(span: Span) -> str:
    low, high = span
    return str(low) if low == high else f"{low} to {high}"


def is_older(version: str) -> bool:
    """Whether that truetty is older than this one. Of a version that is not all numbers that is not known."""
    theirs, ours = _release(version), _release(VERSION)
    return bool(theirs and ours) and theirs < ours


def _release(version: str) -> tuple[int, ...]:
    numbers = version.split(".")
    is_one = all(one.isascii() and one.isdigit() and len(one) <= _MOST_DIGITS for one in numbers)
    return tuple(map(int, numbers)) if is_one else ()


def check(header: str | None) -> None:
    """That a client with this header is understood. Raises OtherProtocol."""
    if header is None:
        return
    spoken = _span(header)
    if highest(PROTOCOL, spoken) is None:
        from truetty.server.refusals import OtherProtocol  # the command line imports this module, and not that one

        sides = f"the server is truetty {VERSION} and speaks protocol {described(PROTOCOL)}; the client speaks"
        ways = "install the same version, or let truetty serve --upgrade start it, which keeps every terminal"
        message = f"{sides} {described(spoken)}: {ways}. Nothing was done."
        raise OtherProtocol(message, server=VERSION, spoken=list(PROTOCOL))


def _span(header: str) -> Span:
    low, _, high = header.strip().partition("-")
    numbers = (low, high or low)
    if not all(one.isascii() and one.isdigit() and len(one) <= _MOST_DIGITS for one in numbers):
        raise Misuse(f"{HEADER} is a number or LOWEST-HIGHEST, not {header[:40]!r}. Nothing was done.")
    return int(numbers[0]), int(numbers[1])
