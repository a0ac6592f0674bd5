"""Options that several commands have, each described once."""

from __future__ import annotations

from typing import Final

from truetty.cli.table.row import Option, switch

SHELL: Final = Option("--shell", "a shell by its name or path (default: yours)", "SHELL")
CWD: Final = Option("--cwd", "start in this directory", "DIR")
ENV: Final = Option("--env", "set a variable; NAME alone unsets it; may be repeated", "NAME=VALUE", repeats=True)
NO_RC: Final = switch("--no-rc", "skip the shell's start-up files")
SANDBOX: Final = Option(
    "--sandbox",
    "what it may write and reach: read-only writes nothing, workspace writes in its directory only, none is no "
    "sandbox. The first two have private temporary files and no network; +network opens it",
    "SANDBOX",
    values=("read-only", "workspace", "read-only+network", "workspace+network", "none"),
)
POLICY: Final = Option(
    "--policy",
    "which commands run without a question: settings (as your settings file says), allow (all of them) or read-only "
    "(those known to change nothing); default: settings",
    "POLICY",
    default="settings",
    values=("settings", "allow", "read-only"),
)
JSON: Final = switch("--json", "one JSON object and nothing else, errors too")
ON: Final = Option(
    "--on",
    "the server that is meant: unix:PATH, its socket; ssh://HOST, the one of that machine; http://HOST:PORT, with "
    "the token in $TRUETTY_TOKEN; or a command that ends in truetty dial (default: $TRUETTY_ON, else your own)",
    "WHERE",
)
