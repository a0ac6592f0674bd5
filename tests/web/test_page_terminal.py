"""A terminal in a real browser: blocks, the live end, and a place that is kept."""

from __future__ import annotations

import os
import re
import signal

from playwright.sync_api import Dialog, expect
from playwright.sync_api import Page as Tab

from tests.patience import PATIENCE
from tests.web.tabs import Shell, Tabs, block, until
from tests.web.tabs import chromium as chromium
from tests.web.tabs import tabs as tabs

FAILING = 'seq 1 200; echo "the last line"; (exit 3)'


def test_blocks_are_folded_by_what_they_are(tabs: Tabs) -> None:
    shell = Shell(tabs.server, "web", rc=False)
    shell.run("seq 100 299; echo quiet-end")
    failed = shell.run(FAILING)["command_id"]
    for number in range(4):
        shell.run(f"echo few-{number}")
    tab = tabs.open(f"/t/{shell.id}")
    expect(tab.locator(".block")).to_have_count(6)
    expect(block(tab, "quiet-end").locator(".line")).to_have_count(0)
    expect(block(tab, "few-3").locator(".line")).to_have_text(["few-3\n"])
    bad = tab.locator(f'[data-command="{failed}"]')
    expect(bad.locator(".badge-box")).to_have_text("exit 3")
    expect(bad.locator(".line")).to_have_count(12)
    expect(bad.locator(".fold")).to_have_text("189 lines folded")
    bad.locator(".fold").click()
    expect(bad.locator(".line")).to_have_count(201)
    expect(bad.locator(".fold")).to_have_count(0)
    bad.locator("button.command").click()
    expect(bad.locator(".line")).to_have_count(0)
    tab.reload()
    expect(tab.locator(".block")).to_have_count(6)
    expect(bad.locator(".line")).to_have_count(0)


def test_what_has_ended_keeps_its_colours(tabs: Tabs) -> None:
    shell = Shell(tabs.server, "web", rc=False)
    evil = "<b class=x>"
    prints = rf"printf 'a \033[1;31mred\033[0m {evil}\033[38;2;0;200;0m{evil}\033[0m\n%s\n\033[42mlast\033[0m\n'"
    shell.run(f'{prints} "$(seq 30)"; (exit 1)')
    tab = tabs.open(f"/t/{shell.id}")
    lines = tab.locator(".block .line")
    expect(lines.first).to_have_text(f"a red {evil}{evil}\n")
    expect(lines.first.locator("span")).to_have_text(["red", evil])
    classes = lines.first.locator("span").evaluate_all("all => all.map(one => one.className)")
    assert classes == ["sgr-1 sgr-31", "sgr-32"]
    assert lines.locator("b").count() == 0
    expect(lines.last.locator(".sgr-42")).to_have_text("last")
    colour = "one => getComputedStyle(one).color"
    red = lines.first.locator(".sgr-31").evaluate(colour)
    assert red != lines.first.evaluate(colour)
    tab.locator(".fold").click()
    expect(lines).to_have_count(32)
    expect(lines.nth(1).locator("span")).to_have_count(0)
    tab.emulate_media(color_scheme="light")
    until(lambda: lines.first.locator(".sgr-31").evaluate(colour) != red, tab)


def test_evidence_copy_and_link(tabs: Tabs) -> None:
    shell = Shell(tabs.server, "web", rc=False)
    command = shell.run("seq 1 30")["command_id"]
    tab = tabs.open(f"/t/{shell.id}")
    expect(tab.locator(".block")).to_have_count(1)
    tab.keyboard.press("k")
    expect(tab.locator(".evidence")).to_contain_text("exit code 0 · 30 lines, ")
    expect(tab.locator(".evidence")).to_contain_text("finished: mark")
    expect(tab.locator(".fold")).to_have_text("29 lines folded")
    tab.keyboard.press("Enter")
    expect(tab.locator(".fold")).to_have_text("18 lines folded")
    tab.keyboard.press("o")
    expect(tab.locator(".line")).to_have_count(0)
    tab.keyboard.press("c")
    until(lambda: tab.evaluate("window.copied") == "".join(f"{number}\n" for number in range(1, 31)), tab)
    tab.keyboard.press("l")
    until(lambda: tab.evaluate("window.copied") == f"{tabs.page.url}/t/{shell.id}/c/{command}", tab)


