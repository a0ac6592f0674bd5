"""What callers type: text as it is, and keys by name. What is no text, and an unknown key, is refused first."""

from __future__ import annotations

from truetty.core.errors import Misuse
from truetty.terminal import keys
from truetty.terminal.wire.conversation import Conversation


async def send(conversation: Conversation, text: str | bytes) -> None:
    """Returns when the tty has taken it."""
    conversation.link.require_open()
    if not isinstance(text, str | bytes):
        raise Misuse(f"only text or bytes can be typed, not {text!r}", text=text)
    if text:
        conversation.send(text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text)
    await conversation.link.channel.drained()


async def press(conversation: Conversation, *names: str) -> None:
    """Returns when the tty has taken them."""
    conversation.link.require_open()
    if names:
        conversation.send(keys.encode(*names, application=conversation.link.modes.application_keys))
    await conversation.link.channel.drained()


async def type(conversation: Conversation, text: str, *names: str) -> None:
    """Text and then keys, in one write. Returns when the tty has taken them."""
    conversation.link.require_open()
    if not isinstance(text, str):
        raise Misuse(f"only text can be typed, not {text!r}", text=text)
    data = text.encode("utf-8", "surrogateescape")
    data += keys.encode(*names, application=conversation.link.modes.application_keys)
    if data:
        conversation.send(data)
    await conversation.link.channel.drained()
