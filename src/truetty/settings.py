"""A user's settings: `truetty.toml`, then variables named TRUETTY_…, then arguments. A later value replaces an earlier.

Rule 1: the file is in the user's own config folder. Nothing is ever read from the working directory.
Rule 2: a file that others could have written is refused as a whole.
Rule 3: a wrong value is an error that says where it is, what is wrong and what is allowed.
Rule 4: `origins` says where each value came from.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, Self, TypeVar, get_args

from truetty import files
from truetty.core import kinds
from truetty.core.errors import Misuse
from truetty.core.kinds import Kind, Wrong
from truetty.host.environment import FRIENDLY, KEEPER_MARKS
from truetty.host.wall import NAMES, Sandbox
from truetty.questions.replies import REPLIES, Reply

T = TypeVar("T")
Verdict = Literal["allow", "ask", "deny"]

PREFIX: Final = "TRUETTY_"
FILE: Final = "truetty.toml"
# Settings are written by hand: a larger file is something else.
LARGEST_FILE: Final = 1 << 20
_ADVICE: Final = "; chmod go-w makes it yours alone"
# What a shell needs to be of use, when it is to inherit nothing else.
BASIC: Final = frozenset(
    {
        *("HOME", "USER", "LOGNAME", "SHELL", "PATH", "TMPDIR", "TZ", "LANG", "LANGUAGE"),
        *("XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"),
    }
)


@dataclass(frozen=True, slots=True)
class PolicySettings:
    """Rules as texts; `truetty.policy` reads them."""

    allow: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    typing: Verdict = "ask"  # into a program that runs
    default: Verdict = "ask"  # where no rule says anything


def _place(value: object) -> str:
    """Absolute: its meaning must not depend on the current directory."""
    path = os.path.expanduser(kinds.text(os.fspath(value) if isinstance(value, os.PathLike) else value))
    if not os.path.isabs(path):
        raise Wrong("it is no absolute path")
    return path


def _program(value: object) -> str | Sequence[str]:
    if isinstance(value, list | tuple):
        first, *rest = value or [None]
        return (_program_name(first), *map(kinds.text, rest))
    return _program_name(value)


def _program_name(value: object) -> str:
    name = kinds.text(value)
    return _place(name) if os.sep in name else name


def _variables(value: object) -> Mapping[str, str | None]:
    return {name: _variable(name, item) for name, item in kinds.table(value).items()}


def _variable(name: str, value: object) -> str | None:
    if not name or "=" in name or "\0" in name:
        raise Wrong(f"{name!r} is no name of a variable")
    if value is False or value is None:
        return None
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value if isinstance(value, float) else kinds.whole_number(value, -kinds.MOST))
        return kinds.text(value, empty=True)
    except Wrong as wrong:
        raise Wrong(f"{name}: {wrong}") from None


def _policy(value: object) -> PolicySettings:
    if isinstance(value, PolicySettings):
        return value
    table = kinds.table(value, ("allow", "ask", "deny", "typing", "default"))
    return PolicySettings(
        allow=kinds.texts(table.get("allow", [])),
        ask=kinds.texts(table.get("ask", [])),
        deny=kinds.texts(table.get("deny", [])),
        typing=_verdict("typing", table.get("typing", "ask")),
        default=_verdict("default", table.get("default", "ask")),
    )


def _verdict(name: str, value: object) -> Verdict:
    verdicts: tuple[Verdict, ...] = get_args(Verdict)
    for verdict in verdicts:
        if value == verdict:
            return verdict
    raise Wrong(f"{name} is {kinds.quoted(value)}")


def _sandbox(value: object) -> str:
    name = kinds.text(value)
    try:
        Sandbox.of(name)
    except Misuse:
        raise Wrong(f"no sandbox is called {kinds.quoted(name)}") from None
    return name


_PLACE: Final = Kind(_place, "an absolute path, or one that begins with ~", plain=True)
_PROGRAM: Final = Kind(_program, "a name, an absolute path, or a list of such a one and its arguments")
_SANDBOX: Final = Kind(_sandbox, NAMES, plain=True)
_VARIABLES: Final = Kind(_variables, 'a table of names and texts, such as { CI = "1" }; false unsets')
_POLICY: Final = Kind(
    _policy, "lists of rules named allow, ask and deny; typing and default are one of these three words"
)


def _setting(default: T, kind: Kind[T], help: str) -> T:
    made: T = field(default_factory=lambda: default, metadata={"default": default, "kind": kind, "help": help})
    return made


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of the file, the environment and the call. The page about settings has a table of all."""

    shell: str | Sequence[str] | None = _setting(
        None, kinds.optional(_PROGRAM, nothing="your own shell"), "the shell of new terminals"
    )
    rc: bool = _setting(True, kinds.FLAG, "whether the shell reads your start-up files")
    history: bool = _setting(False, kinds.FLAG, "whether commands go to the file of your shell's history")
    sandbox: str = _setting("none", _SANDBOX, "what new terminals may write and reach")
    startup: float = _setting(
        10.0, kinds.SECONDS, "how many seconds to wait for the first prompt; after that the terminal is used anyway"
    )
    size: tuple[int, int] = _setting((120, 30), kinds.SIZE, "columns and rows of new terminals")
    workspace: str | None = _setting(
        None,
        kinds.optional(_PLACE, nothing="the directory truetty was started in"),
        "the directory in which terminals start if none is named",
    )
    inherit_env: bool = _setting(
        True,
        kinds.FLAG,
        "whether shells inherit truetty's own environment; if not, they get basics such as HOME and PATH only",
    )
    env: Mapping[str, str | None] = _setting(
        MappingProxyType({}),
        _VARIABLES,
        "variables for shells, in place of inherited ones of the same name; false unsets",
    )
    budget: int = _setting(
        30_000,
        kinds.count("characters", 0),
        "how many characters of the output an outcome shows; the output itself is kept",
    )
    head_share: float = _setting(
        0.2, kinds.SHARE, "how much of the budget is for the beginning of the output; the end has the rest"
    )
    memory: int = _setting(1 << 20, kinds.BYTES, "bytes of a terminal's transcript in memory; more goes to disk")
    quota: int | None = _setting(
        1 << 30, kinds.optional(kinds.BYTES, nothing="no bound"), "bytes of a terminal's transcript on disk"
    )
    total_quota: int | None = _setting(
        8 << 30,
        kinds.optional(kinds.BYTES, nothing="no bound"),
        "bytes of all transcripts on disk together",
    )
    coalesce: float = _setting(
        0.1, kinds.SECONDS, "the shortest time between two output events of a command, in seconds"
    )
    terminals: int | None = _setting(
        100, kinds.optional(kinds.count("terminals", 1), nothing="no limit"), "how many terminals may be open"
    )
    per_task: int | None = _setting(
        None, kinds.optional(kinds.count("terminals", 1), nothing="no limit"), "how many of them one task may hold"
    )
    idle: float | None = _setting(
        None,
        kinds.optional(kinds.POSITIVE_SECONDS, nothing="never"),
        "seconds after which an unused terminal is closed, unless something runs in it; one that a task holds too",
    )
    warm: int = _setting(
        0,
        kinds.count("shells", 0),
        "how many shells are kept ready, so that the first command of a terminal starts at once",
    )
    policy: PolicySettings | None = _setting(  # noqa: RUF009 - it makes a field
        None,
        kinds.optional(_POLICY, nothing="none: everything runs"),
        "which commands run, which are asked about, which are denied",
    )
    reply: tuple[Reply, ...] = _setting((), REPLIES, "what to answer to programs that ask; never to secrets")
    audit: str | None = _setting(
        None, kinds.optional(_PLACE), "a file to which every command, typing and decision is appended"
    )
    origins: Mapping[str, str] = field(  # where the value of each name came from
        default_factory=lambda: MappingProxyType({}), compare=False
    )

    @classmethod
    def load(
        cls, environ: Mapping[str, str] | None = None, path: str | os.PathLike[str] | None = None, **arguments: object
    ) -> Self:
        """An argument that is None was not given; "off" says that there is none.

        Without `path` the file may be missing; with it, it may not.
        """
        environ = os.environ if environ is None else environ
        found: dict[str, Any] = {}  # each of its own field's type: the kind has checked it
        origins = dict.fromkeys(FIELDS, "default")

        def take(name: str, value: object, origin: str) -> None:
            found[name] = read_value(name, value, origin)
            origins[name] = origin

        file = os.path.abspath(path) if path is not None else locate(environ)
        if file is not None:
            for name, value in read_file(file).items():
                take(name, value, file)
        for name, one in FIELDS.items():
            variable = PREFIX + name.upper()
            if variable in environ:
                take(name, value_of(environ[variable], one.kind), variable)
        for name, value in arguments.items():
            if value is not None:
                take(name, value, "argument")
        return cls(**found, origins=MappingProxyType(origins))

    def variables(self, environ: Mapping[str, str]) -> dict[str, str | None]:
        """For `Terminal(env=…)`: what to set, and as None what to leave out."""
        dropped = () if self.inherit_env else (name for name in environ if not _is_basic(name))
        return {**dict.fromkeys(dropped), **self.env}


