"""The programs that can use truetty as an MCP server: where each keeps its configuration, and what stands there for us.

Rule 1: a table. Nothing here looks at a file, and where things are depends on the arguments alone.
Rule 2: a client's own variable for its folder (`CODEX_HOME`, …) counts, as it does for the client.
Rule 3: each value that is written beside the command has a reason, which `setup` prints. A value that a person wrote
        there stays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final, Literal

from truetty.core import kinds, lazy
from truetty.core.errors import Misuse
from truetty.files import user_folder

# What our entry is called in every file.
NAME: Final = "truetty"

# `jsonc` is JSON in which the client allows comments; the others would not read their own file with one in it.
Format = Literal["json", "jsonc", "toml"]
Environ = Mapping[str, str]
# (environment, whether it is macOS) → the folder
Folder = Callable[[Environ, bool], PurePosixPath]


@dataclass(frozen=True, slots=True)
class ServerLaunch:
    """How a client starts our server."""

    command: str
    args: tuple[str, ...]

    @property
    def shared(self) -> ServerLaunch:
        """With terminals that outlive the client, for which it needs one more extra."""
        words = ("truetty[mcp,server]" if word == "truetty[mcp]" else word for word in self.args)
        return ServerLaunch(self.command, (*words, "--shared"))


@dataclass(frozen=True, slots=True)
class Setting:
    """One more value of our entry."""

    key: str
    value: object
    reason: str  # a sentence for people


# From our entry to how long the client waits for the list of tools, in seconds, and what happens then.
Patience = Callable[[Mapping[str, object]], tuple[float, str]]


@dataclass(frozen=True, slots=True)
class Client:
    name: str  # as it is written on the command line
    title: str  # as its makers call it
    format: Format
    table: str  # the key under which its servers are
    folder: Folder
    file: str
    project: str | None  # inside a project; None: it has no such file
    type: str | None = None  # what it calls a server that speaks over stdin and stdout, where it wants to be told
    one_list: bool = False  # its command is a list, with the arguments
    settings: tuple[Setting, ...] = ()
    approval: Setting | None = None  # lets our tools be called without a question
    programs: tuple[str, ...] = ()  # by which it is started
    patience: Patience | None = None  # None: not known
    variables: frozenset[str] | None = None  # those that it hands on; None: all
    aliases: tuple[str, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        return self.table, NAME

    def path(self, environ: Environ, *, mac: bool) -> str:
        """The person's own file, for all projects."""
        return str(self.folder(environ, mac) / self.file)

    def command(self, launch: ServerLaunch) -> dict[str, object]:
        """What must stand at `keys` for the server to be started."""
        kind = {} if self.type is None else {"type": self.type}
        if self.one_list:
            return {**kind, "command": [launch.command, *launch.args]}
        return {**kind, "command": launch.command, "args": list(launch.args)}

    def entry(self, launch: ServerLaunch, there: object = None) -> dict[str, object]:
        """What stands at `keys` in the end, as far as it is ours. `there`: what stands there now."""
        known = there if isinstance(there, dict) else {}
        more = {setting.key: setting.value for setting in self.settings}
        return {**self.command(launch), **{key: known.get(key, value) for key, value in more.items()}}


def _home(environ: Environ) -> PurePosixPath:
    if not environ.get("HOME"):
        raise Misuse("HOME is not set, so the place of the file is unknown", variable="HOME")
    return PurePosixPath(environ["HOME"])


def _own(variable: str, default: str = "", inside: str = "") -> Folder:
    """The folder that the client's variable names, or one in the home."""

    def folder(environ: Environ, mac: bool) -> PurePosixPath:
        chosen = environ.get(variable)
        return PurePosixPath(chosen) / inside if chosen else _home(environ) / (default or inside)

    return folder


def _config(name: str) -> Folder:
    """In the folder for configurations, on macOS too."""

    def folder(environ: Environ, mac: bool) -> PurePosixPath:
        return PurePosixPath(user_folder("XDG_CONFIG_HOME", environ, lambda environ: str(_home(environ)))) / name

    return folder


def _application(name: str) -> Folder:
    """Where programs with windows keep their configuration."""

    def folder(environ: Environ, mac: bool) -> PurePosixPath:
        return _home(environ) / "Library/Application Support" / name if mac else _config(name)(environ, mac)

    return folder


def _in_home(name: str) -> Folder:
    return lambda environ, mac: _home(environ) / name


def _codex_patience(entry: Mapping[str, object]) -> tuple[float, str]:
    """Measured: it waits longer than 0.5 s, and not as long as 1 s, for a server that is not required."""
    if entry.get("required") is not True:
        return 0.5, "then it begins without the tools"
    return _number(entry.get("startup_timeout_sec"), 10), "then it does not start"


def _timeout(entry: Mapping[str, object]) -> tuple[float, str]:
    """Measured: 10 s without a `timeout`, which is in milliseconds."""
    return _number(entry.get("timeout"), 10_000) / 1000, "then it goes on without the tools"


