"""Programs that run what their arguments say, and what can be seen of it.

Rule 1: `through` sees through a few harmless ones (`timeout 5 ls` is `ls`), if every option of theirs is known.
Rule 2: `carried` guesses generously, for deny rules only: what might be run inside. It never makes anything allowed.
Rule 3: `texts` are shell texts given as arguments (`bash -c 'rm x'`): they are read too, again for deny rules only.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Final

from truetty.core import lazy
from truetty.policy.words import Word, listed
from truetty.shells import table

# They run a command that follows as words.
RUNNERS: Final = listed("""
    sudo doas su runuser pkexec env xargs parallel nohup setsid exec builtin watch strace ltrace script unbuffer
    flock chroot unshare nsenter setpriv ssh ionice chrt taskset busybox toybox entr at batch coproc repeat noglob -
    nocorrect rlwrap systemd-run proot fakeroot start-stop-daemon run-parts caffeinate prlimit numactl chronic
    torsocks proxychains dbus-run-session xvfb-run firejail bwrap command time timeout nice stdbuf gtimeout gnice
    gxargs genv valgrind perf gdb jobs foreach expect watchexec npx bunx uvx pipx setarch linux32 linux64 i386 x86_64
    choom capsh hyperfine tmux screen xterm uxterm urxvt rxvt konsole gnome-terminal xfce4-terminal kitty alacritty foot
    wezterm dtach abduco dumb-init tini gosu su-exec daemonize setlock softlimit chpst envdir systemd-inhibit cgexec
    faketime eatmydata catchsegv pseudo sg newgrp rr heaptrack samply runcon dbus-launch s6-setuidgid tsp nq cross-env
    mpirun mpiexec srun wsl
""")

# busybox is a runner: its first word says whether it is a shell.
SHELLS: Final = table.where(lambda row: row.runs_scripts).difference(RUNNERS)

_LOADER: Final = lazy.pattern(r"ld(-linux.*|-musl.*|64|32|)\.so.*|ld-musl.*")  # `ld-linux-x86-64.so.2 /bin/rm`

# They run a command behind one of these words; so many words (a container, an image) may stand in between.
_CARRIERS: Final[dict[str, tuple[tuple[str, ...], int]]] = {
    **dict.fromkeys(("uv", "poetry", "pipenv", "pdm", "hatch", "rye", "conda", "mamba", "micromamba"), (("run",), 0)),
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), (("exec", "x", "dlx", "run"), 0)),
    **dict.fromkeys(("bundle", "rbenv", "pyenv", "nodenv", "opam", "stack", "cabal"), (("exec",), 0)),
    **dict.fromkeys(("docker", "podman", "nerdctl", "docker-compose", "lxc", "incus"), (("exec", "run"), 1)),
    **dict.fromkeys(("kubectl", "oc", "crictl", "flatpak", "apptainer", "singularity"), (("exec", "run", "debug"), 1)),
    **dict.fromkeys(("mise", "asdf", "direnv"), (("exec", "x"), 1)),
    **dict.fromkeys(("op", "doppler", "dotenv", "heroku", "toolbox", "zellij"), (("run",), 0)),
    **dict.fromkeys(("distrobox", "vagrant", "adb"), (("enter", "ssh", "shell"), 1)),
    "pueue": (("add",), 0),
    "git": (("run", "foreach"), 0),
}

# They take a text or a file and run it in this shell.
EVALUATORS: Final = frozenset(
    {"eval", "source", ".", "trap", "fc", "r", "mapfile", "readarray", "compgen", "complete", "bind"}
)

_DURATION: Final = lazy.pattern(r"[0-9]+(\.[0-9]+)?[smhd]?")
_SIGNAL: Final = lazy.pattern(r"[A-Z][A-Z0-9]*|[0-9]+")
_NICENESS: Final = lazy.pattern(r"[+-]?[0-9]+")
_ASSIGNMENT: Final = lazy.pattern(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
_EXECUTES: Final = frozenset({"-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"})
_MOVERS: Final = frozenset({"cd", "pushd", "popd", "chdir", "..", "...", "z", "zi", "j"})
_OPERANDS_FIRST: Final = listed("ssh chroot flock su script at repeat setarch tmux screen gosu su-exec sg envdir dtach")
MOST_NESTED: Final = 6  # sudo env nice timeout xargs rm: more is not written on purpose


# They give a word to a shell, or type it into one.
_TAKE_TEXTS: Final = listed("""
    tmux screen hyperfine xterm uxterm urxvt rxvt konsole gnome-terminal xfce4-terminal kitty alacritty dtach expect
    systemd-run sg