class Field(NamedTuple):
    """One row of the table of settings."""

    name: str
    default: object
    help: str
    kind: Kind[object]


FIELDS: Final[Mapping[str, Field]] = {
    one.name: Field(one.name, one.metadata["default"], one.metadata["help"], one.metadata["kind"])
    for one in dataclasses.fields(Settings)
    if "kind" in one.metadata
}


def locate(environ: Mapping[str, str]) -> str | None:
    """The user's file, if there is one."""
    return next((path for path in places(environ) if os.path.lexists(path)), None)


def places(environ: Mapping[str, str]) -> list[str]:
    """Where the file may be, the first one that is there."""
    folder = files.user_folder("XDG_CONFIG_HOME", environ)
    candidates = (os.path.join(folder, "truetty", FILE), os.path.join(folder, FILE))
    return [path for path in candidates if os.path.isabs(path)]


def strangers(environ: Mapping[str, str]) -> list[str]:
    """Variables that look like settings and are none."""
    known = {KEEPER_MARKS, files.STATE_FOLDER, *(PREFIX + name.upper() for name in FIELDS)}
    return sorted(name for name in environ if name.startswith(PREFIX) and name not in known)


def _is_basic(name: str) -> bool:
    return name in BASIC or name in FRIENDLY or name.startswith("LC_")  # the friendly ones are set anew, or left out


