"""Hosts on the nodes of a Ray cluster: which nodes get one, and how Ray is asked for it.

Rule 1: Ray places and counts. A host demands what the owner says, of one node, and Ray starts it there or not.
Rule 2: Ray never starts a host again and never repeats a call: a host that is gone is replaced by another one.
Rule 3: a demand that cannot be met is an error that says what is there. Ray itself would wait without a word.
Rule 4: everything here may block. It is called in threads.
"""

from __future__ import annotations

import logging
import os
import platform
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from truetty.core.errors import HostError, Misuse
from truetty.core.version import VERSION
from truetty.ray.host import Birth, Host, Order

RESOURCE: Final = "terminals"  # nodes that offer this are those for terminals
CONCURRENCY: Final = 10_000  # calls of one host at the same time; an async actor has 1,000 by itself
MOST_NAMED: Final = 5  # nodes in an error
REACH_SECONDS: Final = 10.0
NODE_LABEL: Final = "ray.io/node-id"  # Ray's own, of each node


@dataclass(frozen=True, slots=True)
class Demand:
    """What each host takes of its node."""

    terminals: int
    resources: Mapping[str, float]
    runtime_env: Mapping[str, Any]

    @property
    def variables(self) -> dict[str, str]:
        return dict(self.runtime_env.get("env_vars") or {})


@dataclass(frozen=True, slots=True)
class Node:
    id: str
    name: str  # of the machine
    resources: Mapping[str, float]

    def __str__(self) -> str:
        return f"{self.name} ({self.id[:8]})"


def attach(address: str | None) -> bool:
    """Whether Ray was started, or joined, by this call; then `detach` is for us to call. Raises HostError."""
    try:
        import ray
    except ImportError as missing:
        message = "ray is missing: the extra brings it, pip install '.[ray]' in a checkout of truetty"
        raise HostError(message, reason="ray is missing") from missing
    if address is not None and address.startswith("ray://"):
        message = f"{address} is an address of Ray Client, which has no way for terminals: run this program on a node"
        raise Misuse(f"{message} of the cluster, with address={address.removeprefix('ray://')!r} or none")
    if ray.is_initialized():
        return False
    _reach(address or os.environ.get("RAY_ADDRESS", ""))
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except Exception as error:  # a RuntimeError for other versions, a ConnectionError, and others
        reason = " ".join(str(error).split())
        if "ersion mismatch" in reason:
            message = f"this program and the cluster differ in Ray or Python, and both must be the same: {reason}"
            raise HostError(message, reason="versions", ray=ray.__version__) from error
        raise HostError(f"no Ray cluster at {address or 'this machine'}: {reason}", reason=reason) from error
    return True


def _reach(address: str) -> None:
    """Ray itself waits for minutes where nothing listens."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit():
        return  # "auto", "local", or none
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=REACH_SECONDS).close()
    except OSError as error:
        reason = error.strerror or str(error)
        raise HostError(f"no Ray cluster at {address}: {reason}", reason=reason, address=address) from error


def detach() -> None:
    import ray

    ray.shutdown()


def nodes() -> list[Node]:
    """Those that live."""
    import ray

    return [Node(one["NodeID"], one["NodeManagerHostname"], one["Resources"]) for one in ray.nodes() if one["Alive"]]


def demand(
    found: list[Node], terminals: int, resources: Mapping[str, float] | None, runtime_env: Mapping[str, Any] | None
) -> Demand:
    """Where the owner demands nothing: of nodes that offer `terminals`, as many of them."""
    if resources is None:
        resources = {RESOURCE: terminals} if any(RESOURCE in node.resources for node in found) else {}
    return Demand(terminals, dict(resources), dict(runtime_env or {}))


def fitting(found: list[Node], wanted: Demand) -> list[Node]:
    """Those that have as much, used or not. Raises HostError where there is none."""
    fit = [one for one in found if all(one.resources.get(name, 0) >= much for name, much in wanted.resources.items())]
    if not fit:
        raise refusal("no node of the cluster", found, wanted.resources, " for a host of terminals")
    return fit


def refusal(none: str, found: list[Node], wanted: Mapping[str, float], purpose: str = "") -> HostError:
    has = "; ".join(f"{one.name} has {listed(one.resources, wanted)}" for one in found[:MOST_NAMED])
    message = f"{none} has {listed(wanted)}{purpose}: {has or 'no node'}"
    return HostError(message, reason="not enough", demanded=dict(wanted))


def lacking(node: Node, wanted: Demand) -> str | None:
    """What the node has too little of at this moment, since others use it."""
    from ray._private.state import available_resources_per_node

    free = available_resources_per_node().get(node.id, {})
    if all(free.get(name, 0) >= much for name, much in wanted.resources.items()):
        return None
    return f"a host takes {listed(wanted.resources)}, and {listed(free, wanted.resources)} of it are free"


def make(node: Node, wanted: Demand, last: int) -> Any:
    """An actor on this node, which Ray starts when there is room."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    plain = {name: much for name, much in wanted.resources.items() if name not in ("CPU", "GPU", "memory")}
    order = Order(wanted.terminals, last, wanted.variables)
    return (
        ray.remote(Host)
        .options(
            num_cpus=wanted.resources.get("CPU", 0),
            num_gpus=wanted.resources.get("GPU", 0),
            memory=wanted.resources.get("memory"),
            resources=plain or None,
            runtime_env=dict(wanted.runtime_env) or None,
            scheduling_strategy=NodeAffinitySchedulingStrategy(node.id, soft=False),
            max_concurrency=CONCURRENCY,
            max_restarts=0,
            max_task_retries=0,
        )
        .remote(order)
    )


def offers(node: Node, taken: Mapping[str, float], wanted: Mapping[str, float]) -> bool:
    """Whether the node has as much, used or not, beside what is taken."""
    return all(node.resources.get(name, 0) - taken.get(name, 0) >= much for name, much in wanted.items())


def reserve(wanted: Mapping[str, float], among: list[Node]) -> Any:
    """A group of Ray, which has these resources of one of the nodes when it is ready."""
    from ray.util.placement_group import placement_group

    selector = f"in({', '.join(node.id for node in among)})"
    return placement_group([dict(wanted)], bundle_label_selector=[{NODE_LABEL: selector}])


def node_of(group: Any) -> str:
    """The id of the node on which it is."""
    from ray.util.placement_group import placement_group_table

    found: str = placement_group_table(group)["bundles_to_node_id"][0]
    return found


def free(group: Any) -> None:
    from ray.util.placement_group import remove_placement_group

    remove_placement_group(group)


def end(actor: Any) -> None:
    """Its worker process, at once."""
    import ray

    ray.kill(actor, no_restart=True)


def check(birth: Birth, node: Node) -> None:
    """Raises HostError where another version answers."""
    import ray

    ours = {"truetty": VERSION, "python": platform.python_version(), "ray": ray.__version__}
    theirs = {"truetty": birth.truetty, "python": birth.python, "ray": birth.ray}
    for name, version in ours.items():
        other = theirs[name]
        if version.split(".")[:2] != other.split(".")[:2]:
            message = f"{node.name} has {name} {other}, and this program {version}: install the same version on all"
            raise HostError(message, reason="versions", node=node.name, **{name: other})


def listed(resources: Mapping[str, float], of: Mapping[str, float] | None = None) -> str:
    names = resources if of is None else of
    return ", ".join(f"{resources.get(name, 0):g} {name}" for name in names) or "nothing"
