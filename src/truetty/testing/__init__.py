"""Tools for testing what is built on truetty, and truetty itself. Public: they change as carefully as the rest.

`FakeChannel` is a shell that does what a test says, `FakeHost` a place that starts such shells. `MachineByHand` is the
machine of one command with a clock that the test turns. `CONFORMANCE` is what every channel must do, as cases that take
a way to make one.
"""

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
