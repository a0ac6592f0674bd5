"""The contract between a terminal and the place where its shell runs.

    Host ──start──▸ Channel ──on_data, on_look, on_end──▸ Sink
                       ├ files     what the shell reads before a line is typed
                       ├ tty       its modes, its foreground group, its unread input
                       ├ process   the shell itself: directory, program, CPU
                       └ family    what was started from it

Rule 1: `start` does all of it or nothing: when it fails, no process, descriptor or file is left behind.
Rule 2: files come before bytes. A file that was written is there when the shell reads a byte written after it. That is
        an order and not a wait: a far host may send both over one link.
Rule 3: everything is delivered in the order in which it happened: every byte, a look behind all bytes that were printed
        before it, then exactly one end, and nothing after the end. The sink is called by the event loop, never from
        inside `attach`, `look`, `write`, `resize` or `signal`: it is not called again before it has returned.
Rule 4: what is unknown is `None`; never an empty list, `False` or zero. `Tty`, `ShellProcess` and `Family` know nothing
        as they stand here: a host overrides what it knows.
Rule 5: the environment, the current directory and `/proc` are asked in `host/` and nowhere else.

Nothing here waits in the caller's way: `write` queues what the tty does not take, `drained` waits for it. Neither a
host nor a channel looks into the bytes or decides anything.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol

from truetty.core.observation import Observation
from truetty.shells.table import Found as Found

ShellName = str | Sequence[str] | None  # a name, a path, or a list of arguments; None: the user's own


@dataclass(frozen=True, slots=True)
class Order:
    """What one shell is started with."""

    found: Found
    key: str  # the secret of the marks that the shell's prompt prints
    cwd: str | None = None  # None: where the host is
    env: Mapping[str, str | None] = field(default_factory=dict)  # over what it inherits; a value of None unsets
    rc: bool = True  # the user's start-up files are read
    size: tuple[int, int] = (120, 30)  # columns and rows
    history: bool = False  # commands go to the file of the shell's history


@dataclass(frozen=True, slots=True)
class Ended:
    """How the shell process ended: a code or a signal; neither when the channel lost it unseen."""

    code: int | None = None
    signal: int | None = None


@dataclass(frozen=True, slots=True)
class Modes:
    """The tty's modes, as far as a decision depends on them."""

    canonical: bool
    echo: bool
    signals: bool  # ISIG: Ctrl-C becomes SIGINT
    interrupt: bytes  # the VINTR character; b"" when undefined
    special: bytes  # characters on which the tty itself acts
    sane: bool  # equal, in every mode a command can be harmed by, to the modes the terminal was started with


# What is assumed of a tty whose modes are unknown.
USUAL: Final = Modes(
    canonical=True, echo=True, signals=True, interrupt=b"\x03", special=b"\x03\x1a\x1c\x11\x13", sane=True
)


@dataclass(frozen=True, slots=True)
class Process:
    """A process that the shell has started, or the shell itself."""

    pid: int
    name: str
    parent: int
    group: int
    session: int
    state: str  # the letter of /proc/PID/stat
    cpu: float  # seconds of CPU so far, its ended children's included
    forked: bool = False  # it has executed no program of its own yet: a subshell, or a job that is about to


@dataclass(frozen=True, slots=True)
class Identity:
    """What the kernel says of a process. Only `name` can be chosen by the process."""

    pid: int
    name: str
    path: str | None  # of the program's file; None: we may not know
    user: str | None  # the user whose rights it has
    of_system: bool | None  # the file is root's, and only root may write to it; None: we may not know
    tracer: str | None = None  # the program that follows every call of it, as a debugger does


class Work(NamedTuple):
    """What a shell and the processes that it has started do at one moment."""

    asleep: bool  # none of them runs, is about to run, or waits for a disk
    cpu: float  # seconds of CPU that the living ones have used themselves


class Sink(Protocol):
    """Where a channel delivers."""

    def on_data(self, data: bytes) -> None: ...
    def on_look(self, seen: Observation, at: int) -> None:
        """`at`: how many bytes had been delivered when the look was made; a later byte may be younger than the look."""

    def on_end(self, ended: Ended) -> None: ...


class PrivateFiles(Protocol):
    """A directory of one shell, which only its user can read."""

    @property
    def path(self) -> str:
        """Where the shell finds it. Short: it is typed with every command."""

    def write(self, files: Mapping[str, bytes], *, lasting: bool = False) -> None:
        """From names to contents; a name may have one folder in it. `lasting`: kept for the shell's whole life.

        Raises OSError when there is no room.
        """

    def drop(self, name: str) -> None: ...
    def has(self, name: str) -> bool | None: ...


class Tty:
    """The shell's terminal. Each question is one short call."""

    def modes(self) -> Modes | None:
        return None

    def foreground(self) -> int | None:
        """The foreground process group."""
        return None

    def shell_in_front(self) -> bool | None:
        """Whether the shell's own group is the foreground group."""
        return None

    def unread(self) -> int | None:
        """Bytes of input that no program has read yet; in line mode, of whole lines only."""
        return None

    def adopt(self) -> None:
        """Take the present modes as the ones the terminal was started with: a user's rc file may have chosen them."""

    def mend(self) -> None:
        """Put the modes back to those the terminal was started with, and let stopped output flow."""

    def free_keys(self) -> None:
        """Give the keys for signals and for editing lines back their first meaning; all other modes stay."""

    def resume(self) -> None:
        """Let output flow that Ctrl-S has stopped."""


