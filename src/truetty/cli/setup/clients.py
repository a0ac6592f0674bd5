"""The programs that can use truetty as an MCP server: where each keeps its configuration, and what stands there for us.

Rule 1: a table. Nothing here looks at a file, and where things are depends on the arguments alone.
Rule 2: a client's own variable for its folder (`CODEX_HOME`, …) counts, as it does for the client.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final, Literal

from truetty.core import kinds
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


@dataclass(frozen=True, slots=True)
class Client:
    name: str  # as it is written on the command line
    title: str  # as its makers call it
    format: Format
    table: str  # the key under which its servers are
    folder: Folder
    file: str
    project: str | None  # inside a project; None: it has no such file
    names_type: bool = False  # it wants to be told that a server speaks over stdin and stdout
    aliases: tuple[str, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        return self.table, NAME

    def path(self, environ: Environ, *, mac: bool) -> str:
        """The person's own file, for all projects."""
        return str(self.folder(environ, mac) / self.file)

    def entry(self, launch: ServerLaunch) -> dict[str, object]:
        """What stands at `keys`."""
        kind = {"type": "stdio"} if self.names_type else {}
        return {**kind, "command": launch.command, "args": list(launch.args)}


def _home(environ: Environ) -> PurePosixPath:
    if not environ.get("HOME"):
        raise Misuse("HOME is not set: nobody can tell where the file is", variable="HOME")
    return PurePosixPath(environ["HOME"])


def _own(variable: str, default: str = "", inside: str = "") -> Folder:
    """The folder that the client's variable names, or one in the home."""

    def folder(environ: Environ, mac: bool) -> PurePosixPath:
        chosen = environ.get(variable)
        return PurePosixPath(chosen) / inside if chosen else _home(environ) / (default or inside)

    return folder


def _application(name: str) -> Folder:
    """Where programs with windows keep their things."""

    def folder(environ: Environ, mac: bool) -> PurePosixPath:
        if mac:
            return _home(environ) / "Library/Application Support" / name
        return PurePosixPath(user_folder("XDG_CONFIG_HOME", environ, lambda environ: str(_home(environ)))) / name

    return folder


def _in_home(name: str) -> Folder:
    return lambda environ, mac: _home(environ) / name


CLIENTS: Final = (
    Client(
        *("claude-code", "Claude Code", "json", "mcpServers", _own("CLAUDE_CONFIG_DIR"), ".claude.json", ".mcp.json"),
        names_type=True,
        aliases=("claude",),
    ),
    Client(
        *("claude-desktop", "Claude Desktop", "json", "mcpServers"),
        *(_application("Claude"), "claude_desktop_config.json", None),
    ),
    Client(
        *("vscode", "VS Code", "jsonc", "servers", _application("Code/User"), "mcp.json", ".vscode/mcp.json"),
        names_type=True,
        aliases=("code",),
    ),
    Client("cursor", "Cursor", "jsonc", "mcpServers", _in_home(".cursor"), "mcp.json", ".cursor/mcp.json"),
    Client(
        *("codex", "Codex", "toml", "mcp_servers", _own("CODEX_HOME", ".codex"), "config.toml", ".codex/config.toml"),
        aliases=("codex-cli",),
    ),
    Client(
        *("gemini", "Gemini CLI", "jsonc", "mcpServers"),
        *(_own("GEMINI_CLI_HOME", inside=".gemini"), "settings.json", ".gemini/settings.json"),
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


def launch(program: str, python: str, *, uvx: str | None = None) -> ServerLaunch:
    """How to start what runs now: `program` as it was called, `python` that runs it, and uvx where there is one."""
    if uvx is not None and _FLEETING.search(program):
        return ServerLaunch(uvx, ("--from", "truetty[mcp]", "truetty", "mcp"))
    if PurePosixPath(program).name == NAME:
        return ServerLaunch(program, ("mcp",))
    return ServerLaunch(python, ("-m", "truetty", "mcp"))


# uvx runs programs out of its cache, and what is there today may be gone tomorrow.
_FLEETING: Final = re.compile(r"/(?:archive|environments)-v[0-9]+/")


def _plain(name: str) -> str:
    return re.sub(r"[^a-z]", "", name.lower())
