"""Lists of tests that are left out under a condition: a reason, and what the names of its tests begin with."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

Reasons = Mapping[str, Sequence[str]]


def find_reason(test: str, reasons: Reasons) -> str | None:
    """Of a test by its node id; None: it is on no list."""
    name = test.rpartition("/test_")[2]
    for reason, patterns in reasons.items():
        if any(re.match(pattern, name) for pattern in patterns):
            return reason
    return None
