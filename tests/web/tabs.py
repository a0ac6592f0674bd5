"""Chromium on the page of a real server: tabs, and what the tests do in them.

Playwright's own loop runs in the test's thread, so that a module with tabs has no asynchronous tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, BrowserType, ConsoleMessage, Locator, expect, sync_playwright
from playwright.sync_api import Page as Tab

from tests.patience import PATIENCE
from tests.server.live import Live
from tests.web.browser import Page

MILLISECONDS = PATIENCE * 1000
COPY = "if (navigator.clipboard) navigator.clipboard.writeText = async (text) => { window.copied = text }"
expect.set_options(timeout=MILLISECONDS)


@contextmanager
def launched(kind: BrowserType) -> Iterator[Browser]:
    # A user namespace is not to be had in every container: Chromium's own sandbox is off.
    browser = kind.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
    yield browser
    browser.close()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as made, launched(made.chromium) as browser:
        yield browser


class Tabs:
    """Windows of one person each, logged in to one server."""

    def __init__(self, chromium: Browser, page: Page) -> None:
        self.page = page
        self.server: Live = page.server
        self.faults: list[str] = []  # what went wrong in a page
        self._chromium = chromium
        self._contexts: list[BrowserContext] = []

    def person(self, width: int = 1280, height: int = 860, theme: str = "dark", **more: Any) -> BrowserContext:
        made = self._chromium.new_context(
            viewport={"width": width, "height": height},
            color_scheme=theme,  # type: ignore[arg-type]
            **more,
        )
        made.set_default_timeout(MILLISECONDS)
        made.add_init_script(
            "if (navigator.clipboard) navigator.clipboard.writeText = async (text) => { window.copied = text }"
        )
        made.on("page", self._listen)
        self._contexts.append(made)
        return made

    def _listen(self, tab: Tab) -> None:
        tab.on("pageerror", lambda error: self.faults.append(str(error)))
        tab.on("console", self._hear)

    def _hear(self, message: ConsoleMessage) -> None:
        # The browser's own word of a refused request or upgrade is no fault of the page's script.
        usual = ("Failed to load resource", "WebSocket connection")
        if message.type == "error" and not message.text.startswith(usual):
            self.faults.append(message.text)

    def open(self, path: str = "/", person: BrowserContext | None = None, **look: Any) -> Tab:
        """A tab at this path, logged in and live."""
        tab = (person or self.person(**look)).new_page()
        tab.goto(self.page.url + path + "#ticket=" + self.page.ticket())
        expect(tab.locator(".state.live-state")).to_have_count(1)
        return tab

    def close(self) -> None:
        for one in self._contexts:
            one.close()


@pytest.fixture
def tabs(chromium: Browser, page: Page) -> Iterator[Tabs]:
    made = Tabs(chromium, page)
    yield made
    faults = made.faults
    made.close()
    assert not faults, "\n".join(faults)


class Shell:
    """A terminal of the server, named."""

    def __init__(self, server: Live, name: str = "web", **fields: Any) -> None:
        self.server = server
        self.id = str(server.post("/v1/terminals", name=name, **fields)["id"])

    def run(self, command: str, **fields: Any) -> dict[str, Any]:
        """Until it has settled."""
        return dict(self.server.post("/v1/run", command=command, terminal=self.id, **fields))

    def start(self, command: str) -> str:
        return str(self.server.post("/v1/commands", command=command, terminal=self.id)["id"])

    def waits(self, command: str) -> str:
        """A command that asks something by now; its id."""
        outcome = self.run(command)
        assert outcome["state"] == "waiting", outcome
        return str(outcome["command_id"])

    def ends(self, command_id: str) -> dict[str, Any]:
        while not (found := self.server.get(f"/v1/commands/{command_id}/wait?after_episode=99&timeout=30"))["closed"]:
            if found["state"] == "finished":
                break
        return dict(found)

    def lines(self) -> list[str]:
        return list(self.server.get(f"/v1/terminals/{self.id}/screen")["lines"])


def cuttable(tabs: Tabs) -> BrowserContext:
    """A person whose pages can be cut off from the server."""
    made = tabs.person()
    made.add_init_script(
        "const make = WebSocket; window.WebSocket = function (url, protocols) {"
        " if (window.isCut) url = 'ws://127.0.0.1:9/'; const made = new make(url, protocols);"
        " (window.made ??= []).push(made); return made }; window.WebSocket.prototype = make.prototype"
    )
    return made


def cut(tab: Tab) -> None:
    tab.evaluate("window.isCut = true; window.made.forEach(one => one.close())")
    expect(tab.locator(".lost-bar")).to_contain_text("Not connected for")


def mend(tabs: Tabs, tab: Tab) -> None:
    tab.evaluate("window.isCut = false; window.dispatchEvent(new Event('online'))")
    expect(tab.locator(".lost-bar")).to_have_count(0)
    tabs.faults.clear()  # the browser's word of an address that is not allowed


def card(tab: Tab, text: str = "") -> Locator:
    return tab.locator(".card", has_text=text)


def block(tab: Tab, text: str) -> Locator:
    return tab.locator(".block", has=tab.locator(".command", has_text=text))


def take(tab: Tab) -> None:
    """The keyboard, by its key."""
    expect(tab.locator("[data-act=take-over]")).to_be_visible()
    tab.keyboard.press("t")
    expect(tab.locator(".live.held .xterm-helper-textarea")).to_be_focused()


def until(holds: Callable[[], object], tab: Tab) -> None:
    """Looks again while the page works."""
    for _ in range(int(PATIENCE * 20)):
        if holds():
            return
        tab.wait_for_timeout(50)
    raise AssertionError("it never held")
