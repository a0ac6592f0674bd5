"""How long a line gets that is typed while the tty gathers lines: the kernel keeps so much of one, and drops the rest.

Rule: a control character may end the line, erase it or send a signal, so counting begins anew behind each. What is
      counted is never more than what the kernel holds.
"""

from __future__ import annotations

from typing import Final

from truetty.core import lazy

# Bytes of Linux's line buffer, less the one that ends the line.
LONGEST_LINE: Final = 4095
_CONTROLS: Final = lazy.pattern(rb"[\x00-\x08\x0a-\x1f\x7f]")


class OpenLine:
    def __init__(self) -> None:
        self._size = 0  # bytes of the line that was not ended

    @property
    def is_open(self) -> bool:
        """Whether something stands there that no program gets before Enter."""
        return self._size > 0

    def longest_with(self, keys: bytes) -> int:
        """Bytes of the longest line, once these keys are typed."""
        first, *others = map(len, _CONTROLS.split(keys))
        return max(self._size + first, *others, 0)

    def on_keys(self, keys: bytes) -> None:
        first, *others = map(len, _CONTROLS.split(keys))
        self._size = others[-1] if others else self._size + first

    def forget(self) -> None:
        """The tty gathers no lines now, or the shell has read what was there."""
        self._size = 0
