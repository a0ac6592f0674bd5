"""Making a cluster: what it demands of nodes, what it refuses, what its shells inherit."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import truetty
import truetty.ray
from tests.patience import PATIENCE
from tests.ray.conftest import SHARED
from tests.ray.nodes import Nodes
from truetty.core.version import VERSION
from truetty.ray import environment, placing
from truetty.ray.host import Birth

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_hosts_are_spread_and_terminals_too(registry: truetty.ray.Cluster) -> None:
    assert len({one.node.id for one in registry.hosts}) == len(registry.hosts) == 2
    terminals = [await registry.open("bash", rc=False) for _ in range(4)]
    assert sorted(len(one.registry.list()) for one in registry.hosts) == [2, 2]
    assert len({one.id for one in terminals}) == 4 and registry.list() == terminals
    assert registry.limits.terminals == 200 and registry.get(terminals[3].id) is terminals[3]


async def test_a_shell_has_nothing_of_ray(terminal: Any) -> None:
    outcome = await terminal.run("env", wait=PATIENCE)
    names = [line.partition("=")[0] for line in outcome.output.splitlines()]
    assert [name for name in names if name.startswith(("RAY_", "TRUETTY_")) or name == "SPT_NOENV"] == []
    for name in ("OMP_NUM_THREADS", "LD_PRELOAD"):
        assert (name in names) == (name in os.environ)
    assert "ray.util" not in outcome.output  # Ray sets PYTHONBREAKPOINT in this process too
    assert (await terminal.run("ls /proc/$$/fd", wait=PATIENCE)).output.split()[:3] == ["0", "1", "2"]


async def test_what_ray_has_borrowed_is_given_back() -> None:
    worker = {"A": "1", "RAY_JOB_ID": "1", "OMP_NUM_THREADS": "1", "PYTHONBREAKPOINT": "ray", "TRUETTY_SHELL": "x"}
    assert environment.clean(worker, {"OMP_NUM_THREADS": "8"}, {"MINE": "2"}) == {
        "A": "1",
        "OMP_NUM_THREADS": "8",
        "MINE": "2",
    }
    preload = {"LD_PRELOAD": "/mine.so:/venv/ray/core/libjemalloc.so"}
    assert environment.clean(preload, preload, {}) == {"LD_PRELOAD": "/mine.so"}


async def test_variables_of_the_runtime_environment(nodes: Nodes) -> None:
    variables = {"env_vars": {"FOR_SHELLS": "yes", "OMP_NUM_THREADS": "3"}}
    async with truetty.ray.cluster(nodes.address, resources=SHARED, runtime_env=variables) as registry:
        terminal = await registry.open("bash", rc=False)
        outcome = await terminal.run("echo $FOR_SHELLS $OMP_NUM_THREADS", wait=PATIENCE)
        assert outcome.output == "yes 3\n"


async def test_a_cluster_that_is_full(nodes: Nodes) -> None:
    async with truetty.ray.cluster(nodes.address, terminals_per_node=1, resources={"shared": 90}) as registry:
        terminals = [await registry.open("bash", rc=False) for _ in range(2)]
        with pytest.raises(truetty.LimitReached, match="2 terminals already on 2 hosts") as caught:
            await registry.open("bash", rc=False)
        assert caught.value.facts == {"limit": "terminals", "value": 2}
        await terminals[0].close()
        assert (await registry.open("bash", rc=False)).id != terminals[0].id
        with pytest.raises(truetty.HostError, match="a host takes 60 shared, and") as refused:
            await truetty.ray.cluster(nodes.address, resources={"shared": 60})
        assert refused.value.facts["reason"] == "no host"


async def test_a_cluster_that_has_not_enough(nodes: Nodes) -> None:
    with pytest.raises(truetty.HostError, match="no node of the cluster has 7 unheard") as caught:
        await truetty.ray.cluster(nodes.address, resources={"unheard": 7})
    assert caught.value.facts == {"reason": "not enough", "demanded": {"unheard": 7}}


async def test_more_terminals_than_files(nodes: Nodes) -> None:
    with pytest.raises(truetty.Misuse, match="at most 1,000 terminals"):
        truetty.ray.cluster(nodes.address, terminals_per_node=1001)


async def test_nodes_that_offer_terminals() -> None:
    plain, offering = placing.Node("1", "a", {"CPU": 4}), placing.Node("2", "b", {"CPU": 4, "terminals": 50})
    assert placing.demand([plain], 100, None, None).resources == {}
    wanted = placing.demand([plain, offering], 50, None, None)
    assert placing.fitting([plain, offering], wanted) == [offering]
    with pytest.raises(truetty.HostError, match=r"has 100 terminals .*a has 0 terminals; b has 50 terminals"):
        placing.fitting([plain, offering], placing.demand([plain, offering], 100, None, None))


@pytest.mark.parametrize("name", ["truetty", "python", "ray"])
async def test_another_version_on_a_node(nodes: Nodes, name: str) -> None:
    import ray

    version = f"{sys.version_info.major}.{sys.version_info.minor}.0"
    versions = {"truetty": VERSION, "python": version, "ray": ray.__version__}
    node = placing.Node("1", "far", {})
    placing.check(Birth("x", 1, **versions), node)
    with pytest.raises(truetty.HostError, match=f"far has {name} 0.0.1, and this program") as caught:
        placing.check(Birth("x", 1, **{**versions, name: "0.0.1"}), node)
    assert caught.value.facts["reason"] == "versions"


def program(text: str, nodes: Nodes) -> subprocess.CompletedProcess[str]:
    """A driver of its own."""
    source = f"import asyncio, ray, truetty.ray\nADDRESS = {nodes.address!r}\n{text}"
    return subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=PATIENCE, check=False)


async def test_another_version_of_ray_here(nodes: Nodes) -> None:
    ended = program(
        "ray.__version__ = ray._private.worker.ray.__version__ = '2.0.0'\n"
        "async def main():\n    await truetty.ray.cluster(ADDRESS)\n"
        "try:\n    asyncio.run(main())\n"
        "except truetty.HostError as error:\n    print(error.facts['reason'], error)\n",
        nodes,
    )
    assert "versions this program and the cluster differ in Ray or Python" in ended.stdout, ended.stderr


async def test_no_cluster_there(nodes: Nodes) -> None:
    ended = program(
        "async def main():\n    await truetty.ray.cluster('127.0.0.1:1')\n"
        "try:\n    asyncio.run(main())\n"
        "except truetty.HostError as error:\n    print(error)\n",
        nodes,
    )
    assert "no Ray cluster at 127.0.0.1:1" in ended.stdout, ended.stderr


async def test_ray_client_is_refused() -> None:
    with pytest.raises(truetty.Misuse, match="Ray Client"):
        await truetty.ray.cluster("ray://somewhere:10001")


async def test_nothing_brings_ray(tmp_path: Path) -> None:
    text = "import sys, truetty, truetty.ray; print('ray' in sys.modules)"
    ended = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert ended.stdout == "False\n"
    hidden = "import sys; sys.modules['ray'] = None\n"
    text = "import asyncio, truetty.ray\nasync def main():\n    await truetty.ray.cluster()\nasyncio.run(main())"
    ended = subprocess.run([sys.executable, "-c", hidden + text], capture_output=True, text=True, check=False)
    assert ended.stderr.splitlines()[-1].startswith("truetty.HostError: ray is missing: ")
