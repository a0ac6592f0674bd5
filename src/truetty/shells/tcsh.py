"""tcsh: the hook comes in by a private HOME, a command by `source`, P by the alias precmd.

Rule 1: HOME is given back by the first line that is read; only the system's csh.cshrc comes before it.
Rule 2: no name may be quoted: a quoted word is no builtin here, so a user's alias `source`, `echo` or `set` is run.
Rule 3: `set status=N` hands a status on, and only as the last command of a file.
Rule 4: what tcsh asks itself in a file, it takes from that file: with `set rmstar`, `rm *` in one deletes without an
        answer. A text that may make it ask is in the line that is typed.
"""

from __future__ import annotations

from collections.abc import Sequence

from truetty.core import lazy, marks
from truetty.shells.row import HealRequest, Launch, LaunchRequest, Request, Typed
from truetty.shells.writing import encode, enter, quote, script

# In a file, and in `eval`, these end the file and not the shell, so they are typed.
_LEAVING = lazy.pattern(r"\s*(?:exit|logout)(?:[ \t]+\d+)?\s*")
# Between quotes in the typed line a text with one of these would be another, or no text.
_UNQUOTABLE = lazy.pattern(r"[!'\\\n]")
_BETWEEN_WORDS = lazy.pattern(r"[\s;&|()]+")
CONTINUATION = r"(?:foreach|while)?\?"


def cd(path: str) -> str:
    """History is looked for inside quotes too, and a quoted line may only go on after a backslash."""
    return "cd " + quote(path).replace("!", "\\!").replace("\n", "\\\n")


def _read_arguments(arguments: Sequence[str]) -> tuple[tuple[str, ...], bool] | None:
    """The arguments without -f, and whether it was there. None: no prompt is asked for (a script, `-c`)."""
    if any(word[:1] != "-" or len(word) < 2 or "c" in word for word in arguments):
        return None
    kept = tuple(letters for word in arguments if (letters := word.replace("f", "")) != "-")
    return kept, any("f" in word for word in arguments)


class Tcsh:
    def launch(self, request: LaunchRequest) -> Launch | None:
        wishes = _read_arguments(request.arguments)
        if wishes is None:
            return None
        kept, fast = wishes
        folder, home = request.folder, request.env.get("HOME")
        install = f"source {folder}/hook\n"
        theirs = "if (-r ~/.tcshrc) then\nsource ~/.tcshrc\nelse if (-r ~/.cshrc) then\nsource ~/.cshrc\nendif\n"
        back = "unsetenv HOME;unset home\n" if home is None else f"setenv HOME {quote(home)};set home={quote(home)}\n"
        files = {
            ".tcshrc": encode(back + install + (theirs + install if request.rc and not fast else "")),
            "hook": encode(_hook(folder, request.name, request.key)),
            "p": encode(_mark_status("P", request.key, request.name) + _hand_on(request.name)),
        }
        return Launch(kept, {"HOME": folder}, files)

    def trigger(self, request: Request) -> Typed:
        folder, name, number = request.folder, request.name, request.serial
        start = ""
        if request.probe:
            start += f"echo -n '{marks.text('M', request.start)}' >/dev/tty\nset {name}=$<\nunset {name}\n"
        start += f"echo -n '{marks.text('C', request.start)}' >/dev/tty\nset status={request.last_code & 255}\n"
        if _LEAVING.fullmatch(request.text):
            return Typed(enter(f" source {folder}/t{number};{request.text.strip()}"), {f"t{number}": encode(start)})
        typed = f"eval '{request.text}';" if _may_ask(request.text) else ""
        files = {
            f"t{number}": encode(start if typed else f"{start}{request.text}\n"),
            f"d{number}": encode(_mark_status("D", request.end, name) + _hand_on(name)),
        }
        line = f" source {folder}/t{number};{typed}set {name}=$status;source {folder}/d{number}"
        return Typed(enter(line), files)

    def heal(self, request: HealRequest) -> Typed | None:
        folder, name, number = request.folder, request.name, request.serial
        files = {
            "p": encode(_mark_status("P", request.key, name) + _hand_on(name)),
            f"h{number}": encode(
                _mark_status("H", request.secret, name) + _hook(folder, name, request.key) + _hand_on(name)
            ),
        }
        return Typed(enter(f" set {name}=$status;source {folder}/h{number}"), files)


def _may_ask(text: str) -> bool:
    """Whether tcsh may ask before it runs this, which it does where a word behind `rm` is `*`."""
    if "*" not in text or _UNQUOTABLE.search(text):
        return False
    words = _BETWEEN_WORDS.split(text)
    return "rm" in words and "*" in words[words.index("rm") :]


def _hand_on(name: str) -> str:
    return f'eval "unset {name};set status=${name}"\n'


def _mark_status(letter: str, secret: str, name: str) -> str:
    mark = marks.text(letter, secret, f"'${name}'", "")
    return f"echo -n '{mark}' >/dev/tty\n"


def _hook(folder: str, name: str, key: str) -> str:
    return script("hook.tcsh", folder=folder, name=name, key=key, esc=marks.ESC, bel=marks.BEL)
