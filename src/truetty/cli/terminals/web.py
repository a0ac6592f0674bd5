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
from typing import Final

from truetty import files
from truetty.cli.terminals.server import Server
from truetty.cli.terminals.standing import print_json
from truetty.core.errors import Misuse
from truetty.server.place import Place

OPENER: Final = "open" if sys.platform == "darwin" else "xdg-open"
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
