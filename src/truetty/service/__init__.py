"""Terminals shared by many callers, and the verbs that every surface offers. `Service` and `Registry` are public."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from truetty.service.registry import Registry as Registry
    from truetty.service.service import Service as Service

# Imported when first used: a program that uses only a registry does not import the policy that a service needs.
_HOME = {"Registry": "truetty.service.registry", "Service": "truetty.service.service"}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(_HOME[name]), name)
    globals()[name] = found
    return found
