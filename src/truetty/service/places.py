"""Which directory an agent knows: it is said where a command ran elsewhere than the agent's last one did."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from truetty.core.outcome import Outcome

# Agents whose directory is remembered; the one that was answered longest ago gets its directory again.
MOST_AGENTS: Final = 10_000


class Places:
    def __init__(self) -> None:
        self._known: OrderedDict[str | None, tuple[str, str]] = OrderedDict()  # terminal and directory, by agent

    def news(self, agent: str | None, outcome: Outcome) -> str | None:
        """The directory, if this agent's last answer was about another one or another terminal."""
        if outcome.cwd is None or outcome.closed:
            return None
        place = outcome.terminal_id, outcome.cwd
        known = self._known.pop(agent, None)
        self._known[agent] = place
        if len(self._known) > MOST_AGENTS:
            self._known.popitem(last=False)
        return outcome.cwd if place != known else None
