"""Each drop-in on its real framework, in the framework's own environment: `checks/check_NAME.py`.

`./test adapters` makes the environments.
"""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.adapters import program

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FRAMEWORKS = sorted(path.stem.removeprefix("check_") for path in (HERE / "checks").glob("check_*.py"))
# Without these, imports ask the network for prices, print a banner, and write to the user's home.
QUIET = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "MSWEA_SILENT_STARTUP": "1",
    "OPENAI_AGENTS_DISABLE_TRACING": "1",
    "OPENHANDS_SUPPRESS_BANNER": "1",
}
COUNTED = re.compile(r"^COUNT (.*)$", re.MULTILINE)


@pytest.mark.long
@pytest.mark.parametrize("name", FRAMEWORKS)
def test_a_framework(name: str, tmp_path: Path, home: Path, record_property) -> None:
    python = HERE / "environments" / name / ".venv" / "bin" / "python"
    assert python.exists(), f"{name} is not installed: ./test adapters installs it"
    environ = {
        **os.environ,
        **QUIET,
        "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}",
        "MSWEA_GLOBAL_CONFIG_DIR": str(tmp_path),
        "TRUETTY_TEST_PROGRAM": str(ROOT / ".venv" / "bin" / "truetty"),
    }
    checks = HERE / "checks" / f"check_{name}.py"
    command = [str(python), "-m", "pytest", "-c", str(HERE / "checks" / "checks.ini"), "-rA", str(checks)]
    done = program.run(command, tmp_path, environ)
    assert done.code == 0, done.output[-6000:] + done.errors[-2000:]
    for counted in COUNTED.findall(done.output):
        record_property("report", f"{name}: {counted}")


def test_every_drop_in_has_an_environment_an_example_and_checks() -> None:
    shared = {"__init__", "machine", "places"}
    files = {path.stem for path in (ROOT / "src/truetty/adapters").glob("*.py")} - shared
    assert files == set(FRAMEWORKS)
    assert files == {path.stem.removeprefix("with_") for path in (ROOT / "examples/adapters").glob("with_*.py")}
    assert files | {"uv"} == {path.parent.name for path in HERE.glob("environments/*/requirements.lock")}


def test_the_package_brings_no_framework() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert {_name(one) for one in project["dependencies"]} == {"google-re2", "pyavt"}
    extras = {
        _name(one) for name, wanted in project["optional-dependencies"].items() if name != "dev" for one in wanted
    }
    assert extras == {"mcp", "ray", "resvg-py", "shfmt-py", "starlette", "uvicorn", "websockets"}


def _name(requirement: str) -> str:
    return requirement.partition(">=")[0]


def test_the_package_of_drop_ins_needs_no_framework() -> None:
    imports = "import truetty.adapters, truetty.adapters.machine, truetty.adapters.places"
    done = subprocess.run([str(ROOT / ".venv/bin/python"), "-P", "-c", imports], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
