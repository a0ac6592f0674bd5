"""The real clients: each runs the script with a scripted model, and what its model reads is the truth.

`./test clients` installs them. With `TRUETTY_TEST_RECORD=1` their conversations are recorded for `test_recorded.py`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.clients.drive import LIMIT
from tests.clients.plans import PLANS
from tests.clients.recording import recorded
from tests.clients.script import CALLS
from tests.clients.test_recorded import RECORDED

ROOT = Path(__file__).resolve().parents[2]
MEASURED = ("true", "ls", "log", "failing", "unknown-id", "misspelt", "typed-secret", "big")


@pytest.mark.long
@pytest.mark.parametrize("name", PLANS)
def test_a_real_client(name: str, tmp_path: Path, record_property, program) -> None:
    missing = [part for part in PLANS[name](0).command[:2] if isinstance(part, Path) and not part.exists()]
    assert not missing, f"{missing} not installed: ./test clients installs them"
    rights = () if os.geteuid() == 0 else ("--map-root-user",)
    driver = (program("unshare"), *rights, "--net", sys.executable, "-m", "tests.clients.drive", name, str(tmp_path))
    subprocess.run(driver, cwd=ROOT, check=True, timeout=LIMIT + 60)
    report = json.loads((tmp_path / "report.json").read_text())
    readings, project = report["readings"], tmp_path / "project"
    wrong = {}
    for label, call in CALLS.items():
        text = readings[label]["text"] if label in readings else ""
        if why := call.wrong(text, project) if label in readings else "never read":
            wrong[label] = f"{why}: {text[:300]}"
    sizes = ", ".join(f"{label} {readings[label]['characters']}" for label in MEASURED if label in readings)
    counted = f"{len(CALLS) - len(wrong)} of {len(CALLS)} right"
    record_property("report", f"{name}: {counted}; characters: tools {report['tools']}, {sizes}")
    if os.environ.get("TRUETTY_TEST_RECORD") == "1":
        wire = (tmp_path / "wire.jsonl").read_text().splitlines()
        entries = recorded(wire, {"{project}": project, "{home}": tmp_path / "home"})
        RECORDED.mkdir(exist_ok=True)
        lines = (json.dumps(entry, ensure_ascii=False, separators=(",", ":")) + "\n" for entry in entries)
        (RECORDED / f"{name}.jsonl").write_text("".join(lines))
    said = "\n".join((tmp_path / name).read_text(errors="replace")[-2000:] for name in ("out.txt", "err.txt"))
    assert not wrong, (json.dumps(wrong, indent=1, ensure_ascii=False), said)
