"""`connect([…])` into namespaces of their own, as `docker exec` or `kubectl exec` would."""

from __future__ import annotations

import os
from pathlib import Path

import truetty
from tests.client.far import container
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


async def test_terminals_of_a_chroot(home: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    with container(tmp_path, root=root) as words:
        async with truetty.connect(words) as registry:
            terminal = await registry.open("bash", rc=False)
            # What was bound to the folder does not stand in the folder as the chroot sees it.
            outcome = await terminal.run(f"ls -A {root}; test -d /usr && (exit 3)", wait=PATIENCE)
            assert (outcome.output, outcome.exit_code, outcome.evidence) == ("", 3, "mark")
            command = await terminal.start("read -p 'sure? ' x")
            asked = await command.wait(PATIENCE)
            assert asked.waiting is not None and asked.waiting.prompt == "sure? "
            await terminal.close()
