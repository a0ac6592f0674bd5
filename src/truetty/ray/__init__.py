"""Terminals on a Ray cluster: `async with truetty.ray.cluster() as registry`. Needs the extra `ray`."""

from truetty.ray.registry import Cluster as Cluster
from truetty.ray.registry import cluster as cluster

__all__ = ["Cluster", "cluster"]
