"""The default rules: commands that only read.

Rule 1: a program is here only if none of its options writes, runs or sends; or if a check knows those that do not.
Rule 2: a check is a list of what is harmless, not of what is dangerous: a new option is asked.
Rule 3: programs that start a pager, an editor or another program on their own (`man`, `less`, `tar`) are not here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from truetty.core import lazy
from truetty.policy import git
from truetty.policy.options import Known, forbidden, parse
from truetty.policy.rules import Check, Rule
from truetty.policy.words import Word, listed
from truetty.policy.writers import UNIQ, XXD

# Whatever the arguments, these only read (or print, compare, count, wait).
ANY_ARGUMENTS: Final = listed("""
    ls cat head tail wc nl tac cut paste tr rev fold fmt expand unexpand comm cmp join column od hexdump
    strings stat du df pwd realpath readlink basename dirname echo printf true false : test [ seq sleep grep
    egrep fgrep jq expr md5sum sha1sum sha256sum sha512sum b2sum cksum whoami id groups uname nproc uptime free
    ps pgrep printenv locale tty type which whereis cd
""")

_ARCH: Final = Known()  # on macOS it runs its operands
_BASE64: Final = Known("di", "w", ("--decode", "--ignore-garbage"), ("--wrap",))
_SORT: Final = Known(
    "bdfghiMmnrRVszucC",
    "kt",
    listed("--numeric-sort --reverse --unique --ignore-case --human-numeric-sort --version-sort --stable"),
    ("--key", "--field-separator"),
)
_DATE: Final = Known(
    "uR", "dr", ("--utc", "--rfc-email", "--iso-8601"), ("--date", "--reference", "--rfc-3339"), optional="I"
)
_TREE: Final = Known(
    "adflhpugDsinCNFqQxc",
    "LIPHT",
    listed("--dirsfirst --noreport --gitignore --du --prune"),
    ("--filelimit", "--sort"),
    long_separate=False,  # some versions take the word behind `--sort` for one of its own
    attached=False,  # in `-Lo 2 x` tree takes `2` for -L and `x` for -o
)
_NAMES: Final = frozenset({"passwd", "group", "services", "protocols"})  # others ask the network
_FILE: Final = Known("bihkLNrsv0", "mF", listed("--brief --mime --mime-type --mime-encoding --dereference"))
_WHO: Final = Known("abdHmqrsTu")  # --lookup asks the network for names that a file holds
_HOSTNAME: Final = Known("fsidIA", "", listed("--fqdn --short --ip-address --all-ip-addresses"))
_RG: Final = Known(
    "ivwxnNHIlLcoFsSUPa0qpu",
    "eABCgtTmMjrdf",
    listed("""
    --ignore-case --smart-case --case-sensitive --word-regexp --line-regexp --fixed-strings --files
    --files-with-matches --files-without-match --count --count-matches --line-number --no-line-number --hidden
    --no-ignore --no-ignore-vcs --no-heading --heading --multiline --multiline-dotall --only-matching --invert-match
    --json --pcre2 --text --quiet --stats --vimgrep --column --follow --null --trim --passthru --type-list
    --no-messages --with-filename --no-filename --pretty --version --unrestricted --no-config
"""),
    listed("""
    --regexp --file --glob --iglob --type --type-not --max-count --max-depth --max-columns --after-context
    --before-context --context --color --colors --sort --sortr --replace --max-filesize --threads --encoding
    --engine --context-separator
"""),
)
_FD: Final = Known(
    "HIEsigFap0Lq1u",
    "tedEScj",
    listed("--hidden --no-ignore --absolute-path --follow --glob --full-path --ignore-case"),
    listed("""
    --type --extension --max-depth --min-depth --exclude --size --changed-within --color --max-results
"""),
)

# Tests and actions of find that only look and print.
_FIND: Final = listed("""
    -H -L -P -O1 -O2 -O3 -name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype
    -size -empty -newer -anewer -cnewer -mtime -mmin -atime -amin -ctime -cmin -newermt -user -group -uid -gid
    -nouser -nogroup -perm -readable -writable -executable -links -lname -ilname -samefile -inum -fstype -maxdepth
    -mindepth -depth -d -mount -xdev -follow -daystart -prune -quit -true -false -print -print0 -printf -ls -not
    -and -or -a -o -noleaf -s -x -E
""")
_NUMBER: Final = lazy.pattern(r"-[0-9][0-9a-zA-Z]*")  # `-mtime -7`, `-perm -644`, `-size -10k`: values


def _known(known: Known, *, most_operands: int | None = None, permute: bool = True) -> Check:
    def check(words: Sequence[Word]) -> str | None:
        parsed = parse(words[1:], known, permute=permute)
        if parsed.unknown is not None:
            return f"{parsed.unknown} is not known to only read"
        if most_operands is not None:
            if len(parsed.operands) > most_operands:
                return "a further file may be one that it writes"
            if any(word.several for word in parsed.operands):
                return "there may be a further file, which it writes"
        return None

    return check


def _find(words: Sequence[Word]) -> str | None:
    for word in words[1:]:
        literal = word.literal
        if literal is None:
            if word.may_be_option:
                return f"{word.source} may become an action of find"
        elif literal.startswith("-") and literal not in _FIND and not _NUMBER.fullmatch(literal):
            return f"{literal} is not known to only read"
    return None


def _date(words: Sequence[Word]) -> str | None:
    parsed = parse(words[1:], _DATE)
    if parsed.unknown is not None:
        return f"{parsed.unknown} is not known to only read"
    if any(not (word.literal or word.start).startswith("+") for word in parsed.operands):
        return "it may set the clock"
    return None


def _nothing_more(words: Sequence[Word]) -> str | None:
    """Whatever the words, it only reads; or `hiding` has looked at all of them."""
    return None


def _keyword(words: Sequence[Word]) -> str | None:
    """As a keyword of the shell it has been read already; as a command with words it may be one elsewhere."""
    return None if len(words) == 1 else "this shell may read it as a command or as a test"


def _count(words: Sequence[Word]) -> str | None:
    """zsh takes how many loops to leave for arithmetic, which can run commands."""
    return None if all((word.literal or "").isdigit() for word in words[1:]) else "how far it goes is not a number"


def _sed(words: Sequence[Word]) -> str | None:
    """`hiding` has looked at the script; what is left are words that a shell may turn into options."""
    option = forbidden(words[1:], "i", ("--in-place",))
    return None if option is None else f"{option} may change files"


def _diff(words: Sequence[Word]) -> str | None:
    option = forbidden(words[1:], "l", ("--paginate",))
    return None if option is None else f"{option} may start `pr`"


def _alone(words: Sequence[Word]) -> str | None:
    return None if len(words) == 2 else "more than its version is asked for"


def _getent(words: Sequence[Word]) -> str | None:
    """`getent -s x` loads a library, and `getent hosts x` sends the name away."""
    literals = [word.literal for word in words[1:]]
    if not literals or literals[0] not in _NAMES:
        return "it may ask the network, or load a library"
    return "an option may load a library" if any(word.may_be_option for word in words[2:]) else None


def _hostname(words: Sequence[Word]) -> str | None:
    parsed = parse(words[1:], _HOSTNAME)
    return "it may set the name" if parsed.unknown is not None or parsed.operands else None


CHECKED: Final[dict[str, Check]] = {
    "sort": _known(_SORT),
    "uniq": _known(UNIQ, most_operands=1, permute=False),
    "tree": _known(_TREE),
    "file": _known(_FILE),
    "xxd": _known(XXD, most_operands=1, permute=False),
    "rg": _known(_RG),
    "fd": _known(_FD),
    "find": _find,
    "date": _date,
    "diff": _diff,
    "hostname": _hostname,
    "who": _known(_WHO),
    "getent": _getent,
    "arch": _known(_ARCH, most_operands=0),
    "base64": _known(_BASE64, most_operands=1),
    "awk": _nothing_more,
    "sed": _sed,
    "command -v": _nothing_more,
    "[[": _keyword,
    "((": _keyword,
    "break": _count,
    "continue": _count,
    "git --version": _alone,
    **dict.fromkeys((f"git {name}" for name in git.READING), git.reads),
    **dict.fromkeys((f"git {name}" for name in ("branch", "tag", "remote", "reflog", "config")), git.lists),
    **dict.fromkeys((f"{name} --version" for name in ("python", "python3", "node", "bash", "gcc", "make")), _alone),
}

READ_ONLY: Final[tuple[Rule, ...]] = (
    *(Rule("allow", prefix=name, check=_nothing_more) for name in ANY_ARGUMENTS),
    *(Rule("allow", prefix=name, check=check) for name, check in CHECKED.items()),
)
