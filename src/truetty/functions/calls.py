"""One call of a model, done on a `Service`.

Rule: the ticket of a handoff goes to the person. The model reads that there is one, never the ticket itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from truetty.functions.result import Result
from truetty.functions.verbs import Invitation, Surface, Verbs
from truetty.service.handoffs import Handoff
from truetty.service.service import Service
from truetty.terminal.command import Command

# All calls without a task are one task: an agent's next command finds the shell as the last one left it.
AGENT_TASK: Final = "agent"

OnHandoff = Callable[[Handoff], None]


async def call(
    service: Service,
    name: str,
    arguments: object = None,
    *,
    task: str = AGENT_TASK,
    key: str | None = None,
    on_handoff: OnHandoff | None = None,
) -> Result:
    """Do what a model asked for: the function's name and its arguments, as an object or as JSON text.

    `task` tells several agents on one service apart: each has its own terminals and its own notices. `key` is unique to
    this call, such as the id that the model's API gave it: a `run` that comes again with it gets the command that the
    first one started. `on_handoff` is called with a terminal that is left to a person, and with the ticket that lets
    them type; without it no person can be reached, and `handoff` is refused.
    """

    async def invite(handoff: Handoff, command: Command) -> Invitation:
        if on_handoff is not None:
            on_handoff(handoff)
        return Invitation()

    surface = Surface(invite=None if on_handoff is None else invite, key=key)
    return await Verbs(service, task, surface).call(name, arguments)
