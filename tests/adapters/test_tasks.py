"""Ten tasks with a script in the place of the model, beside the framework's own shell: `ten_tasks.py`."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from tests.adapters import program
from tests.adapters.shells import PLACES, SHELLS
from tests.adapters.ten_tasks import TASKS
from tests.adapters.test_frameworks import QUIET, ROOT

# What the framework's interface cannot say, for any shell behind it.
CANNOT = {
    # A time-out is an error text of the middleware: no output goes with it.
    "langchain": {"time_out"},
    # A terminal of the protocol is one command.
    "acp": {"directory_and_variables", "last_status", "background_server"},
}


@pytest.mark.long
@pytest.mark.parametrize("name", SHELLS)
def test_ten_tasks(name: str, tmp_path: Path, home: Path, record_property) -> None:
    python = PLACES / name / ".venv" / "bin" / "python"
    assert python.exists(), f"{name} is not installed: ./test adapters installs it"
    environ = {**os.environ, **QUIET, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}", "MSWEA_GLOBAL_CONFIG_DIR": str(tmp_path)}
    command = [str(python), "-m", "tests.adapters.ten_tasks", name]
    done = program.run(command, tmp_path, environ)
    found = [json.loads(line) for line in done.output.splitlines() if line.startswith("{")]
    kinds = dict.fromkeys(one["kind"] for one in found)
    assert "truetty" in kinds and len(found) == len(kinds) * len(TASKS), done.output + done.errors
    for kind in kinds:
        seen = [one for one in found if one["kind"] == kind]
        counts = Counter(one["verdict"] for one in seen)
        others = ", ".join(f"{one['task']} {one['verdict']}" for one in seen if one["verdict"] != "right")
        record_property("report", f"{name}, {kind}: {counts['right']} right, {others or 'none else'}")
    for kind in kinds:
        if not kind.startswith("its own"):
            ours = {one["task"]: one for one in found if one["kind"] == kind and one["verdict"] != "right"}
            assert set(ours) == CANNOT.get(name, set()), ours
