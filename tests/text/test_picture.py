"""Pictures: well-formed, exact in their columns, harmless, bounded."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rows import each_row
from truetty import Misuse
from truetty.text.fit import MOST_ROWS, fit
from truetty.text.picture import HEIGHT, MOST_CELLS, WIDTH
from truetty.text.picture import picture as picture_of
from truetty.text.screen import Model
from truetty.text.theme import DARK, LIGHT

SVG = "{http://www.w3.org/2000/svg}"
RECORDINGS = sorted(Path(__file__).with_name("recordings").glob("*.raw"))


def model(data: str | bytes, size: tuple[int, int] = (40, 6)) -> Model:
    made = Model(size)
    made.feed(data.encode() if isinstance(data, str) else data)
    return made


def picture(model: Model, **options: Any) -> str:
    return picture_of(model.drawing(), **options)


def drawn(data: str | bytes, size: tuple[int, int] = (40, 6), *, cursor: bool = False) -> ET.Element:
    return ET.fromstring(picture(model(data, size), cursor=cursor))


def texts(root: ET.Element) -> list[ET.Element]:
    group = root.find(f"{SVG}g")
    assert group is not None
    return group.findall(f"{SVG}text")


def behind(root: ET.Element) -> list[ET.Element]:
    group = root.find(f"{SVG}g")
    assert group is not None
    return group.findall(f"{SVG}rect")


def read_back(root: ET.Element, columns: int, rows: int) -> list[str]:
    """The lines again, from where the picture has put each run of text."""
    lines = [[" "] * columns for _ in range(rows)]
    for run in texts(root):
        text = run.text or ""
        column, row = round(float(run.attrib["x"]) / WIDTH), int(float(run.attrib["y"]) // HEIGHT)
        width = round(float(run.attrib["textLength"]) / WIDTH)
        assert width == len(text) or (len(text) == 1 and width == 2)
        lines[row][column : column + width] = [*text, *[""] * (width - len(text))]
    return ["".join(line).rstrip() for line in lines]


@each_row("path", RECORDINGS)
def test_every_character_is_in_its_column(path: Path) -> None:
    shown = model(path.read_bytes(), (120, 30))
    root = ET.fromstring(picture(shown))
    assert read_back(root, 120, 30) == list(shown.screen().lines)


def test_colours_and_weights() -> None:
    root = drawn(
        "\x1b[31mred\x1b[0m \x1b[1;3;38;2;1;2;3mexact\x1b[0m \x1b[38;5;196mcube\x1b[38;5;244mgrey\x1b[0m \x1b[2mfaint"
    )
    looks = {run.text: run.attrib for run in texts(root)}
    assert looks["red"]["fill"] == DARK.palette[1]
    assert (looks["exact"]["fill"], looks["exact"]["font-weight"], looks["exact"]["font-style"]) == (
        "#010203",
        "bold",
        "italic",
    )
    assert looks["cube"]["fill"] == "#ff0000" and looks["grey"]["fill"] == "#808080"
    assert float(looks["faint"]["fill-opacity"]) < 1 and "fill" not in looks["faint"]


def test_what_is_behind_the_text() -> None:
    root = drawn("ab\x1b[44mcd\x1b[0m\x1b[7mef\x1b[0m\x1b[4mgh\x1b[0m\x1b[9mij")
    blue, inverse, under, through = behind(root)
    assert float(blue.attrib["x"]) == float(blue.attrib["width"]) == pytest.approx(2 * WIDTH)
    assert blue.attrib["fill"] == DARK.palette[4]
    assert inverse.attrib["fill"] == DARK.foreground
    assert next(run for run in texts(root) if run.text == "ef").attrib["fill"] == DARK.background
    assert under.attrib["height"] == through.attrib["height"] == "1"
    assert float(under.attrib["y"]) > float(through.attrib["y"])


def test_wide_characters_take_two_columns() -> None:
    root = drawn("a漢字b🎉c")
    places = [(run.text, round(float(run.attrib["x"]) / WIDTH)) for run in texts(root)]
    assert places == [("a", 0), ("漢", 1), ("字", 3), ("b", 5), ("🎉", 6), ("c", 8)]


def test_the_cursor_is_drawn_if_it_is_there() -> None:
    (cursor,) = behind(drawn("ab\r\nc", cursor=True))
    assert cursor.attrib["class"] == "cursor"
    assert float(cursor.attrib["x"]) == pytest.approx(WIDTH, abs=0.1) and cursor.attrib["y"] == str(HEIGHT)
    assert behind(drawn("ab\x1b[?25l", cursor=True)) == behind(drawn("ab")) == []


def test_a_title_is_a_bar() -> None:
    plain, titled = picture(model("x")), picture(model("x"), title="a <b> & \x07c")
    assert float(ET.fromstring(titled).attrib["height"]) > float(ET.fromstring(plain).attrib["height"])
    bar = ET.fromstring(titled).find(f"{SVG}text")
    assert bar is not None and bar.text == "a <b> & \ufffdc"
    assert (
        ET.fromstring(picture(model("\x1b]0;set by\x01 a program\x07"))).findtext(f"{SVG}title") == "set by a program"
    )
    long = ET.fromstring(picture(model("x"), title="t" * 5000)).find(f"{SVG}text")
    assert long is not None and len(long.text or "") <= 40


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "]]></text><image href='x'/>",
        '" onload="x',
        "&amp;&#0;",
        "\ufffe\uffff\x00",
        "a  b   c",
        "\u202eabc\u200b",
        "\U0001fffe",
    ],
)
def test_whatever_is_printed_is_text(text: str) -> None:
    svg = picture(model(text))
    root = ET.fromstring(svg)
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {"svg", "title", "rect", "g", "text", "path"}
    for element in root.iter():
        assert not {"href", "onload", "src"} & {name.rpartition("}")[2] for name in element.attrib}
    assert "url(" not in svg and svg.count("http") == 1  # the name space


@given(st.binary(max_size=300))
def test_anything_makes_a_picture(data: bytes) -> None:
    ET.fromstring(picture(model(data, (20, 4)), title=data.decode("utf-8", "replace")))


# -- what fits


def test_an_outcome_is_as_high_as_its_text() -> None:
    def size(data: bytes) -> tuple[int, int]:
        return fit(data, (40, 10)).screen().size

    assert size(b"") == (40, 1)
    assert size(b"one\r\n") == (40, 1)
    assert size(b"one\r\ntwo") == (40, 2)
    assert size(b"x\r\n" * 30) == (40, 30)
    assert size(b"a\r\n\x1b[44m  \x1b[0m\r\n") == (40, 2)
    assert size(b"w" * 100) == (40, 3)
    assert fit(b"one\r\n", (40, 10)).screen().lines == ("one",)
    for tail in (b"\x1b[K\r\n", b"\x1b[c\r\n", b"\x1b[K\r\n\r\n\r\n", b"\r\n\r\n\r\n", b"\x1b[m", b"  \r\n\x1b[0m\r\n"):
        for lines in (("one",), ("one", "two", "three")):
            assert fit("\r\n".join([*lines, ""]).encode() + tail, (40, 10)).screen().lines == lines, tail
    assert fit(b"one\r\ntwo\x1b[A", (40, 10)).screen().cursor == (3, 0)
    assert fit(b"x\r\n" * 5000, (40, 10)).screen().size == (40, MOST_ROWS)
    assert fit(b"\x1b[?1049h\x1b[Hfull", (40, 10)).screen().size == (40, 10)
    assert fit(b"\x1b[9;1Hnine", (40, 10)).screen().size == (40, 10)


@pytest.mark.parametrize("size", [(100_000, 2), (65535, 65535), (0, 5), (5, -1), (1000, 1000)])
def test_what_is_too_large_is_refused_before_it_is_made(size: tuple[int, int]) -> None:
    with pytest.raises(Misuse):
        fit(b"x", size)


def test_a_picture_is_bounded() -> None:
    """Each cell with colours of its own is the longest there is: the largest screen of such cells is under 60 MB."""
    columns, rows = 100, 10
    worst = "".join(f"\x1b[1;3;4;9;38;2;{n % 251};1;2;48;2;{n % 241};3;4m&" for n in range(columns * rows))
    assert len(picture(model(worst, (columns, rows)))) < 60_000_000 * columns * rows // MOST_CELLS


def test_blanks_are_kept_by_each_text() -> None:
    """Chromium joins blanks in a text whose group alone says that they are kept, and then stretches what is left."""
    runs = texts(ET.fromstring(picture(model("a  b"))))
    assert runs and all(run.attrib["{http://www.w3.org/XML/1998/namespace}space"] == "preserve" for run in runs)


def test_a_light_picture() -> None:
    root = ET.fromstring(picture(model("plain \x1b[31mred"), theme="light"))
    assert root.attrib["fill"] == LIGHT.foreground
    assert next(run for run in texts(root) if run.text == "red").attrib["fill"] == LIGHT.palette[1]
    with pytest.raises(Misuse, match="a theme is dark or light, not the text 'blue'"):
        picture(model("x"), theme="blue")


@pytest.mark.parametrize(
    ("text", "columns"),
    [("short", 20), ("x" * 30, 30), ("y" * 25 + " " * 10, 25), ("\x1b[44m" + " " * 33, 33), ("", 20)],
)
def test_a_picture_is_cropped_to_what_is_there(text: str, columns: int) -> None:
    root = ET.fromstring(picture(model(text), crop=True))
    assert float(root.attrib["width"]) == pytest.approx(columns * WIDTH + 24, abs=0.1)


def test_a_screen_has_its_colours_and_its_picture() -> None:
    drawn = model("plain \x1b[1;31mred\x1b[0m 漢\r\n\x1b[38;2;1;2;3mtrue", (40, 3))
    screen = drawn.screen()
    assert screen.rows == drawn.rows()
    red = next(run for run in screen.rows[0] if run.text == "red")
    assert (red.style.foreground, red.style.bold) == (1, True)
    assert screen.picture(title="t") == picture(drawn, title="t")
