"""What can be asked of the server: one table, from which the HTTP routes, the calls on /v1/connect and
/v1/openapi.json are made.

Rule 1: a verb is one row. Over HTTP its path names what it is about; `GET` takes its fields from the query string, the
        others from a JSON body. On /v1/connect all fields stand in the call: `{"id": 7, "do": "wait", …}`.
Rule 2: `keyed` verbs take a retry key: the same key and the same fields are carried out once.
Rule 3: `terminal_id` and `command_id` may be an id, a name, or the beginning of one; a terminal's stands for its last
        command. With `exact` only ids are taken.
"""

from __future__ import annotations

from typing import Final

from truetty.server.verbs import commands, history, output, questions, server, terminals, web
from truetty.server.verbs.row import Verb as Verb

VERBS: Final[tuple[Verb, ...]] = (
    *server.ROWS,
    *terminals.ROWS,
    *commands.ROWS,
    *output.ROWS,
    *history.ROWS,
    *questions.ROWS,
    *web.ROWS,
)
BY_NAME: Final = {verb.name: verb for verb in VERBS}
