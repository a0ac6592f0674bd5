"""From a call's name and fields to its answer: checks, retry keys, and the act that carries it out.

Rule 1: everything is checked before anything is done.
Rule 2: HTTP and /v1/connect come here, so that a verb is the same on both.
Rule 3: a server that is ending takes no more calls.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from truetty.core import kinds
from truetty.server import fields
from truetty.server.caller import Caller
from truetty.server.keys import Keys
from truetty.server.refusals import Stopping, Unknown
from truetty.server.verbs import BY_NAME, Verb

Act = Callable[..., Coroutine[Any, Any, Any]]


class Dispatch:
    def __init__(self, acts: Mapping[str, Act]) -> None:
        self.acts = acts
        self.keys = Keys()
        self.is_stopping = False

    async def call(self, verb: Verb, given: Mapping[str, Any], caller: Caller, key: object = None) -> Any:
        """The answer, as a value of the verb's type."""
        arguments = fields.read(verb.fields, given)
        if self.is_stopping and verb.name not in ("hello", "status"):
            raise Stopping("the server is ending: it takes nothing more")
        act = self.acts[verb.name]
        if key is None or not verb.keyed:
            return await act(caller, **arguments)
        request = {field.name: given.get(field.name) for field in verb.fields}
        return await self.keys.once(fields.key(key), verb.name, request, lambda: act(caller, **arguments))


def find(name: object) -> Verb:
    if not isinstance(name, str) or name not in BY_NAME:
        raise Unknown(f"no verb {kinds.quoted(name)}", name=str(name)[:100], known=list(BY_NAME))
    return BY_NAME[name]
