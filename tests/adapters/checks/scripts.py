"""What the checks of all frameworks use: the example of each, run as it is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def example(name: str) -> str:
    """What the example prints."""
    script = ROOT / "examples" / "adapters" / f"with_{name}.py"
    done = subprocess.run(
        [sys.executable, str(script)], env=os.environ, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
