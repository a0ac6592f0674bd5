"""What a terminal is made with: the arguments of `Terminal`, and their defaults, in one place.

Rule 1: `Options` is complete and checked; a wrong value is refused when it is made, before anything is started.
Rule 2: two terminals with equal options are made alike.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Self, TypedDict, Unpack

from truetty.core import kinds
from truetty.core.checks import check_count, check_finite, check_flag, check_size, check_variables
from truetty.core.errors import Misuse
from truetty.host.base import Channel, Host
from truetty.host.base import ShellName as ShellName
from truetty.host.wall import Sandbox
from truetty.questions.replies import OnWaiting, Reply
from truetty.store.spill import DEFAULT_QUOTA, TOTAL, Allowance
from truetty.store.transcript import DEFAULT_MEMORY
from truetty.terminal.keeping import Keeping
from truetty.text.digest import Budget

# A person's rc files may be slow; one that takes longer than this is reported, not waited for.
STARTUP: Final = 10.0
COALESCE: Final = 0.1


class Making(TypedDict, total=False):
    """What `Terminal` takes beside the shell, the directory and the task."""

    env: Mapping[str, str | None] | None
    rc: bool
    history: bool
    size: tuple[int, int]
    name: str | None
    startup: float
    budget: int | Budget | None
    memory: int
    quota: int | None
    total: Allowance
    coalesce: float
    replies: Sequence[Reply]
    on_waiting: OnWaiting | None
    host: Host | None
    sandbox: str | Sandbox | None
    channel: Channel | None
    keeping: Keeping | None


class Arguments(Making, total=False):
    """What `Terminal` takes beside the shell."""

    cwd: str | os.PathLike[str] | None
    task: str | None


@dataclass(frozen=True, slots=True)
class Options:
    """The arguments of `Terminal`, and what each is if it is not given."""

    shell: ShellName = None  # a name, a path, or a list of arguments; None: the user's own
    cwd: str | None = None  # None: where this program is
    env: Mapping[str, str | None] = field(default_factory=dict)  # over what the shell inherits; a value of None unsets
    rc: bool = True  # whether the user's start-up files are read
    history: bool = False  # whether commands go to the file of the shell's history
    size: tuple[int, int] = (120, 30)  # columns and rows
    name: str | None = None  # what the caller calls it
    task: str | None = None  # of a registry: the task that holds it
    startup: float = STARTUP  # how many seconds to wait for the first prompt; then it is used anyway
    budget: Budget = field(default_factory=Budget)  # of the text in an outcome
    memory: int = DEFAULT_MEMORY  # bytes of the transcript in memory; more goes to disk
    quota: int | None = DEFAULT_QUOTA  # bytes of the transcript on disk; None: no limit
    total: Allowance = TOTAL  # bytes on disk of all terminals that share it
    coalesce: float = COALESCE  # seconds between two pieces of output in `Command.events()`
    replies: tuple[Reply, ...] = ()  # rules that answer programs
    on_waiting: OnWaiting | None = None  # asked when no rule answers
    host: Host | None = None  # where the shell is started; None: on this machine
    sandbox: Sandbox | None = None  # what it may write and reach; None: everything that we may
    channel: Channel | None = None  # a shell that runs already, in place of a host
    keeping: Keeping | None = None  # by which it outlives this process; it has the host

    @classmethod
    def of(cls, shell: ShellName = None, **arguments: Unpack[Arguments]) -> Self:
        """From the arguments of `Terminal`."""
        given = dict(arguments)
        cwd, env = arguments.get("cwd"), arguments.get("env")
        if unknown := [name for name in given if name not in Arguments.__annotations__]:
            known = kinds.alternatives(unknown[0], ("shell", *Arguments.__annotations__))
            raise Misuse(f"no argument is called {unknown[0]!r}: {known}", argument=unknown[0])
        if env is not None and not isinstance(env, Mapping):
            raise Misuse(f'env must be a mapping such as {{"CI": "1"}}, not {kinds.described(env)}', env=env)
        if cwd is not None and not isinstance(cwd, str | os.PathLike):
            raise Misuse(f"cwd must be a path, not {kinds.described(cwd)}", cwd=cwd)
        given["env"] = dict(env or {})
        given["cwd"] = None if cwd is None else os.fspath(cwd)
        given["sandbox"] = Sandbox.of(arguments.get("sandbox"))
        given["replies"] = _replies(arguments.get("replies", ()))
        if "budget" in arguments:
            given["budget"] = Budget.of(arguments["budget"])
        return cls(shell, **given)  # type: ignore[arg-type]  # the names are those of the fields

    def arguments(self) -> Arguments:
        """As `Terminal` takes them, beside the shell."""
        named = {name: getattr(self, name) for name in Arguments.__annotations__}
        return named  # type: ignore[return-value]  # the names are those of the fields

    def __post_init__(self) -> None:
        _check_shell(self.shell)
        if not isinstance(self.size, tuple | list) or len(self.size) != 2:
            message = "size must be (columns, rows), such as (80, 24)"
            raise Misuse(f"{message}; got {kinds.described(self.size)}", size=self.size)
        check_size(*self.size)
        check_flag("rc", self.rc)
        check_flag("history", self.history)
        check_finite("startup", self.startup)
        check_finite("coalesce", self.coalesce)
        check_count("memory", self.memory, 0)
        check_count("quota", self.quota, 0)
        if self.on_waiting is not None and not callable(self.on_waiting):
            message = "on_waiting must be a function of a Waiting"
            raise Misuse(f"{message}, not {kinds.described(self.on_waiting)}", on_waiting=self.on_waiting)
        check_variables(self.env)
        if self.host is not None and self.channel is not None:
            raise Misuse("a host starts its own channel: give one of the two", host=self.host.name)
        if self.sandbox is not None and (self.host is not None or self.channel is not None):
            raise Misuse("a sandbox is a host of its own: give one of the two", sandbox=self.sandbox.profile)


def _check_shell(shell: object) -> None:
    words = [shell] if isinstance(shell, str) else shell
    if shell is not None and not (isinstance(words, list | tuple) and all(isinstance(word, str) for word in words)):
        message = "shell must be a name, a path or a list of arguments"
        raise Misuse(f"{message}, not {kinds.described(shell)}", shell=shell)


def _replies(given: object) -> tuple[Reply, ...]:
    if isinstance(given, Mapping) or not isinstance(given, Iterable):
        message = 'replies must be a list of replies, such as [Reply("Continue?", "y")]'
        raise Misuse(f"{message}, not {kinds.described(given)}", replies=given)
    replies = tuple(given)
    for index, reply in enumerate(replies):
        if not isinstance(reply, Reply):
            message = f'replies[{index}] must be a Reply, such as Reply("Continue?", "y")'
            raise Misuse(f"{message}; got {kinds.described(reply)}", replies=given)
    return replies
