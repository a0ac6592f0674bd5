"""fish: the hook comes in by --init-command, a command by the editor (`editors/fish.py`) or by `eval`.

Rule 1: `"$(…)"` must be quoted (fish 3.4 and later): unquoted it splits lines, and a pipe would lose `$status`.
Rule 2: what the substitution returns is the `$status` that the text sees.
Rule 3: command names begin with an empty quote, so that no abbreviation of the user's is put in their place.
Rule 4: a leading space keeps a line out of fish's history by itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from truetty.core import lazy
from truetty.shells.row import HealRequest, Launch, LaunchRequest, Request, Typed
from truetty.shells.writing import QUIET, encode, enter, printf_mark, script

_NO_PROMPT = frozenset({"-c", "--command", "-n", "--no-execute", "-v", "--version", "-h", "--help"})
_WITH_VALUE = frozenset(
    {"-C", "--init-command", "-d", "--debug", "-o", "--debug-output", "-f", "--features", "--profile", "-p"}
)
# At the end of a line without a newline fish prints its own sign and blanks up to the margin.
PROMPT_BEGINS = lazy.pattern(rb"(?:\x1b\[[0-9;]*m|\x1b\(B)*\xe2\x8f\x8e(?:\x1b\[[0-9;]*m|\x1b\(B)* +\r\xe2\x8f\x8e \r")


def cd(path: str) -> str:
    word = path.replace("\\", "\\\\").replace("'", "\\'")
    return f"builtin cd -- '{word}'"


def asks_for_prompt(arguments: Sequence[str]) -> bool:
    words = iter(arguments)
    for word in words:
        if word in _WITH_VALUE:
            next(words, None)
        elif word in _NO_PROMPT or word.startswith("--command=") or not word.startswith("-"):
            return False
    return True


class Fish:
    def launch(self, request: LaunchRequest) -> Launch | None:
        arguments = request.arguments
        if not asks_for_prompt(arguments):
            return None
        plain = () if request.rc or "-N" in arguments or "--no-config" in arguments else ("--no-config",)
        ours = (*plain, "--interactive", "--init-command", f"builtin source {request.folder}/hook.fish")
        hook = script("hook.fish", folder=request.folder, name=request.name, key=request.key)
        return Launch((*arguments, *ours), {}, {"hook.fish": encode(hook)})

    def trigger(self, request: Request) -> Typed:
        folder, number = request.folder, request.serial
        before = ""
        if request.probe:  # not fish's own `read`: on a terminal that is a line editor, with modes of its own
            before += f"builtin printf '{printf_mark('M', request.start)}' >/dev/tty\n"
            before += f"and /bin/sh -c 'read x' </dev/tty {QUIET}\n"
        files = {
            f"c{number}": encode(
                f"{before}builtin read --local --null t <{folder}/t{number}\n"
                f"builtin printf '{printf_mark('C', request.start)}' >/dev/tty\n"
                "builtin string collect --no-trim-newlines -- $t\n"
                f"return {request.last_code & 255}\n"
            ),
            f"t{number}": encode(request.text),
            f"d{number}": encode(f"{_status('D', request.end)}return $s\n"),
        }
        return Typed(enter(f" ''eval \"$(''. {folder}/c{number})\";''. {folder}/d{number} 2>/dev/null"), files)

    def heal(self, request: HealRequest) -> Typed | None:
        hook = script("hook.fish", folder=request.folder, name=request.name, key=request.key)
        files = {f"h{request.serial}": encode(f"{_status('H', request.secret)}{hook}return $s\n")}
        return Typed(enter(f" ''. {request.folder}/h{request.serial}"), files)


def _status(letter: str, secret: str) -> str:
    """Prints a mark with `$status`, and keeps that in `$s`."""
    return f"set -l s $status\nbuiltin printf '{printf_mark(letter, secret, '%s', '')}' $s >/dev/tty\n"
