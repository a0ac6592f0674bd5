"""Taking a terminal over in a real browser: one writer, and what is typed is nowhere."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import Page as Tab
from playwright.sync_api import expect

from tests.web.tabs import Shell, Tabs, block, card, take, until
from tests.web.tabs import chromium as chromium
from tests.web.tabs import tabs as tabs


def on_screen(tab: Tab, shell: Shell, text: str) -> None:
    until(lambda: any(line.endswith(text) for line in shell.lines()), tab)


def give_back(tab: Tab) -> None:
    tab.keyboard.press("Control+Shift+G")
    expect(tab.locator(".held-bar")).to_have_count(0)


def test_take_type_and_give_back_by_keyboard_alone(tabs: Tabs) -> None:
    shell = Shell(tabs.server, "docs", rc=False)
    before = tabs.server.get(f"/v1/terminals/{shell.id}")["size"]
    tab = tabs.open(f"/t/{shell.id}")
    expect(tab.locator("[data-act=take-over]")).to_be_visible()
    tab.keyboard.press("t")
    tab.keyboard.type("echo by-$((40+2))\n")  # before the lease is there
    on_screen(tab, shell, "by-42")
    expect(tab.locator(".held-bar")).to_contain_text("You have the keyboard.")
    refused = tabs.server.ask("POST", "/v1/run", {"command": "true", "terminal": shell.id})
    assert refused.status == 409 and refused.code == "held"
    assert refused.json["error"]["facts"]["holder"] in tab.evaluate("sessionStorage.getItem('truetty.session')")
    give_back(tab)
    until(lambda: tabs.server.get(f"/v1/terminals/{shell.id}")["size"] == before, tab)
    expect(tab.locator(".deeds")).to_contain_text("echo by-$((40+2))")
    assert shell.run("true")["exit_code"] == 0


def test_a_job_that_was_stopped_is_no_failure(tabs: Tabs) -> None:
    shell = Shell(tabs.server, "docs", rc=False)
    shell.start("sleep 1000")
    tab = tabs.open(f"/t/{shell.id}")
    take(tab)
    tab.keyboard.press("Control+z")
    stopped = block(tab, "sleep 1000")
    expect(stopped.locator(".badge-box.tone-muted")).to_have_text("stopped")
    expect(stopped.locator(".notes")).to_contain_text("stopped in the background: sleep")
    give_back(tab)
    expect(tab.locator(".rail .group-quiet .row")).to_contain_text("docs")


def test_a_word_that_is_typed_with_echo_off_is_nowhere(tabs: Tabs, tmp_path: Path) -> None:
    word = "unheard-of-7713"
    shell = Shell(tabs.server, "deploy", rc=False)
    command = shell.waits('read -s -p "Password: " p; echo; echo "${#p} characters"')
    tab = tabs.open(f"/t/{shell.id}")
    take(tab)
    expect(tab.locator(".held-line")).to_contain_text("echo is off")
    tab.keyboard.type(f"{word}\n")
    assert "15 characters" in shell.ends(command)["output"]
    give_back(tab)
    assert word not in tab.content()
    kept = tab.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}, location.href, history.state])")
    assert word not in kept
    for what in ("cast", "transcript", "screen"):
        assert word.encode() not in tabs.server.ask("GET", f"/v1/terminals/{shell.id}/{what}").body
    for file in tmp_path.rglob("*"):
        if file.is_file():
            assert word.encode() not in file.read_bytes(), file


def test_a_watcher_changes_no_size(tabs: Tabs) -> None:
    shell = Shell(tabs.server, "web", rc=False)
    command = shell.waits('read -p "Size? " a; stty size')
    tab = tabs.open(f"/t/{shell.id}")
    expect(tab.locator(".live .xterm-rows")).to_contain_text("Size?")
    columns, rows = tabs.server.get(f"/v1/terminals/{shell.id}")["size"]
    tab.set_viewport_size({"width": 500, "height": 400})
    tab.set_viewport_size({"width": 390, "height": 700})
    expect(tab.locator(".live .xterm-rows")).to_contain_text("Size?")
    tabs.server.post(f"/v1/commands/{command}/answer", episode=1, text="")
    assert f"{rows} {columns}" in shell.ends(command)["output"]


def test_who_has_it_is_said_to_the_second_person(tabs: Tabs) -> None:
    shell = Shell(tabs.server, "web", rc=False)
    first, second = tabs.open(f"/t/{shell.id}"), tabs.open(f"/t/{shell.id}")
    take(first)
    holder = tabs.server.get(f"/v1/terminals/{shell.id}")["lease"]["holder"]
    expect(second.locator(".keyboard")).to_contain_text(holder)
    expect(second.locator("[data-act=take-over]")).to_have_count(0)
    give_back(first)
    take(second)


def test_the_holder_is_asked_for_the_keyboard_and_keeps_it_or_gives_it_back(tabs: Tabs) -> None:
    shell = Shell(tabs.server, "web", rc=False)
    first, second = tabs.open(f"/t/{shell.id}"), tabs.open(f"/t/{shell.id}")
    take(first)
    second.get_by_role("button", name="Ask for it").click()
    expect(second.locator("[data-act=ask-holder]")).to_have_text("Asked")
    asker = second.evaluate("JSON.parse(sessionStorage.getItem('truetty.session')).name")
    asking = card(first, f"{asker} would like the keyboard")
    asking.get_by_role("button", name="Keep it").click()
    expect(asking).to_have_count(0)
    expect(first.locator(".held-bar")).to_be_visible()
    third = tabs.open(f"/t/{shell.id}")
    third.get_by_role("button", name="Ask for it").click()
    asking = card(first, "would like the keyboard")
    asking.get_by_role("button", name="Give back").click()
    expect(first.locator(".held-bar")).to_have_count(0)
    expect(asking).to_have_count(0)
    take(third)
    expect(first.locator(".keyboard")).to_contain_text(
        third.evaluate("JSON.parse(sessionStorage.getItem('truetty.session')).name")
    )


def test_a_reload_keeps_the_keyboard(tabs: Tabs) -> None:
    shell = Shell(tabs.server, "web", rc=False)
    tab = tabs.open(f"/t/{shell.id}")
    take(tab)
    tab.reload()
    expect(tab.locator(".held-bar")).to_be_visible()
    tab.keyboard.type("echo again-$((40+2))\n")
    on_screen(tab, shell, "again-42")


def test_several_lines_are_asked_about_before_they_are_pasted(tabs: Tabs) -> None:
    shell = Shell(tabs.server, "web", rc=False)
    tab = tabs.open(f"/t/{shell.id}")
    take(tab)
    paste = """text => {
        const data = new DataTransfer();
        data.setData("text/plain", text);
        const event = new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true});
        document.activeElement.dispatchEvent(event);
    }"""
    tab.evaluate(paste, "echo one\necho two\n")
    dialog = tab.get_by_role("dialog")
    expect(dialog).to_contain_text("echo two")
    expect(dialog.get_by_role("heading")).to_have_text("Paste 2 lines, with Enter?")
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_have_count(0)
    tab.locator(".xterm-helper-textarea").focus()
    tab.evaluate(paste, "echo single-$((40+2))")
    tab.keyboard.press("Enter")
    on_screen(tab, shell, "single-42")
    assert not any("one" in line for line in shell.lines())


def test_the_key_bar_of_a_phone(tabs: Tabs) -> None:
    shell = Shell(tabs.server, "web", rc=False)
    tab = tabs.open(f"/t/{shell.id}", width=390, height=844)
    tab.locator("[data-act=take-over]").click()
    line = tab.get_by_label("A line to type")
    expect(line).to_be_visible()
    until(lambda: tab.locator(".xterm-rows").inner_text().strip() != "", tab)
    line.fill("sleep 1000")
    tab.keyboard.press("Enter")
    on_screen(tab, shell, "sleep 1000")
    tab.get_by_role("button", name="Control C", exact=True).click()
    on_screen(tab, shell, "^C")
    line.fill("echo phone-$((40+2))")
    tab.get_by_role("button", name="Send").click()
    on_screen(tab, shell, "phone-42")
    tab.get_by_role("button", name="Give back").click()
    expect(line).to_have_count(0)


def test_a_program_reads_no_answers_of_the_browsers_emulator(tabs: Tabs) -> None:
    """The server has answered the queries: what the page sends is what was typed, and nothing else."""
    shell = Shell(tabs.server, "web", rc=False)
    person = tabs.person()
    person.add_init_script(
        """const send = WebSocket.prototype.send;
        window.sent = [];
        WebSocket.prototype.send = function (text) { window.sent.push(String(text)); send.call(this, text) }"""
    )
    tab = tabs.open(f"/t/{shell.id}", person)
    take(tab)
    until(lambda: tab.locator(".xterm-rows").inner_text().strip() != "", tab)
    queries = r"\033[c\033[6n\033[>c\033[=c\033[5n\033[?25\$p\033[18t\033]11;?\007\033]4;1;?\007\033P\$qm\033\\\\"
    typed = f'printf "{queries}"; echo done-$((40+2))\n'
    tab.keyboard.type(typed)
    expect(tab.locator(".xterm-rows")).to_contain_text("done-42")
    frames = [json.loads(text) for text in tab.evaluate("window.sent")]
    assert "".join(frame["text"] for frame in frames if frame["t"] == "keys") == typed.replace("\n", "\r")
