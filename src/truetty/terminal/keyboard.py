"""What callers type: text as it is, and keys by name.

Rule: a value that is no text, an unknown key, and a line that the tty would cut are refused before anything is typed.
"""

from __future__ import annotations

from truetty.core.errors import Misuse
from truetty.terminal import keys
from truetty.terminal.wire.conversation import Conversation
from truetty.terminal.wire.open_line import LONGEST_LINE


async def send(conversation: Conversation, text: str | bytes) -> None:
    """Returns when the tty has taken it."""
    conversation.link.require_open()
    if not isinstance(text, str | bytes):
        raise Misuse(f"only text or bytes can be typed, not {text!r}", text=text)
    data = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
    check_lines(conversation, data)
    if data:
        conversation.send(data)
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
    check_lines(conversation, data)
    data += keys.encode(*names, application=conversation.link.modes.application_keys)
    if data:
        conversation.send(data)
    await conversation.link.channel.drained()


def check_lines(conversation: Conversation, data: bytes) -> None:
    """Where the modes are unknown, also those of a command that has not started, nothing is refused."""
    size = None if conversation.holds_keys else conversation.link.typist.cut_line(data)
    if size is not None:
        raise Misuse(
            f"nothing was typed: in line mode the terminal keeps {LONGEST_LINE:,} bytes of a line, not {size:,}; "
            "put the text in a file, or send parts of the line and press C-d after each",
            bytes=size,
            limit=LONGEST_LINE,
        )
