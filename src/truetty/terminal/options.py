"""What a terminal is made with: the arguments of `Terminal`, and their defaults, in one place.

Rule 1: `Options` is complete and checked; a wrong value is refused when it is made, before anything is started.
Rule 2: two terminals with equal options are made alike.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Self, TypedDict, Unpack

from truetty.core.checks import check_seconds, check_size, check_variables
from truetty.core.errors import Misuse
from truetty.host.base import Channel, Host
from truetty.host.base import ShellName as ShellName
from truetty.host.wall import Sandbox
from truetty.questions.replies import OnWaiting, Reply
from truetty.store.spill import DEFAULT_QUOTA, TOTAL, Allowance
from truetty.store.transcript import DEFAULT_MEMORY
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
    budget: int | Budget
    memory: int
    quota: int | None
    total: Allowance
    coalesce: float
    replies: Sequence[Reply]
    on_waiting: OnWaiting | None
    host: Host | None
    sandbox: str | Sandbox | None
    channel: Channel | None


class Arguments(Making, total=False):
    """What `Terminal` takes beside the shell."""

    cwd: str | os.PathLike[str] | None
    task: str | None


@dataclass(frozen=True, slots=True)
class Options:
    shell: ShellName = None  # a name, a path, or a list of arguments; None: the user's own
    cwd: str | None = None  # None: where this program is
    env: Mapping[str, str | None] = field(default_factory=dict)  # over what the shell inherits; a value of None unsets
    rc: bool = True  # the user's start-up files are read
    history: bool = False  # commands go to the file of the shell's history
    size: tuple[int, int] = (120, 30)  # columns and rows
    name: str | None = None
    task: str | None = None
    startup: float = STARTUP  # how many seconds to wait for the first prompt; then it is used anyway
    budget: Budget = field(default_factory=Budget)  # of the text in an outcome
    memory: int = DEFAULT_MEMORY  # bytes of the transcript in memory; more goes to disk
    quota: int | None = DEFAULT_QUOTA  # bytes of it on disk
    total: Allowance = TOTAL  # shared with other terminals
    coalesce: float = COALESCE  # seconds between two pieces of output in `Command.events()`
    replies: tuple[Reply, ...] = ()  # rules that answer programs
    on_waiting: OnWaiting | None = None  # asked when no rule answers
    host: Host | None = None  # where the shell is started; None: on this machine
    sandbox: Sandbox | None = None  # what it may reach there; None: everything that we may
    channel: Channel | None = None  # a shell that runs already, in place of a host

    @classmethod
    def of(cls, shell: ShellName = None, **arguments: Unpack[Arguments]) -> Self:
        """From the arguments of `Terminal`."""
        given = dict(arguments)
        cwd, budget = arguments.get("cwd"), arguments.get("budget")
        given["env"] = dict(arguments.get("env") or {})
        given["cwd"] = None if cwd is None else os.fspath(cwd)
        given["sandbox"] = Sandbox.of(arguments.get("sandbox"))
        given["replies"] = tuple(arguments.get("replies", ()))
        if budget is not None:
            given["budget"] = Budget.of(budget)
        return cls(shell, **given)  # type: ignore[arg-type]  # the names are those of the fields

    def arguments(self) -> Arguments:
        """As `Terminal` takes them, beside the shell."""
        named = {name: getattr(self, name) for name in Arguments.__annotations__}
        return named  # type: ignore[return-value]  # the names are those of the fields

    def __post_init__(self) -> None:
        if not isinstance(self.size, tuple | list) or len(self.size) != 2:
            raise Misuse(f"a size is two whole numbers, columns and rows, not {self.size!r}", size=self.size)
        check_size(*self.size)
        check_seconds("startup", self.startup)
        check_seconds("coalesce", self.coalesce)
        check_variables(self.env)
        if self.host is not None and self.channel is not None:
            raise Misuse("a host starts its own channel: give one of the two", host=self.host.name)
        if self.sandbox is not None and (self.host is not None or self.channel is not None):
            raise Misuse("a sandbox is a host of its own: give one of the two", sandbox=self.sandbox.profile)