class ShellProcess:
    """The shell's own process, whatever program it runs by now."""

    def cwd(self) -> str | None:
        """None: it is not known, or the directory was removed."""
        return None

    def program(self) -> str | None:
        """The real path of what it runs now (it changes with `exec`)."""
        return None

    def argv(self) -> tuple[str, ...] | None:
        """The words that what it runs now was started with."""
        return None

    def is_there(self) -> bool:
        """Whether it is seen to run a program. False: it has ended or is about to, or it cannot be asked."""
        return False

    def image(self) -> object:
        """What it runs, as a value that changes with every `exec`."""
        return None

    def mentions(self, text: str) -> bool | None:
        """Whether it was started with this among its words or variables."""
        return None

    def consumed(self) -> int | None:
        """Bytes that it has ever read."""
        return None

    def reaped(self) -> int | None:
        """A number that changes whenever it has reaped a child."""
        return None

    def cpu(self) -> float | None:
        """Seconds of CPU that it and those of its children that have ended have used so far."""
        return None

    def unreachable(self) -> int | None:
        """How often something in its network could not be reached so far. None: it has no network of its own."""
        return None

    def is_protected(self, path: str) -> bool | None:
        """Whether it may not write there, and we may. None: it has no file systems of its own."""
        return None


class Family:
    """What was started from the shell."""

    def children(self) -> list[Process] | None:
        """Living descendants of the shell. None: they cannot be seen, so some may be there."""
        return None

    def last_pid(self) -> int | None:
        """The process id that was given out last: a mark for `orphans`."""
        return None

    def orphans(self, since: int | None) -> list[Process]:
        """Those started after this mark that have our tty or session and no longer descend from the shell, as far as
        they can be seen: what `setsid` or `(… &)` leaves. Not what these have started, and no daemon that has closed
        the tty and left the session."""
        return []

    def work(self, besides: Collection[int] = ()) -> Work | None:
        """What the shell and its descendants do. `besides`: those and what they have started are left out."""
        return None

    def everyone(self) -> list[Process] | None:
        """Every living process of this terminal, the shell included: descendants, session, holders of our tty."""
        return None

    def identity(self, pid: int) -> Identity | None:
        """The program and the user of a process of this terminal. None: it is gone, or that is unknown."""
        return None

    def wakes(self, pid: int) -> int | None:
        """How often the main thread of any process has run, counted as `Observation.wakes` is."""
        return None

    def strangers(self) -> list[Process]:
        """Those of other sessions that wait to read from this terminal now, as far as they can be seen."""
        return []

    def ports(self) -> frozenset[int] | None:
        """TCP ports on which one of them listens."""
        return None

    def port_is_open(self, number: int) -> bool | None:
        """Whether any process listens on this port, in the network that the host itself is in."""
        return None


class Parts(Protocol):
    @property
    def tty(self) -> Tty: ...
    @property
    def process(self) -> ShellProcess: ...
    @property
    def family(self) -> Family: ...


class Sight(Protocol):
    """Whether looks can show the shell's prompt."""

    @property
    def sees(self) -> bool:
        """Whether a look can ever show `ready` or a certain `waiting`. It never changes."""

    @property
    def knows_prompt(self) -> bool:
        """Whether the look of the primary prompt is known for the program that the shell process runs now."""

    def learn(self) -> bool:
        """The shell is at its primary prompt: remember how that looks. False if it is not blocked on the tty yet.

        A channel delivers first what the shell had printed, its last mark among it.
        """

    def learn_hook(self, place: object) -> None:
        """A look showed the shell wait at this place for programs of its prompt: remember that."""


class Channel(Parts, Sight, Protocol):
    """One started shell: all that a terminal touches of it. Used from one event loop only."""

    @property
    def pid(self) -> int | None:
        """The shell's process id, where it means something to `signal`."""

    @property
    def files(self) -> PrivateFiles: ...
    def attach(self, sink: Sink) -> None:
        """Begin to deliver. Called once, inside the event loop."""

    def look(self) -> None:
        """Ask for one look. It comes as `on_look`, unless the end comes first; several that wait become one."""

    def write(self, data: bytes) -> None: ...
    async def drained(self) -> None:
        """Return when everything written was taken by the tty, or the shell is gone."""

    def resize(self, columns: int, rows: int) -> None: ...
    def signal(self, target: int, number: int) -> bool:
        """To a process, or to a group if `target` is negative. False if it is gone."""

    async def close(self, *, keep_jobs: bool = False) -> None:
        """End every process of this terminal; no process, descriptor or file is left when it returns.

        With `keep_jobs` the shell alone is ended. A second call waits for the first.
        """


class Host(Protocol):
    """A place where shells run: this machine, a test, a far machine, a sandbox."""

    @property
    def name(self) -> str: ...
    async def find(self, shell: ShellName, env: Mapping[str, str | None]) -> Found:
        """The program that a name means here, with its arguments and its row of the table of shells.

        Raises `SpawnFailed` where there is none.
        """

    async def start(self, order: Order) -> Channel:
        """Raises `SpawnFailed` or `LimitReached`."""

    async def close(self) -> None:
        """Let go of what the host itself holds. Its channels are closed before it."""
