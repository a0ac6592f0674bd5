"""What changes how later text is laid out: modes, margins, character sets, tab stops."""

from __future__ import annotations

from truetty.text.stops import Stops


class Layout:
    """Of one page. After a change, `weigh` says again whether text may stay text."""

    # What most streams never touch lives on the class, so that making one costs next to nothing.
    plain = True  # nothing here is set
    alternate = False
    was_alternate = False  # a program has left the alternate screen, and has not moved to a row since
    insert = False
    autowrap = True
    origin = False
    newline = False  # a line feed returns the cursor as well
    drawing = False  # the active character set is DEC's line drawing
    sets: tuple[bool, ...] = (False, False, False, False)
    level = 0
    stops: Stops = None

    def __init__(self, height: int) -> None:
        self.height = height
        self.top = 0
        self.bottom = height - 1

    def weigh(self) -> None:
        margins = self.top != 0 or self.bottom != self.height - 1
        odd = self.insert or not self.autowrap or self.origin or self.newline or self.drawing or self.level
        self.plain = not (margins or odd or self.alternate or self.stops is not None)
