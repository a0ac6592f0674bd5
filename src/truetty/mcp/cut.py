"""A call that was sent to a server and not answered, and comes again on the next connection.

Rule 1: what only looks or waits is done again. `run` has a key, by which the server knows what it has started.
Rule 2: whether anything else was done cannot be known. It is not done again: the result is an error that says so, and
        how the command stands now.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Final

from truetty.core.errors import ChannelLost, TruettyError
from truetty.functions import words
from truetty.functions.arguments import read_arguments
from truetty.functions.result import Report, Result, result
from truetty.functions.table import BY_NAME
from truetty.service.answer import Answer
from truetty.service.service import Service
from truetty.terminal.command import Command

REASON: Final = "the connection to the server was cut before this call was answered"
_UNKNOWN: Final = {
    "send": "whether anything was typed is not known, and nothing is typed twice",
    "stop": "whether it was stopped is not known",
    "handoff": "whether the user has typed is not known",
}
_NEXT: Final = {
    "send": "screen(id={id}) shows what it has got",
    "stop": "stop(id={id}) again, unless it has finished",
    "handoff": "handoff(id={id}) again, if it still asks",
}
KEY_BYTES: Final = 16


def may_be_repeated(name: str) -> bool:
    return BY_NAME[name].read_only or name == "run"


def with_key(call: Mapping[str, object], key: object) -> Mapping[str, object]:
    """A call of `run` with this key, or with a new one, unless it has its own."""
    if any(name.strip("_-").lower() == "key" for name in call):
        return call
    return {**call, "key": key if isinstance(key, str) and key else secrets.token_urlsafe(KEY_BYTES)}


def lost_call(service: Service, name: str, call: Mapping[str, object], prefix: str) -> Result:
    """What is said in place of doing it again."""
    command = _command(service, name, call)
    if command is None:
        error = ChannelLost(f"{REASON}: {_UNKNOWN[name]}", reason="cut")
        return result(Report(error=error, next="terminals() lists what runs", prefix=prefix))
    stands = words.state(Answer(command.standing()))
    facts = {"command_id": command.id, "terminal_id": command.terminal_id, "state": command.state}
    error = ChannelLost(f"{REASON}: {_UNKNOWN[name]}. Now: {stands}", reason="cut", **facts)
    following = _NEXT[name].format(id=f'"{command.id}"')
    return result(Report(error=error, next=following, prefix=prefix))


def _command(service: Service, name: str, call: Mapping[str, object]) -> Command | None:
    try:
        id = read_arguments(BY_NAME[name], call).text("id")
        return None if id is None else service.command(id)
    except TruettyError:
        return None
