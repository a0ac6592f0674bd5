"""Looks at a terminal as a person would: makes a screen of what its timeline shows.

Rule: a look costs what has come since the last one, and never more than a bounded replay. A screen holds a few
      thousand characters, so the last megabyte draws it; a full-screen program draws once and then changes little, so
      its screen is drawn from where it began, if that is within reach.
"""

from __future__ import annotations

from typing import Final

from truetty.store.timeline import Timeline
from truetty.terminal.wire.modes import ScreenModes
from truetty.text.screen import Model, Screen

REACH: Final = 1 << 20
FULL_SCREEN_REACH: Final = 8 << 20


class Viewer:
    def __init__(self, timeline: Timeline, modes: ScreenModes) -> None:
        self._timeline = timeline
        self._modes = modes
        self._model: Model | None = None
        self._at = 0

    def look(self) -> Screen:
        return self.model().screen()

    def model(self) -> Model:
        """The same, to be drawn."""
        timeline = self._timeline
        end = timeline.end
        if self._model is None or end - self._at > REACH:
            self._begin(end, self._modes.alternate_from)
        model = self._model
        assert model is not None
        model.resize(timeline.size_at(self._at))  # it may have changed right after the last look
        for at, _, size in timeline.resizes(self._at, end):
            self._feed(model, at)
            model.resize(size)
        self._feed(model, end)
        model.resize(timeline.size_at(end))  # nothing may have come since
        return model

    def _begin(self, end: int, alternate_from: int | None) -> None:
        timeline = self._timeline
        start = max(0, end - REACH)
        within = alternate_from is not None and end - alternate_from <= FULL_SCREEN_REACH
        if alternate_from is not None and within:
            start = min(start, alternate_from)
        title = self._model.title if self._model is not None else None
        inside = alternate_from is not None and alternate_from < start
        self._model = Model(timeline.size_at(start), title=title, alternate=inside)
        self._at = start

    def _feed(self, model: Model, end: int) -> None:
        for _, data in self._timeline.pieces(self._at, end):
            model.feed(data)
        self._at = end
