"""Tools for testing what is built on truetty, and truetty itself. Public: they change as carefully as the rest.

`expect(terminal).to_show("Saved")` is an assertion that waits. pytest has the fixtures `terminal` and `terminals` of
`plugin.py` by itself. The rest is imported when it is used, so that pytest starts as quickly as without truetty.

`FakeChannel` is a shell that does what a test says, `FakeHost` a place that starts such shells. `MachineByHand` is the
machine of one command with a clock that the test turns. `CONFORMANCE` is what every channel must do, as cases that take
a way to make one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from truetty.core import lazy

if TYPE_CHECKING:
    from truetty.host.conformance import CONFORMANCE as CONFORMANCE
    from truetty.host.conformance import Make as Make
    from truetty.host.conformance import Recorder as Recorder
    from truetty.host.conformance import Script as Script
    from truetty.host.conformance import order as order
    from truetty.host.fake import FakeChannel as FakeChannel
    from truetty.host.fake import FakeHost as FakeHost
    from truetty.host.fake import FakeObserver as FakeObserver
    from truetty.host.fake import mark as mark
    from truetty.testing.by_hand import SECRETS as SECRETS
    from truetty.testing.by_hand import MachineByHand as MachineByHand
    from truetty.testing.expectation import expect as expect

HOMES = {
    "truetty.host.conformance": ("CONFORMANCE", "Make", "Recorder", "Script", "order"),
    "truetty.host.fake": ("FakeChannel", "FakeHost", "FakeObserver", "mark"),
    "truetty.testing.by_hand": ("SECRETS", "MachineByHand"),
    "truetty.testing.expectation": ("expect",),
}

__getattr__ = lazy.names(__name__, globals(), HOMES)


def __dir__() -> list[str]:
    return sorted({*globals(), *(name for names in HOMES.values() for name in names)})
