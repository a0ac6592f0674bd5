"""MCP clients of the server and the people at its page: hand-offs and approvals, in a browser."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from tests.patience import PATIENCE
from tests.web.agents import agent
from tests.web.tabs import Tabs, card
from tests.web.tabs import chromium as chromium
from tests.web.tabs import tabs as tabs

ASKS = "read -sp 'Password: ' word; echo; echo done"


def test_a_handoff_is_a_card_and_the_password_ends_it(tabs: Tabs) -> None:
    tab = tabs.open()
    with agent(tabs.server) as claude:
        asks = claude.call("run", command=ASKS)
        assert asks["state"] == "waiting"
        handing = claude.start("handoff", id=asks["command_id"], reason="the <b>password</b>", wait=PATIENCE)
        asking = card(tab, "In claude-code's own words")
        expect(asking.locator("blockquote")).to_have_text("the <b>password</b>")
        asking.get_by_label("Password for").fill("quiet word")
        asking.get_by_role("button", name="Type it").click()
        done = handing.result(PATIENCE)
        assert (done["state"], done["exit_code"]) == ("finished", 0)
        assert "quiet word" not in str(done)
        expect(card(tab)).to_have_count(0)


def test_a_handoff_is_taken_typed_and_given_back_and_the_agent_is_told_what_was_run(tabs: Tabs) -> None:
    tab = tabs.open()
    with agent(tabs.server) as claude:
        asks = claude.call("run", command="bash --norc -i")
        progress: list[str] = []
        handing = claude.start_reporting(progress, "handoff", id=asks["command_id"], reason="restart it")
        asking = card(tab, "claude-code asks you to take over")
        expect(asking).to_contain_text("restart it")
        asking.get_by_role("button", name="Take over").click()
        tab.keyboard.type("exit 3\n")
        expect(tab.locator(".live.held .xterm-helper-textarea")).to_be_focused()
        refused = claude.call("run", command="true", terminal_id=asks["terminal_id"])
        assert refused["error"]["code"] == "held"
        assert not handing.done()
        expect(tab.locator(".block-head .badge-box", has_text="exit 3")).to_be_visible()
        tab.get_by_role("button", name="Give back").click()
        (content,) = handing.result(PATIENCE).content
        assert "had this terminal and ran: bash --norc -i (exit code 3)" in content.text
        after = claude.call("run", command="echo after", terminal_id=asks["terminal_id"])
        assert (after["output"], after["notes"]) == ("after\n", [])


def test_not_now_is_told_to_the_agent(tabs: Tabs) -> None:
    tab = tabs.open()
    with agent(tabs.server) as claude:
        asks = claude.call("run", command=ASKS)
        handing = claude.start("handoff", id=asks["command_id"], wait=PATIENCE)
        card(tab).get_by_role("button", name="Not now").click()
        done = handing.result(PATIENCE)
        assert done["state"] == "waiting"
        assert any("not now" in note for note in done["notes"])
        # The question itself is still there.
        expect(card(tab).get_by_label("Password for")).to_be_visible()
        expect(card(tab).get_by_role("button", name="Not now")).to_have_count(0)


def test_the_link_of_a_handoff_opens_its_terminal_alone_and_once(tabs: Tabs) -> None:
    other = tabs.server.post("/v1/terminals", name="other")["id"]
    with agent(tabs.server) as claude:
        asks = claude.call("run", command="bash --norc -i")
        offered = claude.call("handoff", id=asks["command_id"], reason="look")
        url = str(offered["url"])
        assert f"/t/{asks['terminal_id']}#ticket=" in url
        assert claude.call("handoff", id=asks["command_id"], reason="look")["url"] == url
        tab = tabs.person().new_page()
        tab.goto(url)
        expect(tab.locator(".state.live-state")).to_have_count(1)
        expect(tab.locator(f"[data-terminal={other}]")).to_have_count(0)
        expect(card(tab, "look")).to_be_visible()
        card(tab, "look").get_by_role("button", name="Take over").click()
        expect(tab.locator(".live.held .xterm-helper-textarea")).to_be_focused()
        tab.keyboard.press("Control+Shift+G")
        second = tabs.person().new_page()
        second.goto(url)
        expect(second.get_by_role("heading", name="Open a new link")).to_be_visible()
        assert claude.call("handoff", id=asks["command_id"])["url"] != url


def test_an_approval_of_a_client_is_a_card(tabs: Tabs, home: Path) -> None:
    tab = tabs.open()
    target = home / "made"
    with agent(tabs.server, "--policy", "read-only") as claude:
        running = claude.start("run", command=f"touch {target}")
        asking = card(tab, "May this run?")
        expect(asking).to_contain_text(f"touch {target}")
        expect(asking).to_contain_text("claude-code")
        asking.get_by_role("button", name="Allow once").click()
        assert running.result(PATIENCE)["exit_code"] == 0
        assert target.exists()
        running = claude.start("run", command=f"rm {target}")
        card(tab, "rm").get_by_role("button", name="Deny and say why…").click()
        tab.get_by_label("Why, for the agent").fill("keep it")
        expect(card(tab).locator(".word-form button")).not_to_have_attribute("aria-disabled", "true")
        tab.keyboard.press("Enter")
        refused = running.result(PATIENCE)
        assert refused["error"]["code"] == "denied" and "keep it" in refused["text"]
        assert target.exists()


def test_a_call_that_is_given_up_takes_its_question_back(tabs: Tabs, home: Path) -> None:
    tab = tabs.open()
    with agent(tabs.server, "--policy", "read-only") as claude:
        claude.start("run", command=f"touch {home}/made")
        expect(card(tab, "May this run?")).to_be_visible()
    expect(card(tab, "May this run?")).to_have_count(0)
    assert not (home / "made").exists()


def test_without_a_page_that_is_open_no_one_is_waited_for(tabs: Tabs, home: Path) -> None:
    with agent(tabs.server, "--policy", "read-only") as claude:
        refused = claude.call("run", command=f"touch {home}/made")
        assert refused["error"]["code"] == "denied" and "no person can be asked" in refused["text"]
