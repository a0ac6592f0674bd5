"""nu: entered by --execute, told by `source`, and all three marks come from its hooks.

Rule 1: nu parses the whole line first and an error ends the line, so nothing of ours can stand beside the text in it.
Rule 2: text that does not parse has C and D too: the hook before execution comes before the parser.
Rule 3: nu asks where the cursor is at each prompt and waits for the answer; Enter is a carriage return to it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from truetty.core import marks
from truetty.shells.row import Launch, Request, Typed
from truetty.shells.writing import before_text, encoded, script, signal_above

_NO_PROMPT = frozenset({"-c", "--commands", "-v", "--version", "-h", "--help", "--lsp", "--mcp"})
_WITH_VALUE = frozenset(
    {"--config", "--env-config", "--plugin-config", "--plugins", "--log-level", "--log-target", "-I", "--include-path"}
)

_SUBMIT = b"\x1b[24;8~"  # Control-Alt-Shift-F12, which the hook has bound


@dataclass(frozen=True, slots=True)
class Nu:
    name: str = "nu"

    @property
    def integrates(self) -> bool:
        return True

    @property
    def answers_queries(self) -> bool:
        return True

    @property
    def edits_lines(self) -> bool:
        return True

    def launch(
        self, program: str, arguments: Sequence[str], *, folder: str, key: str, rc: bool, env: Mapping[str, str]
    ) -> Launch:
        argv0 = os.path.basename(program)
        kept: list[str] = []
        execute = f"source {folder}/hook.nu"
        words = iter(arguments)
        for word in words:
            if word in ("-e", "--execute"):
                execute = f"{next(words, '')}; {execute}"
            elif word in _WITH_VALUE:
                kept += [word, next(words, "")]
            elif word.startswith("-") and word not in _NO_PROMPT:
                kept.append(word)
            else:
                return Launch((argv0, *arguments))
        plain = () if rc else ("--no-config-file",)
        return Launch((argv0, *kept, *plain, "--execute", execute), {}, {"hook.nu": encoded(_hook(folder, key))})

    def trigger(self, request: Request) -> Typed:
        number = request.serial
        files = {
            f"t{number}": encoded(request.text),
            f"c{number}": encoded(marks.text("C", request.start)),
            f"d{number}": encoded(marks.text("D", request.end, "", bell="")),
        }
        if before := before_text(request, "printf", "read -r"):
            files[f"m{number}"] = encoded(before)
        return Typed(encoded(f" source {request.folder}/t{number}") + _SUBMIT, files)

    def heal(self, *, folder: str, serial: int, secret: str, key: str) -> Typed | None:
        code = "let tt = ($env.LAST_EXIT_CODE? | default 0)\nlet tt = (if $tt < 0 { 128 - $tt } else { $tt })\n"
        mark = marks.text("H", secret, "($tt)", "", escape=r"\u{1b}", bell=r"\u{07}")
        code += f'print --no-newline $"{mark}"\n{_hook(folder, key)}'
        return Typed(encoded(f" source {folder}/h{serial}\r"), {f"h{serial}": encoded(code)})

    def signal_of(self, code: int) -> int | None:
        return signal_above(128, code)

    def clear_line(self) -> bytes:
        return b"\x03"

    def prompt_start(self, tail: bytes) -> int | None:
        at = tail.rfind(marks.SEMANTIC_PROMPT)
        return at if at >= 0 else None


def _hook(folder: str, key: str) -> str:
    return script("hook.nu", folder=folder, key=key, length=str(len(f" source {folder}/t")))
