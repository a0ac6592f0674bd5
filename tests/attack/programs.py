"""Lines that call programs: every option of every reader, scripts of sed and awk, git, and what users' rules name."""

from __future__ import annotations

import os
import random
import re
import shutil
import string
import subprocess
from collections.abc import Iterator
from itertools import product
from typing import Final

from tests.attack.lines import LATE, Line, lines
from truetty.policy import READ_ONLY
from truetty.policy.git import READING
from truetty.policy.words import listed

# Every program of the read-only rules, and what is no program of its own.
_READERS: Final = tuple(dict.fromkeys(rule.words[0] for rule in READ_ONLY if rule.words[0] not in ("git", "[[", "((")))
_CHECKED: Final = (
    *("sort", "uniq", "tree", "file", "xxd", "rg", "fd", "find", "date", "diff", "hostname", "who", "getent"),
    *("base64", "sed", "awk", "git log", "arch"),
)
_LONG: Final = re.compile(r"(?<![\w-])--[a-z][a-z-]+")


def options() -> Iterator[Line]:
    for name, letter in product(_READERS, string.ascii_letters + string.digits):
        yield from lines((f"{name} -{letter} F a", f"{name} -{letter}F a", f"{name} a b -{letter}"))


def long_options() -> Iterator[Line]:
    """From what the programs here say of themselves, so these differ from machine to machine."""
    for name in _READERS:
        for option in _help(name):
            yield from lines(
                (
                    *(
                        f"{name} {option}=F a",
                        f"{name} {option} F a",
                        f"{name} {option[:-2]} F a",
                        f"{name} a b {option}",
                    ),
                )
            )


