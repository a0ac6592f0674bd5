"""The catalogue: the eight verbs as tools, with what only clients of MCP see or get of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from truetty.functions import schemas
from truetty.functions.result import Result
from truetty.functions.table import VERBS, Parameter, Verb
from truetty.mcp.caller import Caller
from truetty.mcp.session import Session
from truetty.mcp.tools import ClientVerbs


@dataclass(frozen=True, slots=True)
class Tool:
    verb: Verb
    title: str

    def input_schema(self) -> schemas.Schema:
        """Open: some clients hold a call against it, and names from other tools must come through."""
        return schemas.parameters(self.verb, closed=False)


async def call(session: Session, name: str, sent: Mapping[str, object], caller: Caller) -> Result:
    return await ClientVerbs(session, caller).call(TOOLS[name].verb, sent)


_TITLES: Final = {
    "run": "Run a command",
    "read": "Read output",
    "wait": "Wait for a command",
    "send": "Type into a command",
    "screen": "Look at the screen",
    "stop": "Stop a command",
    "terminals": "List terminals",
    "handoff": "Hand over to the user",
}
# Only a session remembers what its client was shown.
_ONLY_NEW: Final = Parameter("only_new", "boolean", "Show only output that no call has shown before.")
_REMEMBERING: Final = ("wait", "send")


def _tool(verb: Verb) -> Tool:
    more = (_ONLY_NEW,) if verb.name in _REMEMBERING else ()
    return Tool(dataclasses.replace(verb, parameters=(*verb.parameters, *more)), _TITLES[verb.name])


TOOLS: Final[Mapping[str, Tool]] = {verb.name: _tool(verb) for verb in VERBS}
