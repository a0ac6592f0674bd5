"""nu: the hook comes in by --execute, a command by `source`; C, D and P are printed by nu's own hooks.

Rule 1: nu parses the whole line first and an error ends the line, so nothing of ours can stand beside the text in it.
Rule 2: text that does not parse has C and D too: the hook before execution comes before the parser.
Rule 3: nu asks where the cursor is at each prompt and waits for the answer; Enter is a carriage return to it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from truetty.core import lazy, marks
from truetty.shells.row import HealRequest, Launch, LaunchRequest, Request, Typed
from truetty.shells.writing import encode, pause_before_text, script

_NO_PROMPT = frozenset({"-c", "--commands", "-v", "--version", "-h", "--help", "--lsp", "--mcp"})
_WITH_VALUE = frozenset(
    {"--config", "--env-config", "--plugin-config", "--plugins", "--log-level", "--log-target", "-I", "--include-path"}
)

PROMPT_BEGINS = lazy.pattern(re.escape(marks.SEMANTIC_PROMPT))
_SUBMIT = b"\x1b[24;8~"  # Control-Alt-Shift-F12, which the hook has bound


def cd(path: str) -> str:
    from json import dumps

    return f"cd {dumps(path, ensure_ascii=False)}"


def _read_arguments(arguments: Sequence[str]) -> tuple[list[str], str] | None:
    """What is kept, and the commands of --execute, ready for more. None: no prompt is asked for (a script, `-c`)."""
    kept: list[str] = []
    execute = ""
    words = iter(arguments)
    for word in words:
        if word in ("-e", "--execute"):
            execute = f"{next(words, '')}; {execute}"
        elif word in _WITH_VALUE:
            kept += [word, next(words, "")]
        elif word.startswith("-") and word not in _NO_PROMPT:
            kept.append(word)
        else:
            return None
    return kept, execute


class Nu:
    def launch(self, request: LaunchRequest) -> Launch | None:
        wishes = _read_arguments(request.arguments)
        if wishes is None:
            return None
        kept, execute = wishes
        plain = () if request.rc else ("--no-config-file",)
        ours = (*plain, "--execute", f"{execute}source {request.folder}/hook.nu")
        return Launch((*kept, *ours), {}, {"hook.nu": encode(_hook(request.folder, request.key))})

    def trigger(self, request: Request) -> Typed:
        number = request.serial
        files = {
            f"t{number}": encode(request.text),
            f"c{number}": encode(marks.text("C", request.start)),
            f"d{number}": encode(marks.text("D", request.end, "", bell="")),
        }
        if before := pause_before_text(request, "printf", "read -r"):
            files[f"m{number}"] = encode(before)
        return Typed(encode(f" source {request.folder}/t{number}") + _SUBMIT, files)

    def heal(self, request: HealRequest) -> Typed | None:
        code = "let tt = ($env.LAST_EXIT_CODE? | default 0)\nlet tt = (if $tt < 0 { 128 - $tt } else { $tt })\n"
        mark = marks.text("H", request.secret, "($tt)", "", escape=r"\u{1b}", bell=r"\u{07}")
        code += f'print --no-newline $"{mark}"\n{_hook(request.folder, request.key)}'
        return Typed(encode(f" source {request.folder}/h{request.serial}\r"), {f"h{request.serial}": encode(code)})


def _hook(folder: str, key: str) -> str:
    return script("hook.nu", folder=folder, key=key, length=str(len(f" source {folder}/t")))
