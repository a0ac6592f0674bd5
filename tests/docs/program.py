"""Runs a program, and writes what each of its `print` calls printed, by line, into a file of JSON.

program.py FILE REPORT
"""

from __future__ import annotations

import builtins
import io
import json
import runpy
import sys
from pathlib import Path
from typing import Any

FILE, REPORT = sys.argv[1:]
printed: list[tuple[int, str]] = []
print_ = builtins.print


def recording_print(*values: object, **options: Any) -> None:
    caller = sys._getframe(1)
    if caller.f_code.co_filename == FILE:
        text = io.StringIO()
        print_(*values, **{**options, "file": text})
        printed.append((caller.f_lineno, text.getvalue()))
    print_(*values, **options)


builtins.print = recording_print
sys.argv = [FILE]
try:
    runpy.run_path(FILE, run_name="__main__")
finally:
    Path(REPORT).write_text(json.dumps(printed))
