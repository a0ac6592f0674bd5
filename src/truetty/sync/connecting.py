"""`truetty.sync.connect`: the terminals of a server, blocking. Their faces are those of local ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from truetty.service.registry import Registry as AsyncRegistry
from truetty.sync.bridge import Face, keep
from truetty.sync.face import Registry
from truetty.sync.loop import loop


def connect(where: str | Sequence[str] | None = None, *, token: str | None = None) -> Registry:
    """The registry of a server, as `truetty.connect` gives it: `with truetty.sync.connect() as registry`.

    It is open. At the end of the `with`, or by `close()`, the connection is closed; the terminals are the server's, and
    go on.
    """
    from truetty.client.registry import connect as connect_async  # few programs connect

    opened = keep(loop.call(lambda: connect_async(where, token=token).__aenter__()))
    made = Registry.__new__(Registry)
    # A face calls its object by name, and what a connection gives has the names of a registry.
    Face.__init__(made, cast(AsyncRegistry, opened))
    return made
