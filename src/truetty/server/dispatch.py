"""From a call's name and fields to its answer: checks, retry keys, and the act that carries it out.

Rule 1: everything is checked before anything is done, the rights of the caller too.
Rule 2: HTTP and /v1/connect come here, so that a verb is the same on both.
Rule 3: a server that is ending takes no more calls. One that leaves its terminals to the next server answers none: the
        connection ends with it, and the client asks the next one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final

from truetty.core import kinds
from truetty.core.errors import ChannelLost
from truetty.server import fields
from truetty.server.caller import Caller
from truetty.server.refusals import Stopping, Unknown
from truetty.server.state.keys import Keys, Note, PastKey
from truetty.server.verbs import BY_NAME, Verb

# How long a caller waits is no part of what it asks for.
UNCOMPARED: Final = frozenset({"patience"})
# What typed something. If the server that was asked has been killed, it is not known whether it did.
TYPING: Final = frozenset({"send", "type", "type_in", "answer"})

START: Final = BY_NAME["start"]

Act = Callable[..., Coroutine[Any, Any, Any]]


class Dispatch:
    """`note`: what writes down a retry key before anything is done with it. `withdraw`: what takes back the question
    of the request with this key."""

    def __init__(
        self, acts: Mapping[str, Act], note: Note = lambda _: None, withdraw: Callable[[str], None] = lambda _: None
    ) -> None:
        self.acts = acts
        self.keys = Keys(note=note)
        self._withdraw = withdraw
        self.is_stopping = False
        self.is_leaving = False

    async def call(self, verb: Verb, given: Mapping[str, Any], caller: Caller, key: object = None) -> Any:
        """The answer, as a value of the verb's type."""
        arguments = fields.read(verb.fields, given)
        caller.credential.check(verb.name, verb.needs, arguments)
        if self.is_stopping and verb.name not in ("hello", "status"):
            raise Stopping("the server is ending: it takes nothing more")
        if self.is_leaving:
            await asyncio.Event().wait()
        if key is None or not verb.keyed:
            return await self.acts[verb.name](caller, **arguments)
        if verb.name == "run":
            return await self._run(given, caller, key, arguments)
        return await self._once(verb, given, caller, key, arguments)

    async def _once(
        self, verb: Verb, given: Mapping[str, Any], caller: Caller, key: object, arguments: Mapping[str, Any]
    ) -> Any:
        act = self.acts[verb.name]
        request = {field.name: given.get(field.name) for field in verb.fields if field.name not in UNCOMPARED}
        past = self.keys.past(fields.key(key), verb.name, request)
        if past is not None and past.made is not None:
            return await self._again(past, caller, arguments)
        if past is not None and verb.name in TYPING:
            reason = "the server was ended before it had answered"
            raise ChannelLost(f"{reason}: whether anything was typed is not known", reason=reason)
        return await self.keys.once(fields.key(key), verb.name, request, lambda: act(caller, **arguments))

    async def _run(self, given: Mapping[str, Any], caller: Caller, key: object, arguments: Mapping[str, Any]) -> Any:
        """A retry key is the start's. So a client that was cut may ask for the rest of the wait, or start and wait."""
        now, wait = asyncio.get_running_loop().time, arguments["wait"]
        begun = now()
        starting = {name: value for name, value in arguments.items() if name not in ("wait", "until")}
        started = await self._once(START, given, caller, key, {**starting, "patience": wait})
        left = None if wait is None else max(wait - (now() - begun), 0)
        patience = {"timeout": left, "until": arguments["until"]}
        nothing_known = {"after_episode": 0, "after_byte": 0, "is_new": True}
        return await self.acts["wait"](caller, command_id=started.id, exact=True, **patience, **nothing_known)

    def leave(self, key: str | None) -> None:
        """A client has gone before it was answered. What it has asked a person is taken back."""
        if key is not None and not self.keys.is_awaited(key):
            self._withdraw(key)

    async def _again(self, past: PastKey, caller: Caller, arguments: Mapping[str, Any]) -> Any:
        """What was made by a server before this one, as its verb answers."""
        match past.verb:
            case "start":
                return await self.acts["command"](caller, command_id=past.made, exact=True)
            case _:
                return await self.acts["show"](caller, terminal_id=past.made, exact=True)


def find(name: object) -> Verb:
    if not isinstance(name, str) or name not in BY_NAME:
        raise Unknown(f"no verb {kinds.quoted(name)}", name=str(name)[:100], known=list(BY_NAME))
    return BY_NAME[name]
