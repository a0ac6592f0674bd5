"""The page as it is built: its own tests, its types, its sizes, and that what is committed is what the sources make."""

from __future__ import annotations

import gzip
import re
import subprocess
from pathlib import Path

import pytest

from tests.patience import PATIENCE

ROOT = Path(__file__).resolve().parent.parent.parent
WEB = ROOT / "web"
STATIC = ROOT / "src" / "truetty" / "web" / "static"
SOURCES = sorted([*(WEB / "src").glob("*.ts"), *(WEB / "style").glob("*.css"), *(WEB / "test").glob("*.ts")])
KB = 1024
FIRST_PAINT = 25 * KB  # compressed, before anything is shown
IN_ALL = 140 * KB
LONGEST = 400  # lines of a file
# What makes HTML, script or style out of text.
FORBIDDEN = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment|srcdoc"
    r"|\beval\(|new Function|setAttribute\(.style|\.on(?:click|error|load|input)\s*="
)


def run(*words: str) -> str:
    done = subprocess.run(words, cwd=WEB, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


def test_its_own_tests_pass() -> None:
    assert "# fail 0" in run("node", "test/run.mjs")


def test_its_types_hold() -> None:
    run("node", "node_modules/typescript/bin/tsc", "--noEmit")


def test_what_is_committed_is_what_the_sources_make(tmp_path: Path) -> None:
    """Compressed files are compared by what is in them: another version of zlib packs in another way."""
    fresh = tmp_path / "static"
    run("node", "build.mjs", str(fresh))

    def contents(folder: Path) -> dict[str, bytes]:
        return {one.name: b"" if one.suffix == ".br" else unpacked(one) for one in folder.iterdir()}

    assert contents(STATIC) == contents(fresh), "run `node build.mjs` in web/"


def unpacked(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def test_each_file_is_there_compressed() -> None:
    for one in STATIC.iterdir():
        if one.suffix in (".js", ".css", ".svg"):
            assert unpacked(Path(f"{one}.gz")) == one.read_bytes()
            assert Path(f"{one}.br").stat().st_size < one.stat().st_size


def needed(name: str) -> set[str]:
    """A script, and those that it cannot start without."""
    text = (STATIC / name).read_text()
    found = {name}
    for other in re.findall(r'(?:from|import)"\./([^"]+)"', text):
        found |= needed(other)
    return found


def test_little_is_loaded_before_the_first_paint() -> None:
    index = (STATIC / "index.html").read_text()
    scripts = needed(re.findall(r'src="/static/([^"]+)"', index)[0])
    style = re.findall(r'rel="stylesheet" href="/static/([^"]+)"', index)[0]
    size = sum((STATIC / f"{name}.gz").stat().st_size for name in {*scripts, style})
    assert size <= FIRST_PAINT, f"{size} bytes of {sorted(scripts)}"
    assert not any(name.startswith("xterm") for name in scripts)
    assert sum(one.stat().st_size for one in STATIC.glob("*.gz")) <= IN_ALL


def test_the_libraries_licences_go_along() -> None:
    text = (STATIC / "LICENSES.txt").read_text()
    for name in ("@xterm/xterm 6.0.0", "@xterm/addon-fit", "@xterm/addon-unicode11", "@preact/signals-core"):
        assert name in text
    assert not list(STATIC.glob("*.map"))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_text_stays_text(path: Path) -> None:
    text = path.read_text()
    assert FORBIDDEN.findall(text) == []
    assert text.count("\n") <= LONGEST


def test_one_file_knows_the_protocol() -> None:
    for path in (WEB / "src").glob("*.ts"):
        if path.name not in ("wire.ts",):
            assert "/v1/" not in path.read_text(), path.name
            assert "truetty.view" not in path.read_text(), path.name
