"""Cards in a real browser: what needs a person is seen, is decided once, and says what became of it."""

from __future__ import annotations

import os
import re
import signal
import tomllib
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect
from playwright.sync_api import Page as Tab

from tests.server.live import Live, Reply
from tests.web.browser import Page
from tests.web.tabs import Shell, Tabs, card, until
from tests.web.tabs import chromium as chromium
from tests.web.tabs import tabs as tabs

ASK = 'read -p "Go on? [Y/n] " a; echo "got <$a>"'
SECRET = 'read -s -p "[sudo] password for ana: " p; echo; echo "${#p} characters"'
POLICY = '[policy]\ndefault = "ask"\nallow = ["echo"]\n'


def test_a_ticket_works_once(tabs: Tabs) -> None:
    ticket = tabs.page.ticket()
    first = tabs.person().new_page()
    first.goto(f"{tabs.page.url}/#ticket={ticket}")
    expect(first.locator("h1")).to_have_text("Now")
    assert first.url == f"{tabs.page.url}/", "the ticket has left the address"
    second = tabs.person().new_page()
    second.goto(f"{tabs.page.url}/#ticket={ticket}")
    expect(second.locator("h1")).to_have_text("Open a new link")
    first.reload()
    expect(first.locator("h1")).to_have_text("Now")


def test_a_second_tab_asks_the_first(tabs: Tabs) -> None:
    person = tabs.person()
    tabs.open(person=person)
    other = person.new_page()
    other.goto(f"{tabs.page.url}/history")
    expect(other.locator("h1")).to_have_text("History")


def test_a_question_is_answered_by_its_button(tabs: Tabs) -> None:
    shell = Shell(tabs.server, "tests")
    command = shell.waits(ASK)
    tab = tabs.open()
    expect(card(tab)).to_contain_text("Go on? [Y/n]")
    expect(tab).to_have_title("(1) truetty")
    assert "need" in str(tab.locator("#icon").get_attribute("href"))
    card(tab).get_by_role("button", name="No").click()
    expect(tab.locator(".receipt")).to_contain_text("Answered “n”")
    assert "got <n>" in shell.ends(command)["output"]
    expect(tab).to_have_title("truetty")


def test_a_page_that_comes_late_sees_it_too_and_one_answer_wins(tabs: Tabs) -> None:
    shell = Shell(tabs.server, "tests")
    first = tabs.open()
    command = shell.waits(ASK)
    second = tabs.open()
    expect(card(first)).to_have_count(1)
    expect(card(second)).to_have_count(1)
    said = remember_receipts(second)
    card(first).get_by_role("button", name="Yes").click()
    expect(first.locator(".receipt")).to_contain_text("Answered “y”")
    until(lambda: re.search(r"No longer waiting since \d\d:\d\d:\d\d", said()), second)
    expect(card(second)).to_have_count(0)
    assert "got <y>" in shell.ends(command)["output"]


def remember_receipts(tab: Tab) -> Callable[[], str]:
    """What receipts say from now on: each is gone after five seconds."""
    tab.evaluate(
        """() => {
            window.receipts = "";
            const add = one => (window.receipts += one.textContent);
            const look = () => document.querySelectorAll(".receipt").forEach(add);
            new MutationObserver(look).observe(document.body, {subtree: true, childList: true, characterData: true});
        }"""
    )
    return lambda: str(tab.evaluate("window.receipts"))


def test_since_when_it_waits_is_known_to_a_page_that_comes_late_and_after_a_kill(tabs: Tabs) -> None:
    shell = Shell(tabs.server)
    command = shell.waits("read -p 'Sure? ' x")
    since = tabs.server.get(f"/v1/commands/{command}")["waiting_since"]
    late = tabs.open()
    expect(late.locator(".card .age")).to_have_text(re.compile(r"\d+:\d\d"))
    os.kill(tabs.server.pid(), signal.SIGKILL)
    found = tabs.server.get(f"/v1/commands/{command}/wait")
    assert found["state"] == "waiting"
    assert tabs.server.get(f"/v1/commands/{command}")["waiting_since"] == since
    tab = tabs.open()
    expect(tab.locator(".card .age")).to_have_text(re.compile(r"\d+:\d\d"))


def test_a_stale_card_says_so_and_types_nothing(tabs: Tabs) -> None:
    shell = Shell(tabs.server, "tests")
    command = shell.waits('read -p "One? " a; read -p "Two? " b; echo "<$a><$b>"')
    tab = tabs.open()
    expect(card(tab)).to_contain_text("One?")
    held: list[Any] = []
    tab.route("**/answer", lambda route: held.append(route))
    card(tab).get_by_label("Your answer").fill("late")
    card(tab).get_by_role("button", name="Type it").click()
    until(lambda: held, tab)
    expect(card(tab)).to_contain_text("Sent …")
    tabs.server.post(f"/v1/commands/{command}/answer", episode=1, text="first")
    held[0].continue_()
    expect(tab.locator(".receipt")).to_contain_text("no longer asks that")
    expect(card(tab)).to_contain_text("Two?")
    tabs.server.post(f"/v1/commands/{command}/answer", episode=2, text="second")
    assert "<first><second>" in shell.ends(command)["output"]


