"""What is surely complete, and that bash agrees."""

from __future__ import annotations

import random
import subprocess

import pytest

from truetty.shells.complete import is_complete

COMPLETE = [
    "true", "ls -la /tmp | head -3", "echo 'a b' \"c d\"", "for i in 1 2 3; do echo $i; done", "sleep 5 &",
    "if true; then echo a; else echo b; fi", "while read x; do echo $x; done < f", "(cd /tmp && ls)", "set -e",
    "{ echo a; echo b; }", "f() { echo hi; }", "f() { echo hi; }; f", "echo $(date)", 'echo "$(date +%s)"', "time ls",
    "a=$(ls | wc -l); echo $a", "[[ -f x && -d y ]] && echo z", "echo ${x:-default} ${x#*\\}}", "echo $((1+2))",
    "((x=1)); echo $x", "echo a\necho b\n", "git commit -m 'x'", "echo a # don't", "# c\necho a", "x=1 y=2 cmd",
    "true && false || echo z", "echo {a,b}", "find . -name '*.py' -exec grep -l x {} \\;", "echo a \\\n b", "! true",
    "diff <(ls) <(ls -a)", "for f in *.py; do\n  if [ -f $f ]; then\n echo $f\n fi\ndone", "cat <<< hi", "echo if",
    "cat<<<hi", "cat<a>b", "cat 3<a",
    'echo "it\'s"', "ls > /tmp/x 2>&1", "for i in if then; do echo $i; done", "until false; do break; done",
    "a=(1 2 3)", "declare -a x=(1 2)", "echo done", "echo $'a\\'b'", "kill %1", "[ a = b ] || exit 3",
    "cp -r a.txt b/c:d,e@f+g%h", "  ls  -l  ", "echo do",
]  # fmt: skip
DOUBTFUL = [
    "echo 'a", 'echo "a', "if true", "if true; then", "for i in 1 2", "while true; do", "{ echo a", "(echo a", "fi",
    "echo a |", "echo a &&", "echo a \\", "cat <<EOF\nx\nEOF", "cat<<E", "echo a<<-E\nx", "x=1<<E",
    "echo `date`", "case x in x) echo a;; esac", "f()", "! ",
    "echo $(date", "echo ${x", 'echo "$(date"', "[[ -f x", "for i in 1; do echo $i; don", "a=(1 2", "echo )", "}",
    "echo $'a", "if true; then echo a; fi; {", " echo a ||\n", "true |\n\n",
    "while sleep 1", "x do if", "time", "coproc ls",
]  # fmt: skip


@pytest.mark.parametrize("text", COMPLETE)
def test_complete(text: str) -> None:
    assert is_complete(text)


@pytest.mark.parametrize("text", DOUBTFUL)
def test_unfinished_or_not_followed(text: str) -> None:
    assert not is_complete(text)


def test_bash_asks_for_no_more() -> None:
    """Texts by chance: where we are sure, bash finds no end of the file too early."""
    chance = random.Random(18)
    pieces = [
        "if", "then", "fi", "else", "for x in a", "do", "done", "while", "{", "}", "(", ")", "[[ a ]]", "((", "))",
        "$(", "${x", "'", '"', "echo", "a", ";", "&&", "|", "||", "&", "\n", "#c", "\\", "<<<", ">f", "x=1", "a=(",
        "f()", "!",
    ]  # fmt: skip
    sure = 0
    for _ in range(3000):
        text = " ".join(chance.choice(pieces) for _ in range(chance.randrange(1, 9)))
        if is_complete(text):
            sure += 1
            said = subprocess.run(["bash", "-n", "-c", text], capture_output=True, text=True, check=False).stderr
            assert "unexpected end of file" not in said and "looking for matching" not in said, text
    assert sure > 100
