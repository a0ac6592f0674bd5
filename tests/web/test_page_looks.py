"""How the page looks, dark and light, wide and narrow, compared loosely with pictures in `looks/`.

A picture is cells of 20 px, each in its mean colour: letters blur, areas stay. Fonts differ between machines, so a cell
may look like one beside it. With all fonts replaced 7 cells were far at most; of a page that shows nothing 76 at least.
So a part of the page that is missing, has moved or has another colour is seen; a single button is not.

`TRUETTY_TEST_RECORD=1 ./test tests/web/test_page_looks.py` makes the pictures anew. Look at them then.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page as Tab
from playwright.sync_api import expect

from tests.web.tabs import Shell, Tabs, card, take
from tests.web.tabs import chromium as chromium
from tests.web.tabs import tabs as tabs

LOOKS = Path(__file__).parent / "looks"
CELL = 20  # px
FAR = 16  # of 255, in one of red, green and blue
MOST_FAR = 24  # cells
SIZES = {"wide": (1440, 900), "narrow": (400, 840)}

# A PNG, reduced to cells of so many px: rows of cells, and the cells as a PNG.
CELLS = """async ([data, size]) => {
    const image = new Image();
    image.src = "data:image/png;base64," + data;
    await image.decode();
    const canvas = (width, height) => Object.assign(document.createElement("canvas"), {width, height});
    const pen = canvas(image.width, image.height).getContext("2d", {willReadFrequently: true});
    pen.drawImage(image, 0, 0);
    const rows = [];
    const small = canvas(Math.floor(image.width / size), Math.floor(image.height / size));
    const made = small.getContext("2d");
    for (let y = 0; y < small.height; y += 1) {
        const row = [];
        for (let x = 0; x < small.width; x += 1) {
            const {data} = pen.getImageData(x * size, y * size, size, size);
            const sum = [0, 0, 0];
            for (let at = 0; at < data.length; at += 1) if (at % 4 < 3) sum[at % 4] += data[at];
            row.push(sum.map(one => Math.round(one / size / size)));
            made.fillStyle = `rgb(${row[x]})`;
            made.fillRect(x, y, 1, 1);
        }
        rows.push(row);
    }
    return [rows, small.toDataURL("image/png").split(",")[1]];
}"""

Cells = list[list[tuple[int, int, int]]]


def cells(tab: Tab, picture: bytes, size: int) -> tuple[Cells, bytes]:
    """`tab` has no page: nothing is forbidden in it."""
    rows, small = tab.evaluate(CELLS, [base64.b64encode(picture).decode(), size])
    return rows, base64.b64decode(small)


def far(one: Cells, other: Cells) -> list[tuple[int, int]]:
    """The cells of one picture whose colour is neither at their place in the other nor beside it."""
    height, width = len(other), len(other[0])
    assert (len(one), len(one[0])) == (height, width)

    def is_near(x: int, y: int) -> bool:
        around = ((a, b) for b in (y, y - 1, y + 1) for a in (x, x - 1, x + 1) if 0 <= a < width and 0 <= b < height)
        return any(max(abs(i - j) for i, j in zip(one[y][x], other[b][a], strict=True)) < FAR for a, b in around)

    return [(x, y) for y in range(height) for x in range(width) if not is_near(x, y)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("theme", ["dark", "light"])
def test_it_looks_as_it_did(tabs: Tabs, theme: str, size: str) -> None:
    Shell(tabs.server, "quiet", rc=False).run("echo done")
    Shell(tabs.server, "bad", rc=False).run("seq 30; (exit 2)")
    deploy = Shell(tabs.server, "deploy", rc=False)
    deploy.waits('read -s -p "Password: " p')
    Shell(tabs.server, "web", rc=False).start("sleep 1000")
    asking = Shell(tabs.server, "tests", rc=False)
    asking.run("seq 30; (exit 4)")
    asking.waits('read -p "Go on? [Y/n] " a')
    width, height = SIZES[size]
    # Nothing spins and nothing blinks.
    person = tabs.person(width=width, height=height, theme=theme, reduced_motion="reduce")
    tab, desk = tabs.open("/", person), tabs.person().new_page()

    def ready() -> None:
        expect(card(tab).get_by_role("button", name="Yes")).not_to_have_attribute("aria-disabled", "true")

    def terminal() -> None:
        tab.goto(f"{tabs.page.url}/t/{asking.id}")
        expect(tab.locator(".live .xterm-rows")).to_contain_text("Go on?")
        ready()

    def held() -> None:
        tab.goto(f"{tabs.page.url}/t/{deploy.id}")
        take(tab)
        expect(tab.locator(".live .xterm-rows")).to_contain_text("Password:")

    def history() -> None:
        tab.locator("[data-act=give-back]").click()
        expect(tab.locator(".held-bar")).to_have_count(0)
        tab.goto(f"{tabs.page.url}/history")
        expect(tab.locator(".result")).to_have_count(6)
        # A bar is as wide as its command took long: seconds on a busy machine.
        expect(tab.locator(".bar")).to_have_count(6)
        tab.locator(".bar").evaluate_all("bars => bars.forEach(bar => bar.style.flexGrow = 1)")

    screens: dict[str, Callable[[], None]] = {"now": ready, "terminal": terminal, "held": held, "history": history}
    for name, show in screens.items():
        show()
        seen, small = cells(desk, tab.screenshot(), CELL)
        path = LOOKS / f"{name}-{theme}-{size}.png"
        if os.environ.get("TRUETTY_TEST_RECORD") == "1":
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(small)
        else:
            known, _ = cells(desk, path.read_bytes(), 1)
            new, gone = far(seen, known), far(known, seen)
            assert len(new) + len(gone) <= MOST_FAR, f"{path.name}: cells {new} are new, {gone} are gone"