def test_a_link_leads_to_a_line(tabs: Tabs) -> None:
    shell = Shell(tabs.server, "web", rc=False)
    command = shell.run("seq 1001 1300")["command_id"]
    for _ in range(5):
        shell.run("seq 40")
    tab = tabs.open("/")
    tab.goto(f"{tabs.page.url}/t/{shell.id}/c/{command}#L118")
    expect(tab.locator(".line.chosen")).to_have_text("1118\n")
    expect(tab.locator(".block.chosen")).to_be_in_viewport()


def test_a_link_on_a_phone_leaves_the_frame_where_it_is(tabs: Tabs) -> None:
    shell = Shell(tabs.server, "web", rc=False)
    command = shell.run("seq 60; (exit 3)")["command_id"]
    for _ in range(5):
        shell.run("seq 40; (exit 4)")
    shell.waits('read -p "Go on? [Y/n] " a')
    tab = tabs.open(f"/t/{shell.id}", width=390, height=640)
    expect(tab.locator(".live .xterm-rows")).to_contain_text("Go on?")
    assert tab.evaluate("document.scrollingElement.scrollHeight - innerHeight") == 0
    tab.goto(f"{tabs.page.url}/t/{shell.id}/c/{command}")
    expect(tab.locator(".block.chosen")).to_be_in_viewport()
    expect(tab.locator(".top")).to_be_in_viewport(ratio=1)


def test_a_line_of_10_mb_and_a_title_of_1_mb_do_not_stop_the_page(tabs: Tabs) -> None:
    shell = Shell(tabs.server, "web", rc=False)
    tab = tabs.open(f"/t/{shell.id}")
    many = "head -c {} /dev/zero | tr '\\0' {}"
    title = f"printf '\\033]0;'; {many.format(10**6, 't')}; printf '\\007'"
    shell.run(f"{title}; {many.format(10**7, 'x')}; printf '\\nthe-end\\n'; (exit 1)", wait=PATIENCE)
    lines = tab.locator(".block .line")
    expect(lines).to_have_count(2)
    expect(lines.last).to_have_text("the-end\n")
    expect(lines.first).to_have_text(re.compile("^x{4000} … more than 16.0 kB more in this line"))
    assert tab.title() == "truetty"
    tab.keyboard.press("k")
    tab.keyboard.press("c")
    until(lambda: tab.evaluate("window.copied?.length") == 10**7 + len("\nthe-end\n"), tab)


def test_a_link_that_a_program_prints_is_shown_before_it_is_opened(tabs: Tabs) -> None:
    """Links to anything but http and https are none. A picture has no links: they come while the page looks."""
    shell = Shell(tabs.server, "web", rc=False)
    link = r"\033]8;;{}\033\\{}\033]8;;\033\\"
    evil, good = link.format("javascript:document.title=1337", "EVIL"), link.format("https://example.org/a?b", "GOOD")
    command = shell.waits(f"read -p 'Begin? ' a; printf '{evil} {good}\\n'; read -p 'More? ' b")
    tab = tabs.open(f"/t/{shell.id}")
    expect(tab.locator(".live .xterm-rows")).to_contain_text("Begin?")
    tabs.server.post(f"/v1/commands/{command}/answer", episode=1, text="")
    expect(tab.locator(".live .xterm-rows")).to_contain_text("More?")
    asked: list[str] = []

    def dismiss(dialog: Dialog) -> None:
        asked.append(dialog.message)
        dialog.dismiss()

    tab.on("dialog", dismiss)
    tab.context.on("page", lambda other: asked.append(other.url))
    row = tab.locator(".live .xterm-rows > div", has_text="EVIL GOOD").last.bounding_box()
    columns = tabs.server.get(f"/v1/terminals/{shell.id}")["size"][0]
    assert row is not None
    for column in (1, 7):
        tab.mouse.move(row["x"] + row["width"] * (column + 0.5) / columns, row["y"] + row["height"] / 2)
        if column == 7:
            expect(tab.locator(".live .xterm-cursor-pointer")).to_have_count(1)
        tab.mouse.down()
        tab.mouse.up()
    until(lambda: asked, tab)
    assert asked == ["Open this address?\n\nhttps://example.org/a?b"]
    assert tab.title() == "(1) truetty"


