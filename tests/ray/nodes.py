"""A real Ray cluster on this machine, whose nodes can be added, removed and killed.

    python -m tests.ray.nodes NODES RESOURCES     its process: it takes orders as JSON lines, and ends with its input

It is a process of its own: here warnings are errors, and Ray has some.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tests.patience import PATIENCE

NODE = {"num_cpus": 1, "object_store_memory": 80 << 20}
SETTINGS = {
    "RAY_AUTH_MODE": "disabled",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    # Workers at nice 15 would get no CPU beside other tests.
    "RAY_worker_niceness": "0",
    # By default Ray gives up a node, an agent, a worker or an answer that is slow. Beside eight busy loops a node was.
    "RAY_raylet_start_wait_time_s": str(PATIENCE),
    "RAY_agent_register_timeout_ms": str(PATIENCE * 1000),
    "RAY_worker_register_timeout_seconds": str(PATIENCE),
    "RAY_gcs_server_request_timeout_seconds": str(PATIENCE),
}


class Node(NamedTuple):
    number: int
    daemons: tuple[int, ...]


class Nodes:
    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.address: str = self._answer()

    def add(self, **resources: float) -> Node:
        number, daemons = self._order("add", resources)
        return Node(number, tuple(daemons))

    def remove(self, node: Node) -> None:
        """As an administrator does."""
        self._order("remove", node.number)

    def kill(self, node: Node) -> None:
        """Its daemons, not its workers."""
        for pid in node.daemons:
            os.kill(pid, signal.SIGKILL)

    def _order(self, *words: Any) -> Any:
        assert self._process.stdin is not None
        print(json.dumps(words), file=self._process.stdin, flush=True)
        return self._answer()

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith("answer "):
                return json.loads(line.removeprefix("answer "))
        raise AssertionError("the process with the Ray cluster has ended")


@contextmanager
def cluster(count: int, **resources: float) -> Iterator[Nodes]:
    """With so many nodes, each of which offers these resources. This process joins it when it first needs it."""
    with tempfile.TemporaryDirectory(prefix="r", dir="/tmp", ignore_cleanup_errors=True) as folder:
        settings = {**SETTINGS, "HOME": folder, "RAY_TMPDIR": folder}  # Ray writes a token to its home
        before = dict(os.environ)
        os.environ.update(settings)
        command = [sys.executable, "-m", "tests.ray.nodes", str(count), json.dumps(resources)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            try:
                yield Nodes(process)
            finally:
                os.environ.clear()
                os.environ.update(before)
                assert process.stdin is not None
                process.stdin.close()
                process.wait(PATIENCE)


def serve(count: int, resources: dict[str, float]) -> None:
    from ray.cluster_utils import Cluster

    _tell_ports()
    head = {**NODE, "include_dashboard": False, "resources": resources}
    made = Cluster(initialize_head=True, head_node_args=head)
    nodes: list[Any] = []

    def add(wanted: dict[str, float]) -> list[object]:
        nodes.append(made.add_node(**NODE, resources=wanted))
        processes = [one.process.pid for kind in nodes[-1].all_processes.values() for one in kind]
        return [len(nodes) - 1, processes]

    def remove(number: int) -> None:
        made.remove_node(nodes[number], allow_graceful=True)

    for _ in range(count - 1):
        add(resources)
    print("answer", json.dumps(made.address), flush=True)
    orders: dict[str, Any] = {"add": add, "remove": remove}
    for line in sys.stdin:
        verb, argument = json.loads(line)
        print("answer", json.dumps(orders[verb](argument)), flush=True)
    made.shutdown()


def _tell_ports() -> None:
    """From here on every node knows the ports of its agents before it starts.

    A node waits 15 s until its agents have written them to files, which no setting changes, and then ends with a failed
    check (https://github.com/ray-project/ray/issues/65983). Beside eight busy loops its agents need longer.
    """
    from ray import _raylet
    from ray._private.node import Node as RayNode

    files: Any = _raylet  # its stub leaves them out
    start = RayNode.start_raylet

    def start_raylet(node: Any, *arguments: Any) -> None:
        # The agent of a Ray without the dashboard's dependencies listens nowhere, and writes the same.
        for name in (
            files.METRICS_AGENT_PORT_NAME,
            files.METRICS_EXPORT_PORT_NAME,
            files.DASHBOARD_AGENT_LISTEN_PORT_NAME,
        ):
            files.persist_port(node._session_dir, node._node_id, name, -1)
        with socket.create_server(("127.0.0.1", 0)) as free:
            node._ray_params.runtime_env_agent_port = free.getsockname()[1]
        start(node, *arguments)

    RayNode.start_raylet = start_raylet


def below(pid: int) -> set[int]:
    """All living processes that descend from this one."""
    found: set[int] = set()
    pending = [pid]
    while pending:
        for task in Path(f"/proc/{pending.pop()}/task").glob("*"):
            try:
                children = [int(word) for word in (task / "children").read_text().split()]
            except OSError:
                continue
            found.update(children)
            pending += children
    return found


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def guard_of(pid: int) -> int:
    """Of the node on which this process of a terminal is."""
    while "guard_program" not in command_line(pid):
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return pid


def processes_of(host: Any) -> set[int]:
    """The worker, the guard, the server and all that is below it."""
    guard = guard_of(host.registry.status().pid)
    return {host.pid, guard, *below(guard)}


def command_line(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text()


if __name__ == "__main__":
    serve(int(sys.argv[1]), json.loads(sys.argv[2]))
