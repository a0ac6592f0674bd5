"""OpenHands' terminal tool on truetty: `executor=TruettyExecutor(folder)`. A script is the model."""

import logging
import os
import tempfile
from typing import Any

os.environ.update(OPENHANDS_SUPPRESS_BANNER="1", LITELLM_LOCAL_MODEL_COST_MAP="True")
logging.disable(logging.WARNING)

from openhands.tools.terminal.definition import TerminalAction

from truetty.adapters.openhands import TruettyExecutor

SCRIPT: list[dict[str, Any]] = [
    {"command": "cd /tmp && (exit 3)"},
    {"command": "read -p 'name? ' x; echo hi $x"},
    {"command": "Ann", "is_input": True},
    {"command": "sleep 600", "timeout": 1.0},
    {"command": "C-c", "is_input": True},
    {"command": "exit 7"},
    {"command": "echo after"},
]


def main() -> None:
    executor = TruettyExecutor(tempfile.mkdtemp())
    for action in SCRIPT:
        seen = executor(TerminalAction(**action))
        print(action["command"], "->", seen.exit_code, repr(seen.text), seen.metadata.suffix.strip()[:60])
    executor.close()


if __name__ == "__main__":
    main()
