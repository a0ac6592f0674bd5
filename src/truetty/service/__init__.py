"""Terminals shared by many callers, and the verbs that every surface offers. `Service` and `Registry` are public."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truetty.core import lazy

if TYPE_CHECKING:
    from truetty.service.registry import Registry as Registry
    from truetty.service.service import Service as Service

# Imported when first used: a program that uses only a registry does not import the policy that a service needs.
HOMES = {"truetty.service.registry": ("Registry",), "truetty.service.service": ("Service",)}

__getattr__ = lazy.names(__name__, globals(), HOMES)
