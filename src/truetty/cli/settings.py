"""`truetty settings`: what is in force, and where each value came from."""

from __future__ import annotations

import dataclasses
import json as format
import os
import re
import sys
from collections.abc import Mapping
from typing import Final

from truetty.cli.style import WIDEST, has_colours, styled, terminal_width, wrapped
from truetty.core import kinds, lazy
from truetty.core.errors import Misuse
from truetty.service import toml_text
from truetty.settings import FIELDS, Settings, locate, places, strangers

# People put keys into `env`; what is printed here is copied into reports.
_SECRET: Final = lazy.pattern(r"key|token|secret|password|passwd|credential|auth", re.IGNORECASE)
_SECRET_TEXT: Final = "(hidden)"


def settings(json: bool, all: bool) -> int:
    file = locate(os.environ)
    loaded = Settings.load()
    unknown = strangers(os.environ)
    if json:
        rows = {
            name: {
                "value": visible_value(getattr(loaded, name)),
                "origin": loaded.origins[name],
                "default": visible_value(row.default),
                "help": row.help,
                "allowed": row.kind.allowed,
            }
            for name, row in FIELDS.items()
        }
        print(
            format.dumps({"file": file, "settings": rows, "unknown_variables": unknown}, indent=2, ensure_ascii=False)
        )
        return 0
    _print(loaded, file, [name for name in FIELDS if all or loaded.origins[name] != "default"])
    if unknown:
        print(f"not settings, and not read: {', '.join(unknown)}")
    return 0


def settings_get(name: str) -> int:
    if name not in FIELDS:
        raise Misuse(kinds.unknown(name, FIELDS), key=name, known=[*FIELDS])
    print(file_text(name, getattr(Settings.load(), name)))
    return 0


def _print(settings: Settings, file: str | None, names: list[str]) -> None:
    """Name, value and origin on one line, or the origin below where that is too wide; what it is for, wrapped."""
    print(f"file: {file or f'none; it would be {places(os.environ)[0]}'}")
    width, colours = min(terminal_width(), WIDEST), has_colours(sys.stdout)
    for name in names:
        value, origin = getattr(settings, name), settings.origins[name]
        meaning = f"{FIELDS[name].kind.nothing}; " if value is None else ""
        text, source = file_text(name, value), f"({meaning}{origin})"
        fits = len(f"{name} = {text}  {source}") <= width
        print(f"{styled(name, 'bold', on=colours)} = {text}{f'  {source}' if fits else ''}")
        below = [FIELDS[name].help] if fits else [source, FIELDS[name].help]
        print(*(line for part in below for line in wrapped(part, width, "    ")), sep="\n")
    if len(names) < len(FIELDS):
        rest = f"{len(FIELDS) - len(names)} others have" if names else f"all {len(FIELDS)} settings have"
        print(f"{rest} their default: truetty settings --all")


def file_text(name: str, value: object) -> str:
    """As it could stand in the file; bytes in their largest unit."""
    is_bytes = FIELDS[name].kind.allowed.startswith(kinds.BYTES.allowed)
    return f'"{kinds.as_bytes(value)}"' if is_bytes and isinstance(value, int) else format_value(value)


def format_value(value: object) -> str:
    """As it could stand in the file."""
    return toml_text.literal("off" if value is None else visible_value(value))


def visible_value(value: object, name: str = "") -> object:
    """As JSON knows it, with what looks like a secret left out."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {one.name: visible_value(getattr(value, one.name)) for one in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): visible_value(item, str(key)) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [visible_value(item) for item in value]
    return _SECRET_TEXT if name and value is not None and _SECRET.search(name) else value
