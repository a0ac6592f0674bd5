"""History in a real browser: search by the server, links to lines, filters."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

from playwright.sync_api import expect

from tests.web.tabs import Shell, Tabs, card, until
from tests.web.tabs import chromium as chromium
from tests.web.tabs import tabs as tabs


def test_search_finds_commands_and_output_and_leads_to_the_line(tabs: Tabs) -> None:
    shell = Shell(tabs.server, "web", rc=False)
    found = shell.run("seq 1 20; echo a needle here; seq 22 30; (exit 1)")["command_id"]
    shell.run("echo nothing")
    tab = tabs.open("/")
    tab.keyboard.press("/")
    expect(tab.locator("#search")).to_be_focused()
    tab.keyboard.type("needle\n")
    expect(tab.locator("h1")).to_have_text("History")
    expect(tab.locator(".summary")).to_contain_text("in 1 command · ")
    expect(tab.locator(".hit mark")).to_have_text(["needle"])
    tab.locator(".hit").click()
    assert tab.url.endswith(f"/t/{shell.id}/c/{found}#L21")
    expect(tab.locator(".line.chosen")).to_have_text("a needle here\n")
    tab.go_back()
    expect(tab.locator("#find")).to_have_value("needle")


def test_filters_patterns_and_exact_counts(tabs: Tabs) -> None:
    shell = Shell(tabs.server, "web", rc=False)
    for number in range(3):
        shell.run(f"echo word-{number}")
    shell.run("echo word-9; (exit 7)")
    tab = tabs.open("/history")
    expect(tab.locator(".result")).to_have_count(4)
    expect(tab.locator(".bar")).to_have_count(4)
    tab.get_by_role("button", name="failed", exact=True).click()
    expect(tab.locator(".result")).to_have_count(1)
    expect(tab.locator(".result .badge-box")).to_have_text("exit 7")
    tab.get_by_role("button", name="failed", exact=True).click()
    tab.locator("#find").fill("/word-[01]$/")
    expect(tab.locator(".summary")).to_contain_text("in 2 commands")
    tab.locator("#find").fill("unheard-of")
    expect(tab.locator(".summary")).to_contain_text("Nothing was found in ")
    tab.locator("#find").fill("/[/")
    expect(tab.locator(".problem")).to_be_visible()


def test_a_recording_is_played_from_a_command(tabs: Tabs) -> None:
    shell = Shell(tabs.server, "web", rc=False)
    shell.run("echo first-$((40+2))")
    shell.run("echo second-$((40+2))")
    tab = tabs.open(f"/t/{shell.id}")
    expect(tab.locator(".block")).to_have_count(2)
    tab.keyboard.press("k")
    tab.keyboard.press("k")
    tab.keyboard.press("r")
    expect(tab.locator(".marker")).to_have_count(2)
    rows = tab.locator(".replay .xterm-rows")
    expect(rows).not_to_contain_text("second-42")
    expect(tab.locator(".seek")).to_be_enabled()
    tab.locator(".seek").evaluate("one => { one.value = one.max; one.dispatchEvent(new Event('input')) }")
    expect(rows).to_contain_text("second-42")
    tab.locator(".marker").first.click()
    expect(rows).not_to_contain_text("second-42")
    tab.get_by_role("button", name="5×").click()
    tab.locator("[data-act=play]").click()
    expect(rows).to_contain_text("second-42")


def test_a_recording_that_is_not_played_yet_shows_its_end(tabs: Tabs) -> None:
    shell = Shell(tabs.server, "web", rc=False)
    shell.run("echo only-$((40+2))")
    tab = tabs.open(f"/history?replay={shell.id}")
    expect(tab.locator(".replay .xterm-rows")).to_contain_text("only-42")


def test_commands_of_closed_terminals_are_there(tabs: Tabs) -> None:
    shell = Shell(tabs.server, "gone", rc=False)
    shell.run("echo remembered")
    tabs.server.ask("DELETE", f"/v1/terminals/{shell.id}", {})
    tab = tabs.open("/history")
    expect(tab.locator(".result")).to_contain_text("echo remembered")
    tab.locator(".result-head").click()
    expect(tab.locator(".top h1")).to_have_text("gone")
    expect(tab.locator(".top .about")).to_contain_text("closed · bash · ")
    expect(tab.locator(".bottom")).not_to_contain_text("strategy")
    expect(tab.locator(".block .line")).to_have_text(["remembered\n"])
    expect(tab.locator("[data-act=take-over]")).to_have_count(0)
    expect(tabs.open("/history?q=remembered").locator(".result .facts")).to_contain_text("gone · ")
    tab.keyboard.press("g")
    tab.keyboard.press("n")
    expect(tab.locator(".place-now .list")).to_contain_text("gone")


def test_a_terminal_keeps_its_name_when_it_is_closed(tabs: Tabs) -> None:
    shell = Shell(tabs.server, "gone", rc=False)
    tab = tabs.open(f"/t/{shell.id}")
    expect(tab.locator(".top h1")).to_have_text("gone")
    tabs.server.ask("DELETE", f"/v1/terminals/{shell.id}", {})
    expect(tab.locator(".top .about")).to_contain_text("closed · bash · ")
    expect(tab.locator(".top h1")).to_have_text("gone")
    tab.reload()  # it never had a command
    expect(tab.locator(".top h1")).to_have_text("gone")
    os.kill(tabs.server.pid(), signal.SIGKILL)
    expect(tabs.open(f"/t/{shell.id}").locator(".top h1")).to_have_text("gone")


def test_hostile_names_and_output_are_text(tabs: Tabs) -> None:
    shell = Shell(tabs.server, "evil", rc=False)
    evil = "<img src=x onerror=document.title=1337>"
    link = "javascript:document.title=1337"
    shell.run(f"echo '{evil}'; printf '\\033]0;{evil}\\007\\033]8;;{link}\\007click\\033]8;;\\007\\n'; (exit 1)")
    tabs.server.ask("PATCH", f"/v1/terminals/{shell.id}", {"task": evil})
    tab = tabs.open(f"/t/{shell.id}")
    expect(tab.locator(".line").first).to_have_text(f"{evil}\n")
    tab.goto(f"{tabs.page.url}/history?q=onerror")
    expect(tab.locator(".hit").first).to_contain_text(evil)
    assert tab.locator("img").count() == 0
    assert tab.title() in ("truetty", "(1) truetty")
    until(lambda: tab.locator("a[href^=javascript]").count() == 0, tab)


def test_a_command_is_saved_as_text_and_as_a_picture_and_a_terminal_as_a_log(tabs: Tabs) -> None:
    shell = Shell(tabs.server)
    shell.run(r"printf 'one\n\033[31mtwo\033[0m\n'")
    command = shell.run("echo three; false")["command_id"]
    tab = tabs.open(f"/t/{shell.id}/c/{command}")
    with tab.expect_download() as saved:
        tab.locator(f"[data-command='{command}'] [data-act=picture]").click()
    assert saved.value.suggested_filename == f"{command}.svg"
    picture = Path(saved.value.path()).read_text()
    assert picture.startswith("<svg") and "three" in picture
    tab.get_by_role("button", name="More about this terminal").click()
    with tab.expect_download() as saved:
        tab.get_by_role("button", name="Download the text log").click()
    log = Path(saved.value.path()).read_text()
    assert log.index("one\ntwo\n") < log.index("$ echo three; false\nthree\n# exit 1")


def test_links_to_a_terminal_are_listed_and_revoked(tabs: Tabs) -> None:
    shell = Shell(tabs.server)
    tabs.server.post("/v1/web/shares", terminal_id=shell.id, seconds=3600)
    tab = tabs.open(f"/t/{shell.id}")
    tab.get_by_role("button", name="More about this terminal").click()
    tab.get_by_role("button", name="Links to it…").click()
    expect(tab.locator(".share")).to_have_count(1)
    tab.locator(".share").get_by_role("button", name="Revoke").click()
    expect(tab.locator(".share")).to_have_count(0)
    assert tabs.server.get("/v1/web/shares")["shares"] == []


def test_a_person_who_may_only_watch_is_offered_no_answer(tabs: Tabs) -> None:
    shell = Shell(tabs.server, "web", rc=False)
    shell.waits('read -p "Go on? [Y/n] " a')
    tab = tabs.person().new_page()
    tab.goto(tabs.server.post("/v1/web/shares", terminal_id=shell.id, seconds=3600)["url"])
    expect(tab.locator(".live .xterm-rows")).to_contain_text("Go on?")
    expect(card(tab)).to_contain_text("web asks a question")
    expect(card(tab).get_by_role("button")).to_have_count(0)
    expect(tab.locator(".top .watching")).to_have_text(re.compile(r"watching until (\d+ \w+, )?\d\d:\d\d"))


def test_the_theme_is_switched_on_a_wide_page(tabs: Tabs) -> None:
    tab = tabs.open(theme="dark")
    switch = tab.locator(".rail [data-act=theme]")
    dark = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    switch.click()
    switch.click()
    expect(switch).to_have_text("Theme: light")
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") != dark
    tab.reload()
    expect(switch).to_have_text("Theme: light")


def test_a_command_that_waits_and_one_that_runs_are_told_apart(tabs: Tabs) -> None:
    asking = Shell(tabs.server, "asking", rc=False)
    asking.waits("read -p 'name? ' name")
    busy = Shell(tabs.server, "busy", rc=False)
    busy.start("sleep 1000")
    tab = tabs.open("/history")
    rows = tab.locator(".result")
    expect(rows.filter(has_text="name?").locator(".facts")).to_contain_text("waits for you")
    expect(rows.filter(has_text="sleep").locator(".facts")).to_contain_text("running")
    expect(tab.get_by_role("link", name="read -p 'name? ' name, waits for you")).to_have_class("bar need")
    expect(tab.get_by_role("link", name="sleep 1000, running")).to_have_class("bar run")
