"""`truetty.sync.connect` and `truetty.sync.cluster`: terminals of a server and of a Ray cluster, blocking.

Rule: their faces are those of local ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

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

    return _face(keep(loop.call(lambda: connect_async(where, token=token).__aenter__())))


def cluster(
    address: str | None = None,
    *,
    terminals_per_node: int | None = None,
    resources: Mapping[str, float] | None = None,
    runtime_env: Mapping[str, Any] | None = None,
) -> Registry:
    """The registry of a Ray cluster, as `truetty.ray.cluster` gives it: `with truetty.sync.cluster() as registry`.

    It is open. At the end of the `with`, or by `close()`, its terminals end.
    """
    from truetty.ray.registry import TERMINALS  # few programs have a cluster
    from truetty.ray.registry import cluster as cluster_async

    each = TERMINALS if terminals_per_node is None else terminals_per_node
    made = cluster_async(address, terminals_per_node=each, resources=resources, runtime_env=runtime_env)
    return _face(keep(loop.call(lambda: made.__aenter__())))


def _face(opened: object) -> Registry:
    made = Registry.__new__(Registry)
    # A face calls its object by name, and what is far has the names of a registry.
    Face.__init__(made, cast(AsyncRegistry, opened))
    return made
