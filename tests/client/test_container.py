"""`connect([…])` into namespaces of their own, as `docker exec` or `kubectl exec` would."""

from __future__ import annotations

import os
from pathlib import Path

import truetty
from tests.patience import PATIENCE


async def test_terminals_of_a_container(home: Path, box: list[str]) -> None:
    async with truetty.connect(box) as registry:
        terminal = await registry.open("bash", rc=False)
        outcome = await terminal.run("echo $$; readlink /proc/self/ns/pid /proc/self/ns/mnt", wait=PATIENCE)
        pid, *namespaces = outcome.output.split()
        assert int(pid) == terminal.pid
        assert namespaces[0] != os.readlink("/proc/self/ns/pid") and namespaces[1] != os.readlink("/proc/self/ns/mnt")
        command = await terminal.start("read x; echo $x")
        await command.wait(PATIENCE)
    async with truetty.connect(box) as registry:  # the terminals outlive the connection
        found = registry.get(terminal.id).command
        assert found is not None and found.state == "waiting"
        await found.send("on\n")
        assert (await found.wait(PATIENCE, "finished")).output == "on\non\n"
        await registry.get(terminal.id).close()
