"""git: which of its many sub-commands only read, and which of its options run other programs.

Rule 1: git takes long options cut short: `--outp=x` is `--output=x`.
Rule 2: reading sub-commands are harmless unless told to write (`--output`) or to start something (`--ext-diff`, `-O`).
Rule 3: listing sub-commands (`branch`, `tag`, `remote`, …) are harmless only with the options that list.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from truetty.core import lazy
from truetty.policy.options import Known, forbidden, parse
from truetty.policy.rules import without_git_options
from truetty.policy.words import Word, listed

READING: Final = (
    *listed("""
    status log diff show blame annotate shortlog describe rev-parse rev-list ls-files ls-tree cat-file name-rev
    merge-base grep show-ref for-each-ref diff-tree diff-index diff-files check-ignore check-attr count-objects
    cherry range-diff whatchanged var version
"""),
    "stash list",
    "stash show",
    "worktree list",
    "remote get-url",
)

_RUNNING_LONG: Final = ("--upload-pack", "--receive-pack", "--ext-diff", "--open-files-in-pager", "--exec", "--extcmd")
_MORE_THAN_READING: Final = (
    *_RUNNING_LONG,
    "--output",
    "--textconv",
    "--filters",
    "--show-signature",
    "--paginate",
    "--help",
)
_RUNNING: Final = listed("filter-branch mergetool send-email daemon instaweb web--browse for-each-repo hook difftool")
_RUNNING_PAIRS: Final = frozenset({("bisect", "run"), ("submodule", "foreach")})
_RUNNING_LETTERS: Final = {"rebase": "x", "clone": "uc", "grep": "O"}
# Options of reading sub-commands that take no value: a `--` behind them ends the options.
_PLAIN: Final = listed("""
    --oneline --stat --numstat --shortstat --name-only --name-status --cached --staged --patch --no-patch --follow --all
    --graph --no-merges --merges --reverse --no-color --word-diff --short --porcelain --ignored -p -w -s -z -i -l -v
""")
_TEMPLATES: Final = ("--template", "--config")
_KEYS: Final = lazy.pattern(
    r"alias\..*|core\.(pager|editor|sshcommand|fsmonitor|hookspath|askpass|gitproxy|attributesfile|worktree)|include.*"
    r"|pager\..*|.*\.(command|cmd|path|helper|textconv|process|clean|smudge|driver|program|editor|proxy|uploadpack)",
    re.IGNORECASE,
)
_SIGNATURE: Final = lazy.pattern(r"%[-+ ]?G|%\(\*?signature")  # in formats
_GLOBAL_RUNNING: Final = ("-c", "--config-env", "--exec-path")


def hidden(words: Sequence[Word]) -> str | None:
    """`words` without git itself."""
    literals = [word.literal or "" for word in words]
    place = 0
    while place < len(literals) and literals[place].startswith("-"):
        option = literals[place].partition("=")[0]
        if option in _GLOBAL_RUNNING and literals[place] != "--exec-path":
            return f"`git {option}` can change what git runs."
        place += 2 if option in ("-C", "--git-dir", "--work-tree", "--namespace") and "=" not in literals[place] else 1
    sub, rest = (literals[place], words[place + 1 :]) if place < len(literals) else ("", [])
    if any("ext::" in literal for literal in literals):
        return "The transport `ext::` runs a command."
    if sub in _RUNNING or (sub, *literals[place + 1 : place + 2]) in _RUNNING_PAIRS:
        return f"`git {sub}` runs other programs."
    if sub == "config" and any(_KEYS.fullmatch(literal.partition("=")[0]) for literal in literals[place + 1 :]):
        return "This setting of git's can change what git runs."
    long = (*_RUNNING_LONG, *_TEMPLATES) if sub in ("clone", "init") else _RUNNING_LONG
    if option_ := forbidden(rest, _RUNNING_LETTERS.get(sub, ""), long, only_written=True):
        return f"`git {sub} {option_}` may run another program."
    return None


def _checks_signatures(words: Sequence[Word]) -> bool:
    texts = [word.literal or word.source for word in words]
    sorts = any(text.startswith("--so") for text in texts)  # `--sort=signature` checks each to compare them
    return any(_SIGNATURE.search(text) or (sorts and "signature" in text) for text in texts)


def reads(words: Sequence[Word]) -> str | None:
    """For the rules of READING."""
    if _checks_signatures(words):
        return "to check signatures it runs another program"
    rest = without_git_options(words, None)[1:]
    if not any(word.literal == "grep" for word in rest[:1]):
        option = forbidden(rest, "", _MORE_THAN_READING, fine=("--text", "--ext", "--filter"), plain=_PLAIN)
    else:
        option = forbidden(rest, "O", _MORE_THAN_READING, fine=("--text",))
    return None if option is None else f"it may do more than read: {option}"


_LISTING: Final[dict[str, Known]] = {
    "branch": Known(
        short="arvi",
        long=("--all", "--remotes", "--verbose", "--list", "--show-current", "--ignore-case", "--no-color", "--color"),
        long_valued=("--sort", "--format", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"),
    ),
    "tag": Known(
        short="li",
        long=("--list", "--ignore-case", "--no-color", "--color"),
        long_valued=("--sort", "--format", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"),
    ),
    "remote": Known(short="v", long=("--verbose",)),
    "reflog": Known(short="n", long=("--all", "--oneline", "--date")),
    "config": Known(
        short="lz",
        valued="",
        long=("--list", "--global", "--local", "--system", "--show-origin", "--show-scope", "--name-only", "--null"),
        long_valued=("--get", "--get-all", "--get-regexp", "--type", "--default"),
    ),
}
_TAKES_PATTERNS: Final = {"branch": ("--list",), "tag": ("--list", "-l")}


def lists(words: Sequence[Word]) -> str | None:
    """For `git branch` and its kind: with other options or operands they create, delete or set."""
    _, sub, *rest = without_git_options(words, None)
    if _checks_signatures(words):
        return "to check signatures it runs another program"
    name = sub.literal or ""
    parsed = parse(rest, _LISTING[name])
    if parsed.unknown is not None:
        return f"{parsed.unknown} may do more than list"
    operands = parsed.operands
    if name == "reflog" and [word.literal for word in operands[:1]] == ["show"]:
        operands = []
    if name == "config":
        return (
            None if parsed.has("--get", "--get-all", "--get-regexp", "--list", "-l") and not operands else "it may set"
        )
    if operands and not parsed.has(*_TAKES_PATTERNS.get(name, ())):
        return "with a name it may create or change something"
    return None
