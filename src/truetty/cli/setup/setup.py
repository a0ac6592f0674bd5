"""`truetty setup`: tells an MCP client how to start our server, by changing one entry of its configuration file.

Rule 1: everything else in the file stays as it is, byte for byte. What cannot be read is refused and left alone.
Rule 2: doing it twice changes nothing the second time; `--undo` takes out our entry and nothing else.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, NamedTuple

from truetty import files
from truetty.cli.setup import checking, json_text
from truetty.cli.setup.clients import CLIENTS, Client, Format, ServerLaunch, find, launch, require_lasting
from truetty.cli.style import terminal_width
from truetty.core import kinds
from truetty.core.errors import HostError, Misuse
from truetty.service import text_file, toml_text

# A person's own file may hold keys, so it is private; a project's file is for every user who may read the project.
SHARED: Final = 0o666


def setup(
    client: str | None, show: bool, undo: bool, project: bool, approve: bool, check: bool, here: bool, shared: bool
) -> int:
    started = _launch().shared if shared else _launch()
    if client is None:
        if show or undo or check or approve or shared:
            raise Misuse(f"which client? {kinds.listing(known.name for known in CLIENTS)}")
        _list(started, project, only_here=here)
        return 0
    chosen = find(client)
    if not (undo or check):
        require_lasting(started)
    if approve:
        chosen = _approving(chosen)
    path, mode = _path(chosen, project), SHARED if project else files.PRIVATE
    if check:
        return checking.check(chosen, started, _entry(chosen, path), path)
    if show:
        _show(chosen, path, started, undo)
    elif undo:
        done = text_file.change(path, lambda text: _drop(chosen, text), mode)
        print(f"{chosen.title}: {'removed from' if done else 'there is no entry of truetty in'} {path}")
    else:
        done = text_file.change(path, lambda text: _put(chosen, text, started), mode)
        print(f"{chosen.title}: {'written to' if done else 'already there, in'} {path}")
        if done:
            print(f"It starts {' '.join((started.command, *started.args))}. {chosen.title} must be started again.")
            _explain(chosen)
    extras = {"mcp": "mcp", **({"server": "uvicorn"} if shared else {})}  # and a package that each brings
    if not undo and any(importlib.util.find_spec(package) is None for package in extras.values()):
        install = f"pip install '.[{','.join(extras)}]' in a checkout of truetty"
        print(f"truetty: the server needs more: {install}", file=sys.stderr)
    return 0


def _launch() -> ServerLaunch:
    called = os.path.abspath(sys.argv[0])
    program = called if os.access(called, os.X_OK) else shutil.which("truetty") or ""
    if os.path.basename(called) == "__main__.py":  # python -m truetty: the same Python, not whatever is on the path
        program = called
    return launch(program, sys.executable)


def _path(client: Client, project: bool) -> str:
    if not project:
        return client.path(os.environ, mac=sys.platform == "darwin")
    if client.project is None:
        raise Misuse(f"{client.title} has no configuration for one project", client=client.name)
    return os.path.abspath(client.project)


def _approving(client: Client) -> Client:
    if client.approval is None:
        raise Misuse(
            f"{client.title} has no such setting in its file: it asks you, or its own options say otherwise",
            client=client.name,
        )
    return dataclasses.replace(client, settings=(*client.settings, client.approval))


# -- for people


def _explain(client: Client) -> None:
    for setting in client.settings:
        print(f"  {setting.key} = {json.dumps(setting.value)}: {setting.reason}")


def _show(client: Client, path: str, started: ServerLaunch, undo: bool) -> None:
    state = _state(client, path, started)
    if undo:
        advice = f"; --undo would remove {'.'.join(client.keys)}" if state.startswith("configured") else ""
        print(f"{path}: {state}{advice}")
        return
    print(f"{path}: {state}; under {client.table}:")
    print(_snippet(client, started), end="")


def _snippet(client: Client, started: ServerLaunch) -> str:
    """What a person would paste."""
    return _EDITORS[client.format].put("", client.keys, client.entry(started))


def _list(started: ServerLaunch, project: bool, *, only_here: bool) -> None:
    """One line for each; on a terminal that is too narrow for it, the paths stand below."""
    rows = []
    for client in CLIENTS:
        if (project and client.project is None) or (only_here and _found(client) is None):
            continue
        path = _path(client, project)
        place = _found(client) if only_here else None
        rows.append((client.name, client.title, _state(client, path, started), *([place] if place else []), path))
    if not rows:
        print("none of the clients that `truetty setup` knows is on this machine")
        return
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    narrow = sys.stdout.isatty() and sum(widths) + 2 * (len(widths) - 1) > terminal_width()
    for row in rows:
        if narrow:
            name, _, state, *places = row
            print(f"{name:{widths[0]}}  {state}", *places, sep="\n    ")
        else:
            print("  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip())


def _found(client: Client) -> str | None:
    """Its program, or the folder that it has made; None: there is no sign of it."""
    program = next(filter(None, map(shutil.which, client.programs)), None)
    folder = str(client.folder(os.environ, sys.platform == "darwin"))
    is_home = os.path.realpath(folder) == os.path.realpath(os.environ.get("HOME", "/"))
    return program or (folder if os.path.isdir(folder) and not is_home else None)


def _entry(client: Client, path: str) -> object:
    text = text_file.read(path)
    return None if text is None else _EDITORS[client.format].read(text, client.keys)


def _state(client: Client, path: str, started: ServerLaunch) -> str:
    try:
        there = _entry(client, path)
    except (Misuse, HostError) as error:
        return f"unreadable ({error})"
    if there is None:
        return "not configured"
    if isinstance(there, dict) and there == {**there, **client.command(started)}:
        return "configured"
    if isinstance(there, dict) and there == {**there, **client.command(started.shared)}:
        return "configured with --shared"
    other = there.get("command") if isinstance(there, dict) else None
    return f"configured with another command ({other})" if other else "configured in another way"


# -- the entry


class Editor(NamedTuple):
    """How one format is read and changed: each takes the text and the keys of our entry."""

    read: Callable[[str, tuple[str, ...]], object]
    put: Callable[[str, tuple[str, ...], dict[str, object]], str]
    drop: Callable[[str, tuple[str, ...]], str | None]


_EDITORS: Final[Mapping[Format, Editor]] = {
    "toml": Editor(toml_text.read, toml_text.put, toml_text.drop),
    "json": Editor(json_text.read, json_text.put_entry, json_text.drop),
    "jsonc": Editor(
        partial(json_text.read, comments=True),
        partial(json_text.put_entry, comments=True),
        partial(json_text.drop, comments=True),
    ),
}


def _put(client: Client, text: str | None, started: ServerLaunch) -> str | None:
    editor, keys = _EDITORS[client.format], client.keys
    try:
        there = editor.read(text or "", keys)
        return editor.put(text or "", keys, client.entry(started, there))
    except Misuse as error:
        pasted = _snippet(client, started)
        raise Misuse(f"{error}. Nothing was changed. The entry by hand:\n{pasted.rstrip()}", **error.facts) from error


def _drop(client: Client, text: str | None) -> str | None:
    return None if text is None else _EDITORS[client.format].drop(text, client.keys)
