"""The page's manners in a real browser: it says when it is not live, fits a phone, and can be used by everyone."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page as Tab
from playwright.sync_api import expect

from tests.web.tabs import Shell, Tabs, card, cut, cuttable, mend, take, until
from tests.web.tabs import chromium as chromium
from tests.web.tabs import tabs as tabs

AXE = Path(__file__).resolve().parent.parent.parent / "web" / "node_modules" / "axe-core" / "axe.min.js"
# What a finger would miss. Links inside a sentence are no targets of their own; History lists what its bars lead to.
SMALL = """[...document.querySelectorAll('button, main a, .tabs a, input:not([type=range])')]
    .filter(one => one.checkVisibility() && !one.closest('.rail, .bars, .card-head, .spoken-button'))
    .filter(one => one.offsetHeight < 44 || one.offsetWidth < 44)
    .map(one => `${one.className} ${one.offsetWidth} x ${one.offsetHeight}`)"""
ASK = 'read -p "Go on? [Y/n] " a; echo "got <$a>"'


def scene(tabs: Tabs) -> Shell:
    """Something of everything."""
    Shell(tabs.server, "quiet", rc=False).run("echo done")
    Shell(tabs.server, "bad", rc=False).run("seq 30; (exit 2)")
    Shell(tabs.server, "deploy", rc=False).waits('read -s -p "Password: " p')
    Shell(tabs.server, "web", rc=False).start("echo working; sleep 1000")
    asking = Shell(tabs.server, "tests", rc=False)
    asking.run("echo a; (exit 4)")
    asking.waits(ASK)
    return asking


def serious(tab: Tab) -> list[str]:
    """What axe finds, but for what xterm.js draws: that is hidden from readers while it is watched."""
    tab.evaluate(AXE.read_text())
    options = {"resultTypes": ["violations"], "rules": {"color-contrast": {"enabled": True}}}
    found: dict[str, Any] = tab.evaluate("options => axe.run({exclude: ['.emulator']}, options)", options)
    return [
        f"{one['id']}: {node['target']} {node['failureSummary']}"
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"][:3]
    ]


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_axe_finds_nothing_serious(tabs: Tabs, theme: str) -> None:
    shell = scene(tabs)
    tab = tabs.open("/", theme=theme)
    expect(card(tab)).to_have_count(2)
    expect(card(tab).get_by_role("button", name="Yes")).not_to_have_attribute("aria-disabled", "true")
    assert serious(tab) == [], "Now"
    tab.keyboard.press("?")
    expect(tab.get_by_role("dialog")).to_be_visible()
    assert serious(tab) == [], "keys"
    tab.keyboard.press("Escape")
    tab.locator(f'[data-terminal="{shell.id}"]').first.click()
    expect(tab.locator(".live .xterm-rows")).to_contain_text("Go on?")
    expect(card(tab).get_by_role("button", name="Yes")).not_to_have_attribute("aria-disabled", "true")
    tab.keyboard.press("k")
    tab.keyboard.press("k")
    expect(tab.locator(".evidence")).to_be_visible()
    assert serious(tab) == [], "terminal"
    tab.keyboard.press("t")
    expect(tab.locator(".live.held")).to_be_visible()
    assert serious(tab) == [], "held"
    tab.keyboard.press("Control+Shift+G")
    tab.locator(".rail").get_by_role("link", name="History").click()
    expect(tab.locator(".result").first).to_be_visible()
    assert serious(tab) == [], "History"


def test_a_held_terminal_is_read_aloud_where_that_was_chosen(tabs: Tabs) -> None:
    shell = Shell(tabs.server, "docs", rc=False)
    tab = tabs.open(f"/t/{shell.id}")
    take(tab)
    aloud = tab.locator(".live .xterm-accessibility")
    expect(aloud).to_have_count(0)
    tab.keyboard.press("Control+Shift+G")
    expect(tab.locator(".held-bar")).to_have_count(0)
    tab.keyboard.press("?")
    tab.get_by_role("button", name="Turn reading aloud in a held terminal on").click()
    take(tab)
    tab.keyboard.type("echo heard-$((40+2))\n")
    expect(aloud).to_contain_text("heard-42")
    assert serious(tab) == []
    tab.keyboard.press("Control+Shift+G")
    expect(aloud).to_have_count(0)


@pytest.mark.parametrize("width", [320, 360, 390])
def test_a_phone_never_scrolls_sideways(tabs: Tabs, width: int) -> None:
    shell = scene(tabs)
    tab = tabs.open("/", width=width, height=700)
    fits = "document.documentElement.scrollWidth <= innerWidth && document.body.scrollWidth <= innerWidth"
    inner = """[...document.querySelectorAll('main *, .tabs *')].filter(one =>
        one.getBoundingClientRect().right > innerWidth + 1 && !one.closest('pre, .crop, .keys-row, .bars')
    ).map(one => one.className)"""
    for path in ("/", "/#terminals", f"/t/{shell.id}", "/history", f"/history?replay={shell.id}"):
        tab.goto(tabs.page.url + path)
        expect(tab.locator("h1")).to_be_visible()
        if "replay" in path:
            expect(tab.locator(".seek")).to_be_visible()
        assert tab.evaluate(fits), path
        assert tab.evaluate(inner) == [], path
        assert tab.evaluate(SMALL) == [], path
    expect(tab.locator(".rail")).to_be_hidden()
    tab.goto(tabs.page.url)
    box = card(tab).get_by_role("button", name="Yes").bounding_box()
    assert box is not None and box["height"] >= 44


def test_a_page_that_is_not_live_says_so_and_takes_nothing(tabs: Tabs) -> None:
    shell = Shell(tabs.server, "tests", rc=False)
    shell.waits(ASK)
    tab = tabs.open("/", cuttable(tabs))
    yes = card(tab).get_by_role("button", name="Yes")
    expect(yes).not_to_have_attribute("aria-disabled", "true")
    cut(tab)
    expect(yes).to_have_attribute("aria-disabled", "true")
    expect(card(tab)).to_contain_text("Go on?")
    mend(tabs, tab)
    expect(yes).not_to_have_attribute("aria-disabled", "true")


def test_a_session_that_has_ended_leads_to_the_door(tabs: Tabs) -> None:
    tab = tabs.open("/")
    tab.evaluate(
        """() => fetch("/v1/web/logout", {method: "POST", body: "{}", headers: {
            "Content-Type": "application/json", "Truetty-Client": "web",
            "Truetty-Key": JSON.parse(sessionStorage.getItem("truetty.session")).key}})"""
    )
    expect(tab.locator("h1")).to_have_text("Open a new link")


def test_keys_walk_through_the_page(tabs: Tabs) -> None:
    one, two = Shell(tabs.server, "one", rc=False), Shell(tabs.server, "two", rc=False)
    one.run("true")
    two.run("true")
    tab = tabs.open("/")
    tab.keyboard.press("g")
    tab.keyboard.press("h")
    expect(tab.locator("h1")).to_have_text("History")
    tab.keyboard.press("g")
    tab.keyboard.press("n")
    expect(tab.locator("h1")).to_have_text("Now")
    tab.keyboard.press("]")
    expect(tab.locator(".place-terminal h1")).to_be_visible()
    first = tab.url
    tab.keyboard.press("]")
    until(lambda: tab.url != first and "/t/" in tab.url, tab)
    tab.keyboard.press("?")
    dialog = tab.get_by_role("dialog")
    dialog.get_by_role("button", name="Turn single letters off").click()
    tab.keyboard.press("g")
    tab.keyboard.press("h")
    expect(tab.locator(".place-terminal h1")).to_be_visible()


def test_what_happens_is_said_in_words(tabs: Tabs) -> None:
    shell = Shell(tabs.server, "deploy", rc=False)
    tab = tabs.open("/")
    shell.run("echo secret-output; (exit 3)")
    expect(tab.locator(".spoken [aria-live=polite]")).to_contain_text("deploy finished, exit code 3")
    shell.waits('read -s -p "Password: " p')
    expect(tab.locator(".spoken [aria-live=assertive]")).to_have_text("deploy: bash asks for a password")
    live = tab.locator("[aria-live], [role=status], [role=alert], [role=log]").all_inner_texts()
    assert not any("secret-output" in text for text in live)


def test_a_notification_names_no_command(tabs: Tabs) -> None:
    person = tabs.person()
    person.add_init_script(
        """window.told = [];
        window.Notification = class extends EventTarget {
            static permission = "granted";
            constructor(title, options) { super(); window.told.push([title, options.tag, options.body]) }
            close() { window.told.push("closed") }
        };
        if (location.protocol === "http:") localStorage.setItem("truetty.tell", "true");
        Object.defineProperty(document, "hidden", {get: () => window.away === true});"""
    )
    tab = tabs.open("/", person)
    tab.evaluate("window.away = true")
    shell = Shell(tabs.server, "deploy", rc=False)
    command = shell.waits('read -s -p "Password of the vault: " p')
    until(lambda: tab.evaluate("window.told.length") == 1, tab)
    assert tab.evaluate("window.told[0]") == ["deploy: bash asks for a password", f"truetty-{command}:1", None]
    tabs.server.post(f"/v1/commands/{command}/answer", episode=1, text="x")
    until(lambda: tab.evaluate("window.told.at(-1)") == "closed", tab)


def test_the_theme_is_the_systems(tabs: Tabs) -> None:
    tab = tabs.open("/", theme="light")
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 254, 251)"
    tab.emulate_media(color_scheme="dark")
    until(lambda: tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(21, 25, 32)", tab)


def test_an_upgrade_of_the_server_is_not_noticed(tabs: Tabs) -> None:
    shell = Shell(tabs.server, "web", rc=False)
    shell.run("echo before")
    tab = tabs.open(f"/t/{shell.id}")
    take(tab)
    tab.keyboard.press("Control+Shift+G")
    os.kill(tabs.server.pid(), signal.SIGKILL)
    shell.run("echo after")
    expect(tab.locator(".block", has_text="echo after")).to_be_visible()
    expect(tab.locator(".lost-bar")).to_have_count(0)
