"""Now in a real browser: what runs, what it does, and what has failed."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.web.tabs import Shell, Tabs
from tests.web.tabs import chromium as chromium
from tests.web.tabs import tabs as tabs

QUIET_MS = 180_000  # a minute of silence, twice looked at


def test_a_failure_has_the_last_line_that_it_has_printed(tabs: Tabs) -> None:
    shell = Shell(tabs.server, "tests", rc=False)
    shell.run("echo first; echo the last line; (exit 3)")
    tab = tabs.open("/")
    failed = tab.locator(".entry", has_text="tests").first  # above what ended in the last hour
    expect(failed.locator(".badge-box")).to_have_text("exit 3")
    expect(failed.locator(".last")).to_have_text("the last line")
    shell.run("echo other; (exit 4)")
    expect(failed.locator(".badge-box")).to_have_text("exit 4")
    expect(failed.locator(".last")).to_have_text("other")


@pytest.mark.long
def test_a_quiet_command_says_whether_it_works(tabs: Tabs) -> None:
    sleeps, works = Shell(tabs.server, "sleeps", rc=False), Shell(tabs.server, "works", rc=False)
    sleeps.start("sleep 1000")
    works.start("timeout 1000 sh -c 'while :; do :; done'")
    tab = tabs.open("/")
    badge = tab.locator(".entry .badge-box")
    for shell, says in ((sleeps, "sleeping"), (works, r"CPU \d+ %")):
        said = tab.locator(f'.entry[data-terminal="{shell.id}"]').locator(".badge-box")
        expect(said).to_have_text(re.compile(rf"quiet [\d:]+ · {says}"), timeout=QUIET_MS)
    assert badge.count() == 2
