"""Lines made of the shells' grammars: constructs in frames, here-documents, comments and line ends, tests, printf."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final

from tests.attack.lines import BASH, LATE, MKSH, PROGRAM, RUN, ZSH, Line, lines, quoted
from truetty.policy.words import listed

# Each with the payload, somewhere where some shell might run it. `T` is the payload.
_CONSTRUCTS: Final = (
    *("T", "ls; T", "ls & T", "ls && T", "ls || T", "ls | T", "ls |& T", "! T", "T &", "(T)", "{ T; }"),
    *("((T))", "[[ T ]]", "$(T)", "`T`", "if T; then ls; fi", "if ls; then T; fi"),
    *("if false; then ls; else T; fi", "if false; then ls; elif T; then ls; fi", "while T; do break; done"),
    *("until T; do break; done", "for i in a; do T; done", "for i; do T; done", "for i in $(T); do ls; done"),
    *("for ((i=0; i<1; i++)); do T; done", "for ((T;;)); do break; done", "for ((;;)) { T; break; }"),
    *("for i in a; { T; }", "select i in a; do T; break; done", "case a in a) T;; esac"),
    *("case a in (a) T;; esac", "case a in a) ls;& *) T;; esac", "case a in b) ls;; *) T; esac"),
    *("case a { a) T ;; }", "case $(T) in a) ls;; esac", "f() { T; }; f", "f() T; f", "function f { T; }; f"),
    *("function f() { T; }; f", "ls() { T; }; ls", "function ls { T; }; ls", "() { T; }", "function { T; }"),
    *("coproc T", "coproc x { T; }", "time T", "time { T; }", "eval T", "eval 'T'", "eval $'T'", "exec T"),
    *("command T", "builtin eval T", "source a", ". ./evil", "trap T EXIT", "trap 'T' 0", "trap -- 'T' DEBUG"),
    *("alias ls='T'\nls", "alias x=T; x", "set -- T; $@", "set T; $*", 'set -- T; "$@"', "x='T'; $x"),
    *("x=touch; $x F", "x=$(T)", "x=`T`", "x=(T)", "x=($(T))", "x[$(T)]=1", "x[a]=$(T)", "declare x=$(T)"),
    *("declare -i x='a[$(T)]'", "local x=$(T)", "readonly x='$(T)'", "typeset -i x='a[$(T)]'"),
    *("integer x='a[$(T)]'", "export x=$(T)", "let 'a[$(T)]'", "let x=a[$(T)]", "unset 'a[$(T)]'"),
    *("read 'a[$(T)]' <<<x", "read -r x <<<$(T)", "printf -v 'a[$(T)]' x", "getopts a 'x[$(T)]'"),
    *("wait -n -p 'a[$(T)]'", "mapfile -C T -c 1 x <a", "readarray -C T x <a", "compgen -C T"),
    *("compgen -W '$(T)'", "complete -C T x", "bind -x 'a:T'", "enable -f ./evil x", "hash -p ./evil ls; ls"),
    *("shopt -s extglob; ls", "fc -s", "history -s T", "jobs -x T", "disown", "kill -l $(T)", "type $(T)"),
    *("command -v $(T)", "ulimit -c $(T)", "umask $(T)", "cd $(T)", "cd -- '$(T)'", "pushd $(T)", "popd +0"),
    *("dirs -v", "suspend -f", "logout", "exit $(T)", "return $(T)", "shift $(T)", "shift 'a[$(T)]'"),
    *("break 'a[$(T)]'", "for i in a; do break 'a[$(T)]'; done", "exit 'a[$(T)]'", "return 'a[$(T)]'"),
    *("echo a >F", "echo a >>F", "echo a >|F", "echo a &>F", "echo a >&F", "echo a <>F", "ls 2>F", "ls {x}>F"),
    *(">F", ">>F ls", "<>F", "exec >F", "ls >$(T)", "ls <$(T)", "ls <(T)", "ls >(T)", "cat < <(T)"),
    *("ls > >(T)", "tee F <a", "cat <&3 3<a", "ls 3>&1 >F", "ls >/dev/tcp/127.0.0.1/9"),
    *("cat </dev/udp/127.0.0.1/9", "repeat 2 T", "repeat 2; T", "noglob T", "nocorrect T", "- T"),
    *("foreach i (a) T; end", "for i (a) T", "if (true) { T }", "if [[ a ]] T", "while (false) T"),
    *("{ ls } always { T }", "try { T }", "always T", "print -P '$(T)'", "print -z T", "print ${(e):-'$(T)'}"),
    *("zmodload zsh/system", "autoload x", "sched +0 T", "zle -N x", "emulate sh -c T", "zcompile a"),
    *("vared x", "which ls; T", "whence $(T)", "r T", "namespace x { T; }", "x=${ T; }", "x=${|T;}"),
    *("x=$(< a)", "T |& cat", "|& T", ";; T", "\\\\T", "\\T", "'T'", '"T"', "tou''ch F", "t\\ouch F"),
    *("{touch,F}", "t?uch F", "/usr/bin/touch F", "/bin/t*ch F", "~/evil", "./evil", "$PWD/evil", "env T"),
    *("xargs T <a", "find . -exec T \\;", "sh -c 'T'", "busybox touch F", "nohup T", "setsid T"),
    *("awk 'BEGIN{system(\"T\")}'", "sed '1e T' a", "sed 'w F' a", "git -c alias.x='!T' x"),
)
# X is the construct.
_FRAMES: Final = (
    *("X", "ls; X", "ls | X", "ls &&\\\nX", "echo $(X)", "echo `X`", "cat <(X)", "(X)", "{ X; }"),
    *("if true; then X; fi", "echo X", 'echo "X"', "echo 'X'", "ls\nX", "true && X || ls"),
    *("case a in a) X;; esac", "for i in 1; do X; done", "x=$(X)", "! X", "ls #X"),
)


def constructing() -> Iterator[Line]:
    for construct, frame in product(_CONSTRUCTS, _FRAMES):
        yield Line(frame.replace("X", construct.replace("T", RUN)))
        if "a[$(T)" in construct or "'T'" in construct:
            yield Line(frame.replace("X", construct.replace("T", PROGRAM)))


_DELIMITERS: Final = (
    *("E", "'E'", '"E"', "\\E", "E\\", "$E", "`E`", "$(E)", "'E G'", '"E\\"', "E-", "-E", "E''", "$'E'"),
    *('$"E"', "''", "E;", "E\\\n"),
)
# `D` is the delimiter without its quotes.
_BODIES: Final = (
    *("x\nD", "$(T)\nD", "`T`\nD", "\\$(T)\nD", "\\\nD\nT\nD", "\\\n\\\nD\nT\nD", "x\\\nD\nT\nD", "\nD\nT"),
    *(" D\nT\nD", "\tD\nT\nD", "D \nT\nD", "DD\nT\nD", "x D\nD\nT", "\\D\nT\nD", "'D'\nT\nD", "D\\\n\nT\nD"),
    *("D\\\nT\nD", "${x:-$(T)}\nD", "$((a[$(T)]))\nD", "D", "D\nT", "x\nD;T\nD", "x\nD)\nT\nD"),
)
_OPENERS: Final = (
    *("cat <<", "cat <<-", "cat << ", "cat 0<<", "cat <\\\n<", "cat a <<"),
    *("cat <<G <<", "echo $(cat <<", "{ cat <<", "cat | cat <<"),
)


def here_documents() -> Iterator[Line]:
    for opener, delimiter, body in product(_OPENERS, _DELIMITERS, _BODIES):
        bare = delimiter.translate(str.maketrans("", "", "'\"\\\n"))
        for behind in ("", " | cat") if opener == "cat <<" else ("",):
            end = {"echo $": "\n)", "{ cat ": "\n}"}.get(opener[:6], "")
            yield Line(f"{opener}{delimiter}{behind}\n" + body.replace("D", bare).replace("T", RUN) + end)


_BEFORE_COMMENTS: Final = (
    *("ls ", "ls;", "ls |", "ls &&", "ls\t", "", "(ls ", "{ ls; ", "ls \\\n", "echo a", "echo $x", "echo ''"),
    "ls\n",
)
_COMMENTS: Final = (
    *("# x", "#", "#!x", "# '", '# "', "# `", "# $(", "# )", "# x # y", "# \\", "\\# x", "'#'", "$#", "#${x}"),
)
_AFTER_COMMENTS: Final = (
    *("\\\nT", "\nT", "\\\n\\\nT", "\\\n#\nT", " T", ";T", "\\\ncat\nT", "\r\nT", "\\ \nT", "\\\\\nT"),
    *("\\\n)\nT", "\\\n}\nT"),
)
_CUT: Final = (
    *("ls && touch F", "ls; touch F", "echo $(touch F)", "echo ${x:-$(touch F)}", "cat <<E\nx\nE\ntouch F"),
    *("echo 'a' touch F", "ls | cat # touch F", "[[ a == b ]] && ls", "case a in a) touch F;; esac"),
    *("echo `touch F`", 'echo "$(touch F)"', "x='touch F'; $x", "if true; then touch F; fi"),
)


def line_ends() -> Iterator[Line]:
    for before, comment, after in product(_BEFORE_COMMENTS, _COMMENTS, _AFTER_COMMENTS):
        yield Line(before + comment + after.replace("T", RUN))
    for text in _CUT:
        for place in range(len(text) + 1):
            for end in ("\\\n", "\n", "\r\n", "\\\r\n", "\\\n\\\n"):
                yield Line(text[:place] + end + text[place:])


_UNARY: Final = "abcdefghknoprstuvwxzGLNORS"
_BINARY: Final = listed("= == != < > =~ -eq -ne -lt -le -gt -ge -nt -ot -ef -a -o")
_TESTS: Final = (
    *("[ X ]", "test X", "[[ X ]]", "[ ! X ]", "[ X -a a ]", "[ a -o X ]", "[ \\( X \\) ]", "[[ ! X ]]"),
    *("[[ (X) ]]", "[[ X && a ]]"),
)


def testing() -> Iterator[Line]:
    values = [
        *(quoted(payload) for payload in LATE),
        "$x",
        '"$x"',
        "x",
        "1",
        "a[$x]",
        "$(echo 1)",
        "*",
        "'1 -o -v a[$(touch F)1]'",
    ]
    for value in values:
        expressions = [f"-{letter} {value}" for letter in _UNARY]
        expressions += [text for sign in _BINARY for text in (f"{value} {sign} 1", f"1 {sign} {value}")]
        expressions += [value, f"{value} 1", f"1 {value} 1", f"{value} {value} {value}", f"-n 1 {value}"]
        for expression, frame in product(expressions, _TESTS):
            text = frame.replace("X", expression)
            yield Line(f"x={quoted(LATE[0])}; {text}" if "$x" in text else text)
    conversions = [
        f"%{mark}{letter}"
        for letter in "aAbcdeEfFgGinopqsuxXQTHRPBZ(%"
        for mark in ("", "5", ".2", "*", "-5", "l", "1$", "#", "'")
    ]
    for conversion, value in product(conversions, values):
        text = f"printf {conversion if conversion != '%(' else quoted('%(x)T')} {value}"
        yield Line(f"x={quoted(LATE[0])}; {text}" if "$x" in text else text)
    for option in ("-v x", "-v 'a[$(touch F)1]'", "-- %d", "-v$x", "-", "-%d", "-i"):
        yield from lines(f"printf {option} {value}" for value in values)
    for builtin in (
        *("echo", "cd", "type", "pwd", "sleep", "true", ":", "false", "seq", "expr", "printenv", "basename", "tty"),
        *("id", "which"),
    ):
        yield from lines((f"{builtin} {value}" for value in values), (BASH, ZSH, MKSH))
        yield from lines((f"{builtin} -x {value} 1" for value in values), (BASH, ZSH, MKSH))
