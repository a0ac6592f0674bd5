"""What a task of `map` takes of a node, beside its terminal: `resources` of a task, counted by Ray.

Rule 1: Ray chooses the node, among those that have a host and offer as much. It waits as long as others use it.
Rule 2: what no node with a host can ever give is refused at once.
Rule 3: the resources are given back when the terminal is closed. If this program is killed, Ray takes them back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Final

from truetty.client.command import Command
from truetty.client.terminal import Terminal
from truetty.core.errors import HostError
from truetty.ray import placing
from truetty.ray.members import Member
from truetty.ray.placing import Node
from truetty.ray.tunnel import answer, described

LOOK_SECONDS: Final = 5.0  # after so long it is seen whether a host is left that may get them
Hosts = Callable[[], tuple[Member, ...]]


class Reserved:
    """A terminal on the node that has the resources."""

    def __init__(self, terminal: Terminal, group: Any) -> None:
        self._terminal = terminal
        self._group = group

    async def start(self, command: str) -> Command:
        return await self._terminal.start(command)

    async def close(self) -> None:
        try:
            await self._terminal.close()
        finally:
            await free(self._group)


async def reserve(hosts: Hosts, taken: Mapping[str, float], wanted: Mapping[str, float]) -> tuple[Any, str]:
    """A group of Ray that has them, and the id of its node. `taken`: what each host takes of its node already."""
    found = [one.node for one in hosts() if placing.offers(one.node, taken, wanted)]
    if not found:
        raise placing.refusal("no node with a host", [one.node for one in hosts()], wanted)
    try:
        group = await asyncio.to_thread(placing.reserve, wanted, found)
    except Exception as error:  # of Ray, in which each of its checks raises another one
        reason = described(error)
        raise HostError(f"Ray has refused {placing.listed(wanted)}: {reason}", reason=reason) from error
    try:
        ready = answer(group.ready())
        while not (await asyncio.wait([ready], timeout=LOOK_SECONDS))[0]:
            _check(hosts, found, wanted)
        return group, await asyncio.to_thread(placing.node_of, group)
    except BaseException:
        await asyncio.shield(free(group))
        raise


async def free(group: Any) -> None:
    await asyncio.to_thread(placing.free, group)


def _check(hosts: Hosts, found: list[Node], wanted: Mapping[str, float]) -> None:
    ids = {one.node.id for one in hosts()}
    if not any(node.id in ids for node in found):
        message = f"the hosts on the nodes that have {placing.listed(wanted)} were lost"
        raise HostError(message, reason="not enough", demanded=dict(wanted))
