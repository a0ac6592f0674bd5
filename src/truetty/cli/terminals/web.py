"""`truetty open --web`: a link that logs a browser in, printed, and opened where there is a desktop.

Rule 1: the link is in no argument list: every user of the machine can see those. The browser gets a private file that
        leads there.
Rule 2: the link is good once, within a minute. So the file that is left holds nothing of use.
"""

from __future__ import annotations

import html
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any, Final

from truetty import files
from truetty.cli.terminals.server import Server
from truetty.cli.terminals.standing import print_json
from truetty.client.http import quoted
from truetty.core import lazy
from truetty.core.errors import Misuse
from truetty.server.limits import LONGEST_SHARE
from truetty.server.start.place import Place

OPENER: Final = "open" if sys.platform == "darwin" else "xdg-open"
_DURATION: Final = lazy.pattern(r"([0-9]{1,6})([smhd])")
_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_PAGE: Final = """\
<!doctype html><meta charset="utf-8"><title>truetty</title><meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0;url={url}"><a href="{url}">truetty</a>
"""


def show(server: Server, id: str | None, *, browser: bool, json: bool) -> int:
    if not server.is_here:
        raise Misuse("the page is for the machine of its server: run truetty open --web there, and ssh -L its port")
    server.post("/v1/web")
    made = server.post("/v1/web/tickets", terminal=id)
    if json:
        print_json(made)
        return 0
    print(made["url"], flush=True)
    if browser and _is_desktop():
        _open(made["url"])
    return 0


def links(server: Server, id: str | None, share: str | None, listed: bool, revoke: str | None, *, json: bool) -> int:
    """Links by which a terminal is watched: one is made, they are listed, or one is ended."""
    if (share is not None) + listed + (revoke is not None) > 1 or (id is None) != (share is None):
        raise Misuse("--share takes ID, a terminal; --shares and --revoke LINK take none: name one of the three")
    if share is not None:
        seconds = _seconds(share)
        server.post("/v1/web")
        found: Any = server.post("/v1/web/shares", terminal_id=id, seconds=seconds)
        line = found["url"]
    elif revoke is not None:
        found = server.delete(f"/v1/web/shares/{quoted(revoke)}")
        line = f"{found['id']} has ended"
    else:
        found = server.get("/v1/web/shares")
        if not json and not found["shares"]:
            print("no terminal is shared", file=sys.stderr)
            return 0
        line = "" if json else "\n".join(_descriptions(server, found["shares"]))
    print_json(found) if json else print(line)
    return 0


def _descriptions(server: Server, links: list[Any]) -> Iterator[str]:
    names = {one["id"]: one["name"] for one in server.get("/v1/terminals")["terminals"]}
    for link in links:
        id, name = link["terminal_id"], names.get(link["terminal_id"])
        until = time.strftime("%Y-%m-%d %H:%M", time.localtime(link["until"]))
        visits = "1 visit" if link["visits"] == 1 else f"{link['visits']} visits"
        yield f"{link['id']}  {f'{id} ({name})' if name else id}  until {until}  {visits}"


def _seconds(duration: str) -> float:
    found = _DURATION.fullmatch(duration)
    seconds = int(found[1]) * _UNITS[found[2]] if found is not None else 0
    if not 0 < seconds <= LONGEST_SHARE:
        form = f"a whole number with s, m, h or d behind it, such as 30m, from 1s to {LONGEST_SHARE // _UNITS['d']}d"
        raise Misuse(f"--share takes {form}; got {duration!r}. Nothing was shared.", share=duration)
    return seconds


def _is_desktop() -> bool:
    """A person sits here, in front of a screen on which a browser can be shown."""
    remote = "SSH_CONNECTION" in os.environ
    shown = sys.platform == "darwin" or "DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ
    return sys.stdout.isatty() and shown and not remote and shutil.which(OPENER) is not None


def _open(url: str) -> None:
    path = Place.of(os.environ).path("open.html")
    with files.replacement(path) as new, open(files.create(new), "w") as file:
        file.write(_PAGE.format(url=html.escape(url)))
    subprocess.run([OPENER, path], stdin=subprocess.DEVNULL, stdout=sys.stderr, check=False)