def _help(name: str) -> list[str]:
    path = shutil.which(name)
    if path is None:
        return []
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C"}
    with subprocess.Popen(
        [path, "--help"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment,
        cwd="/",
    ) as process:
        said, _ = process.communicate(timeout=60)
    return sorted(set(_LONG.findall(said.decode("utf-8", "replace"))))


def clusters(chance: random.Random, count: int) -> Iterator[Line]:
    for _ in range(count):
        words = []
        for _ in range(chance.randint(1, 4)):
            kind = chance.random()
            letters = "".join(chance.choices(string.ascii_letters, k=chance.randint(1, 4)))
            words.append(
                "-" + letters
                if kind < 0.6
                else chance.choice(["a", "b", "F", "1", "01010000", "-", "--", "+%s", "-1", "a=F"])
            )
        yield Line(f"{chance.choice(_CHECKED)} {' '.join(words)}")


_SED: Final = (
    *("p", "w F", "1w F", "$!w F", "e touch F", "1e", "s/a/touch F/e", "s/a/b/w F", "s/b/touch F/ge"),
    *("s,a,b,gw F", "r a", "R a", "W F", ":x;w F", "y/a/w/", "{w F\n}", "a\\\nw F", "a w F", "i\\\ne touch F"),
    *("c\\", "b;w F", "bx;e touch F\n:x", "/a/w F", "\\,a,w F", "/[/]/w F", "s/[/]/w F/", "/a/{e touch F\n}"),
    *("#n\nw F", "s/a/b/;w F", "n;w F", "1,2w F", "1~2w F", "0,/a/w F", "/a/I,+1w F", "s/x\\/w F/y/"),
    *("s|a|b|;|w F", "}w F", "v\nw F", "s/a/b/\nw F", "s/a\\\n/b/w F", "q5;w F", "l 1;w F", "=;e touch F"),
    *("F;w F", "z;w F", "s/a/\\\n/;w F", "tx w F", "T\nw F", "r a\nw F", "#\\\nw F", "s/a/b/e;p"),
)
_SED_WAYS: Final = (
    *("sed 'S' a", "sed -n 'S' a", "sed -e 'S' a", "sed -ne 'S' a", "sed --expression='S' a"),
    *("sed -n -e p -e 'S' a", "sed -E 'S' a", "sed -s 'S' a b", "sed --posix 'S' a", "sed 'p;S' a"),
    *("sed 'p\nS' a", "sed '{S}' a", "sed -z 'S' a", "sed --sandbox 'S' a"),
)
_SED_OPTIONS: Final = (
    *("-i", "-i.b", "-ni", "-ie", "--in-place", "--in-place=.b", "--in", "-f a", "--file=a", "-nf", "-Ei"),
    *("-i ''", "-l 'w F'", "-l 9", "-c", "--debug", "-s -i", "-n -- -i", "-I"),
)
# Where does the expression end? `,` is its delimiter. What follows is harmless as a command, and writes as a flag.
_SED_BRACKETS: Final = (
    *("[,]", "[],]", "[^],]", "[[:alpha:],]", "[[.a.],]", "[[=a=],]", "[\\],]", "[[],]", "[],[x]", "[]", "[^]", "[],["),
    *(
        "[^,]",
        "[[:alpha:]]",
        "[\\,]",
        "\\[,]",
        "[a]],",
        "[\n],]",
        "[],\\]",
        "[]-,]",
        "[^^],]",
        "[[]],]",
        "{,}",
        "\\(,\\)",
    ),
)
_SED_BEHIND: Final = (
    "s,Ba,p;s,w F,z,",
    "s,Ba,p;s,e;s,z,p;1,2p",
    "\\,B,p;s,w F,z,",
    "s,x,Ba,p;s,w F,z,",
    "y,B,p;s,w F,",
)
_AWK: Final = (
    *('BEGIN{system("touch F")}', 'BEGIN{print>"F"}', 'BEGIN{print>>"F"}', 'BEGIN{print|"touch F"}'),
    *('BEGIN{"touch F"|getline}', 'BEGIN{printf "" > "F"}', 'BEGIN{getline<"/inet/tcp/0/127.0.0.1/9"}'),
    *('@load "x"', '@include "a"', 'BEGIN{f="system";@f("touch F")}', 'BEGIN{ARGV[1]="/inet/tcp/0/h/9"}1'),
    *("1", "{print $1}", 'BEGIN{close("touch F")}', 'BEGIN{fflush("F")}', 'BEGIN{x="touch F";print x}'),
    *('{print|&"touch F"}', "BEGIN{ENVIRON[1]=2}", "BEGIN{PROCINFO[1]=2}", "{ print > $1 }"),
    *('END{while(("touch F"|getline x)>0);}', '{sys\\\ntem("touch F")}', 'BEGIN{printf("x")>"F"}'),
    *("BEGIN{nextfile}", "/a/", '{sub(/a/,"b")}1'),
)
_AWK_WAYS: Final = (
    *("awk 'S' a", "awk -F: 'S' a", "awk -v x=1 'S' a", "awk -- 'S' a", "awk 'S' a b", "awk -f a 'S'"),
    *("awk -vx='S' 1 a", "awk -e 'S'", "awk -i a 'S'", "awk -o F 'S'", "awk -pF 'S'", "awk -dF 'S'"),
    *("awk -E a 'S'", "awk -l a 'S'", "awk 'S' /inet/tcp/0/127.0.0.1/9", "awk 'S' x=1", "awk -W exec 'S'"),
    *("awk --dump-variables=F 'S' a", "awk 'S;S' a", "gawk 'S' a", "mawk 'S' a"),
)


def scripts() -> Iterator[Line]:
    yield from lines(way.replace("S", script.replace("'", "'\\''")) for way, script in product(_SED_WAYS, _SED))
    yield from lines(
        f"sed {option} {script} a" for option, script in product(_SED_OPTIONS, ("p", "'s/a/b/'", "-e p", "'w F'"))
    )
    yield from lines(f"sed -n '{one};{two}' a" for one, two in product(_SED, _SED) if "'" not in one + two)
    for brackets, behind, sign in product(_SED_BRACKETS, _SED_BEHIND, ",/|"):
        script = behind.replace("B", brackets).replace(",", sign)
        yield from lines((f"echo ']a;touch F' | sed '{script}'", f"sed '{script}' a"))
    yield from lines(way.replace("S", script) for way, script in product(_AWK_WAYS, _AWK))


_GIT_MORE: Final = listed("""
    add am apply archive bisect bundle checkout clean clone commit config fetch fsck gc grep hash-object help init
    interpret-trailers merge mv notes pull push rebase remote reset revert rm stash submodule switch tag update-ref
    worktree branch reflog fast-export format-patch ls-remote mailinfo pack-objects difftool
""")
_GIT_OPTIONS: Final = (
    *("", "-1", "--help", "-h", "--hel", "--output=F", "--output F", "--outp=F", "-o F", "-oF", "--ext-diff"),
    *(
        "--ext",
        "--textconv",
        "--textc",
        "--filters",
        "--show-signature",
        "--format=%GG",
        "--sort=signature",
        "--format='%G?'",
    ),
    *("--pretty=format:%GS", "--paginate", "-p", "-P", "--no-index a b", "--no-index a F", "-O./evil"),
    *("-Otouch", "--open-files-in-pager=touch", "--open-files=touch", "-Oless", "--exec=touch"),
    *("--upload-pack=./evil", "--upload=./evil", "--receive-pack=./evil", "--extcmd=touch", "-x 'touch F'"),
    *("--stdin", "--batch", "--batch-check", "--index-output=F", "--prefix=F/", "--export-marks=F"),
    *("--in-place a", "--edit", "-e", "--interactive", "--patch", "-d F", "-D x", "-m x", "-c x", "-f x"),
    *("--global alias.x '!touch F'", "alias.x '!touch F'", "--add core.pager ./evil", "core.fsmonitor ./evil"),
    *("diff.external ./evil", "--get x", "--list", "-l", "--unset x", "--edit x", "F", "HEAD F", "a", "-- a"),
    *("HEAD:a", "HEAD", "--all", "-b F", "-B F", "--track x", "-u x", "--set-upstream-to=x", "--delete x"),
    *("-a -m x", "-s", "--exec-path=.", "--git-dir=../repository/.git", "add F .", "remove F"),
    *("set-url origin F", "prune", "expire --all", "delete x", "show", "list", "drop", "pop", "clear"),
    *("foreach 'touch F'", "create F HEAD", "run touch F", "{-o,F}", "$x", "'ext::touch F'", "--template=F"),
)
_GIT_WAYS: Final = (
    *("git --no-pager {sub} {option}", "git -C ../repository {sub} {option}"),
    *("git -c core.pager=./evil {sub} {option}", "/usr/bin/git {sub} {option}", "git -p {sub} {option}"),
    *("git --exec-path=. {sub} {option}", "GIT_PAGER=cat git {sub} {option}"),
)


def gits() -> Iterator[Line]:
    for sub, option in product((*READING, *_GIT_MORE), _GIT_OPTIONS):
        yield Line(f"git {sub} {option}".rstrip())
    for way, sub, option in product(_GIT_WAYS, READING[:4], _GIT_OPTIONS):
        yield Line(way.format(sub=sub, option=option).rstrip())


# An option that is written in another way: D is its `-`.
_DASHES: Final = (
    *("-", "\\-", "'-'", "$'-'", "$'\\x2d'", "$'\\x02d'", "$'\\55'", "$'\\055'", "$'\\0055'", "$'\\u2d'", "$'\\u002d'"),
    *(
        "$'\\U2d'",
        "$'\\U0000002d'",
        "$'\\x{2d}'",
        "$'\\u{2d}'",
        "$'\\x00002d'",
        "$'\\C--'",
        "$'\\c-'",
        "$'\\M--'",
        '$"-"',
    ),
    *(
        "${x:--}",
        "${x--}",
        "$(printf -)",
        "{-,}",
        "''-",
        "-''",
        "$(echo -)",
        "$'\\-'",
        "$'\\d45'",
        "$'\\o55'",
        "[-]",
        "~-",
    ),
)
_DASHED: Final = (
    *(
        "find . Dexec touch F \\;",
        "find . Ddelete",
        "find . Dfprint F",
        "sort Do F a",
        "sort DoF a",
        "sort DDoutput=F a",
    ),
    *(
        "sed Di p a",
        "sed Dn wF a",
        "date Ds 0101",
        "diff Dl a b",
        "git log DDoutput=F",
        "git grep Otouch a",
        "uniq a F Dc",
    ),
    *("xxd Dr a F", "tree Do F", "awk Df a", "hostname DF a", "nice Dn 5 touch F", "rg DDpre ./evil a", "file DC Dm a"),
)


def dashes() -> Iterator[Line]:
    yield from lines(text.replace("D", dash) for text, dash in product(_DASHED, _DASHES))


# For the rules of `policies.py`: options that write or run, from the programs' manuals.
_USUAL: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(
        ("npm test", "npm run build", "npm run lint"),
        (*("--script-shell=./evil", "--node-options='--require ./evil'", "-- F", "--prefix=..", "-C .."),),
    ),
    **dict.fromkeys(
        ("npx tsc", "tsc", "eslint", "prettier --check"),
        (*("-p F", "--outDir F", "--fix", "-o F", "--write a", "--plugin ./evil", "-c ./evil", "--call='touch F'"),),
    ),
    "curl -I": (
        *("-o F u", "--libcurl F u", "--hsts F u", "--alt-svc F u", "--etag-save F u", "-K a", "--trace F u"),
        *("-c F u", "--stderr F u", "-D F u", "file:///cage/work/a -o F"),
    ),
    "find": (
        *(". {-exec,touch,F,\\;}", ". -fprint F", ". -delete", ". -exec touch F \\;", ". -ok touch F \\;", ". $x"),
        *(". -fls F", "-files0-from a", ". -fprintf F x", ". -execdir touch F {} +"),
    ),
    "sed": ("-i p a", "'1e touch F' a", "-n 'w F' a", "{-i,p,a}", "$x a", "-f a", "--in-place=.b p a"),
    "rg": (
        *("--pre ./evil a", "--hostname-bin ./evil a", "--pre=touch a", "{--pre,./evil} a", "-z a"),
        "--search-zip a",
    ),
    "sort": (
        *("-o F a", "{-o,F} a", "--output=F a", "-oF a", "--compress-program=./evil a", "-T . a"),
        *("--files0-from=a", "-S 1b --compress-prog ./evil a", "$x a"),
    ),
    **dict.fromkeys(
        ("pytest", "python -m pytest"),
        (
            *("--junitxml=F", "--log-file=F", "--debug=F", "-o cache_dir=F", "-p evil", "-c a", "--basetemp=F"),
            *("--rootdir=..", "-s a", "a::b"),
        ),
    ),
    "ruff check": ("--output-file F", "--fix a", "-o F", "--config a", "--add-noqa", "a"),
    "mypy": ("--python-executable ./evil a", "--config-file a", "--junit-xml F a", "--html-report F a", "a"),
    **dict.fromkeys(("pip list", "pip show"), ("--log F", "--python ./evil", "--log=F x", "x")),
    "python manage.py": ("shell -c x", "x", "-c x", "test"),
    "sqlite3 -readonly": (
        *("x.db '.shell touch F'", "x.db '.output F'", "-cmd '.shell touch F' x", "x.db .dump", "x.db '.log F'"),
    ),
    "tar -tf": (
        *("x.tar --index-file=F", "x --to-command=./evil", "x --checkpoint=1 --checkpoint-action=exec=./evil"),
        *("x -I ./evil", "x --use-compress-program=./evil", "x -F ./evil", "x"),
    ),
    "tar": ("cf F a", "-cf F a", "-xf a", "--to-command=./evil -xf a", "-cf F a -I ./evil", "c{,}f F a"),
    "make": (
        *("SHELL=./evil", "'X=$(shell touch F)'", "-E 'x:;touch F'", "--eval='x:;touch F'", "-C ../away"),
        *("-f ../away/Makefile", "x", "-f../away/Makefile", "--directory=../away", "-I .."),
    ),
    "jupyter nbconvert": ("--execute a", "--output F a", "--to script a", "--post=serve a", "a"),
    "journalctl": ("--cursor-file=F", "--vacuum-size=1", "-o json", "--rotate", "--root=.", "x"),
    "systemctl status": ("x", "-H root@h", "--root=.", "$x", "-M .host"),
    "ss": ("-D F", "-K", "--diag=F", "-F a", "x"),
    **dict.fromkeys(("ip addr", "ip route"), ("add 1.2.3.4 dev lo", "save", "flush", "-b a", "show")),
    "rsync -n": (
        *("--log-file=F a b", "-e ./evil a h:b", "{-e,./evil} a h:b", "--rsh=./evil a h:b", "--write-batch=F a b"),
        "a F",
    ),
    "less": ("-oF a", "'+!touch F' a", "--log-file=F a", "-kF a", "a", "-T F a", "+p a", "$x a"),
    **dict.fromkeys(
        ("dmesg", "mount", "date", "hostname"),
        (
            *("-C", "-o remount,rw /", "-s 0101", "x", "-Id 01010000", "-F a", "a b", "--bind a b", "-b x", "-a"),
            "--clear",
        ),
    ),
    "xargs grep": ("-r x . <a", "x <a", "--include=F x <a", "-f a <b"),
    **dict.fromkeys(
        (*("kubectl get", "kubectl logs", "docker ps", "docker logs", "terraform plan"),),
        (*("--kubeconfig=F x", "-f F x", "-o jsonpath-file=F", "-out=F", "--config=F x", "x", "--raw /x"),),
    ),
    "git": (
        *("config diff.external ./evil; git diff", "config {alias.x,'!touch F'}; git x", "bundle create F HEAD"),
        *("clean -fdx", "archive -o F HEAD", "fast-import --export-marks=F", "pack-objects F", "push"),
        "-C ../repository status",
    ),
    **dict.fromkeys(
        ("git add", "git commit", "git checkout", "git fetch"),
        (
            *("-e", "-p a", "-m x -e", ". --pathspec-from-file=a", "--upload-pack=./evil .", "'ext::touch F'"),
            *("--template=a", "-b F", "a", "-F a"),
        ),
    ),
}
_USUAL_FRAMES: Final = (
    *("@", "@; ls", "ls && @", "cd ../away; @", "cd ../away && @", "(cd ../away; @)", "nice @", "timeout 5 @"),
    *("@ | cat", "x='-exec touch F ;'; @", "x=./evil; RSYNC_RSH=$x @", "for i in 1; do @; done", "$(@)"),
    *("echo $(@)", "COLUMNS=80 @", f"COLUMNS='{LATE[0]}' @"),
)


def usual() -> Iterator[Line]:
    for program, arguments in _USUAL.items():
        for argument, frame in product(("", *arguments), _USUAL_FRAMES):
            yield Line(frame.replace("@", f"{program} {argument}".rstrip()))
