"""How much of each folder of `src/truetty` the tests run: `./test --coverage [PART…]` calls this.

Rule 1: what tests start in processes of their own (the command line, servers) is measured too.
Rule 2: lines that only other systems reach (macOS) count as missed: the figure is of this machine.

    coverage.py PYTEST-ARGUMENT…
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "truetty"

SETTINGS = """
[run]
disable_warnings = no-data-collected
parallel = true
patch = subprocess
source_dirs = {package}
data_file = {folder}/data
omit = {package}/shells/scripts/*
"""


def main(arguments: list[str]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder, "settings")
        settings.write_text(SETTINGS.format(package=PACKAGE, folder=folder))
        tests = run("run", f"--rcfile={settings}", "-m", "pytest", *arguments)
        run("combine", "--quiet", f"--rcfile={settings}")
        run("json", "--quiet", f"--rcfile={settings}", "-o", f"{folder}/report.json")
        report = json.loads(Path(folder, "report.json").read_text())
    print()
    for name, (ran, all_of_it) in by_folder(report).items():
        print(f"{name:<12} {100 * ran / max(all_of_it, 1):5.1f} %  {ran:6,} of {all_of_it:6,} statements")
    return tests


def run(*words: str) -> int:
    return subprocess.run([sys.executable, "-m", "coverage", *words], cwd=ROOT, check=False).returncode


def by_folder(report: dict[str, dict[str, dict[str, dict[str, int]]]]) -> dict[str, tuple[int, int]]:
    """From a folder, or `truetty` for the files beside them, to statements run and statements there are; then all."""
    ran: dict[str, int] = defaultdict(int)
    there: dict[str, int] = defaultdict(int)
    for name, file in report["files"].items():
        parts = Path(os.path.abspath(ROOT / name)).relative_to(PACKAGE).parts
        for folder in (parts[0] if len(parts) > 1 else "truetty", "in all"):
            ran[folder] += file["summary"]["covered_lines"]
            there[folder] += file["summary"]["num_statements"]
    return {folder: (ran[folder], there[folder]) for folder in sorted(there, key=lambda name: (name == "in all", name))}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
