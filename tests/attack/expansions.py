"""Lines with expansions: each form in each place where a shell may expand it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final

from tests.attack.lines import ALL, LATE, RUN, WORDS, ZSH, Line

# With T for the payload where one fits.
_COMMON: Final = (
    *("$x", "${x}", "$1", "$@", "$*", "$#", "$?", "$$", "$!", "$-", "$_", "${#x}", "~", "~root", "~+", "~-"),
    *("~/T", "*", "?", "[a-b]", "./*", "a{1,2}", "$(T)", "`T`", '"$(T)"', '"`T`"', "$((1))", "$((x))"),
    *("$((T))", "$((a[T]))", "$((x=1))", "${x:-T}", "${x-$(T)}", "${x:=T}", "${x=T}", "${x:=$(T)}", "${x:+T}"),
    *("${x+$(T)}", "${x:?T}", "${x?$(T)}", "${x%T}", "${x%%$(T)}", "${x#T}", "${x##$(T)}", '${x:-"$(T)"}'),
    *("${x:-'$(T)'}", "\"${x:-'$(T)'}\"", '"${x:-`T`}"', "${x:-\\$(T)}", "$'\\x24(T)'", '$"$(T)"', "\\$(T)"),
    *("'$(T)'", "\\`T\\`", "$(echo T)", "`echo T`", "$(echo '$(T)')", "$(<a)", "$(< $(T))", "$( (T) )"),
    *("$(a;T)", "$(a\nT)", "`echo \\`T\\``", "${x:-${y:-$(T)}}", "a=~", "--a=~/T", "a:~", "$( )", "$()", "``"),
    *("${}", "${:-$(T)}", "${-:-$(T)}", "${@:-$(T)}", "${1:-$(T)}", "${10}", "$10", '"$@"', '"$*"'),
)
_OF_BASH: Final = (
    *("{5,T}", "{T,}", "{1..3}", "{a..T}", "{$(T),b}", "${x/a/b}", "${x/$(T)/b}", "${x//a/$(T)}"),
    *("${x/#a/`T`}", "${x/%T/b}", "${x:1}", "${x:1:2}", "${x:y}", "${x:T}", "${x:$(T)}", "${x: -1}"),
    *("${x:a[T]:1}", "${x^}", "${x^^}", "${x,}", "${x,,$(T)}", "${!x}", "${!x*}", "${!x@}", "${!x[@]}"),
    *("${!1}", "${x@P}", "${x@Q}", "${x@E}", "${x@A}", "${x@K}", "${x@a}", "${x@U}", "${x[0]}", "${x[@]}"),
    *("${x[*]}", "${x[y]}", "${x[T]}", "${x[$(T)]}", "${#x[@]}", "${#x[T]}", "$[1]", "$[x]", "$[T]", "<(T)"),
    *(">(T)", "<(ls)", ">(cat)", "@(a|b)", "!(a)", "*(T)", "+($(T))", "?(`T`)", "${ T; }", "${|T;}"),
    *("$'a\\nb'", '"${x@P}"', '"${!x}"', '"$((x))"', '"$[T]"', "${x[@]:1}", "${x[@]/a/b}", "${@:1}"),
    *("${*/a/$(T)}", "${x//$(T)}"),
)
_OF_ZSH: Final = (
    *("=ls", "=T", "*(e:'T':)", "*(e{'T'})", "*(+x)", "*(N)", "*(.)", "*(om[1])", "*(e'!T!')", "**/*", "^a"),
    *("a#", "a~b", "(a|b)", "<1-9>", "${(e)x}", "${(e):-T}", "${(e):-$(T)}", "${(P)x}", "${(z)x}", "${(%)x}"),
    *("${(Q)x}", "${(s:,:)x}", "${(%):-%(?.$(T).)}", "${(f)x}", "${(j:$(T):)x}", "${~x}", "${=x}", "${^x}"),
    *("${+x}", "${x:h}", "${x:t}", "${x:s/a/T/}", "$x[1]", "$x[(r)a]", "$x[(e)T]", "$x[T]", "${x[(i)$(T)]}"),
    *("$x:h", "$x:s/a/$(T)/", "${${x}}", "${$(T)}", "=(T)", "=(ls)", "$path[1]", "$functions", "$aliases[T]"),
    *("${functions[x]::=T}", "${x::=T}", "$commands[ls]", "*.(c|h)", "a(#q.)", "(#i)a"),
)

# With E for the expansion.
_PLACES: Final = (
    *("echo E", "ls E", 'echo "E"', "ls -- E", "echo aE", "echo a=E", "case E in a) ls;; esac"),
    *("case a in E) ls;; esac", "[[ E == a ]]", "[[ a == E ]]", "[[ -n E ]]", "[[ E -eq 1 ]]", "[ E = a ]"),
    *("[ -n E ]", "test E", "test 1 -eq E", "cat <<<E", "cat <<G\nE\nG", "for i in E; do ls; done", "cat <E"),
    *("ls >E", "ls 2>&E", "find E", "find . -name E", "sort -o E", "sort E a", "sort -k E a", "E", "E ls"),
    *("x=E", "x=E; echo $x", "nice -n E ls", "timeout E ls", "timeout -k E 5 ls", "timeout -s E 5 ls"),
    *("time E", "command E", "stdbuf E ls", "git log E", "git E", "git diff -- E", "sed E a", "awk E a"),
    *("sed -n E a", "awk 1 E", "date E", "date -d E", "printf E a", "printf %s E", "uniq a E", "xxd a E"),
    *("rg E a", "echo `echo E`", "echo $(echo E)", "[[ a =~ E ]]", "[[ -v E ]]"),
    *("while false; do echo E; done", "(echo E)", "{ echo E; }", "if test E; then ls; fi"),
)


def expanding() -> Iterator[Line]:
    tables = ((_COMMON, ALL), (_OF_BASH, ALL), (_OF_ZSH, (ZSH,)))
    for (forms, dialects), place in product(tables, _PLACES):
        for form in forms:
            for payload in (RUN, LATE[0]) if "T" in form else (RUN,):
                yield Line(place.replace("E", form.replace("T", payload)), dialects)


# What `nice`, `timeout` and their kind take before the command, with W for a word.
_RUNNERS: Final = (
    *("nice", "nice -n W", "nice -nW", "nice -W", "nice --adjustment=W", "timeout W", "timeout -k W 5"),
    *("timeout -s W 5", "timeout -sW 5", "timeout --signal=W 5", "timeout --kill-after W 5"),
    *("timeout --foreground W", "time", "time -p", "time W", "time -o W", "command", "command -p"),
    *("command --", "command W", "stdbuf -oL", "stdbuf -o W", "stdbuf W", "nice -n W --"),
)
# One word that becomes several, with the words as `5 touch F`.
_SEVERAL: Final = (
    *("5", "$(echo 5 touch F)", "$(echo KILL 5 touch F)", "`echo 5 touch F`", "{5,touch,F}", "$x", "${x}"),
    *("$@", "$*", "${x:-5 touch F}", "${x-5}", '"$x"', "'5 touch F'", "5\\ touch", "5{,}", "{5,6}", "KILL"),
    *("5s", "+5", "-5", "*", "[5]", "$'5'", "$(echo 5)", "~", "5\ttouch\tF"),
)


def running() -> Iterator[Line]:
    for (outer, word), tail in product(product(_RUNNERS, _SEVERAL), ("ls", "touch F", "-- ls", "W ls")):
        text = f"{outer} {tail}".replace("W", word)
        yield Line(text)
        if "$x" in text or "${x" in text:
            yield Line(f"x='{WORDS}'; {text}")
    for outer, inner in product(_RUNNERS, _RUNNERS):
        for first, second in (("5", "$(echo 5 touch F)"), ("$x", "5"), ("5", "{5,touch,F}"), ("5", "5")):
            yield Line(f"{outer.replace('W', first)} {inner.replace('W', second)} ls")
