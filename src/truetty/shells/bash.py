"""bash: the hook comes in by a start-up file, a command by the editor (`editors/bash.py`) or by `eval` of a variable.

Rule 1: what stays is one array, marks in PS0, PS1 and PS2, two elements of PROMPT_COMMAND and four keys; before 5.1 an
        element of PROMPT_COMMAND, a mark in PS2 and one key.
Rule 2: `\\builtin` before everything: aliases and functions may have any name.
Rule 3: every part of ours stands in a group whose output is thrown away: that hides `set -x`, `set -v`, DEBUG traps.

The hook comes in by one of three ways, depending on the user's arguments:

    posix   (--posix, sh)               ENV, and the user's own ENV file after it
    bare    (--login, --norc, rc off)   ENV with --posix, left at once: nothing else is read, a login shell stays one,
                                        and its profiles are sourced by us
    usual                               --rcfile; bash itself reads the system's bashrc before it, if built so
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from truetty.core import lazy
from truetty.shells.row import HealRequest, Launch, LaunchRequest, Request, Typed
from truetty.shells.writing import (
    QUIET,
    draw_number,
    encode,
    end_inside,
    enter,
    pause_before_text,
    printf_mark,
    quote,
    script,
    source_env_file,
)

PROMPT_BEGINS = lazy.pattern(rb"\x1b\[\?2004h")  # readline switches bracketed paste on, then prints the prompt
_KEPT_OUT = lazy.pattern(":(?:ignorespace|ignoreboth)")
_WITH_VALUE = frozenset({"--rcfile", "--init-file"})
_OWN_WAY = frozenset({"--login", "--norc", "--noprofile", "--posix"})  # what decides how the hook comes in


def cd(path: str) -> str:
    return f"\\builtin cd -- {quote(path)}"


@dataclass(slots=True)
class _Arguments:
    """The user's arguments, sorted: bash wants every long option before the first short one."""

    long: list[str] = field(default_factory=list)
    rest: list[str] = field(default_factory=list)
    options: set[str] = field(default_factory=set)  # those of `_OWN_WAY`
    rcfile: str | None = None


def _read_arguments(arguments: Sequence[str]) -> _Arguments | None:
    """None: no prompt is asked for (a script, `-c`)."""
    found = _Arguments()
    words = iter(arguments)
    for word in words:
        if word in _WITH_VALUE:
            found.rcfile = next(words, None)
        elif word in _OWN_WAY:
            found.options.add(word)
        elif word.startswith("--") and word != "--":
            found.long.append(word)
        elif len(word) > 1 and word[0] in "-+" and word != "--":
            if word[0] == "-" and "c" in word:
                return None
            if word[0] == "-" and "l" in word:
                found.options.add("--login")
            found.rest.append(word)
            if word[-1] in "oO" and (value := next(words, None)) is not None:
                if value == "posix" and word[0] == "-":
                    found.options.add("--posix")
                found.rest.append(value)
        elif word in ("-", "--") and next(words, None) is None:
            found.rest.append(word)
        else:
            return None
    return found


