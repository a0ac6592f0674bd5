"""A host with one shell that runs already: what `Terminal(channel=…)` is given.

Rule 1: nothing is looked for on this machine. The shell's name says which row of the table it is; without a name, the
        program that runs on the channel does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from truetty.host.base import Channel, Found, Order, ShellName
from truetty.host.launch import prepare
from truetty.shells import table


class SingleChannel:
    name = "channel"

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    async def find(self, shell: ShellName, env: Mapping[str, str | None]) -> Found:
        return found_by_name(self._channel.process.program() or "" if shell is None else shell)

    async def start(self, order: Order) -> Channel:
        """The shell's files are written; the code that has started the shell must have it read them."""
        prepare(order, self._channel.files, {})
        self._channel.resize(*order.size)
        return self._channel

    async def close(self) -> None:
        return


def found_by_name(shell: str | Sequence[str]) -> Found:
    """A shell that need not be on this machine."""
    program, *arguments = [shell] if isinstance(shell, str) else shell
    return Found(table.recognise(program), program, tuple(arguments))
