"""The command line as a whole: its table, its settings, its errors, its encoding."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import truetty
from tests import warm

PATIENCE = 120
SOURCE = str(Path(truetty.__file__).parents[1])


@pytest.fixture(autouse=True)
def environment(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", SOURCE)
    monkeypatch.setenv("SHELL", "/bin/bash")
    monkeypatch.setenv("NO_COLOR", "1")


def run(*words: str, **env: str) -> subprocess.CompletedProcess[bytes]:
    return warm.run(*words, stdin=None, env={**os.environ, **env})


def start(*words: str, **env: str) -> subprocess.CompletedProcess[bytes]:
    """In an interpreter of its own, which reads the environment when it starts."""
    return subprocess.run(
        [sys.executable, "-m", "truetty", *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PATIENCE,
        env={**os.environ, **env},
        check=False,
    )


# -- settings


def test_run_begins_in_the_workspace() -> None:
    assert run("run", "pwd", TRUETTY_WORKSPACE="/usr").stdout == b"/usr\n"
    assert run("run", "--cwd", "/", "pwd", TRUETTY_WORKSPACE="/usr").stdout == b"/\n"


ASK = "echo $0 $(stty size) $PWD $COLOUR"
SETTINGS = {"TRUETTY_SHELL": "dash", "TRUETTY_SIZE": "40x5", "TRUETTY_WORKSPACE": "/usr"}


def test_every_command_reads_the_settings(tmp_path: Path) -> None:
    settings = {**SETTINGS, "TRUETTY_ENV": '{ COLOUR = "blue" }'}
    assert run("run", ASK, **settings).stdout.endswith(b"dash 5 40 /usr blue\n")
    cast, picture = tmp_path / "x.cast", tmp_path / "x.svg"
    assert run("record", str(cast), "--", ASK, **settings).returncode == 0
    assert "dash 5 40 /usr blue" in cast.read_text()
    assert json.loads(cast.read_text().splitlines()[0])["term"]["cols"] == 40
    assert run("shot", str(picture), ASK, **settings).returncode == 0
    assert "dash 5 40 /usr blue" in "".join(ET.parse(picture).getroot().itertext())
    assert run("shot", "--size", "60x7", str(picture), ASK, **settings).returncode == 0
    assert "dash 7 60" in "".join(ET.parse(picture).getroot().itertext())


def test_doctor_reads_the_settings(home: Path) -> None:
    (home / ".bashrc").write_text("exit 3\n")
    assert b"TRUETTY_RC" in run("doctor", "--json", TRUETTY_RC="perhaps").stdout
    shells = json.loads(run("doctor", "--json", TRUETTY_RC="false").stdout)["shells"]
    assert [shell["works"] for shell in shells if shell["name"] == "bash"] == [True]


# -- errors and encodings


@pytest.mark.usefixtures("own_server")
@pytest.mark.parametrize(
    "words",
    [
        ("run", "--json", "--nope", "x"),
        ("run", "--json"),
        ("run", "--json", "--wait", "soon", "true"),
        ("doctor", "--json", "extra"),
        ("settings", "--json", "--nope"),
        ("nothing", "--json"),
        ("run", "--json", "--shell", "/no/such", "true"),
        ("settings", "--json"),
    ],
)
def test_with_json_every_error_is_an_object(words: tuple[str, ...]) -> None:
    done = run(*words, **({"TRUETTY_SIZE": "large"} if words == ("settings", "--json") else {}))
    assert (done.returncode, done.stderr) == (125, b"")
    error = json.loads(done.stdout)["error"]
    assert error["code"] and error["message"]


def test_without_json_nothing_is_on_standard_output() -> None:
    done = run("run", "--nope", "x")
    assert (done.returncode, done.stdout) == (125, b"") and b"--nope" in done.stderr


@pytest.mark.usefixtures("own_server")
@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_output_is_utf_8_in_any_locale(encoding: str) -> None:
    done = start("run", "--no-rc", "--shell", "bash", "printf 'é 漢\\n'", PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stdout, done.stderr) == (0, "é 漢\n".encode(), b"")
    done = start("run", "--no-rc", "--shell", "bash", "--json", "echo é", PYTHONIOENCODING=encoding)
    assert json.loads(done.stdout)["output"] == "é\n"


@pytest.mark.parametrize("words", ["run 'touch ran'", "--help", "doctor", "list --json"])
def test_without_standard_output_nothing_is_begun(tmp_path: Path, words: str) -> None:
    line = f'exec "$0" -m truetty {words} >&-'
    found = subprocess.run(
        ["sh", "-c", line, sys.executable], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert (found.returncode, found.stderr) == (125, "truetty: standard output is closed\n")
    assert not (tmp_path / "ran").exists()


def test_a_help_page_that_cannot_be_printed() -> None:
    line = '"$0" -m truetty --help >/dev/full'
    found = subprocess.run(
        ["sh", "-c", line, sys.executable], capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert (found.returncode, found.stderr) == (125, "truetty: No space left on device\n")


@pytest.mark.parametrize("closed", ["<&-", ">&-"])
def test_a_server_without_standard_input_or_output_says_so(closed: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f'exec "$0" -m truetty mcp {closed}', sys.executable],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 125
    assert done.stderr.startswith(b"truetty: standard ") and done.stderr.count(b"\n") == 1
