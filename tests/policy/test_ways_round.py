r"""Ways round a policy that once worked, each with its relatives. `F` must never be made.

Every line here once ran a program, wrote a file or opened a connection though a policy allowed it, or is a relative of
such a line. None is ever run by this test.
"""

from __future__ import annotations

import functools

from tests.rows import each_row
from truetty.policy import READ_ONLY, Policy, sed
from truetty.policy.parser import parse

SHELLS = ("bash", "zsh", "dash", "mksh", "ksh")
PARSER = functools.cache(parse)
POLICY = Policy(READ_ONLY, parser=PARSER)

COMMENTS = [
    "ls # x\\\ntouch F",
    "ls # x\\\n\\\ntouch F",
    "ls;# x\\\ntouch F",
    "ls |#\\\ncat\ntouch F",
    "# x\\\ntouch F",
    "ls\t#\\\ntouch F",
    "(ls #\\\n)\ntouch F",
    "echo $(ls # x\\\ntouch F)",
    "echo `ls # x\\\ntouch F`",
    "if true; then ls # x\\\ntouch F\nfi",
    "ls \\\n# x\ntouch F",
]
HERE_DOCUMENTS = [
    "cat <<E\n\\\nE\ntouch F\nE",
    "cat <<-E\n\\\nE\ntouch F\nE",
    "cat <<E\n\\\n\\\nE\ntouch F\nE",
    "cat <<E | cat\n\\\nE\ntouch F\nE",
    "cat <<'E'\n\\\nE\ntouch F\nE",
    "cat 0<<E\n\\\nE\ntouch F\nE",
    "cat << E\n\\\nE\ntouch F\nE",
    "cat <<E <<G\n\\\nE\ntouch F\nE\nG",
    "cat <\\\n<E\nE\ntouch F\nE",
    "cat <<E\nx\\\nE\ntouch F\nE",
]
RUNNERS = [
    "nice -n $(echo 5 touch F) ls",
    "nice -n `echo 5 touch F` ls",
    "nice -n {5,touch,F} ls",
    "x='5 touch F'; nice -n $x ls",
    'nice -n "$x" ls',
    "nice -n ${x} ls",
    "nice -n * ls",
    "nice -n 5x ls",
    "timeout -s $(echo KILL 5 touch F) 5 ls",
    "timeout -s {KILL,5,touch,F} 5 ls",
    "timeout -k $x 5 ls",
    "timeout -k {1,5,touch,F} 5 ls",
    "timeout $x ls",
    "time nice -n $x ls",
    "command nice -n $x ls",
    "nice -n 5 timeout -s $x 5 ls",
]
VARIABLES = [
    "x='a[$(touch F)1]'; OPTIND=$x ls",
    "OPTIND='a[$(touch F)1]' ls",
    "PPID='a[$(touch F)1]' ls",
    "TMOUT='a[$(touch F)1]'",
    "COLUMNS='path[$(touch F)1]' ls",
    "COLUMNS='path[$(touch F)1]'",
    "COLUMNS+='path[$(touch F)1]' ls",
    "LINES='a[$(touch F)1]' ls",
    "LINES=$x ls",
    'COLUMNS="$x" ls',
    "SECONDS='a[$(touch F)1]' ls",
    "HISTSIZE='a[$(touch F)1]' ls",
    "export COLUMNS='a[$(touch F)1]'",
    "LC_ALL='a[$(touch F)1]' ls",
    "TZ=:/dev/tty date",
    "TZ=/etc/x date",
    "LC_ALL=$x ls",
    "x=./evil ls",
]
OTHERS = [
    "date -Id 01010000",
    "date -uId 01010000",
    "date -Iseconds 01010000",
    "date -RI01 01010000",
    "awk 1 /inet/tcp/0/127.0.0.1/9",
    "awk 1 /inet4/tcp/0/127.0.0.1/9",
    "awk 1 '/inet'6/tcp/0/127.0.0.1/9",
    'awk \'BEGIN{ARGV[1]="/in" "et/tcp/0/127.0.0.1/9";ARGC=2}1\'',
    "awk 1 $x",
    'awk 1 "$x"',
    "awk 1 $(echo /in)et/tcp/0/127.0.0.1/9",
    "awk -v x=/inet/tcp/0/127.0.0.1/9 1 a",
    'awk \'BEGIN{SYMTAB["AR" "GV"][1]="/in" "et/tcp/0/127.0.0.1/9";ARGC=2}1\'',
    "git for-each-ref --sort=signature",
    "git for-each-ref --sort signature:key",
    "git branch --sort=-signature",
    "git tag --sort=*signature",
    "git log --help",
    "git status --help",
    "git diff --hel",
    "git branch --help",
    "git --no-pager show --help",
    "diff -l a b",
    "diff -ul a b",
    "diff --paginate a b",
    "diff --pagin a b",
    "diff $x a b",
]
# A closing bracket that comes first does not close: what looks like the next command is part of this one.
SED = [
    "echo ']a;touch F' | sed 's,[],]a,p;s,e;s,z,p;1,2p'",
    "sed 's,[],]a,p;s,w F,z,' a",
    "sed 's,[^],]a,p;s,w F,z,' a",
    "sed 's,[[:alpha:],]a,p;s,w F,z,' a",
    "sed 's,[[=a=],]a,p;s,w F,z,' a",
    "sed 's,[[.a.],]a,p;s,w F,z,' a",
    "sed 's,[\\],]a,p;s,w F,z,' a",
    "sed 's,[[],]a,p;s,w F,z,' a",
    "sed 's,[],[x]a,p;s,w F,z,' a",
    "sed 's,[],[x,p;s,w F,z,' a",
    "sed '/[]/p;s/]/w F' a",
    "sed -n '/[^]/p;s/]/w F' a",
    "sed 's[a[]p[;s]w F]z]' a",
    "sed -l 'w F' p",
    "sed -n -l 'w F' p",
    "sed --line-length='w F' p",
]

