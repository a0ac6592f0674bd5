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
from typing import Any, Final

from truetty import files
from truetty.cli.terminals.server import Server
from truetty.cli.terminals.standing import print_json
from truetty.client.http import quoted
from truetty.core import lazy
from truetty.core.errors import Misuse
from truetty.server.start.place import Place

OPENER: Final = "open" if sys.platform == "darwin" else "xdg-open"
_DURATION: Final = lazy.pattern(r"([1-9][0-9]{0,5})([smhd])")
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
        line = "\n".join(map(_described, found["shares"]))
    print_json(found) if json else print(line)
    return 0


def _described(link: Any) -> str:
    until = time.strftime("%Y-%m-%d %H:%M", time.localtime(link["until"]))
    return f"{link['id']}  {link['terminal_id']}  until {until}  {link['visits']} visits"


def _seconds(duration: str) -> float:
    found = _DURATION.fullmatch(duration)
    if found is None:
        raise Misuse(f"--share takes a duration such as 30m, 1h or 2d, not {duration!r}", share=duration)
    return int(found[1]) * _UNITS[found[2]]


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
