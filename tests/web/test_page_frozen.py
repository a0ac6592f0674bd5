"""A tab whose process is stopped while a terminal prints: it costs the server, the command and other viewers nothing.

`test_a_viewer_that_stops_reading_costs_nothing` shows the same of eight viewers without a browser.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, expect
from playwright.sync_api import Page as Tab

from tests.web.tabs import Shell, Tabs, launched, until
from tests.web.tabs import chromium as chromium
from tests.web.tabs import tabs as tabs
from tests.web.test_strangers import resident

MEGABYTE = 1 << 20
QUOTA = 32 * MEGABYTE  # it prints more than is kept
FLAT = 48 * MEGABYTE  # for 64 MB of output and for minutes of it


@contextmanager
def frozen(browser: Browser) -> Iterator[None]:
    """The processes that run and draw the tabs of this browser are stopped meanwhile."""
    found = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    pids = [int(one["id"]) for one in found if one["type"] == "renderer"]
    assert pids
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


def last_number(tab: Tab) -> int:
    """The largest that the emulator shows."""
    rows = [row.strip() for row in tab.locator(".live .xterm-rows > div").all_text_contents()]
    return max((int(row) for row in rows if row.isdigit()), default=0)


@pytest.mark.parametrize("more", [pytest.param(64, id="short"), pytest.param(1024, id="long", marks=pytest.mark.long)])
def test_a_frozen_tab_costs_nothing_and_stops_no_one(tabs: Tabs, chromium: Browser, more: int) -> None:
    shell = Shell(tabs.server, rc=False, quota=QUOTA)
    other = tabs.open(f"/t/{shell.id}")
    with launched(chromium.browser_type) as second:
        tab = Tabs(second, tabs.page).open(f"/t/{shell.id}")
        command = shell.start("seq 1 1000000000000")
        for one in (tab, other):
            until(lambda one=one: last_number(one) > 0, one)  # type: ignore[misc]

        def printed() -> int:
            return int(tabs.server.get(f"/v1/commands/{command}")["output_bytes"])

        def print_more(megabytes: int) -> None:
            end = printed() + megabytes * MEGABYTE
            until(lambda: printed() > end, other)

        with frozen(second):
            print_more(16)
            before, seen = resident(tabs.server.pid()), last_number(other)
            print_more(more)
            assert resident(tabs.server.pid()) - before < FLAT
            # The last number of `more` megabytes of lines of 10 characters or so is far above the one that was seen.
            until(lambda: last_number(other) > seen + more * MEGABYTE // 32, other)
            shell.server.post(f"/v1/commands/{command}/stop")
            waits = shell.start("echo still live; cat")
            expect(other.locator(".live .xterm-rows")).to_contain_text("still live")
        expect(tab.locator(".live .xterm-rows")).to_contain_text("still live")
        shell.server.post(f"/v1/commands/{waits}/stop")
