"""The rate of `yes` in a terminal of a server: with viewers of the page, against none.

stopped  a viewer that reads nothing after its first picture. To reach: 0.9 or more
eight    eight of them. To reach: 0.9 or more
reading  a viewer that reads and acknowledges everything. The server draws ten pictures a second for it

One `yes` runs all the time. Windows without viewers and with them take turns. Each window with viewers is compared with
the windows before and after it, so that a change in the machine's speed does not count.
"""

from __future__ import annotations

import contextlib
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.server.live import Live
from tests.web.browser import Page, WebSocket

SECONDS: Final = 2.0  # of a window
ROUNDS: Final = 15  # half a minute with viewers, half a minute without
QUOTA: Final = 32 << 20  # older output is not kept, so that the disk does not count


class Yes:
    """A terminal in which `yes` runs."""

    def __init__(self, page: Page) -> None:
        self._page, self._server = page, page.server
        self._login = page.login()
        self._terminal = self._server.post("/v1/terminals", rc=False, quota=QUOTA)["id"]
        self._command = self._server.post("/v1/commands", command="yes", terminal=self._terminal)["id"]

    def viewer(self) -> WebSocket:
        made = self._page.upgrade(f"/v1/terminals/{self._terminal}/view", self._login)
        made.until(t="picture")
        return made

    def rate(self) -> float:
        """Bytes a second in one window."""
        before, start = self._printed(), time.perf_counter()
        time.sleep(SECONDS)
        return (self._printed() - before) / (time.perf_counter() - start)

    def _printed(self) -> int:
        return int(self._server.get(f"/v1/commands/{self._command}")["output_bytes"])


@contextmanager
def stopped(yes: Yes, count: int = 1) -> Iterator[None]:
    made = [yes.viewer() for _ in range(count)]
    yield
    for one in made:
        one.close()


@contextmanager
def reading(yes: Yes) -> Iterator[None]:
    made = yes.viewer()

    def read() -> None:
        with contextlib.suppress(OSError, EOFError):
            while True:
                frame = made.heard()
                if "seq" in frame:
                    made.say(t="ack", seq=frame["seq"])

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    yield
    made.say(t="later-version")
    made.close()
    reader.join()


KINDS: Final[dict[str, Callable[[Yes], contextlib.AbstractContextManager[None]]]] = {
    "stopped": stopped,
    "eight": lambda yes: stopped(yes, 8),
    "reading": reading,
}


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    with tempfile.TemporaryDirectory() as folder:
        server = Live(Path(folder) / "state")
        try:
            server.post("/v1/web", port=0)
            yes = Yes(Page(server))
            yes.rate()
            for name, kind in KINDS.items():
                without, ratios = [yes.rate()], []
                for _ in range(rounds):
                    with kind(yes):
                        seen = yes.rate()
                    without.append(yes.rate())
                    ratios.append(seen / statistics.fmean(without[-2:]))
                bare = statistics.median(without) / 1e6
                ratio, low, high = statistics.median(ratios), min(ratios), max(ratios)
                print(f"{name:8} {bare:5.1f} MB/s without, {ratio:.2f} of it with   (from {low:.2f} to {high:.2f})")
        finally:
            server.end()


if __name__ == "__main__":
    main()
