"""Which terminal or command a client means: an id, a name, or the beginning of one.

Rule 1: an exact id wins, then an exact name of an open terminal, then what only one of them begins with.
Rule 2: two that fit are an error that names them. Nothing is guessed.
Rule 3: a terminal stands for its last command.
"""

from __future__ import annotations

from truetty.core.errors import Misuse
from truetty.service.registry import unknown
from truetty.service.service import Service
from truetty.terminal.command import Command
from truetty.terminal.terminal import Terminal

MOST_NAMED = 20


def find_terminal(service: Service, wanted: str, *, exact: bool) -> Terminal:
    registry = service.registry
    if (exactly := registry.find(wanted)) is not None:
        return exactly
    terminals = registry.list()
    if not exact and wanted:
        for fits in (_is_named, _begins):
            found = [terminal for terminal in terminals if fits(terminal, wanted)]
            if len(found) > 1:
                known = [terminal.id for terminal in found][:MOST_NAMED]
                raise Misuse(f"{wanted!r} may be {', '.join(known)}: say which", terminal_id=wanted, known=known)
            if found:
                return found[0]
    raise unknown(f"no terminal {wanted[:100]!r};", wanted, terminals)


def find_command(service: Service, wanted: str, *, exact: bool) -> Command:
    terminal, dash, _ = wanted.rpartition("-")
    if exact or service.registry.find(terminal if dash else wanted) is not None:
        return service.command(wanted)
    return service.command(find_terminal(service, wanted, exact=False).id)


def _is_named(terminal: Terminal, wanted: str) -> bool:
    return terminal.name == wanted


def _begins(terminal: Terminal, wanted: str) -> bool:
    return terminal.id.startswith(wanted) or (terminal.name or "").startswith(wanted)
