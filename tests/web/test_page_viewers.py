"""Viewers of one terminal, in a real browser: several, and one that was cut off."""

from __future__ import annotations

import json
import struct

import pytest
from playwright.sync_api import Page as Tab
from playwright.sync_api import WebSocket, expect

from tests.web.agents import agent
from tests.web.tabs import Shell, Tabs, cut, cuttable, mend, until
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


def test_a_viewer_that_was_cut_off_goes_on_behind_what_it_has_drawn(tabs: Tabs) -> None:
    shell = Shell(tabs.server, rc=False)
    command = shell.waits('for i in 1 2 3; do read -p "$i? " word; echo "$i is $word"; done; cat')
    tab = tabs.open(f"/t/{shell.id}", cuttable(tabs))
    screen = tab.locator(".live .xterm-rows")
    expect(screen).to_contain_text("1?")
    tabs.server.post(f"/v1/commands/{command}/answer", episode=1, text="one")
    expect(screen).to_contain_text("1 is one")
    expect(screen).to_contain_text("2?")
    views: list[list[str | bytes]] = []  # frames of each

    def listen(socket: WebSocket) -> None:
        if "/view" in socket.url:
            assert "from=" in socket.url and "epoch=" in socket.url
            frames: list[str | bytes] = []
            views.append(frames)
            socket.on("framereceived", lambda frame: frames.append(frame))

    cut(tab)
    tab.on("websocket", listen)
    tabs.server.post(f"/v1/commands/{command}/answer", episode=2, text="two")
    mend(tabs, tab)
    expect(screen).to_contain_text("2 is two")
    expect(screen).to_contain_text("1 is one")
    said = [json.loads(one) for frames in views for one in frames if isinstance(one, str)]
    missed = [one for frames in views for one in frames if isinstance(one, bytes)]
    assert b"2 is two" in b"".join(one[20:] for one in missed)
    assert not any(one["t"] == "picture" for one in said)
    first = next(one for one in said if one["t"] == "hello")
    assert struct.unpack(">IQQ", missed[0][:20])[1] == first["from"]


PROGRAMS = {
    "less": ("seq 1 500 | sed 's/$/ ü 漢字/' | less -M", ["space", "space", "/", "3", "0", "0", "enter"]),
    "vim": ("vim -u NONE -N -c 'set number' -c 'call setline(1, range(1, 90))'", ["G", "O", "n", "e", "w", "escape"]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_full_screen_program_looks_after_a_cut_as_the_server_has_it(tabs: Tabs, name: str) -> None:
    program, keys = PROGRAMS[name]
    shell = Shell(tabs.server, rc=False)
    command = shell.start(program)
    tab = tabs.open(f"/t/{shell.id}", cuttable(tabs))

    def wanted() -> list[str]:
        screen = tabs.server.get(f"/v1/terminals/{shell.id}/screen")
        assert screen["alternate"] or not screen["lines"][0]
        return [line.rstrip() for line in screen["lines"]]

    until(lambda: any("23" in line for line in wanted()) and rows(tab) == wanted(), tab)
    before = wanted()
    cut(tab)
    for key in keys:
        tabs.server.post(f"/v1/commands/{command}/type", keys=[key])
    until(lambda: is_redrawn(wanted(), before), tab)
    assert rows(tab) == before  # what was there stays while nothing comes
    mend(tabs, tab)
    until(lambda: rows(tab) == wanted() != before, tab)
    tabs.server.post(f"/v1/commands/{command}/type", keys=["up"])  # and it goes on from there
    until(lambda: rows(tab) == wanted(), tab)
    tabs.server.post(f"/v1/commands/{command}/stop")


def is_redrawn(lines: list[str], before: list[str]) -> bool:
    return lines != before and any("300" in line or "new" in line for line in lines)
