"""dash, busybox ash, ksh93, mksh and any POSIX sh: entered by ENV, told by `eval`, the second witness is `$?` in PS1.

Rule 1: the shells differ in data only: a `Dialect` says how.
Rule 2: ENV is given back (or unset) first of all, so that nested shells do not read our file.
Rule 3: every file is read by `command .`: an error in it, or a readonly PS1, then breaks off that file and not ours.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from truetty.shells.base import Asked, Launch, Typed
from truetty.shells.quoting import QUIET, before_text, encoded, entered, escaped_mark, quoted, raw_mark, signal_above


@dataclass(frozen=True, slots=True)
class Dialect:
    own_file: str = ""  # read when the user has no ENV
    printf: str = "\\command printf"
    before: str = ""  # around a mark in a prompt, so that the line editor does not count it
    after: str = ""
    # ksh93 parses the whole text before it runs any: C must come from the trigger too, and stand on the text's own line.
    whole: bool = False
    # A trace goes to a saved descriptor, where no group can hide it: under -x and -v the prompt's mark must do.
    loud: bool = False
    # `return N` in a file ends the shell under -e, even before `&&`.
    fatal_return: bool = False
    signal_base: int = 128
    editor: bool = True


@dataclass(frozen=True, slots=True)
class Posix:
    name: str
    dialect: Dialect = Dialect()  # noqa: RUF009 - frozen, and shared on purpose

    @property
    def integrates(self) -> bool:
        return True

    @property
    def answers_queries(self) -> bool:
        return False  # busybox asks at each prompt, and an answer would land in the next program's input

    @property
    def edits_lines(self) -> bool:
        return self.dialect.editor

    def launch(
        self, program: str, arguments: Sequence[str], *, folder: str, key: str, rc: bool, env: Mapping[str, str]
    ) -> Launch:
        argv0 = os.path.basename(program)
        applet = arguments[:1] if argv0 == "busybox" else ()
        given = arguments[len(applet) :]
        if not _interactive(given):
            return Launch((argv0, *arguments))
        back = "\\unset ENV;" if "ENV" not in env else f"\\export ENV={quoted(env['ENV'])};"
        # One line: under `set -v` each line of a file is shown as it is read, and this one is read before any was set.
        line = f"{back}{self._users_file(env) if rc else ''}{{ \\command . {folder}/hook&&:;}} {QUIET}\n"
        files = {"rc": encoded(line), "hook": encoded(self._hook(key))}
        interactive = () if any(word[:1] == "-" and word[1:2] != "-" and "i" in word for word in given) else ("-i",)
        return Launch((argv0, *applet, *interactive, *given), {"ENV": f"{folder}/rc"}, files)

    def trigger(self, asked: Asked) -> Typed:
        folder, number, dialect = asked.folder, asked.serial, self.dialect
        mark = f"{dialect.printf} {quoted(escaped_mark('C', asked.start))} >/dev/tty"
        first = f"{{ \\unset _tt;{mark};\\:;}} {QUIET}"  # `:`, for `$_`
        files: dict[str, bytes] = {}
        if code := asked.last_code & 255:
            if dialect.fatal_return and "e" in asked.flags:
                first += f";(exit {code})&&:"
            else:
                first += f";{{ \\. {folder}/r{number};}} {QUIET}&&:"
                files[f"r{number}"] = encoded(f"\\return {code}\n")
        before = before_text(asked, dialect.printf, "\\read -r")
        text = quoted(f"{first}{';' if dialect.whole else chr(10)}{asked.text}")
        files[f"v{number}"] = encoded(f"{before}_tt={text}\n{mark if dialect.whole else ''}\n")
        traced = bool(set("xv") & set(asked.flags))
        begin = f"{{ \\. {folder}/v{number};}} {QUIET}" if traced else f"\\. {folder}/v{number}"
        line = f' {begin};\\eval "$_tt"'
        if not (traced and dialect.loud):
            files[f"d{number}"] = encoded(self._end("D", asked.end))
            # Where it helps, always: this text may be the one that says `set -x`.
            quiet = traced or not dialect.loud
            line += f";{{ \\. {folder}/d{number};}} {QUIET}&&:" if quiet else f";\\. {folder}/d{number}&&:"
        return Typed(entered(line), files)

    def heal(self, *, folder: str, serial: int, secret: str, key: str) -> Typed | None:
        told = self._end("H", secret, f"{{ \\\\command . {folder}/hook&&:;}} {QUIET};")
        files = {"hook": encoded(self._hook(key)), f"h{serial}": encoded(told)}
        return Typed(entered(f" \\. {folder}/h{serial}&&:"), files)

    def signal_of(self, code: int) -> int | None:
        return signal_above(self.dialect.signal_base, code)

    def clear_line(self) -> bytes:
        return b"\x03"

    def prompt_start(self, tail: bytes) -> int | None:
        return None

    def _users_file(self, env: Mapping[str, str]) -> str:
        value = env.get("ENV", self.dialect.own_file)
        if not value:
            return ""
        word = '"' + value.replace('"', '\\"') + '"'  # the shell would expand its variables too
        return f"if [ -r {word} ];then \\command . {word}&&:;fi;"

    def _end(self, letter: str, secret: str, then: str = "") -> str:
        """A mark with `$?` and `$-`, which hands `$?` on: both are expanded before anything runs."""
        mark = escaped_mark(letter, secret, "$?", "$-")
        back = "case $- in *e*);;*)return $?;;esac" if self.dialect.fatal_return else "\\\\return $?"
        return f"\\eval \"\\{self.dialect.printf} '{mark}' >/dev/tty;{then}{back}\" {QUIET}\n"

    def _hook(self, key: str) -> str:
        """Takes PS1 and PS2 out of the environment, too: children would show our marks at their own prompts.

        `$?` is in both, so that what `set` prints of them is no mark: only at a prompt it becomes a number.
        """
        return self._prompt("PS1", "# " if os.geteuid() == 0 else "$ ", raw_mark("P", key, "$?", "$-"), key) + self._prompt(
            "PS2", "> ", raw_mark("2", key, "$?"), key
        )

    def _prompt(self, name: str, default: str, mark: str, key: str) -> str:
        before, after = self.dialect.before, self.dialect.after
        marked = f"'{before}{mark}{after}'\"$_tt\""
        return (
            f"case ${{{name}-}} in *{key}*);;*)_tt=${{{name}-'{default}'}};\\unset {name};{name}={marked};\\unset _tt;;esac\n"
        )


def _interactive(arguments: Sequence[str]) -> bool:
    """False for a script or -c. `-o` takes a value."""
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


# The quote character that the prompt itself names: mksh prints none of what stands between two of them at no width.
_MKSH_QUOTE = "\x01\r\x01"

SH = Posix("sh", Dialect(fatal_return=True, editor=False))
DASH = Posix("dash", Dialect(fatal_return=True, editor=False))
ASH = Posix("ash", Dialect(fatal_return=True, before="\\[", after="\\]"))
KSH93 = Posix("ksh93", Dialect(own_file="$HOME/.kshrc", whole=True, loud=True, signal_base=256))
MKSH = Posix(
    "mksh", Dialect(own_file="$HOME/.mkshrc", printf="\\builtin print -n", before=_MKSH_QUOTE, after="\x01", loud=True)
)
BUSYBOX = ASH
