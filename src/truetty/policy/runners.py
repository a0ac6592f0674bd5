"""Programs that run what their arguments say, and what can be seen of it.

Rule 1: `through` sees through a few harmless ones (`timeout 5 ls` is `ls`), if every option of theirs is known.
Rule 2: `carried` guesses generously, for deny rules only: what might be run inside. It never makes anything allowed.
Rule 3: `texts` are shell texts given as arguments (`bash -c 'rm x'`): they are read too, again for deny rules only.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Final

from truetty.policy.words import Word, listed

SHELLS: Final = listed("""
    sh bash rbash dash ash zsh ksh ksh93 mksh lksh fish csh tcsh nu xonsh pwsh
""")

# They run a command that follows as words.
RUNNERS: Final = listed("""
    sudo doas su runuser pkexec env xargs parallel nohup setsid exec builtin watch strace ltrace script unbuffer
    flock chroot unshare nsenter setpriv ssh ionice chrt taskset busybox toybox entr at batch coproc repeat noglob -
    nocorrect rlwrap systemd-run proot fakeroot start-stop-daemon run-parts caffeinate prlimit numactl chronic
    torsocks proxychains dbus-run-session xvfb-run firejail bwrap command time timeout nice stdbuf gtimeout gnice
    gxargs genv valgrind perf gdb jobs foreach expect ld.so ld-linux.so watchexec npx bunx uvx pipx
""")

# They take a text or a file and run it in this shell.
EVALUATORS: Final = frozenset(
    {"eval", "source", ".", "trap", "fc", "r", "mapfile", "readarray", "compgen", "complete", "bind"}
)

_DURATION: Final = re.compile(r"[0-9]+(\.[0-9]+)?[smhd]?")
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
_EXECUTES: Final = frozenset({"-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"})
MOST_NESTED: Final = 6  # sudo env nice timeout xargs rm: nobody means more


def name_of(word: Word) -> str:
    return os.path.basename(word.literal or "")


def through(words: Sequence[Word]) -> Sequence[Word]:
    """What is really run, as far as that is certain; the words themselves when it is not."""
    for _ in range(MOST_NESTED):
        inner = _step(words)
        if inner is None:
            break
        words = inner
    return words


def _step(words: Sequence[Word]) -> Sequence[Word] | None:
    if not words or words[0].literal is None or "/" in words[0].literal:
        return None
    rest = list(words[1:])
    match words[0].literal:
        case "command":
            _drop(rest, {"--", "-p"})
        case "time":
            _drop(rest, {"--", "-p"})
        case "timeout":
            _drop(rest, {"--foreground", "--preserve-status", "-v", "--verbose"}, {"-k", "-s"})
            if not rest or not _DURATION.fullmatch(rest[0].literal or ""):
                return None
            rest.pop(0)
        case "nice":
            _drop(rest, set(), {"-n"})
        case "stdbuf":
            _drop(rest, {"-oL", "-o0", "-eL", "-e0", "-i0"})
        case _:
            return None
    return rest if rest and not rest[0].may_be_option else None


def _drop(words: list[Word], plain: set[str], valued: set[str] | None = None) -> None:
    while words and (literal := words[0].literal) is not None and literal in plain | (valued or set()):
        del words[: 2 if literal in (valued or set()) else 1]


def carried(words: Sequence[Word], depth: int = 0) -> list[Sequence[Word]]:
    """Every command that might be run by this one, by generous guess."""
    if not words or depth > MOST_NESTED:
        return []
    found: list[Sequence[Word]] = []
    name = name_of(words[0])
    if name in RUNNERS:
        found += _candidates(words)
    for place, word in enumerate(words[1:], 1):
        if word.literal in _EXECUTES and place + 1 < len(words):
            end = next((n for n in range(place, len(words)) if words[n].literal in (";", "+")), len(words))
            found.append(words[place + 1 : end])
    return [*found, *(deeper for inner in found for deeper in carried(inner, depth + 1))]


def _candidates(words: Sequence[Word]) -> list[Sequence[Word]]:
    """Behind options, their possible values, assignments and numbers; a word behind an option may be either."""
    found: list[Sequence[Word]] = []
    behind_option = False
    for place, word in enumerate(words[1:], 1):
        literal = word.literal
        if literal is None:
            behind_option = False
        elif literal.startswith("-"):
            behind_option = "=" not in literal and literal != "--"
        elif _ASSIGNMENT.match(literal) or _DURATION.fullmatch(literal):
            continue
        else:
            found.append(words[place:])
            if not behind_option and name_of(words[0]) not in (
                "ssh",
                "chroot",
                "flock",
                "su",
                "script",
                "at",
                "repeat",
            ):
                break
            behind_option = False
    return found


def texts(words: Sequence[Word]) -> list[str]:
    """Shell texts among the arguments, as far as they are written out."""
    if not words:
        return []
    name = name_of(words[0])
    literals = [word.literal or "" for word in words[1:]]
    if name == "eval":
        return [" ".join(literals)]
    if name in ("trap", "watch", "ssh", "su", "at", "parallel", "script", "entr"):
        return [text for text in literals if text and not text.startswith("-")]
    if name in SHELLS or name in ("env", "sudo", "flock", "runuser", "busybox"):
        return [literals[n + 1] for n, text in enumerate(literals[:-1]) if re.fullmatch(r"-[A-Za-z]*c|-S", text)]
    return []