def test_the_live_end_and_its_end(tabs: Tabs) -> None:
    shell = Shell(tabs.server, "web", rc=False)
    shell.run("echo before")
    command = shell.waits("printf 'one\\n\\033[31mtwo\\033[0m\\n'; read -p 'More? ' a; echo three")
    tab = tabs.open(f"/t/{shell.id}")
    rows = tab.locator(".live .xterm-rows")
    expect(rows).to_contain_text("More?")
    # What is above the command's own line is cropped, what is below too.
    height = tab.locator(".live .crop").evaluate("one => one.clientHeight")
    line = rows.locator("> div").first.evaluate("one => one.offsetHeight")
    assert height <= 4 * line, (height, line)
    colour = rows.locator("span", has_text="two").last.evaluate("one => getComputedStyle(one).color")
    plain = rows.locator("span", has_text="one").last.evaluate("one => getComputedStyle(one).color")
    assert colour != plain, "the emulator's styles are refused"
    tabs.server.post(f"/v1/commands/{command}/answer", episode=1, text="")
    expect(tab.locator(".live")).to_have_count(0)
    expect(tab.locator(".block").last.locator(".line").last).to_have_text("three\n")


def test_a_full_screen_program_is_shown_whole(tabs: Tabs) -> None:
    shell = Shell(tabs.server, "web", rc=False)
    command = shell.start("vim -u NONE -c 'call setline(1, range(1, 90))'")
    tab = tabs.open(f"/t/{shell.id}")
    rows = tab.locator(".live .xterm-rows")
    expect(rows).to_contain_text("12")
    height = tab.locator(".live .crop").evaluate("one => one.clientHeight")
    line = rows.locator("> div").first.evaluate("one => one.offsetHeight")
    until(lambda: tab.locator(".live .crop").evaluate("one => one.clientHeight") >= 24 * line, tab)
    assert height > 0
    tabs.server.post(f"/v1/commands/{command}/stop")


def test_who_reads_stays_where_they_are_while_it_prints(tabs: Tabs) -> None:
    shell = Shell(tabs.server, "web", rc=False)
    for number in range(12):
        shell.run(f"seq {number}00 {number}20; (exit 1)")
    command = shell.start("while :; do echo tick; sleep 0.02; done")
    tab = tabs.open(f"/t/{shell.id}")
    expect(tab.locator(".live .xterm-rows")).to_contain_text("tick")
    scroller = tab.locator(".feed-scroller")
    at_end = "one => one.scrollHeight - one.scrollTop - one.clientHeight <= 24"
    until(lambda: scroller.evaluate(at_end), tab)
    tab.mouse.move(700, 400)
    tab.mouse.wheel(0, -900)
    until(lambda: not scroller.evaluate(at_end), tab)
    expect(tab.locator(".pill")).to_be_visible()
    top = """one => {
        const edge = one.getBoundingClientRect().top;
        const isSeen = block => block.getBoundingClientRect().bottom > edge;
        const first = [...one.querySelectorAll("[data-command]")].find(isSeen);
        return [first.dataset.command, first.getBoundingClientRect().top - edge];
    }"""
    id, offset = scroller.evaluate(top)
    for _ in range(3):
        more_is_printed(tabs, command, tab)
        now, place = scroller.evaluate(top)
        assert now == id and abs(place - offset) <= 1
    expect(tab.locator(".pill")).to_contain_text("new line")
    tab.keyboard.press("Shift+G")
    until(lambda: scroller.evaluate(at_end), tab)
    expect(tab.locator(".pill")).to_have_count(0)
    tabs.server.post(f"/v1/commands/{command}/stop")


