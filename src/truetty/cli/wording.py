"""Errors of the library and of the server, in the words of the command line.

Rule 1: what a caller of the library would do about an error is a call; here it is a command or an option of ours.
Rule 2: the facts of an error decide which words are used. An error of which nothing is known here keeps its own.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from truetty.cli.table.row import CommandRow
from truetty.client.dial import NO_TOKEN
from truetty.client.http import WRONG_TOKEN
from truetty.core.errors import BadKey, Busy, Denied, Held, HostError, Misuse, TruettyError, UnknownTerminal

_MOST_COMMAND: Final = 60  # characters of a command in a message
_ENDS: Final = (".", "!", "?", '"')  # of a sentence; the last is behind what a person has answered
_TOKEN_FILE: Final = "It is in the file that truetty serve --web --token names on that machine."
# What a command of ours would have done. Those that only look are not here.
_NOTHING: Final = {
    "run": " Nothing was run.",
    "map": " Nothing was run.",
    "open": " Nothing was opened.",
    "send": " Nothing was typed.",
    "answer": " Nothing was typed.",
    "stop": " Nothing was stopped.",
    "close": " Nothing was closed.",
    "attach": " Nothing was done.",
    "allow": " Nothing was answered.",
    "deny": " Nothing was answered.",
}


class Call(NamedTuple):
    """The command line that has failed."""

    row: CommandRow
    arguments: Mapping[str, Any]

    @property
    def on(self) -> str:
        """What stands in a command line that asks the same server."""
        from shlex import quote

        on = self.arguments.get("on")
        return f" --on {quote(on)}" if on else ""

    @property
    def nothing(self) -> str:
        """What a call that is refused has not done; nothing where it was to change nothing."""
        return _NOTHING.get(self.row.name, "")

    def word(self, field: str) -> str | None:
        """An option with its value, or the placeholder of a word, as the person has written it; None: neither."""
        value = self.arguments.get(field)
        for option in self.row.options:
            if option.field == field and value is not None:
                return option.name if isinstance(value, bool | list) else f"{option.name} {value!r}"
        return next((word.placeholder for word in self.row.words if word.field == field), None)


def message(error: TruettyError, call: Call | None) -> str:
    """`call` is None where no command was found."""
    if call is None:
        return str(error)
    facts = error.facts
    match error:
        case Busy() if "command_id" in facts:
            return _busy(facts, call)
        case Denied() if "Nothing " not in str(error):  # where it says so, it is no policy's
            said = str(error).rstrip()
            return f"{said}{'' if said.endswith(_ENDS) else '.'}{call.nothing}"
        case Held() if facts.get("holder"):
            return _held(facts, call)
        case UnknownTerminal() if facts.get("known") == []:
            return f"no terminal {facts['terminal_id']!r}: none is open. truetty open{call.on} opens one."
        case _ if error.code == "unknown" and call.row.name in ("allow", "deny"):
            ids = facts["known"]
            known = ", ".join(ids) if isinstance(ids, list) else ""
            return f"no question {facts['name']!r}{f'; open: {known}' if known else ': none is open'}.{call.nothing}"
        case BadKey() if call.arguments.get("key"):
            return f"--key {error}. Keys have names, such as Enter, C-c, Up or F5; TEXT is typed as it stands."
        case Misuse() if "problem" in facts and (word := call.word(str(facts["name"]))) is not None:
            problem = str(facts["problem"])
            return f"{word}: {problem}{'' if problem.endswith('?') else '.'}{call.nothing}"
        case Misuse() if facts.get("reason") == NO_TOKEN:
            return f"a server at {facts['where']} needs a token: set TRUETTY_TOKEN to it. {_TOKEN_FILE}"
        case HostError() if facts.get("reason") == WRONG_TOKEN:
            where = call.arguments.get("on") or os.environ.get("TRUETTY_ON")
            return f"the server at {where} does not take the token in TRUETTY_TOKEN. {_TOKEN_FILE}"
    return str(error)


def _busy(facts: Mapping[str, Any], call: Call) -> str:
    id, command = facts["command_id"], facts["command"]
    text = command if len(command) <= _MOST_COMMAND else f"{command[: _MOST_COMMAND - 1]}…"
    asks = facts.get("prompt") is not None
    what = f"is busy: {text!r} ({id}) asks {facts['prompt']!r}" if asks else f"is busy with {text!r} ({id})"
    verb, does = ("answer", "answers") if asks else ("wait", "waits for")
    ways = f"truetty {verb}{call.on} {id} {does} it, and truetty stop{call.on} {id} ends it"
    return f"terminal {facts['terminal_id']} {what}. {ways}.{call.nothing}"


def _held(facts: Mapping[str, Any], call: Call) -> str:
    import time

    from truetty.text.quoting import on_one_line

    id, reason = facts["terminal_id"], f" ({facts['reason']})" if facts["reason"] else ""
    who = on_one_line(f"{facts['holder']}{reason}")
    until = time.strftime("%H:%M:%S", time.localtime(facts["until"]))
    what = f"terminal {id} is held by {who} until {until}, or longer if they type"
    return f"{what}. truetty attach{call.on} {id} shows it meanwhile.{call.nothing}"
