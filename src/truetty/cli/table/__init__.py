"""The commands of `truetty`, as data, in the order of the overview."""

from __future__ import annotations

from typing import Final

from truetty.cli.table.agents import ANSWER, MCP, SCHEMA, SETUP
from truetty.cli.table.many import MAP
from truetty.cli.table.questions import ALLOW, DENY, QUESTIONS
from truetty.cli.table.recordings import CLEAN, RECORD, REPLAY, SHOT
from truetty.cli.table.row import CommandRow
from truetty.cli.table.running import EXPLAIN, RUN
from truetty.cli.table.serving import DIAL, SERVE
from truetty.cli.table.terminals import ATTACH, CLOSE, LIST, LOG, OPEN, SEND, STOP, WAIT
from truetty.cli.table.upkeep import COMPLETION, DOCTOR, POLICY_COMMANDS, SETTINGS

GROUPS: Final[dict[str, tuple[CommandRow, ...]]] = {
    "Run": (RUN, MAP, EXPLAIN),
    "Pictures and recordings": (SHOT, RECORD, REPLAY, CLEAN),
    "For agents": (MCP, SETUP, ANSWER, SCHEMA),
    "Terminals that stay": (OPEN, LIST, ATTACH, SEND, WAIT, LOG, STOP, CLOSE, QUESTIONS, ALLOW, DENY, SERVE, DIAL),
    "This machine": (DOCTOR, SETTINGS, POLICY_COMMANDS, COMPLETION),
}
COMMANDS: Final = {row.name: row for rows in GROUPS.values() for row in rows}