def test_a_password_is_typed_and_is_nowhere(tabs: Tabs, tmp_path: Path) -> None:
    word = "correct-horse-9137"
    shell = Shell(tabs.server, "deploy")
    command = shell.waits(SECRET)
    tab = tabs.open()
    field = card(tab).get_by_label("Password for bash")
    assert field.get_attribute("type") == "password"
    field.fill(word)
    card(tab).get_by_role("button", name="Type it").click()
    expect(tab.locator(".receipt")).to_contain_text("Typed at")
    assert "18 characters" in shell.ends(command)["output"]
    assert word not in tab.content()
    kept = tab.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}, location.href, history.state])")
    assert word not in kept
    for file in tmp_path.rglob("*"):
        if file.is_file():
            assert word.encode() not in file.read_bytes(), file


class Asking:
    """An agent whose call waits for a yes."""

    def __init__(self, server: Live) -> None:
        self._server = server
        self._pool = ThreadPoolExecutor(4)

    def run(self, command: str) -> Future[Reply]:
        fields = {"command": command, "terminal": "release", "wait": 60}
        headers = {"Truetty-Client": "claude-code/2.1"}
        return self._pool.submit(self._server.ask, "POST", "/v1/run", fields, headers)


@pytest.fixture
def asking(home: Path, make_server: Callable[..., Live]) -> Live:
    folder = home / ".config" / "truetty"
    folder.mkdir(parents=True)
    (folder / "truetty.toml").write_text(POLICY)
    made = make_server("asking")
    made.post("/v1/web", port=0)
    Shell(made, "release", cwd=str(home))
    return made


@pytest.fixture
def asked(chromium: Browser, asking: Live) -> Any:
    page = Page(asking)
    made = Tabs(chromium, page)
    yield made
    made.close()
    page.close()
    assert not made.faults, "\n".join(made.faults)


def test_allow_once(asked: Tabs, home: Path) -> None:
    tab = asked.open()
    answer = Asking(asked.server).run("touch made")
    expect(card(tab)).to_contain_text("May this run?")
    expect(card(tab)).to_contain_text("release")
    expect(card(tab)).to_contain_text("asked by claude-code")
    assert not (home / "made").exists()
    card(tab).get_by_role("button", name="Allow once").click()
    expect(tab.locator(".receipt")).to_contain_text("Allowed once at")
    assert answer.result().json["exit_code"] == 0 and (home / "made").exists()


def test_each_part_of_a_command_has_its_verdict(asked: Tabs) -> None:
    tab = asked.open()
    answer = Asking(asked.server).run("echo one && touch made")
    expect(card(tab).locator(".part.allow code")).to_have_text(["echo one"])
    expect(card(tab).locator(".part.ask code")).to_have_text(["touch made"])
    card(tab).get_by_role("button", name="Deny", exact=True).click()
    assert answer.result().code == "denied"


def test_deny_with_a_word(asked: Tabs, home: Path) -> None:
    tab = asked.open()
    answer = Asking(asked.server).run("touch made")
    card(tab).get_by_role("button", name="Deny and say why…").click()
    card(tab).get_by_label("Why, for the agent").fill("use the other folder")
    expect(card(tab).locator(".word-form button")).not_to_have_attribute("aria-disabled", "true")
    tab.keyboard.press("Enter")
    expect(tab.locator(".receipt")).to_contain_text("Denied at")
    assert answer.result().code == "denied" and "use the other folder" in answer.result().json["error"]["message"]
    assert not (home / "made").exists()


def test_the_rule_that_is_shown_is_the_rule_that_is_added(asked: Tabs, home: Path) -> None:
    tab = asked.open()
    agent = Asking(asked.server)
    answer = agent.run("touch made")
    card(tab).get_by_role("button", name="Always for this…").click()
    expect(card(tab).locator(".rule")).to_have_text('allow = ["touch made"]')
    expect(card(tab).locator(".always")).to_contain_text("Would be added to [policy] of")
    card(tab).get_by_role("button", name="Add rule and run").click()
    expect(tab.locator(".receipt")).to_contain_text("Allowed from now on (touch made)")
    assert answer.result().json["exit_code"] == 0
    assert agent.run("touch made").result().json["exit_code"] == 0, "it is not asked again"
    before, after = tomllib.loads(POLICY), tomllib.loads((home / ".config/truetty/truetty.toml").read_text())
    before["policy"]["allow"] = [*before["policy"].get("allow", []), "touch made"]
    assert after == before, "what is written is what was shown"


