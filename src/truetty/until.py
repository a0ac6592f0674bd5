"""What a wait is for: `await command.wait(60, until.Port(8080))`. The classes are in `core/until.py`."""

from truetty.core.patterns import Found as Found
from truetty.core.until import Exit as Exit
from truetty.core.until import Idle as Idle
from truetty.core.until import Input as Input
from truetty.core.until import Match as Match
from truetty.core.until import Port as Port
from truetty.core.until import Screen as Screen
from truetty.core.until import Settled as Settled
from truetty.core.until import Until as Until