def _number(value: object, default: float) -> float:
    return value if isinstance(value, int | float) else default


# What Codex hands on to a server by itself.
_CODEX_VARIABLES: Final = frozenset(
    {"HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"}
)

CLIENTS: Final = (
    Client(
        *("claude-code", "Claude Code", "json", "mcpServers", _own("CLAUDE_CONFIG_DIR"), ".claude.json", ".mcp.json"),
        type="stdio",
        settings=(Setting("alwaysLoad", True, "the tools are there at once, not behind a search for tools"),),
        programs=("claude",),
        aliases=("claude",),
    ),
    Client(
        *("claude-desktop", "Claude Desktop", "json", "mcpServers"),
        *(_application("Claude"), "claude_desktop_config.json", None),
    ),
    Client(
        *("vscode", "VS Code", "jsonc", "servers", _application("Code/User"), "mcp.json", ".vscode/mcp.json"),
        type="stdio",
        programs=("code",),
        aliases=("code",),
    ),
    Client(
        *("cursor", "Cursor", "jsonc", "mcpServers", _in_home(".cursor"), "mcp.json", ".cursor/mcp.json"),
        programs=("cursor", "cursor-agent"),
    ),
    Client(
        *("codex", "Codex", "toml", "mcp_servers", _own("CODEX_HOME", ".codex"), "config.toml", ".codex/config.toml"),
        settings=(
            Setting("required", True, "it waits for the tools; else it begins without them where they take a second"),
            Setting("startup_timeout_sec", 30, "and so long at most, on a busy machine"),
            Setting("tool_timeout_sec", 120, "a call may wait so long for a command"),
            Setting("env_vars", ["SSH_AUTH_SOCK", "VIRTUAL_ENV"], "git over ssh and your Python are as in your shell"),
        ),
        approval=Setting(
            *("default_tools_approval_mode", "approve"),
            "it calls the tools without asking you. What they run is outside the sandbox of Codex, whatever that says",
        ),
        programs=("codex",),
        patience=_codex_patience,
        variables=_CODEX_VARIABLES,
        aliases=("codex-cli",),
    ),
    Client(
        *("gemini", "Gemini CLI", "jsonc", "mcpServers"),
        *(_own("GEMINI_CLI_HOME", inside=".gemini"), "settings.json", ".gemini/settings.json"),
        programs=("gemini",),
        patience=_timeout,
    ),
    Client(
        *("qwen", "Qwen Code", "jsonc", "mcpServers", _in_home(".qwen"), "settings.json", ".qwen/settings.json"),
        programs=("qwen",),
        patience=_timeout,
    ),
    Client(
        *("opencode", "opencode", "jsonc", "mcp", _config("opencode"), "opencode.json", "opencode.json"),
        type="local",
        one_list=True,
        settings=(
            Setting("enabled", True, "it is started"),
            Setting("timeout", 30_000, "it waits 30 s for the tools, on a busy machine"),
        ),
        programs=("opencode",),
        patience=_timeout,
    ),
    Client(
        *("copilot", "Copilot CLI", "json", "mcpServers", _own("COPILOT_HOME", ".copilot"), "mcp-config.json", None),
        type="local",
        settings=(Setting("tools", ["*"], "it may use all of the tools"),),
        programs=("copilot",),
        aliases=("copilot-cli", "GitHub Copilot CLI"),
    ),
    Client(
        *("continue", "Continue", "json", "mcpServers", _own("CONTINUE_GLOBAL_DIR", ".continue")),
        *("mcpServers/truetty.json", ".continue/mcpServers/truetty.json"),
    ),
)


def find(name: str) -> Client:
    """By its name or title, however it is spelled: `VS Code`, `vs-code`, `vscode`."""
    wanted = _plain(name)
    for client in CLIENTS:
        if wanted in map(_plain, (client.name, client.title, *client.aliases)):
            return client
    known = [client.name for client in CLIENTS]
    raise Misuse(f"no client is called {name!r}: {kinds.listing(known)}", client=name, known=known)


def launch(program: str, python: str) -> ServerLaunch:
    """How to start what runs now: `program` as it was called, `python` that runs it."""
    if PurePosixPath(program).name == NAME:
        return ServerLaunch(program, ("mcp",))
    return ServerLaunch(python, ("-m", "truetty", "mcp"))


def require_lasting(started: ServerLaunch) -> None:
    """A client starts it tomorrow too."""
    if _FLEETING.search(started.command):
        what = f"{started.command} is in uvx's cache, which may be cleared"
        raise Misuse(f"{what}: install truetty, and run setup again", program=started.command)


# uvx runs programs from its cache, which may be cleared.
_FLEETING: Final = lazy.pattern(r"/(?:archive|environments)-v[0-9]+/")


def _plain(name: str) -> str:
    return re.sub(r"[^a-z]", "", name.lower())
