"""What a wait is for, as it travels."""

from __future__ import annotations

import re
from typing import Any

from truetty.core.patterns import BoundedPattern, Pattern
from truetty.core.until import Exit, Idle, Input, Match, Port, Screen, Settled, Until


def until_field(until: Until) -> Any:
    """A function of the screen does not travel: `Command.wait` calls it on each screen that the server sends."""
    match until:
        case Settled():
            return "settled"
        case Exit():
            return "exit"
        case Input():
            return "input"
        case Idle(seconds):
            return f"idle:{seconds!r}"
        case Port(number):
            return f"port:{number}"
        case Match(patterns=(BoundedPattern() as one,)):
            return f"match:{one.pattern}"
        case Match():
            return {"match": [_pattern(one) for one in until.patterns]}
        case Screen(str() as text):
            return {"screen": text}
        case Screen(re.Pattern() as pattern):
            return {"screen": _pattern(pattern)}
    raise AssertionError(f"{until} does not travel")


def _pattern(pattern: Pattern) -> dict[str, Any]:
    return {"pattern": pattern.pattern, "flags": pattern.flags if isinstance(pattern, re.Pattern) else 0}
