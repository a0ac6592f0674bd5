"""Several viewers of one terminal that prints much, in a real browser."""

from __future__ import annotations

from playwright.sync_api import Page as Tab

from tests.web.agents import agent
from tests.web.tabs import Tabs, until
from tests.web.tabs import chromium as chromium
from tests.web.tabs import tabs as tabs


def rows(tab: Tab) -> list[str]:
    """What the emulator shows."""
    found = tab.locator(".live .xterm-rows > div").all_text_contents()
    return [one.replace("\xa0", " ").rstrip() for one in found]


def test_two_viewers_and_an_agent_see_the_same_screen(tabs: Tabs) -> None:
    draws = r"for i in $(seq 3000); do printf '\033[3%dm%06d\033[0m wide ü 漢字 %s\n' $((i % 8)) $i $i; done; cat"
    with agent(tabs.server) as claude:
        terminal = claude.call("run", command="true")["terminal_id"]
        one = tabs.open(f"/t/{terminal}")
        other = tabs.open(f"/t/{terminal}", width=700, height=500)
        running = claude.start("run", command=draws)
        assert running.result()["state"] == "waiting"
        seen = claude.call("screen", id=terminal)["output"].rstrip().split("\n")
        wanted = [line.rstrip() for line in tabs.server.get(f"/v1/terminals/{terminal}/screen")["lines"]]
        assert seen == "\n".join(wanted).rstrip().split("\n") and "003000" in seen[-1]
        until(lambda: rows(one) == wanted, one)
        until(lambda: rows(other) == wanted, other)
