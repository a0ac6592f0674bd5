"""Ways round a policy that an earlier attack found, by the shape of each. The families must make these very lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Finding:
    what: str
    lines: tuple[str, ...]
    shells: tuple[str, ...] = ("bash", "zsh", "dash", "busybox", "ksh93", "mksh")  # where the first line has its effect


FINDINGS: Final = (
    Finding(
        "a backslash at the end of a comment hides the next line",
        ("ls # x\\\ntouch F", "ls;# x\\\ntouch F"),
        ("bash", "dash", "busybox", "ksh93", "mksh"),
    ),
    Finding(
        "a backslash and a line end at the start of a here-document end it early",
        ("cat <<E\n\\\nE\ntouch F\nE", "cat <<-E\n\\\nE\ntouch F\nE", "cat <<E | cat\n\\\nE\ntouch F\nE"),
        ("bash", "zsh", "dash", "busybox", "mksh"),
    ),
    Finding(
        "the value of an option of nice or timeout becomes several words",
        (
            "nice -n $(echo 5 touch F) ls",
            "nice -n {5,touch,F} ls",
            "x='5 touch F'; nice -n $x ls",
            "timeout -s $(echo KILL 5 touch F) 5 ls",
        ),
    ),
    Finding(
        "a rule of a user's covers every option",
        (
            "make -E 'x:;touch F'",
            "git config diff.external ./evil; git diff",
            "git bundle create F HEAD",
            "npm test --script-shell=./evil",
            "curl -I --libcurl F u",
        ),
    ),
    Finding(
        "words that become options are not looked at",
        (
            "x='-exec touch F ;'; find . $x",
            "find . {-exec,touch,F,\\;}",
            "sort {-o,F} a",
            "git config {alias.x,'!touch F'}; git x",
            "rsync -n {-e,./evil} a h:b",
        ),
        ("bash", "dash", "busybox", "ksh93", "mksh"),
    ),
    Finding(
        "a value that is computed reaches an integer variable",
        ("x='a[$(touch F)1]'; OPTIND=$x ls", "x='a[$(touch F)1]'; PPID=$x ls"),
        ("mksh",),
    ),
    Finding("the width of the terminal is arithmetic", ("COLUMNS='path[$(touch F)1]' ls",), ("zsh", "mksh")),
    Finding("date sets the clock", ("date -Id 01010000",)),
    Finding("awk opens a connection, where it is gawk", ("awk '1' /inet/tcp/0/127.0.0.1/9",), ()),
    Finding("git starts man", ("git log --help", "git status --help")),
    Finding(
        "a rule counts in another place",
        ("cd ../away; make", "make -C ../away", "git -C ../repository status"),
    ),
    Finding("diff starts pr", ("diff a b -l",), ("bash", "zsh", "dash", "ksh93", "mksh")),
    Finding(
        "ksh reads more digits",
        ("find . $'\\x02d'exec touch F \\;", "sort $'\\x02d'o F a"),
        ("ksh93", "mksh"),
    ),
    Finding("ksh93 calculates in brackets", ("x=(typeset -i y=PATH=5); ls",), ("ksh93",)),
    Finding(
        "a bracket that does not close hides a command of sed",
        ("echo ']a;touch F' | sed 's,[],]a,p;s,e;s,z,p;1,2p'", "sed 's,[],]a,p;s,w F,z,' a"),
        ("bash", "zsh", "dash", "ksh93", "mksh"),
    ),
)
