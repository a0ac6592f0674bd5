"""What a credential lets its holder do: the rights of a page, of a read-only link, of a program.

    watch    see terminals, commands and output
    answer   answer programs, and the policy's questions
    type     run, type, take and close terminals
    admin    what is about the server itself: stop it, upgrade it, let pages in

Rule 1: a verb needs one right, which its row names. What a page hides is refused here too.
Rule 2: a credential for one terminal takes ids only: a name or the beginning of an id could lead elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from truetty.core.errors import Denied

Right = Literal["watch", "answer", "type", "admin"]
RIGHTS: Final[tuple[Right, ...]] = ("watch", "answer", "type", "admin")
SCOPE: Final = "truetty.credential"  # where a request has it


@dataclass(frozen=True, slots=True)
class Credential:
    rights: frozenset[Right]
    name: str | None = None  # what its calls are named; None: what the client calls itself
    terminal: str | None = None  # the one that it is for; None: all

    def check(self, verb: str, right: Right, arguments: dict[str, Any]) -> None:
        """Raises Denied. `arguments` of a credential for one terminal are read exactly."""
        if right not in self.rights:
            raise _denied(f"{verb} needs the right to {right}")
        if self.terminal is None or verb == "hello":
            return
        named = arguments.get("terminal_id") or arguments.get("command_id") or ""
        if not self.covers(named):
            raise _denied(f"this link is for terminal {self.terminal} alone")
        if "exact" in arguments:
            arguments["exact"] = True

    @property
    def is_page(self) -> bool:
        """A person at the page has it."""
        return self.name is not None

    def covers(self, id: str) -> bool:
        """Whether this terminal, or this command, is one that it is for."""
        return self.terminal is None or id == self.terminal or id.startswith(f"{self.terminal}-")


OWNER: Final = Credential(frozenset(RIGHTS))  # a process of the same user, or a program with the token


def of(scope: Mapping[str, Any]) -> Credential:
    """Of a request. One on the unix socket has none: it is the user's own."""
    found = scope.get(SCOPE, OWNER)
    assert isinstance(found, Credential)
    return found


def _denied(reason: str) -> Denied:
    return Denied(f"{reason}. Nothing was done.", command=None, rule=None, reason=reason)
