"""From options to the first prompt."""

from __future__ import annotations

import asyncio
from typing import Final

from truetty.host.base import Channel, Host, Order
from truetty.host.local import LocalHost
from truetty.host.single import SingleChannel
from truetty.shells.row import Row
from truetty.terminal.changes import Changes
from truetty.terminal.options import Options
from truetty.terminal.wire.conversation import Conversation

# The shell prints its mark first and blocks in its editor 0.3 ms later; only then can its stack be learnt.
FIRST_RETRY: Final = 0.0005


async def start_shell(options: Options, key: str) -> tuple[Channel, Row]:
    """On the host of the options. `key` is the terminal's own secret, which the shell's marks carry."""
    host = _host(options)
    found = await host.find(options.shell, options.env)
    order = Order(found, key, options.cwd, options.env, options.rc, options.size, options.history)
    return await host.start(order), found.row


async def await_first_prompt(conversation: Conversation, changes: Changes, startup: float) -> None:
    """At most `startup` seconds; then learn from the kernel how the prompt looks, where it can be asked."""
    clock = asyncio.get_running_loop().time
    until = clock() + startup
    conversation.begin(conversation.prepare(None))
    prompt, channel = conversation.link.prompt, conversation.link.channel
    await changes.until(lambda: prompt.is_clean or conversation.link.ended is not None, startup)
    conversation.link.remember_cwd()
    delay = FIRST_RETRY
    while channel.sees and prompt.is_clean and not (channel.knows_prompt or channel.learn()):
        if (left := until - clock()) <= 0:
            return
        await changes.until(lambda: conversation.link.ended is not None, min(delay, left))
        delay *= 2


def _host(options: Options) -> Host:
    if options.keeping is not None:
        return options.keeping.host
    if options.channel is not None:
        return SingleChannel(options.channel)
    if options.sandbox is not None:
        from truetty.host.sandbox import SandboxHost

        return SandboxHost(options.sandbox)
    return options.host or LocalHost()