@dataclass(frozen=True, slots=True)
class Bash:
    """`named_sh`: the program is called `sh`, and so becomes POSIX by itself once its files are read."""

    named_sh: bool = False

    def launch(self, request: LaunchRequest) -> Launch | None:
        wishes = _read_arguments(request.arguments)
        if wishes is None:
            return None
        folder, rc, env = request.folder, request.rc, request.env
        login = ["--login"] if "--login" in wishes.options else []
        posix = ["--posix"] if "--posix" in wishes.options else []
        noprofile = "--noprofile" in wishes.options or not rc
        long, changes = wishes.long, dict[str, str | None]()
        start, sources = "", ""
        if posix or self.named_sh or "POSIXLY_CORRECT" in env:
            long += posix + login + ["--noprofile"] * noprofile
            start = _restore("ENV", env.get("ENV"))
            sources = source_env_file("\\builtin .", env.get("ENV")) if rc else ""
            changes["ENV"] = f"{folder}/rc"
        elif login or "--norc" in wishes.options or not rc:
            long += ["--posix", *login]
            start = _LEAVE_POSIX + _restore("ENV", env.get("ENV"))
            # POSIX mode chose other defaults.
            if "HISTFILE" not in env:
                start += "HISTFILE=~/.bash_history;"
            if "MAILCHECK" not in env:
                start += "MAILCHECK=60;"
            sources = _PROFILES if login and not noprofile else ""
            changes["ENV"] = f"{folder}/rc"
        else:
            long += ["--rcfile", f"{folder}/rc"]
            sources = _source_if_there(quote(wishes.rcfile) if wishes.rcfile else "~/.bashrc")
        install = f"{{ \\builtin . {folder}/hook||:;}} {QUIET}"
        files = {
            "hook": encode(self._hook(folder, request)),
            "p": encode(_end("P", request.key)),
            # One line: under `set -v` bash shows each line of a file as it reads it; this one is read before.
            "rc": encode(f"{start}{install};{sources}{install}\n"),
        }
        return Launch((*long, "-i", *wishes.rest), changes, files)

    def trigger(self, request: Request) -> Typed:
        folder, name, number = request.folder, f"{request.name}t", request.serial
        mark = quote(printf_mark("C", request.start))
        before = pause_before_text(request, "\\builtin printf", "\\builtin read -r", "\\builtin echo -ne")
        # `:` comes last, without arguments: `$_`, the last argument of the command before, is then nothing of ours.
        first = (
            f"{{ \\builtin unset {name};\\builtin printf {mark} >/dev/tty||\\builtin echo -ne {mark} >/dev/tty;"
            f"\\builtin :;}} {QUIET}"
        )
        files = {f"d{number}": encode(_end("D", request.end))}
        if code := request.last_code & 255:
            first += f";{{ \\builtin . {folder}/r{number} :;}} {QUIET}&&:"
            files[f"r{number}"] = encode(f"\\builtin return {code}\n")
        end = f"{{ \\builtin . {folder}/d{number};}} {QUIET}"
        inside = end_inside(request, end)
        files[f"v{number}"] = encode(f"{before}{name}=" + quote(f"{first}\n{request.text}{inside}"))
        # In the typed line itself: inside `eval` or a file bash keeps no history, and `history -d` removes nothing.
        history = "" if "S" in request.flags or _KEPT_OUT.search(request.options) else "\\history -s x;\\history -d -1;"
        line = f' {history}\\builtin . {folder}/v{number};\\builtin eval "${name}"' + ("" if inside else f";{end}&&:")
        return Typed(enter(line), files)

    def heal(self, request: HealRequest) -> Typed | None:
        folder, name, number = request.folder, f"{request.name}t", request.serial
        answer = _end("H", request.secret, then=f"{name}=$?")
        files = {
            "p": encode(_end("P", request.key)),
            f"h{number}": encode(f"{answer}\n{self._hook(folder, request)}"),
            # Read after H, which ends the command and drops the files with its number.
            "k": encode(f'\\builtin eval "\\builtin unset {name};\\builtin return ${name}"\n'),
        }
        inside = f"\\builtin . {folder}/h{number};\\history -s x;\\history -d -1;\\builtin . {folder}/k"
        return Typed(enter(f" {{ {inside};}} {QUIET}&&:"), files)

    def _hook(self, folder: str, request: LaunchRequest | HealRequest) -> str:
        name, key = request.name, request.key
        tell = quote(f'{{ \\builtin eval "{mark_command("P", key)}";}} {QUIET}||:')
        seed, forget = draw_number(), "" if request.history else "1"
        newer = script("editor.bash", folder=folder, name=name, key=key, seed=seed, forget=forget)
        older = script("hook.bash", folder=folder, key=key, tell=tell)
        return f"case $BASH_VERSINFO.${{BASH_VERSINFO[1]}} in\n[1-4].* | 5.0)\n{older};;\n*)\n{newer};;\nesac\n"


# POSIX mode switches inherit_errexit on, and `set +o posix` does not switch it off again.
_LEAVE_POSIX = "\\builtin set +o posix;{ \\builtin shopt -u inherit_errexit;} 2>/dev/null;"


def _source_if_there(path: str) -> str:
    """`&&:`: the file's own last status must not end a shell in which the file said `set -e`."""
    return f"if [[ -e {path} ]];then \\builtin . {path}&&:;fi;"


_PROFILES = _source_if_there("/etc/profile") + (
    "if [[ -r ~/.bash_profile ]];then \\builtin . ~/.bash_profile&&:;"
    "elif [[ -r ~/.bash_login ]];then \\builtin . ~/.bash_login&&:;"
    "elif [[ -r ~/.profile ]];then \\builtin . ~/.profile&&:;fi;"
)


def _restore(name: str, value: str | None) -> str:
    if value is None:
        return f"\\builtin unset {name};"
    return f"\\builtin export {name}={quote(value)};"


def _end(letter: str, secret: str, then: str = "\\builtin return $?") -> str:
    """Prints a mark with `$?` and `$-`, hands `$?` on, and hides what a trace or an error would print."""
    return f'\\builtin eval "{mark_command(letter, secret)};{then}" {QUIET}\n'


def mark_command(letter: str, secret: str, tty: str = " >/dev/tty") -> str:
    """Prints a mark; for the inside of double quotes, so `$?` and `$-` are expanded before anything runs.

    Flag S: a leading space keeps the line out of the history, or this is bash 4, where nothing removes it.
    Each command has its own redirection: one around them all would also redirect what a DEBUG trap prints.
    """

    def print_mark(flags: str) -> str:
        mark = printf_mark(letter, secret, "$?", flags)
        return f"\\builtin printf '{mark}'{tty}||\\builtin echo -ne '{mark}'{tty}"

    kept_out = f"[1-4]:*|*ignore[sb]*){print_mark('${-}S')}"
    return f"case \\$BASH_VERSINFO:\\${{HISTCONTROL-}} in {kept_out};;*){print_mark('$-')};;esac"
