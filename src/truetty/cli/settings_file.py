"""`truetty settings set`, `unset`, `init` and `edit`: the user's settings file, changed.

Rule 1: what is refused has changed nothing. A value is checked before a file or a folder is made.
Rule 2: everything else in the file stays as it is, comments too. The file is replaced as a whole (`text_file.py`).
Rule 3: what a variable overrides is said: the file alone does not tell what is in effect.
Rule 4: wrong values that were in the file before are named and left. They must not keep a person from mending one.
"""

from __future__ import annotations

import json as format
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Final

from truetty import files
from truetty.cli.commands import OURS
from truetty.cli.settings import file_text, visible_value
from truetty.cli.style import wrapped
from truetty.core import kinds
from truetty.core.errors import HostError, Misuse
from truetty.service import text_file, toml_text
from truetty.settings import FIELDS, PREFIX, check_place, locate, places, read_file, read_value, value_of

# Settings that are tables. One entry of them is named with a point: `env.CI`.
TABLES: Final = ("env", "policy")
# Where neither VISUAL nor EDITOR names one. The first two are Debian's names for what its user has chosen.
EDITORS: Final = ("sensible-editor", "editor", "nano", "vim", "vi")
WIDTH: Final = 100
_HEAD: Final = (
    "Settings of truetty. Each stands here with its default, behind a #: take the # away to set it. "
    "`truetty settings` prints what is in effect, and `truetty settings edit` checks what you have written."
)


def settings_set(name: str, value: str, json: bool) -> int:
    setting, key = _split(name)
    given = value_of(value, FIELDS[setting].kind)
    if not key:
        given = _tidy(given, read_value(setting, given, "settings set"))

    def edit(text: str | None) -> str:
        return _with_entry(text or "", setting, key, given) if key else toml_text.put_value(text or "", setting, given)

    path = _path()
    changed = _change(path, edit)
    if not json:
        shown = toml_text.literal(visible_value(given, key))
        print(f"{name} = {shown} {'was written to' if changed else 'is already in'} {path}")
    return _report(name, path, changed, json)


def settings_unset(name: str, json: bool) -> int:
    setting, key = _split(name)
    keys = (setting, key) if key else (setting,)
    path = _path()
    changed = os.path.lexists(path) and _change(path, lambda text: toml_text.drop(text or "", keys) or "")
    if not json:
        print(f"{name} {'was removed from' if changed else 'is not set in'} {path}")
    return _report(name, path, changed, json)


def settings_init(force: bool, json: bool) -> int:
    path = _path()
    if os.path.lexists(path) and not force:
        raise Misuse(f"{path} is already there. `truetty settings edit` opens it; --force overwrites it.", path=path)
    _write_new(path)
    print(format.dumps({"file": path}) if json else f"{path} was written, with every setting behind a #")
    return 0


def settings_edit() -> int:
    path = _path()
    command = _editor()
    if not os.path.lexists(path):
        _write_new(path)
    status = subprocess.run([*command, path], check=False).returncode
    wrong = [*_problems(path)]
    for problem in wrong:
        print(f"truetty: {problem}", file=sys.stderr)
    if status:
        raise HostError(f"{command[0]} has ended with exit status {status}", editor=command[0], status=status)
    if wrong:
        print("Run `truetty settings edit` again to mend it.", file=sys.stderr)
        return OURS
    print(f"{path} has no errors")
    return 0


def new_file() -> str:
    """A file in which every setting has its default, behind a #."""
    paragraphs = [[*wrapped(_HEAD, WIDTH, "# ")]]
    for name, row in FIELDS.items():
        meaning = [*wrapped(f"{row.help[0].upper()}{row.help[1:]}.", WIDTH, "# ")]
        allowed = wrapped(f"Allowed: {row.kind.allowed}.", WIDTH, "# ")
        paragraphs.append([*meaning, *allowed, f"# {name} = {file_text(name, row.default)}"])
    return "\n\n".join("\n".join(lines) for lines in paragraphs) + "\n"


# -- names and values


def _split(name: str) -> tuple[str, str]:
    """A setting, and the key of one entry where the setting is a table."""
    setting, point, key = name.partition(".")
    if setting not in FIELDS:
        raise Misuse(kinds.unknown(setting, FIELDS), key=setting, known=[*FIELDS])
    if point and (setting not in TABLES or not key):
        tables = " and ".join(TABLES)
        raise Misuse(f"{name!r}: only {tables} have entries, such as env.CI; {setting} is set as a whole.", key=name)
    return setting, key


def _tidy(given: object, read: object) -> object:
    """As a person would write it: `yes` is true, `false` is "off" where there may be none."""
    if read is None:
        return "off"
    return read if isinstance(read, bool) else given


def _with_entry(text: str, setting: str, key: str, value: object) -> str:
    there = toml_text.read(text, (setting,))
    table = {**(there if isinstance(there, dict) else {}), key: value}
    read_value(setting, table, "settings set")
    try:
        return toml_text.put(text, (setting,), {key: value})
    except Misuse:  # it is written in braces, or is no table yet
        return toml_text.put_value(text, setting, table)


# -- the file


def _path() -> str:
    """The file that is read, or the one that would be."""
    path = locate(os.environ) or next(iter(places(os.environ)), None)
    if path is None:
        raise Misuse("no folder for settings: HOME is no absolute path, and XDG_CONFIG_HOME is none either.")
    return path


def _change(path: str, edit: Callable[[str | None], str]) -> bool:
    if os.path.lexists(path):
        read_file(path)  # what is not read must not be written either
    else:
        check_place(path)
    edit(text_file.read(path))
    files.make_folder(os.path.dirname(path))
    return text_file.change(path, edit)


def _write_new(path: str) -> None:
    check_place(path)
    files.make_folder(os.path.dirname(path))
    text_file.change(path, lambda _: new_file())


def _problems(path: str) -> Iterator[str]:
    """What is wrong in it, by line."""
    try:
        values = read_file(path)
    except Misuse as error:
        yield str(error)
        return
    text = text_file.read(path) or ""
    for name, value in values.items():
        try:
            read_value(name, value, f"{path}, line {toml_text.line_of(text, (name,))}")
        except Misuse as error:
            yield str(error)


def _editor() -> list[str]:
    for variable in ("VISUAL", "EDITOR"):
        try:
            words = shlex.split(os.environ.get(variable, ""))
        except ValueError as error:
            raise Misuse(f"{variable}={os.environ[variable]!r}: {error}", variable=variable) from None
        if words:
            if shutil.which(words[0]) is None:
                raise Misuse(f"{variable} names {words[0]!r}, which is no program here.", variable=variable)
            return words
    found = next(filter(None, map(shutil.which, EDITORS)), None)
    if found is None:
        raise Misuse(f"no editor: set EDITOR to one. Looked for {', '.join(EDITORS)}.")
    return [found]


# -- what was done


def _report(name: str, path: str, changed: bool, json: bool) -> int:
    setting, _ = _split(name)
    variable = PREFIX + setting.upper()
    override = variable if variable in os.environ else None
    if json:
        print(format.dumps({"file": path, "setting": name, "changed": changed, "overridden_by": override}))
    elif override:
        print(f"The variable {override} is set, and overrides it.")
    for problem in _problems(path) if os.path.lexists(path) else ():
        print(f"truetty: still wrong: {problem}", file=sys.stderr)
    return 0
