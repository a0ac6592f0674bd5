"""The text of a rule that would allow a call the next time, and little else.

Rule 1: never broader than the program and its sub-command, with the options that were written out.
Rule 2: a program that can do anything (`rm`, `python`, `curl`) is suggested only with these very arguments.
Rule 3: nothing for what hides something: no rule would allow it.
"""

from __future__ import annotations

import re
import shlex
from typing import Final

from truetty.core import lazy
from truetty.policy.rules import SUB_COMMANDS, is_plain
from truetty.policy.runners import RUNNERS, SHELLS
from truetty.policy.script import Call
from truetty.policy.variables import harmless
from truetty.policy.words import listed
from truetty.shells.row import Dialect

# Their sub-command says what they do; without one they are suggested as they are called.
MANY: Final = SUB_COMMANDS | {"make", "just", "task", "gradle", "mvn", "rake"}
# `npm run build`: the word behind says it.
_ONE_MORE: Final = frozenset({("npm", "run"), ("pnpm", "run"), ("yarn", "run"), ("uv", "run"), ("poetry", "run")})
# What they do to the machine depends on every word.
EXACT: Final = listed("""
    rm rmdir mv cp ln dd tee chmod chown chgrp truncate shred kill pkill killall curl wget scp rsync sftp ssh nc
    reboot shutdown mount umount exit export declare typeset readonly local set unset read history logout umask
    python python3 node perl ruby php lua deno npx java sqlite3 psql mysql crontab useradd passwd mkfs fdisk
    iptables find sed awk tar vim vi nano
""")
_SPECIAL: Final = lazy.pattern(r"[\\^$.|?*+()\[\]{}]")
_NO_PROGRAM: Final = lazy.pattern(r"\*|[A-Za-z_][A-Za-z0-9_]*=.*", re.DOTALL)  # a rule takes these for something else
_SUB: Final = lazy.pattern(r"[a-z][a-z0-9:_-]*")


def suggestion(call: Call, dialect: Dialect) -> str | None:
    literals = [word.literal for word in call.words]
    if not literals or literals[0] is None:
        return None
    foreign = [item for item in call.assignments if not harmless(item, dialect)]
    if any(item.value is None or item.value.literal is None or item.part for item in foreign):
        return None
    environment = [item.text for item in foreign]
    program = literals[0]
    if program in RUNNERS or program in SHELLS:
        return None
    second = literals[1] if len(literals) > 1 else None
    if (
        program in EXACT
        or _NO_PROGRAM.fullmatch(program)
        or (program in MANY and (second is None or not _SUB.fullmatch(second)))
    ):
        return exact(call)
    words = [program]
    if second is not None and _SUB.fullmatch(second):
        words.append(second)
        third = literals[2] if len(literals) > 2 else None
        if (program, second) in _ONE_MORE:
            if third is None:
                return None
            words.append(third)
    rest = call.words[len(words) :]
    if any(word.literal is None for word in rest):
        return " ".join([*environment, *map(shlex.quote, words), "*"])
    last = max((place for place, word in enumerate(rest, 1) if not is_plain(word)), default=0)
    words += [word.literal or "" for word in rest[:last]]
    text = " ".join([*environment, *map(shlex.quote, words)])
    return exact(call) if text.startswith("/") and text.endswith("/") else text  # it would be a regular expression


def exact(call: Call) -> str | None:
    """For these very words; None if one is not written out."""
    if any(word.literal is None for word in call.words):
        return None
    return f"/^{_SPECIAL.sub(_escaped, call.text)}$/"


def _escaped(match: re.Match[str]) -> str:
    return f"\\{match[0]}"
