"""rbash: bash that may write to no file and source none by a path: commands come by `eval "$(<file)"`, marks on stdout.

Rule 1: start-up files are read before the restrictions hold, so the hook comes in as in bash. It redirects nothing.
Rule 2: standard output is the terminal, because a restricted shell cannot redirect itself elsewhere.
Rule 3: `$(<file)` clears `$?`, so `_tt` keeps the status first. What `set -x` prints of our line is visible.
"""

from __future__ import annotations

from truetty.shells.bash import Bash, mark_command
from truetty.shells.row import Request, Typed
from truetty.shells.writing import encode, enter, printf_mark, quote, script

_CLEAN = "\\history -s x;\\history -d -1;"


class Rbash(Bash):
    def trigger(self, request: Request) -> Typed:
        folder, number = request.folder, request.serial
        before = ""
        if request.probe:
            before += f"\\builtin printf '{printf_mark('M', request.start)}'&&"
            before += "\\builtin read -r _tt </dev/tty;\\builtin unset _tt;"
        code = request.last_code & 255
        first = f"{before}\\builtin printf {quote(printf_mark('C', request.start))}"
        first += f";(exit {code})&&:" if code else ""
        files = {
            f"v{number}": encode(f"{first}\n{request.text}"),
            f"d{number}": encode(_mark_status("D", request.end)),
        }
        history = "" if "S" in request.flags else _CLEAN
        line = f' {history}\\builtin eval "$(<{folder}/v{number})";_tt=$?;\\builtin eval "$(<{folder}/d{number})"&&:'
        return Typed(enter(line), files)

    def heal(self, *, folder: str, serial: int, secret: str, key: str) -> Typed | None:
        files = {f"h{serial}": encode(f"{self._hook(folder, key)}{_mark_status('H', secret)}")}
        return Typed(enter(f' _tt=$?;{_CLEAN}\\builtin eval "$(<{folder}/h{serial})"&&:'), files)

    def _hook(self, folder: str, key: str) -> str:
        return script(
            "hook.bash", folder=folder, key=key, tell=quote(f'\\builtin eval "{mark_command("P", key, tty="")}"')
        )


def _mark_status(letter: str, secret: str) -> str:
    """Prints a mark with the status in `_tt`, and hands that on."""
    mark = mark_command(letter, secret, tty="").replace("$?", "$_tt")
    return f'\\builtin eval "{mark};\\builtin unset _tt;(exit $_tt)"\n'
