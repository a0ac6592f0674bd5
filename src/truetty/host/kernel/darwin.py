"""Watches one shell on one pty on macOS. **Untested**: written from the manuals, never run on a Mac.

Rule 1: macOS does not say what a process is blocked on without special rights. So this is the blind observer, which
        asks the terminal itself (foreground group, modes), with one fact more: who is in front.
Rule 2: another group in front and the terminal not asking for a secret is `running`, soft: it may as well wait.
        The shell's own group in front is `unknown`: prompt, `read` and a builtin at work look alike.
"""

from __future__ import annotations

from truetty.host.kernel.blind import BlindObserver
from truetty.host.kernel.observation import Observation


class DarwinObserver(BlindObserver):
    def observe(self) -> Observation:
        seen = super().observe()
        if seen.seen == "unknown" and self.shell_in_front() is False:
            return Observation("running", hard=False)
        return seen
