"""zsh: the hook comes in by a private ZDOTDIR, a command by the editor (`editors/zsh.py`) or by `eval` of a variable.

Rule 1: only `.zshenv` is ours. It gives ZDOTDIR back before the user's first file is read, so that zsh itself reads
        every later file, from the user's own place and in its true order; the hook is installed at the first prompt.
Rule 2: zsh parses the whole text before it runs any of it, so C comes before the text, and again with it.
Rule 3: the line is pasted where the terminal may paste: zsh's editor costs about 10 µs for each key typed.
"""

from __future__ import annotations

from collections.abc import Sequence

from truetty.core import lazy, marks
from truetty.shells.row import HealRequest, Launch, LaunchRequest, Request, Typed
from truetty.shells.writing import (
    QUIET,
    encode,
    end_inside,
    enter,
    paste,
    pause_before_text,
    printf_mark,
    quote,
    script,
)

# PROMPT_SP: a sign if the user wants one, blanks up to the margin, and back to the first column.
PROMPT_BEGINS = lazy.pattern(rb"(?:\x1b\[[0-9;]*m)*[%#]?(?:\x1b\[[0-9;]*m)* +\r ?\r")
# PS2 names what is open: `for while>`.
CONTINUATION = (
    r"(?:\w{1,20} ){0,4}(?:for|while|until|if|then|else|elif|case|select|function|cmdsubst|subsh|cursh|pipe|quote|"
    r"dquote|bquote|heredoc|cmdand|cmdor|array|braceparam|math|repeat)>"
)

# A trace would show our `eval` between C and the text. So it is switched on again by the text's own first part; if the
# text does not parse, that part does not run, the variable is still there, and the end switches it on.
_TRACED = "{ \\builtin setopt xtrace;"


def _trace_later(name: str) -> str:
    return f"if [[ -o xtrace ]];then \\builtin unsetopt xtrace;{name}={quote(_TRACED)}${{{name}#?}};fi"


def _trace_again(name: str) -> str:
    return f"[[ \\${{{name}-}} != {quote(_TRACED)}* ]]||\\builtin setopt xtrace;\\builtin unset {name}"


def _read_arguments(arguments: Sequence[str]) -> tuple[tuple[str, ...], bool] | None:
    """The arguments without the wish for no files, and whether it was there. None: no prompt is asked for."""
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
                return None
            if letters != "-":
                kept.append(letters)
        elif word.startswith(("--", "+")) and len(word) > 2:
            kept.append(word)
        else:
            return None
    return tuple(kept), norcs


class Zsh:
    def launch(self, request: LaunchRequest) -> Launch | None:
        wishes = _read_arguments(request.arguments)
        if wishes is None:
            return None
        kept, norcs = wishes
        folder, key, name, own = request.folder, request.key, request.name, request.env.get("ZDOTDIR")
        back = "\\builtin unset ZDOTDIR" if own is None else f"\\builtin export ZDOTDIR={quote(own)}"
        theirs = "[[ ! -r ${ZDOTDIR-$HOME}/.zshenv ]]||\\builtin . ${ZDOTDIR-$HOME}/.zshenv||:"
        if norcs or not request.rc:
            theirs = "\\builtin setopt norcs"
        # The hook's own P is printed by hand at the first prompt: zsh does not call what joins the list meanwhile.
        first = f"{name}_i() {{ "
        first += f"precmd_functions=(${{precmd_functions:#{name}_i}});\\builtin unfunction {name}_i;"
        first += f"{_install(folder)};{name}_p;}}"
        # The mark is set now as well: a user's file may empty the list of functions.
        early = f"[[ ${{(t)PROMPT_EOL_MARK-}} == *readonly* ]]||PROMPT_EOL_MARK={_eol_mark(key)}"
        files = {
            ".zshenv": encode(f"{back};{theirs};{first};{early};precmd_functions+=({name}_i)\n"),
            "hook.zsh": encode(_hook(request)),
        }
        return Launch((*kept, "-i"), {"ZDOTDIR": folder}, files)

    def trigger(self, request: Request) -> Typed:
        folder, name, number = request.folder, f"{request.name}t", request.serial
        start = _print(quote(printf_mark("C", request.start)))
        code = request.last_code & 255
        # On the text's own line, so that the line numbers of errors stay right.
        first = f"{{ () {{ \\builtin unset {name};{start};\\builtin return {code};}};}} {QUIET}{'&&:' if code else ''};"
        before = pause_before_text(request, "\\builtin printf", "\\builtin read -r", "\\builtin print -n")
        end = f"{{ \\. {folder}/d{number};}} {QUIET}"
        inside = end_inside(request, end)
        text = quote(f"{first}{request.text}{inside}")
        files = {
            f"v{number}": encode(f"{before}{name}={text}\n{_trace_later(name)}\n{start}\n"),
            f"d{number}": encode(_end("D", request.end, _trace_again(name))),
        }
        line = f' {{ \\. {folder}/v{number};}} {QUIET};\\builtin eval "${name}"' + ("" if inside else f";{end}&&:")
        pastes = request.paste and not request.options.startswith("off")  # without its editor zsh knows no paste
        return Typed(paste(line) if pastes else enter(line), files)

    def heal(self, request: HealRequest) -> Typed | None:
        folder, number = request.folder, request.serial
        files = {
            "hook.zsh": encode(_hook(request)),
            f"h{number}": encode(_end("H", request.secret, _install(folder))),
        }
        return Typed(enter(f" {{ \\. {folder}/h{number};}} {QUIET}&&:"), files)


def _install(folder: str) -> str:
    return f"{{ \\builtin . {folder}/hook.zsh;}} {QUIET}"


def _hook(request: LaunchRequest | HealRequest) -> str:
    forget = "" if request.history else "1"
    return script("hook.zsh", folder=request.folder, name=request.name, key=request.key, forget=forget)


def _eol_mark(key: str) -> str:
    mark = marks.text("P", key, "%?", "", escape=r"\e", bell=r"\a")
    return f"$'%{{{mark}%}}'" + '"${PROMPT_EOL_MARK-%B%S%#%s%b}"'


def _end(letter: str, secret: str, then: str) -> str:
    """A mark with `$?` and `$-`, which hands `$?` on: both are expanded before anything runs."""
    shown = _print(f"'{printf_mark(letter, secret, '$?', '$-')}'")
    return f'\\builtin eval "{shown};{then};\\builtin return $?" {QUIET}\n'


def _print(mark: str) -> str:
    """The user may have disabled printf. In a list of its own, so that it goes on where neither works."""
    return f"{{ \\builtin printf {mark}||\\builtin print -n {mark};}} >/dev/tty"