""")
_ATTACHED: Final = lazy.pattern(r"(?:-[cS]|--(?:command|split-string|call)=)(.+)", re.DOTALL)
_TAKE_C: Final = listed("capsh newgrp npm npx pnpm nix-shell nix vagrant")
_TYPED: Final = listed("less more most vim vi nvim view ex vimdiff gvim ed")  # `!` in what is typed for them runs


def name_of(word: Word) -> str:
    return os.path.basename(word.literal or "")


def is_runner(name: str) -> bool:
    return name in RUNNERS or bool(_LOADER.fullmatch(name))


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
        case "command" | "time":
            _drop(rest, {"--", "-p"})
        case "timeout":
            _drop(rest, {"--foreground", "--preserve-status", "-v", "--verbose"}, {"-k": _DURATION, "-s": _SIGNAL})
            if not rest or not _DURATION.fullmatch(rest[0].literal or ""):
                return None
            rest.pop(0)
        case "nice":
            _drop(rest, set(), {"-n": _NICENESS})
        case "stdbuf":
            _drop(rest, {"-oL", "-o0", "-eL", "-e0", "-i0"})
        case _:
            return None
    return rest if rest and not rest[0].may_be_option else None


def _drop(words: list[Word], plain: set[str], valued: Mapping[str, re.Pattern[str]] | None = None) -> None:
    """Remove options from the front, each value with its option: only one that is written out and looks like one."""
    while words and (literal := words[0].literal) is not None:
        if literal in plain:
            del words[0]
        elif valued and literal in valued and len(words) > 1 and valued[literal].fullmatch(words[1].literal or ""):
            del words[:2]
        else:
            return


def carried(words: Sequence[Word], depth: int = 0) -> list[Sequence[Word]]:
    """Every command that might be run by this one, by generous guess."""
    if not words or depth > MOST_NESTED:
        return []
    found: list[Sequence[Word]] = []
    name = name_of(words[0])
    if is_runner(name):
        found += _candidates(words, MOST_NESTED if name in _OPERANDS_FIRST else 0)
    if name in _CARRIERS:
        subs, between = _CARRIERS[name]
        place = next((n for n, word in enumerate(words) if n and word.literal in subs), len(words))
        found += _candidates(words[place:], between)
    literals = [word.literal for word in words]
    if "exec" in literals and "--" in literals[literals.index("exec") :]:  # many more: `aws-vault exec x -- rm`
        found.append(words[literals.index("--", literals.index("exec")) + 1 :])
    for place, word in enumerate(words[1:], 1):
        if word.literal in _EXECUTES and place + 1 < len(words):
            end = next((n for n in range(place, len(words)) if words[n].literal in (";", "+")), len(words))
            found.append(words[place + 1 : end])
    return [*found, *(deeper for inner in found for deeper in carried(inner, depth + 1))]


def moves(words: Sequence[Word]) -> bool:
    """Whether this may change the shell's directory. With the option `autocd` a directory is a command."""
    programs = [inner[0].literal or "" for inner in (words, *carried(words)) if inner]
    return any(name_of(Word.plain(name)) in _MOVERS or name.endswith("/") for name in programs)


def _candidates(words: Sequence[Word], between: int) -> list[Sequence[Word]]:
    """Behind options, their possible values, assignments and numbers; a word behind an option may be either.

    `between`: how many words may stand before the command.
    """
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
            if not behind_option:
                if not between:
                    break
                between -= 1
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
    attached = [match[1] for text in literals if (match := _ATTACHED.fullmatch(text))] if is_runner(name) else []
    return [*attached, *_separate_texts(name, literals)]


def _separate_texts(name: str, literals: Sequence[str]) -> list[str]:
    if name in ("trap", "watch", "ssh", "su", "at", "parallel", "script", "entr", *_TAKE_TEXTS):
        return [text for text in literals if text and not text.startswith("-")]
    if name == "git":
        return _git_texts(literals)
    if name in _TYPED:
        return [text.partition("!")[2] for text in literals if "!" in text]
    if name in SHELLS or name in ("env", "sudo", "flock", "runuser", "busybox", *_TAKE_C):
        return [
            literals[n + 1]
            for n, text in enumerate(literals[:-1])
            if re.fullmatch(r"-[A-Za-z]*c|-S|--call|--command|--run", text)
        ]
    return []


def _git_texts(literals: Sequence[str]) -> list[str]:
    """`alias.x=!rm`, `rebase -x 'rm x'`, `submodule foreach 'rm x'`."""
    found = [text.partition("!")[2] for text in literals if text.startswith("!") or "=!" in text]
    found += [text.partition("=")[2] for text in literals if text.startswith("--exec=")]
    found += [literals[n + 1] for n, text in enumerate(literals[:-1]) if text in ("-x", "--exec")]
    if "foreach" in literals:
        found += [text for text in literals[literals.index("foreach") + 1 :] if not text.startswith("-")]
    return found
