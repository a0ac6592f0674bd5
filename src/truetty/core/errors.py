"""Refusals and failures, as types.

Rule 1: how a command ended is a value (`Outcome`), never an exception.
Rule 2: an error says whose fault it is by its family: `Misuse` is the caller's, `Denied` a
        policy's, `HostError` the machine's.
Rule 3: every error has a `code` that programs may compare and its facts as attributes.
"""

from __future__ import annotations


class TruettyError(Exception):
    """The root of everything truetty raises on purpose. In a traceback it stands under its public name."""

    code = "error"  # what programs may compare

    def __init__(self, message: str, **facts: object) -> None:
        super().__init__(message)
        self.facts = facts  # by name; each is an attribute too

    def __init_subclass__(cls) -> None:
        if cls.__module__ in (__name__, "truetty.core.outcome"):
            cls.__module__ = "truetty"

    def __reduce__(self) -> tuple[object, ...]:
        return _again, (type(self), str(self), self.facts)

    def __getattr__(self, name: str) -> object:
        facts: dict[str, object] = self.__dict__.get("facts", {})
        if name in facts:
            return facts[name]
        raise AttributeError(name)


TruettyError.__module__ = "truetty"


def _again(kind: type[TruettyError], message: str, facts: dict[str, object]) -> TruettyError:
    """A copy of an error, with its facts."""
    return kind(message, **facts)


class Misuse(TruettyError):
    """The call cannot be carried out as it is written; nothing was changed."""

    code = "misuse"


class Busy(Misuse):
    """A command runs in this terminal already. Facts: terminal_id, command_id, command, state, prompt."""

    code = "busy"


class Closed(Misuse):
    """The terminal's shell is gone. Facts: terminal_id, exit_code."""

    code = "closed"


class Held(Misuse):
    """A person has this terminal, or the lease that was named is over. Facts: terminal_id, holder, reason, until."""

    code = "held"


class UnknownTerminal(Misuse):
    """No terminal has this id. Facts: terminal_id, known."""

    code = "unknown_terminal"


class BadKey(Misuse):
    """No key has this name. Facts: key, known."""

    code = "bad_key"


class BadCommand(Misuse):
    """This text cannot be a command. Facts: command, reason."""

    code = "bad_command"


class Denied(TruettyError):
    """A policy said no. Facts: command, rule, reason."""

    code = "denied"


class HostError(TruettyError):
    """The machine could not do it."""

    code = "host_error"


class SpawnFailed(HostError):
    """The shell could not be started. Facts: shell, cwd, reason."""

    code = "spawn_failed"


class ChannelLost(HostError):
    """The terminal's holder or machine vanished. Facts: terminal_id, reason."""

    code = "channel_lost"


class LimitReached(HostError):
    """A limit of the machine or of the settings is reached. Facts: limit, value."""

    code = "limit_reached"
