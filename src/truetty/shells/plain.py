"""Any other shell or program: the text is typed as it is, and the kernel alone shows what became of it.

Rule 1: no marks, so no exit codes and no healing.
Rule 2: a line feed ends each line. On a cooked tty it is Enter, and readline and libedit take it as Enter too.
"""

from __future__ import annotations

from truetty.shells.row import HealRequest, Launch, LaunchRequest, Request, Typed
from truetty.shells.writing import encode


class Plain:
    def launch(self, request: LaunchRequest) -> Launch | None:
        return None

    def trigger(self, request: Request) -> Typed:
        text = encode(request.text)
        return Typed(text if text.endswith(b"\n") else text + b"\n")

    def heal(self, request: HealRequest) -> Typed | None:
        return None