def read_value(name: str, value: object, origin: str) -> object:
    """What the setting is then; raises Misuse."""
    if name not in FIELDS:
        raise Misuse(f"{origin}: {kinds.unknown(name, FIELDS)}", origin=origin, key=name, known=list(FIELDS))
    kind = FIELDS[name].kind
    try:
        return kind.read(value)
    except Wrong as wrong:
        raise Misuse(
            f"{origin}: {name} = {kinds.quoted(value)}: {wrong}; allowed: {kind.allowed}",
            origin=origin, key=name, value=value, reason=str(wrong), allowed=kind.allowed,
        ) from None  # fmt: skip


def value_of(text: str, kind: Kind[object]) -> object:
    """Of a text in a variable or on the command line: a TOML value if it is one, else itself."""
    import tomllib

    if kind.plain:
        return text
    try:
        read = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):  # no TOML, or numbers and lists without end
        return text
    return read["value"] if len(read) == 1 else text


def check_place(path: str) -> None:
    """Refuse a place for the file where others could replace it."""
    try:
        files.check_folders(os.path.dirname(path), _ADVICE)
    except OSError as error:
        reason = error.strerror or str(error)
        raise Misuse(f"{path}: {reason}", origin=path, reason=reason) from None


def read_file(path: str) -> Mapping[str, object]:
    """The values of a settings file, unchecked; raises Misuse where it is no TOML or could be another user's."""
    import tomllib

    try:
        data = files.read_trusted(path, LARGEST_FILE, _ADVICE)
        return tomllib.loads(data.decode())
    except OSError as error:
        reason = error.strerror or str(error)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Misuse(f"{path}: not TOML: {error}", origin=path, reason=str(error)) from None
    except (ValueError, RecursionError):
        reason = "a number is too long, or lists are too deep in each other"
    raise Misuse(f"{path}: {reason}", origin=path, reason=reason)
