"""What the same few tests are called in each shell's language."""

from __future__ import annotations

import shutil
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Language:
    shell: str
    status: str = "$?"
    say: str = "echo"
    loop: str = "for i in 1 2\ndo\n  echo $i\ndone"
    filler: str = ": "
    interrupted: int = 130
    unbalanced: int = 2
    set_variable: str = "x=5"
    show_variable: str = "echo $x"
    lose_hook: str = "PS1=x; PS2=y"
    program: str = ""  # what runs it, when that has another name

    def __str__(self) -> str:
        return self.shell


_ALL = (
    Language("bash", lose_hook="unset PROMPT_COMMAND; PS1=x; PS2=y"),
    Language("rbash", lose_hook="unset PROMPT_COMMAND; PS1=x; PS2=y"),
    Language("zsh", unbalanced=1, lose_hook="PROMPT_EOL_MARK=; zshaddhistory_functions=(); precmd_functions=(); PS1=x"),
    Language(
        "fish",
        status="$status",
        loop="for i in 1 2\n  echo $i\nend",
        unbalanced=123,
        set_variable="set x 5",
        lose_hook="functions -e (functions -a | string match '_tt_*')",
    ),
    Language("dash"),
    Language("ash", program="busybox"),
    Language("ksh93", interrupted=258, unbalanced=3),
    Language("mksh", unbalanced=1),
    Language(
        "tcsh",
        status="$status",
        loop="foreach i (1 2)\n  echo $i\nend",
        interrupted=1,
        unbalanced=1,
        set_variable="set x=5",
        lose_hook="unalias precmd",
    ),
    Language(
        "xonsh",
        status="$LAST_RETURN_CODE",
        loop="for i in (1, 2):\n    echo @(i)\n",
        filler="# ",
        unbalanced=1,
        show_variable="echo @(x)",
        lose_hook="events.on_pre_prompt.clear()",
    ),
    Language(
        "nu",
        say="print",
        status="$env.LAST_EXIT_CODE",
        loop="for i in [1 2] {\n  print $i\n}",
        filler="# ",
        unbalanced=1,
        set_variable="let x = 5",
        lose_hook="$env.config.hooks.pre_prompt = []; $env.config.hooks.pre_execution = []",
    ),
)

# xonsh and nu come in no Debian package: they are tried where they are. The others must be there.
INSTALLED = tuple(one for one in _ALL if one.shell not in ("xonsh", "nu") or shutil.which(one.shell))
BOURNE = tuple(one for one in INSTALLED if one.shell in ("bash", "zsh", "dash", "ash", "ksh93", "mksh"))
