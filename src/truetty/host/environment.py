"""The variables a shell is started with: inherited, then friendly, then what the caller said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from truetty.core import lazy

TERM: Final = "xterm-256color"
# The marks of all servers that a process has come from (`keeper.py`): one may run in a terminal of another.
KEEPER_MARKS: Final = "TRUETTY_KEEPER"

# So that programs open no pager and no editor, which an agent does not see. A caller's `env` wins over each of these.
FRIENDLY: Final[dict[str, str | None]] = {
    "TERM": TERM,
    "AI_AGENT": "truetty",  # lets a person's rc files leave heavy themes out
    **dict.fromkeys(("PAGER", "GIT_PAGER", "GH_PAGER", "MANPAGER", "SYSTEMD_PAGER"), "cat"),
    "GIT_EDITOR": ":",
    "GIT_MERGE_AUTOEDIT": "no",
    "DEBIAN_FRONTEND": "noninteractive",
    # They describe another terminal than ours.
    **dict.fromkeys(("COLUMNS", "LINES", "TERMCAP", "WINDOWID", "STY", "TMUX", "TMUX_PANE", "VTE_VERSION")),
    **dict.fromkeys(("TERM_PROGRAM", "TERM_PROGRAM_VERSION", "VSCODE_INJECTION", "VSCODE_SHELL_INTEGRATION")),
    **dict.fromkeys(("SHELL_SESSION_ID", "ITERM_SESSION_ID", "KITTY_WINDOW_ID", "OLDPWD")),
}

# What a caller elsewhere sends of its own environment is not passed on where a name looks like this: keys of the agent
# itself, what changes how every program is loaded, and our own variables.
DENIED: Final = lazy.pattern(r"LD_.*|DYLD_.*|TRUETTY_.*|(?:.*_)?(?:TOKEN|KEY|SECRET)")


def build(inherited: Mapping[str, str], own: Mapping[str, str | None], cwd: str | None) -> dict[str, str]:
    env = dict(inherited)
    if cwd is not None:
        env["PWD"] = cwd
    return with_changes(with_changes(env, FRIENDLY), own)


def term(env: Mapping[str, str | None]) -> str:
    """What kind of terminal a shell with these variables of the caller's is told that it runs on."""
    return env.get("TERM") or TERM


def with_changes(env: Mapping[str, str], changes: Mapping[str, str | None]) -> dict[str, str]:
    """With these variables set; a value of None unsets."""
    kept = {name: value for name, value in env.items() if name not in changes}
    return kept | {name: value for name, value in changes.items() if value is not None}


def instead(inherited: Mapping[str, str], wanted: Mapping[str, str]) -> dict[str, str | None]:
    """The changes that make `wanted` of what a shell inherits. The friendly variables stay as they are."""
    dropped = dict.fromkeys(name for name in inherited if name not in wanted or DENIED.fullmatch(name))
    changed = {name: value for name, value in wanted.items() if not DENIED.fullmatch(name)}
    return {name: value for name, value in {**dropped, **changed}.items() if name not in FRIENDLY}