OF_ZSH = ["ls 2>&=(ls)", "cat =(ls)", "ls >=(ls)"]
# `\\x` has any number of digits in ksh93 and mksh. In brackets ksh93 declares, which calculates, which sets.
OF_KSH = [
    "find . $'\\x02d'exec touch F \\;",
    "sort $'\\x02d'o F a",
    "ls $'\\x02d'o",
    "x=(typeset -i y=PATH=5); ls",
    "x+=(integer y=PATH=5)",
    "for i in 1; do x=(typeset -m y=PATH); done",
    "cat </dev/sctp/127.0.0.1/9",
]


@each_row("shell", SHELLS)
@each_row("command", [*COMMENTS, *HERE_DOCUMENTS, *RUNNERS, *VARIABLES, *OTHERS, *SED])
def test_the_read_only_policy_does_not_allow(command: str, shell: str) -> None:
    assert POLICY.decide(command, cwd="/nowhere", shell=shell).verdict == "ask"


@each_row("command", OF_ZSH)
def test_zsh_is_not_read_as_bash(command: str) -> None:
    assert POLICY.decide(command, cwd="/nowhere", shell="zsh").verdict == "ask"


@each_row("shell", ["mksh", "ksh"])
@each_row("command", OF_KSH)
def test_ksh_is_not_read_as_bash(command: str, shell: str) -> None:
    assert POLICY.decide(command, cwd="/nowhere", shell=shell).verdict == ("allow" if command[:2] == "ls" else "ask")


@each_row("shell", SHELLS)
@each_row("command", [line.replace("touch F", "rm -rf F") for line in (*COMMENTS, *HERE_DOCUMENTS, *RUNNERS[:4])])
def test_a_deny_rule_is_not_passed(command: str, shell: str) -> None:
    policy = Policy.from_lists({"deny": ["rm"]}, default="allow")
    assert policy.decide(command, cwd="/nowhere", shell=shell).verdict != "allow"


@each_row(
    "script", ["s/[[:space:]]*$//", "s/[^\\/]*$//", "/[0-9][a-z]*/p", "s,[]/a-z],x,", "y/[/]/", "s/[^][:alpha:]]/x/g"]
)
def test_brackets_that_all_read_alike_are_fine(script: str) -> None:
    assert sed.is_harmless(script) is not script.startswith("y")


@each_row(
    ("sql", "verdict"),
    [
        (".shell touch F", "ask"),
        (" .output F", "ask"),
        ("select 1;\n.system touch F", "ask"),
        ("select writefile('F', 'x')", "ask"),
        ("select LOAD_EXTENSION('./evil')", "ask"),
        ("vacuum into 'F'", "ask"),
        ("$x", "ask"),
        (".tables", "allow"),
        ("select a from b", "allow"),
    ],
)
def test_a_rule_for_sqlite3_is_about_the_database(sql: str, verdict: str) -> None:
    policy = Policy.from_lists({"allow": ["sqlite3 -readonly", "sqlite3 -csv *"]})
    for rule in ("-readonly", "-csv"):
        assert policy.decide(f'sqlite3 {rule} ./x.db "{sql}"', cwd="/nowhere").verdict == verdict
