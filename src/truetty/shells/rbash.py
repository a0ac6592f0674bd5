"""rbash: bash that may write to no file and read none by a path; what is left is `eval "$(<file)"` and standard output.

Rule 1: start-up files are read before the restrictions hold, so the hook comes in as in bash; it redirects nothing.
Rule 2: standard output is the terminal: a restricted shell can redirect itself no more than we can.
Rule 3: `$(<file)` clears `$?`, so the status is caught in a variable first. What `set -x` says of ours is seen.
"""

from __future__ import annotations

from truetty.shells.bash import Bash, telling
from truetty.shells.row import Request, Typed
from truetty.shells.writing import encoded, entered, escaped_mark, quoted, script

_CLEAN = "\\history -s x;\\history -d -1;"


class Rbash(Bash):
    def trigger(self, request: Request) -> Typed:
        folder, number = request.folder, request.serial
        before = ""
        if request.probe:
            before += f"\\builtin printf '{escaped_mark('M', request.start)}'&&"
            before += "\\builtin read -r _tt </dev/tty;\\builtin unset _tt;"
        code = request.last_code & 255
        first = f"{before}\\builtin printf {quoted(escaped_mark('C', request.start))}"
        first += f";(exit {code})&&:" if code else ""
        files = {
            f"v{number}": encoded(f"{first}\n{request.text}"),
            f"d{number}": encoded(_told("D", request.end)),
        }
        history = "" if "S" in request.flags else _CLEAN
        line = f' {history}\\builtin eval "$(<{folder}/v{number})";_tt=$?;\\builtin eval "$(<{folder}/d{number})"&&:'
        return Typed(entered(line), files)

    def heal(self, *, folder: str, serial: int, secret: str, key: str) -> Typed | None:
        files = {f"h{serial}": encoded(f"{self._hook(folder, key)}{_told('H', secret)}")}
        return Typed(entered(f' _tt=$?;{_CLEAN}\\builtin eval "$(<{folder}/h{serial})"&&:'), files)

    def _hook(self, folder: str, key: str) -> str:
        return script("hook.bash", folder=folder, key=key, tell=quoted(f'\\builtin eval "{telling("P", key, tty="")}"'))


def _told(letter: str, secret: str) -> str:
    """A mark with the caught status, which is handed on."""
    mark = telling(letter, secret, tty="").replace("$?", "$_tt")
    return f'\\builtin eval "{mark};\\builtin unset _tt;(exit $_tt)"\n'