def test_a_wider_rule_has_a_button_of_its_own(asked: Tabs) -> None:
    tab = asked.open()
    agent = Asking(asked.server)
    answer = agent.run("touch made")
    card(tab).get_by_role("button", name="Always for this…").click()
    rule, add = card(tab).locator(".rule"), card(tab).get_by_role("button", name="Add rule and run")
    card(tab).locator(".wider").get_by_role("button", name="touch", exact=True).click()
    expect(rule).to_have_text('allow = ["touch"]')
    expect(card(tab).locator(".always")).to_contain_text(
        "Every command that begins with “touch” runs without a question"
    )
    card(tab).get_by_role("button", name="as suggested").click()
    expect(rule).to_have_text('allow = ["touch made"]')
    card(tab).locator(".wider").get_by_role("button", name="touch", exact=True).click()
    add.click()
    expect(tab.locator(".receipt")).to_contain_text("Allowed from now on (touch)")
    assert answer.result().json["exit_code"] == 0
    assert agent.run("touch others").result().json["exit_code"] == 0, "it is not asked"


def test_the_end_of_a_long_command_must_be_seen(asked: Tabs, home: Path) -> None:
    tab = asked.open()
    text = "touch " + " ".join(f"file-{number}" for number in range(2500)) + " ; touch bad-tail"
    assert len(text) > 20_000
    answer = Asking(asked.server).run(text)
    allow = card(tab).get_by_role("button", name="Allow once")
    expect(card(tab).locator(".command-box")).to_contain_text("bad-tail")
    expect(card(tab)).to_contain_text("Scroll to the end")
    expect(allow).to_have_attribute("aria-disabled", "true")
    allow.dispatch_event("click")
    assert not answer.done()
    card(tab).locator(".command-box").evaluate("box => box.scrollTo(0, box.scrollHeight)")
    expect(allow).not_to_have_attribute("aria-disabled", "true")
    allow.click()
    assert answer.result().json["exit_code"] == 0 and (home / "bad-tail").exists()


def test_what_is_hidden_in_a_command_is_shown(asked: Tabs) -> None:
    tab = asked.open()
    answer = Asking(asked.server).run("touch a\u200bb \u202egnp.c\u2066")
    expect(card(tab).locator("mark")).to_have_text(["<U+200B>", "<U+202E>", "<U+2066>"])
    expect(card(tab)).to_contain_text("3 hidden characters")
    card(tab).get_by_role("button", name="Deny", exact=True).click()
    assert answer.result().code == "denied"


def test_the_second_window_is_told_who_has_answered(asked: Tabs) -> None:
    first, second = asked.open(), asked.open()
    answer = Asking(asked.server).run("touch made")
    held: list[Any] = []
    second.route("**/v1/questions/*", lambda route: held.append(route))
    card(second).get_by_role("button", name="Deny", exact=True).click()
    until(lambda: held, second)
    card(first).get_by_role("button", name="Allow once").click()
    assert answer.result().json["exit_code"] == 0
    held[0].continue_()
    expect(second.locator(".receipt")).to_contain_text("Already allowed by")


def test_what_is_settled_elsewhere_says_so_on_every_page(asked: Tabs) -> None:
    first, second = asked.open(), asked.open()
    for answer, words in (("Allow once", "Allowed once"), ("Deny", "Denied")):
        running = Asking(asked.server).run("touch made")
        expect(card(second)).to_contain_text("May this run?")
        said = remember_receipts(second)
        card(first).get_by_role("button", name=answer, exact=True).click()
        running.result()
        name = first.evaluate("JSON.parse(sessionStorage.getItem('truetty.session')).name")
        until(lambda: re.search(rf"{words} at \d\d:\d\d:\d\d by {name}", said()), second)  # noqa: B023
        expect(card(second)).to_have_count(0)


def test_by_keyboard_alone(asked: Tabs, home: Path) -> None:
    tab = asked.open()
    answer = Asking(asked.server).run("touch made")
    expect(card(tab).get_by_role("button", name="Allow once")).not_to_have_attribute("aria-disabled", "true")
    tab.keyboard.press("u")
    expect(card(tab)).to_be_focused()
    tab.keyboard.press("a")
    assert answer.result().json["exit_code"] == 0


def test_a_card_takes_nothing_in_its_first_moment(asked: Tabs) -> None:
    tab = asked.open()
    tab.evaluate(
        """() => {
            window.pressed = 0;
            new MutationObserver(() => {
                const allow = document.querySelector('[data-key="a"]');
                if (allow && !window.pressed) { window.pressed = 1; allow.click() }
            }).observe(document.body, {subtree: true, childList: true});
        }"""
    )
    answer = Asking(asked.server).run("touch made")
    expect(card(tab).get_by_role("button", name="Allow once")).not_to_have_attribute("aria-disabled", "true")
    assert tab.evaluate("window.pressed") == 1 and not answer.done()
    tab.keyboard.press("d")
    assert answer.result().code == "denied"
