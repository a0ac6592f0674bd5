"""A public path of `Registry`. The class is in `service/registry.py`."""

from truetty.service.registry import Registry as Registry
