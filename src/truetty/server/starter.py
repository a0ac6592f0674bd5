"""Who starts the command that is being started: it is known to the call, and wanted where the command is seen.

agent     a model, over MCP
person    at the page
program   of the user's own: the library, the command line
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Final, Literal, NamedTuple, Self, cast

By = Literal["agent", "person", "program"]


class Starter(NamedTuple):
    by: By
    client: str | None  # what it calls itself

    @classmethod
    def of(cls, written: tuple[str, str | None]) -> Self:
        """As the journal has it."""
        by, client = written
        return cls(cast(By, by), client)


# Of the call that is carried out now.
current: Final[ContextVar[Starter | None]] = ContextVar("starter", default=None)
