"""`truetty serve --web` and `truetty open --web`: links that log in, printed, and opened by a private file."""

from __future__ import annotations

import json
import os
import pty
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.patience import PATIENCE
from tests.server.live import Live
from tests.web.browser import Page


def truetty(live: Live, *words: str, **how: Any) -> tuple[int, str, str]:
    command = [sys.executable, "-m", "truetty", *words]
    environ = {**os.environ, "TRUETTY_STATE": live.place.folder}
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **how}
    done = subprocess.run(command, **{"env": environ, **streams}, text=True, timeout=PATIENCE, check=False)
    return done.returncode, done.stdout or "", done.stderr or ""


def test_it_is_turned_on_shown_and_turned_off(server: Live) -> None:
    assert truetty(server, "serve", "--no-web") == (1, f"no server runs for {server.place.folder}\n", "")
    status, printed, said = truetty(server, "serve", "--web", "--listen", "127.0.0.1:0")
    url = server.get("/v1/web")["url"]
    assert (status, printed, said) == (0, f"the page is at {url}; truetty open --web logs you in\n", "")
    assert f"its page: {url}\n" in truetty(server, "serve", "--status")[1]
    assert truetty(server, "serve", "--web")[1] == printed  # again
    with_token = truetty(server, "serve", "--web", "--token")[1]
    assert with_token == f"{printed}programs need the token in {server.place.path('web-token')}\n"
    assert truetty(server, "serve", "--web", "--listen", "127.0.0.1:1")[0] == 125  # it is elsewhere already
    assert truetty(server, "serve", "--no-web") == (0, "the page is off\n", "")
    assert server.get("/v1/web")["url"] is None


def test_addresses_that_cannot_be_meant(server: Live) -> None:
    for address in ("7717", "localhost", "127.0.0.1:x", "127.0.0.1:70000", "0.0.0.0:0", "example.org:80"):
        status, printed, said = truetty(server, "serve", "--web", "--listen", address)
        assert (status, printed) == (125, "") and said.startswith("truetty: "), address
    for words in (["--listen", "127.0.0.1:0"], ["--token"], ["--web", "--no-web"], ["--web", "--stop"]):
        assert truetty(server, "serve", *words)[0] == 125, words


def test_a_link_is_printed_and_logs_in(server: Live) -> None:
    server.post("/v1/terminals", shell="bash", rc=False, name="build")
    status, printed, said = truetty(server, "open", "--web", "build")
    page = Page(server)
    assert (status, said) == (0, "") and printed.startswith(f"{page.url}/t/t1#ticket=")
    assert page.try_login(printed.strip().partition("#ticket=")[2]).status == 200
    assert json.loads(truetty(server, "open", "--web", "--json")[1])["url"].startswith(f"{page.url}/#ticket=")
    assert truetty(server, "open", "--web", "nothing")[0] == 125
    for words in (["build"], ["--no-browser"], ["--web", "--name", "x"], ["--web", "--attach"], ["--share", "1h"]):
        assert truetty(server, "open", *words)[0] == 125, words
    assert len(server.get("/v1/terminals")["terminals"]) == 1  # none was opened


def test_links_to_share(server: Live) -> None:
    server.post("/v1/terminals", shell="bash", rc=False, name="build")
    for words in (["--share", "1h"], ["--shares", "build"]):
        assert truetty(server, "open", "--web", *words)[0] == 125, words
    takes = "--share takes a whole number with s, m, h or d behind it, such as 30m, from 1s to 7d"
    for duration in ("1w", "0m", "8d", "30", ""):
        refused = (125, "", f"truetty: {takes}; got {duration!r}. Nothing was shared.\n")
        assert truetty(server, "open", "--web", "--share", duration, "build") == refused
    assert truetty(server, "open", "--web", "--shares") == (0, "", "no terminal is shared\n")
    status, printed, _ = truetty(server, "open", "--web", "--share", "30m", "build")
    assert status == 0 and "/t/t1#ticket=" in printed
    (link,) = server.get("/v1/web/shares")["shares"]
    assert link["until"] - link["made_at"] == 1800
    listed = truetty(server, "open", "--web", "--shares")[1]
    assert listed.startswith(f"{link['id']}  t1 (build)  until ") and listed.endswith("  0 visits\n")
    assert Page(server).try_login(printed.strip().partition("#ticket=")[2]).status == 200
    assert truetty(server, "open", "--web", "--shares")[1].endswith("  1 visit\n")
    assert truetty(server, "open", "--web", "--revoke", link["id"]) == (0, f"{link['id']} has ended\n", "")
    assert truetty(server, "open", "--web", "--revoke", link["id"])[0] == 125


def test_a_browser_gets_a_private_file_and_no_link(server: Live, tmp_path: Path) -> None:
    """On a desktop: the arguments of a program are shown to every user of the machine."""
    programs, seen = tmp_path / "programs", tmp_path / "seen"
    programs.mkdir()
    opener = programs / "xdg-open"
    opener.write_text(f'#!/bin/sh\nprintf %s "$*" > {seen}\n')
    opener.chmod(0o755)
    environ = {**os.environ, "TRUETTY_STATE": server.place.folder, "DISPLAY": ":0"}
    environ["PATH"] = f"{programs}:{environ['PATH']}"
    environ.pop("SSH_CONNECTION", None)
    master, slave = pty.openpty()
    try:
        assert truetty(server, "open", "--web", env=environ, stdout=slave)[0] == 0
        printed = os.read(master, 1000).decode().strip()
    finally:
        os.close(master)
        os.close(slave)
    file = Path(seen.read_text())
    assert file == Path(server.place.path("open.html")) and stat.S_IMODE(file.stat().st_mode) == 0o600
    assert printed in file.read_text()
    seen.unlink()
    truetty(server, "open", "--web", "--no-browser", env=environ)
    assert not seen.exists()
