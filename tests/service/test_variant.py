"""A registry whose callers make terminals in different ways."""

from __future__ import annotations

from pathlib import Path

import pytest

from truetty import LimitReached, Registry
from truetty.policy import Policy
from truetty.service.service import Service


async def test_a_variant_has_the_same_terminals_and_the_same_limit(home: Path, tmp_path: Path) -> None:
    async with Registry(limit=2, shell="bash", rc=False) as registry:
        variant = registry.variant("sh", tmp_path)
        one = await registry.acquire(task="a")
        two = await variant.acquire(task="b")
        assert one.shell == "bash" and two.shell != "bash" and two.cwd == str(tmp_path)
        assert registry.list() == variant.list() == [one, two]
        assert variant.get(one.id) is one
        with pytest.raises(LimitReached):
            await variant.acquire(task="c")
        with pytest.raises(LimitReached):
            await registry.acquire(task="c")


async def test_a_variant_takes_no_terminal_that_another_caller_has_used(home: Path, tmp_path: Path) -> None:
    async with Service(Registry(shell="bash", rc=False)) as service:
        used = await service.run("export MINE=1", wait=60)
        guest = Service(service.registry.variant("bash", tmp_path), books=service.books)
        ran = await guest.run("echo mine=$MINE", task="b", wait=60)
        assert ran.outcome.output == "mine=\n" and ran.outcome.terminal_id != used.outcome.terminal_id
        again = await guest.run("true", task="b", wait=60)
        assert again.outcome.terminal_id == ran.outcome.terminal_id
        third = await service.run("echo mine=$MINE", wait=60)
        assert (third.outcome.output, third.outcome.terminal_id) == ("mine=1\n", used.outcome.terminal_id)


async def test_services_with_one_book_know_each_other_s_commands(home: Path) -> None:
    async with Service(Registry(shell="bash", rc=False)) as service:
        strict = Service(service.registry, policy=Policy.read_only(), books=service.books)
        ran = await service.run("echo hi", task="a", wait=60)
        assert strict.command(ran.outcome.command_id).text == "echo hi"
        assert (await strict.read(ran.outcome.command_id, offset=0)).visible.text == "hi\n"
        started = await strict.start("echo there", task="b")
        assert service.command(started.id) is started
