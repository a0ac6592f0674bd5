"""rbash: bash that may write to no file and source none by a path: commands come by `eval "$(<file)"`, marks on stdout.

Rule 1: start-up files are read before the restrictions hold, so the hook comes in as in bash. It redirects nothing.
Rule 2: standard output is the terminal, because a restricted shell cannot redirect itself elsewhere.
Rule 3: `$(<file)` clears `$?`, so a variable keeps the status first. What `set -x` prints of our line is visible.
"""

from __future__ import annotations

from truetty.shells.bash import Bash, mark_command
from truetty.shells.row import HealRequest, LaunchRequest, Request, Typed
from truetty.shells.writing import encode, enter, printf_mark, quote, script

_CLEAN = "\\history -s x;\\history -d -1;"


class Rbash(Bash):
    def trigger(self, request: Request) -> Typed:
        folder, name, number = request.folder, request.name, request.serial
        before = ""
        if request.probe:
            before += f"\\builtin printf '{printf_mark('M', request.start)}'&&"
            before += f"\\builtin read -r {name} </dev/tty;\\builtin unset {name};"
        code = request.last_code & 255
        first = f"{before}\\builtin printf {quote(printf_mark('C', request.start))}"
        first += f";(exit {code})&&:" if code else ""
        files = {
            f"v{number}": encode(f"{first}\n{request.text}"),
            f"d{number}": encode(_mark_status("D", request.end, name)),
        }
        history = "" if "S" in request.flags else _CLEAN
        line = f' {history}\\builtin eval "$(<{folder}/v{number})";{name}=$?;\\builtin eval "$(<{folder}/d{number})"&&:'
        return Typed(enter(line), files)

    def heal(self, request: HealRequest) -> Typed | None:
        folder, name, number = request.folder, request.name, request.serial
        files = {f"h{number}": encode(self._hook(folder, request) + _mark_status("H", request.secret, name))}
        return Typed(enter(f' {name}=$?;{_CLEAN}\\builtin eval "$(<{folder}/h{number})"&&:'), files)

    def _hook(self, folder: str, request: LaunchRequest | HealRequest) -> str:
        tell = quote(f'\\builtin eval "{mark_command("P", request.key, tty="")}"')
        return script("hook.bash", folder=folder, key=request.key, tell=tell)


def _mark_status(letter: str, secret: str, name: str) -> str:
    """Prints a mark with the status in the variable, and hands that on."""
    mark = mark_command(letter, secret, tty="").replace("$?", f"${name}")
    return f'\\builtin eval "{mark};\\builtin unset {name};(exit ${name})"\n'
