"""`truetty shot`: pictures as SVG and PNG, dark and light, cropped."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests import warm
from truetty.cli.table.recordings import SHOT
from truetty.text.picture import WIDTH
from truetty.text.theme import LIGHT, THEMES

LINE = "printf 'one  two\\n\\033[31mred\\n'"


def shoot(*words: str) -> subprocess.CompletedProcess[bytes]:
    return warm.run("shot", *words, stdin=None, env={**os.environ, "NO_COLOR": "1"})


def width_of_png(path: Path) -> int:
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width: int = struct.unpack(">I", data[16:20])[0]
    return width


def test_the_table_names_the_themes() -> None:
    (theme,) = (option for group in SHOT.groups for option in group.options if option.name == "--theme")
    assert theme.values == tuple(THEMES)


def test_a_picture_is_as_wide_as_what_is_there(home: Path) -> None:
    path = home / "a.svg"
    assert shoot(str(path), "--no-rc", LINE).returncode == 0
    cropped = float(ET.fromstring(path.read_text()).attrib["width"])
    assert shoot(str(path), "--no-rc", "--full-width", LINE).returncode == 0
    whole = float(ET.fromstring(path.read_text()).attrib["width"])
    assert cropped == pytest.approx(20 * WIDTH + 24, abs=0.1) and whole == pytest.approx(120 * WIDTH + 24, abs=0.1)


def test_a_light_picture(home: Path) -> None:
    path = home / "a.svg"
    assert shoot(str(path), "--no-rc", "--theme", "light", LINE).returncode == 0
    assert ET.fromstring(path.read_text()).attrib["fill"] == LIGHT.foreground


def test_a_png(home: Path) -> None:
    small, large = home / "a.png", home / "b.PNG"
    assert shoot(str(small), "--no-rc", "--scale", "1", LINE).returncode == 0
    assert shoot(str(large), "--no-rc", LINE).returncode == 0
    assert width_of_png(small) == 192 and width_of_png(large) == 384
    assert small.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("a.gif", "ls"), "a.gif: the name of a picture ends in .svg or .png"),
        (("a.png", "--scale", "0", "ls"), "--scale is a number up to 10, more than 0; got 0"),
        (("a.png", "--theme", "blue", "ls"), "blue"),
        (("a.svg", "x.cast"), "x.cast is a recording: use --cast x.cast"),
    ],
)
def test_what_is_refused(home: Path, words: tuple[str, ...], said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)
    (home / "x.cast").write_text('{"version": 2, "width": 80, "height": 24}\n')
    ran = shoot(str(home / words[0]), *words[1:])
    assert ran.returncode == 125 and said in ran.stderr.decode()
    assert not list(home.glob("a.*"))


def test_without_the_extra_nothing_runs(home: Path) -> None:
    code = "import sys; sys.modules['resvg_py'] = None; from truetty.cli import main; main()"
    command = [sys.executable, "-c", code, "shot", str(home / "a.png"), f"touch {home}/ran"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (
        ran.returncode == 125
        and "Install the extra: pip install '.[png]'" in ran.stderr
        and not (home / "ran").exists()
    )
