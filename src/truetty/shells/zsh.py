"""zsh: entered by a private ZDOTDIR, told by `eval` of a file's text, the second witness is PROMPT_EOL_MARK.

Rule 1: only `.zshenv` is ours. It gives ZDOTDIR back before the user's first file is read, so that zsh itself reads
        every later file, from the user's own place and in its true order; the hook is installed at the first prompt.
Rule 2: zsh parses the whole text before it runs any of it, so C is printed by a file of its own as well.
Rule 3: the line is pasted where the terminal may paste: zsh's editor costs about 10 µs for each key typed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from truetty.shells.base import Asked, Launch, Typed
from truetty.shells.quoting import encoded, entered, escaped_mark, pasted, quoted, script, signal_above

_QUIET = ">/dev/null 2>&1"


def _without_f(arguments: Sequence[str]) -> tuple[tuple[str, ...], bool, bool]:
    """The arguments without the wish for no rc files (ours is one), whether it was there, and whether zsh is to be interactive."""
    kept: list[str] = []
    norcs = False
    words = iter(arguments)
    for word in words:
        if word == "--no-rcs":
            norcs = True
        elif word == "-o" and (option := next(words, None)) is not None:
            if option.lower().replace("_", "") == "norcs":
                norcs = True
            else:
                kept += [word, option]
        elif word.startswith("-") and not word.startswith("--") and len(word) > 1:
            letters = word.replace("f", "")
            norcs = norcs or letters != word
            if "c" in letters:
                return tuple(arguments), False, False
            if letters != "-":
                kept.append(letters)
        elif word.startswith(("--", "+")) and len(word) > 2:
            kept.append(word)
        else:
            return tuple(arguments), False, False
    return tuple(kept), norcs, True


@dataclass(frozen=True, slots=True)
class Zsh:
    name: str = "zsh"

    @property
    def integrates(self) -> bool:
        return True

    @property
    def answers_queries(self) -> bool:
        return False

    @property
    def edits_lines(self) -> bool:
        return True

    def launch(
        self, program: str, arguments: Sequence[str], *, folder: str, key: str, rc: bool, env: Mapping[str, str]
    ) -> Launch:
        kept, norcs, interactive = _without_f(arguments)
        if not interactive:
            return Launch((os.path.basename(program), *arguments))
        own = env.get("ZDOTDIR")
        back = "\\builtin unset ZDOTDIR" if own is None else f"\\builtin export ZDOTDIR={quoted(own)}"
        theirs = (
            "[[ ! -r ${ZDOTDIR-$HOME}/.zshenv ]]||\\builtin . ${ZDOTDIR-$HOME}/.zshenv||:"
            if rc and not norcs
            else "\\builtin setopt norcs"
        )
        later = f"_tt_i() {{ {_installing(folder)};\\builtin unfunction _tt_i;precmd_functions=(${{precmd_functions:#_tt_i}});{_told(key)} }}"
        files = {
            ".zshenv": encoded(f"{back};{theirs};{later};precmd_functions+=(_tt_i)\n"),
            "hook.zsh": encoded(script("hook.zsh", folder=folder, key=key)),
        }
        return Launch((os.path.basename(program), *kept, "-i"), {"ZDOTDIR": folder}, files)

    def trigger(self, asked: Asked) -> Typed:
        folder, number = asked.folder, asked.serial
        mend = f"{{ {asked.mend} }} </dev/tty {_QUIET}\n" if asked.mend else ""
        start = f"\\builtin printf {quoted(escaped_mark('C', asked.start))} >/dev/tty"
        code = asked.last_code & 255
        first = f"() {{ \\builtin setopt localoptions noxtrace;{start};\\builtin return {code} }} {_QUIET}"
        files = {
            f"c{number}": encoded(f"{mend}{start}\n"),
            # On the same line as the text, so that the line numbers of errors stay right.
            f"t{number}": encoded(f"{first}{'&&:' if code else ''};{asked.text}"),
            f"d{number}": encoded(_end("D", asked.end)),
        }
        if asked.paste or set("xv") & set(asked.flags):
            line = f' {{ \\. {folder}/c{number};}} {_QUIET};\\builtin eval "$(<{folder}/t{number})";{{ \\. {folder}/d{number};}} {_QUIET}&&:'
        else:
            line = f' \\. {folder}/c{number};\\builtin eval "$(<{folder}/t{number})";\\. {folder}/d{number}&&:'
        return Typed(pasted(line) if asked.paste else entered(line), files)

    def heal(self, *, folder: str, serial: int, secret: str, key: str) -> Typed | None:
        files = {
            "hook.zsh": encoded(script("hook.zsh", folder=folder, key=key)),
            f"h{serial}": encoded(_end("H", secret, _installing(folder))),
        }
        return Typed(entered(f" {{ \\. {folder}/h{serial};}} {_QUIET}&&:"), files)

    def signal_of(self, code: int) -> int | None:
        return signal_above(128, code)

    def clear_line(self) -> bytes:
        return b"\x03"

    def prompt_start(self, tail: bytes) -> int | None:
        return None


def _installing(folder: str) -> str:
    return f"{{ \\builtin . {folder}/hook.zsh }} {_QUIET}"


def _told(key: str) -> str:
    return f"\\builtin printf '{escaped_mark('P', key, '0', '')}' >/dev/tty"


def _end(letter: str, secret: str, then: str = ":") -> str:
    """A mark with `$?` and `$-`, which hands `$?` on: both are expanded before anything runs."""
    mark = escaped_mark(letter, secret, "$?", "$-")
    return f"\\builtin eval \"\\builtin printf '{mark}' >/dev/tty;{then};\\builtin return $?\" {_QUIET}\n"
