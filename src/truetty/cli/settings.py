"""`truetty settings`: what is in force, and where each value came from."""

from __future__ import annotations

import dataclasses
import json as format
import os
import re
from collections.abc import Mapping
from typing import Final

from truetty.settings import FIELDS, Settings, locate, places, strangers

# People put keys into `env`; what is printed here is copied into reports.
_SECRET: Final = re.compile(r"key|token|secret|password|passwd|credential|auth", re.IGNORECASE)
_SECRET_TEXT: Final = "(hidden)"


def settings(json: bool) -> int:
    file = locate(os.environ)
    loaded = Settings.load()
    unknown = strangers(os.environ)
    if json:
        rows = {
            name: {
                "value": _plain(getattr(loaded, name)),
                "origin": loaded.origins[name],
                "default": _plain(row.default),
                "help": row.help,
                "allowed": row.kind.allowed,
            }
            for name, row in FIELDS.items()
        }
        print(
            format.dumps({"file": file, "settings": rows, "unknown_variables": unknown}, indent=2, ensure_ascii=False)
        )
        return 0
    _print(loaded, file)
    if unknown:
        print(f"not settings, and not read: {', '.join(unknown)}")
    return 0


def _print(settings: Settings, file: str | None) -> None:
    """One line for each, never broken: they are read with grep as often as by eye."""
    print(f"file: {file or f'none; it would be {places(os.environ)[0]}'}")
    rows = [(name, format_value(getattr(settings, name)), settings.origins[name]) for name in FIELDS]
    name_width, value_width, origin_width = (max(map(len, column)) for column in zip(*rows, strict=True))
    for name, value, origin in rows:
        print(f"{name:{name_width}}  {value:{value_width}}  {origin:{origin_width}}  {FIELDS[name].help}")


def format_value(value: object) -> str:
    """As it could stand in the file."""
    return "off" if value is None else format.dumps(_plain(value), ensure_ascii=False)


def _plain(value: object, name: str = "") -> object:
    """As JSON knows it, with what looks like a secret left out."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {one.name: _plain(getattr(value, one.name)) for one in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(item, str(key)) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return _SECRET_TEXT if name and value is not None and _SECRET.search(name) else value