def more_is_printed(tabs: Tabs, command: str, tab: Tab) -> None:
    def count() -> int:
        return int(tabs.server.get(f"/v1/commands/{command}")["output_bytes"])

    before = count()
    until(lambda: count() > before + 300, tab)


def test_a_reload_in_a_flood_shows_the_same_end(tabs: Tabs) -> None:
    shell = Shell(tabs.server, "web", rc=False)
    command = shell.start("seq 1 3000000; echo the-end; read a")
    tab = tabs.open(f"/t/{shell.id}")
    expect(tab.locator(".live")).to_be_visible()
    tab.reload()
    expect(tab.locator(".live .xterm-rows")).to_contain_text("the-end")
    lines = [line for line in shell.lines() if line.strip()]
    until(lambda: shown_rows(tab) == [line.rstrip() for line in lines], tab)
    tabs.server.post(f"/v1/commands/{command}/stop")


def shown_rows(tab: Tab) -> list[str]:
    rows = tab.locator(".live .xterm-rows > div").evaluate_all("all => all.map(one => one.textContent)")
    return [row.replace("\xa0", " ").rstrip() for row in rows if row.strip()]


def test_a_killed_server_costs_no_place(tabs: Tabs) -> None:
    shell = Shell(tabs.server, "web", rc=False)
    ids = [shell.run(f"seq {number}00 {number}40; (exit 1)")["command_id"] for number in range(8)]
    tab = tabs.open(f"/t/{shell.id}")
    expect(tab.locator(".block")).to_have_count(8)
    tab.locator(f'[data-command="{ids[2]}"] button.command').click()
    expect(tab.locator(f'[data-command="{ids[2]}"] .line')).to_have_count(0)
    scroller = tab.locator(".feed-scroller")
    tab.mouse.move(700, 400)
    tab.mouse.wheel(0, -700)
    until(lambda: scroller.evaluate("one => one.scrollTop + one.clientHeight < one.scrollHeight - 30"), tab)
    place = scroller.evaluate("one => one.scrollTop")
    os.kill(tabs.server.pid(), signal.SIGKILL)
    tab.evaluate("window.old = performance.now()")
    assert shell.run("echo after-$((40+2))")["exit_code"] == 0
    expect(tab.locator(".block")).to_have_count(9)
    expect(tab.locator(".state.live-state")).to_have_count(1)
    assert abs(scroller.evaluate("one => one.scrollTop") - place) <= 1
    expect(tab.locator(f'[data-command="{ids[2]}"] .line')).to_have_count(0)


def test_a_thousand_commands_are_a_few_hundred_elements(tabs: Tabs) -> None:
    shell = Shell(tabs.server, "web", rc=False)
    tab = tabs.open(f"/t/{shell.id}")
    # The page's own store is filled by its own words: a thousand real commands take minutes.
    shell.run("true")
    expect(tab.locator(".block")).to_have_count(1)
    real = tabs.server.get(f"/v1/history?terminal_id={shell.id}")

    def answer(route) -> None:
        first = real["commands"][0]
        many = [{**first, "id": f"{shell.id}-{number}", "text": f"echo {number}"} for number in range(1000, 0, -1)]
        route.fulfill(json={**real, "commands": many, "total": 1000, "next": None})

    tab.route("**/v1/history?*", answer)
    tab.reload()
    expect(tab.locator(".bottom")).to_contain_text("1,000 commands")
    until(lambda: tab.locator(".block").last.get_attribute("data-command") == f"{shell.id}-1000", tab)
    assert tab.locator(".feed *").count() < 2500 and tab.locator(".block").count() < 120
    scroller = tab.locator(".feed-scroller")
    scroller.evaluate("one => one.scrollTo(0, one.scrollHeight / 2)")
    until(lambda: tab.locator(".block", has_text="echo 500").count() > 0, tab)
    assert tab.locator(".block").count() < 120
    tab.keyboard.press("Shift+G")
    expect(tab.locator(f'[data-command="{shell.id}-1000"]')).to_be_in_viewport()
