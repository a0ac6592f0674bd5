"""The page by keyboard alone, in a real browser: approve, answer, take over, type, give back."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page as Tab
from playwright.sync_api import expect

from tests.patience import PATIENCE
from tests.web.agents import agent
from tests.web.tabs import Shell, Tabs, card, until
from tests.web.tabs import chromium as chromium
from tests.web.tabs import tabs as tabs

ASK = 'read -p "Go on? [Y/n] " a; echo "got <$a>"'
STOPS = 80  # of the Tab key: more than a page has


class Letters:
    """The keys of the page."""

    def __init__(self, tab: Tab) -> None:
        self._keyboard = tab.keyboard
        self._tab = tab

    def decide(self, key: str) -> None:
        self._keyboard.press("u")
        expect(card(self._tab)).to_be_focused()
        self._keyboard.press(key)

    def go(self, terminal: str) -> None:
        for _ in range(STOPS):
            if self._tab.url.endswith(f"/t/{terminal}"):
                return
            self._keyboard.press("]")
        raise AssertionError("no such terminal")

    def take(self) -> None:
        expect(self._tab.locator("[data-act=take-over]")).to_be_visible()
        self._keyboard.press("t")


class Stops:
    """Tab and Enter only: single letters are off."""

    def __init__(self, tab: Tab) -> None:
        self._tab = tab
        tab.evaluate("localStorage.setItem('truetty.letters', 'false')")
        tab.reload()
        expect(tab.locator(".state.live-state")).to_have_count(1)

    def _enter(self, selector: str) -> None:
        expect(self._tab.locator(selector).first).to_be_visible()
        for _ in range(STOPS):
            self._tab.keyboard.press("Tab")
            if self._tab.evaluate("selector => document.activeElement.matches(selector)", selector):
                self._tab.keyboard.press("Enter")
                return
        raise AssertionError(f"Tab does not reach {selector}")

    def decide(self, key: str) -> None:
        self._enter(f'.card button[data-key="{key}"]')

    def go(self, terminal: str) -> None:
        self._enter(f'.rail [data-terminal="{terminal}"]')

    def take(self) -> None:
        self._enter("[data-act=take-over]")


@pytest.mark.parametrize("way", [Letters, Stops])
def test_approve_answer_take_type_and_give_back(tabs: Tabs, home: Path, way: type[Letters] | type[Stops]) -> None:
    tab = tabs.open()
    person = way(tab)
    shell = Shell(tabs.server, "web", rc=False)
    with agent(tabs.server, "--policy", "read-only") as claude:
        running = claude.start("run", command=f"touch {home}/made")
        ready(tab, "Allow once")
        person.decide("a")
        assert running.result(PATIENCE)["exit_code"] == 0 and (home / "made").exists()
        asks = shell.waits(ASK)
        ready(tab, "Yes")
        person.decide("y")
        assert "got <y>" in shell.ends(asks)["output"]
        person.go(shell.id)
        person.take()
        tab.keyboard.type("echo by-$((40+2))\n")
        until(lambda: any(line.endswith("by-42") for line in shell.lines()), tab)
        assert tabs.server.get(f"/v1/terminals/{shell.id}")["lease"] is not None
        tab.keyboard.press("Control+Shift+G")
        expect(tab.locator(".held-bar")).to_have_count(0)
        assert tabs.server.get(f"/v1/terminals/{shell.id}")["lease"] is None


def ready(tab: Tab, name: str) -> None:
    """A card takes no key in its first moment."""
    expect(card(tab).get_by_role("button", name=name)).not_to_have_attribute("aria-disabled", "true")
