"""dash, busybox ash, ksh93, mksh and any POSIX sh: the hook comes in by ENV, a command by `eval`, P by `$?` in PS1.

Rule 1: the shells differ in data only: `Quirks` say how.
Rule 2: ENV is given back (or unset) first of all, so that nested shells do not read our file.
Rule 3: every file is read by `command .`: an error in it, or a readonly PS1, then breaks off that file and not ours.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from truetty.core import marks
from truetty.shells.row import HealRequest, Launch, LaunchRequest, Request, Typed
from truetty.shells.writing import (
    QUIET,
    encode,
    end_inside,
    enter,
    pause_before_text,
    printf_mark,
    quote,
    source_env_file,
)

# A prompt that begins with a character and CR has named its quote: mksh gives no width to what stands between two.
_CR = "\r"
_MKSH_QUOTE = f"\x01{_CR}\x01"


def cd(path: str) -> str:
    return f"\\command cd -- {quote(path)}"


@dataclass(frozen=True, slots=True)
class Quirks:
    """In what these shells differ."""

    own_file: str = ""  # read when the user has no ENV
    printf: str = "\\command printf"
    before: str = ""  # around a mark in a prompt, so that the line editor does not count it
    after: str = ""
    # The whole text is parsed before any of it runs: C must come before it too, and stand on the text's own line.
    whole: bool = False
    # A trace goes to a saved descriptor, where no group can hide it: under -x and -v the prompt's mark must do.
    loud: bool = False
    # `return N` in a file ends the shell under -e, even before `&&`.
    fatal_return: bool = False
    # Under a DEBUG trap `$?` is 0 in a file: the typed line hands it over as an argument.
    hands_over: bool = False
    # It writes each line to a file of its history, and by default to one in the user's home.
    history_file: bool = False
    # `set` prints prompts as they are, and PS2 is expanded: `$?` in it makes what `set` prints of it no mark.
    bare_set: bool = False


@dataclass(frozen=True, slots=True)
class Posix:
    """The recipe of a POSIX shell."""

    quirks: Quirks = Quirks()

    def launch(self, request: LaunchRequest) -> Launch | None:
        folder, env = request.folder, request.env
        applet = request.arguments[:1] if os.path.basename(request.program) == "busybox" else ()
        options = request.arguments[len(applet) :]
        if not asks_for_prompt(options):
            return None
        back = "\\unset ENV;" if "ENV" not in env else f"\\export ENV={quote(env['ENV'])};"
        # Not exported: in dash nothing takes that away again, and children would show our marks.
        prompts = [name for name in ("PS1", "PS2") if name in env]
        back += "".join(f"{name}={quote(env[name])};" for name in prompts)
        # One line: under `set -v` each line of a file is shown as it is read, and this one is read before any was set.
        theirs = source_env_file("\\command .", env.get("ENV", self.quirks.own_file)) if request.rc else ""
        # A readonly PS1 takes no mark: then this file tells that what the shell reads next is a command.
        told = f'{self.quirks.printf} "{printf_mark("P", request.key, "0", "$-")}" >/dev/tty'
        history = ""
        if self.quirks.history_file and not request.history:
            history = f";{{ \\command eval HISTFILE={folder}/history;}} {QUIET}"  # which may be readonly
        line = f"{back}{theirs}{{ \\command . {folder}/hook||{told};}} {QUIET}{history}\n"
        files = {"rc": encode(line), "hook": encode(self._hook(request.name, request.key))}
        interactive = () if any(word[:1] == "-" and word[1:2] != "-" and "i" in word for word in options) else ("-i",)
        return Launch((*applet, *interactive, *options), {"ENV": f"{folder}/rc", **dict.fromkeys(prompts)}, files)

    def trigger(self, request: Request) -> Typed:
        folder, name, number, quirks = request.folder, request.name, request.serial, self.quirks
        mark = f"{quirks.printf} {quote(printf_mark('C', request.start))} >/dev/tty"
        traced = bool(set("xv") & set(request.flags))
        harmless = "" if quirks.loud else "\\:;"  # so that `$_` is nothing of ours
        first = f"{{ \\unset {name};{mark};{harmless}}} {QUIET}"
        files: dict[str, bytes] = {}
        if code := request.last_code & 255:
            if (quirks.fatal_return and "e" in request.flags) or (quirks.loud and traced):
                first += f";(exit {code})&&:"
            else:
                first += f";{{ \\. {folder}/r{number};}} {QUIET}&&:"
                files[f"r{number}"] = encode(f"\\return {code}\n")
        before = pause_before_text(request, quirks.printf, "\\read -r")
        # Quiet where it helps, always: this text may be the one that says `set -x`.
        code_of = " $?" if quirks.hands_over else ""
        end = f"\\. {folder}/d{number}{code_of}" if quirks.loud else f"{{ \\. {folder}/d{number};}} {QUIET}"
        by_mark = not (traced and quirks.loud)  # otherwise P ends it
        inside = end_inside(request, end) if by_mark else ""
        # A trace would follow an early C and be taken for output: then the text has an `eval` of its own, after C.
        early = quirks.whole and not traced
        body = request.text if early or not quirks.whole else f"\\eval {quote(request.text)}"
        text = f"{first}{';' if quirks.whole else chr(10)}{body}{inside}"
        if by_mark:
            files[f"d{number}"] = encode(self._end("D", request.end))
        files[f"v{number}"] = encode(f"{before}{name}={quote(text)}\n{mark if early else ''}\n")
        begin = f"{{ \\. {folder}/v{number};}} {QUIET}" if traced else f"\\. {folder}/v{number}"
        line = f' {begin};\\eval "${name}"' + (f";{end}&&:" if by_mark and not inside else "")
        return Typed(enter(line), files)

    def heal(self, request: HealRequest) -> Typed | None:
        folder, number = request.folder, request.serial
        answer = self._end("H", request.secret, f"{{ \\\\command . {folder}/hook&&:;}} {QUIET};")
        files = {"hook": encode(self._hook(request.name, request.key)), f"h{number}": encode(answer)}
        return Typed(enter(f" \\. {folder}/h{number}{' $?' if self.quirks.hands_over else ''}&&:"), files)

    def _end(self, letter: str, secret: str, then: str = "") -> str:
        """A mark with `$?` and `$-`, which hands `$?` on: both are expanded before anything runs."""
        code = "$1" if self.quirks.hands_over else "$?"
        mark = printf_mark(letter, secret, code, "$-")
        back = "case $- in *e*);;*)return $?;;esac" if self.quirks.fatal_return else f"\\\\return {code}"
        return f"\\eval \"\\{self.quirks.printf} '{mark}' >/dev/tty;{then}{back}\" {QUIET}\n"

    def _hook(self, name: str, key: str) -> str:
        """Marks both prompts, and takes them out of the environment, where children would find them."""
        default = "# " if os.geteuid() == 0 else "$ "
        second = marks.text("2", key, "$?") if self.quirks.bare_set else marks.text("2", key)
        first = marks.text("P", key, "$?", "$-")
        return self._prompt("PS1", default, first, name, key) + self._prompt("PS2", "> ", second, name, key)

    def _prompt(self, prompt: str, default: str, mark: str, name: str, key: str) -> str:
        before, after = self.quirks.before, self.quirks.after
        own_quote = ""
        if before == _MKSH_QUOTE:  # a prompt may have begun with a quote character of its own
            own_quote = (
                f'?{_CR}*){name}=${{{prompt}%"${{{prompt}#?}}"}};'
                f"{prompt}=${name}'{_CR}'${name}'{mark}'${name}${{{prompt}#??}};\\unset {name};;"
            )
        return (
            f"case ${{{prompt}-}} in *{key}*);;{own_quote}*){name}=${{{prompt}-'{default}'}};\\unset {prompt};"
            f"{prompt}='{before}{mark}{after}'\"${name}\";\\unset {name};;esac\n"
        )


def asks_for_prompt(arguments: Sequence[str]) -> bool:
    """False for a script or `-c`. `-o` takes a value."""
    words = iter(arguments)
    for word in words:
        if word[:1] not in ("-", "+") or len(word) < 2 or word == "--":
            return False
        if word.startswith("--"):
            continue
        if "c" in word[1:] and word[0] == "-":
            return False
        if word[-1] == "o":
            next(words, None)
    return True


SH = Posix(Quirks(fatal_return=True, bare_set=True))
DASH = Posix(Quirks(fatal_return=True, bare_set=True))
ASH = Posix(Quirks(fatal_return=True, before="\\[", after="\\]", bare_set=True))
KSH93 = Posix(Quirks(own_file="$HOME/.kshrc", whole=True, loud=True, hands_over=True, history_file=True))
MKSH = Posix(Quirks(own_file="$HOME/.mkshrc", printf="\\builtin print -n", before=_MKSH_QUOTE, after="\x01", loud=True))
