r"""Right exit code and exact output, in eight shells, for every shape of command an agent may send.

What is expected is written down here, not computed by the code under test. Where a shell's language has no such thing
(tcsh has no functions, fish no here-documents) it has no row; where it differs, it has its own.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

import truetty
from tests.acceptance.session import sees
from tests.patience import PATIENCE

POSIX = ("bash", "zsh", "dash", "ksh93", "mksh", "busybox")
SHELLS = (*POSIX, "fish", "tcsh")


@dataclass(frozen=True, slots=True)
class Case:
    """`printed` is what the programs write; the tty makes CR LF of LF. `text` is the clean form where it differs."""

    command: str
    printed: str = ""
    code: int = 0
    text: str | None = None


def posix(command: str, printed: str = "", code: int = 0, text: str | None = None) -> dict[str, Case]:
    return dict.fromkeys(POSIX, Case(command, printed, code, text))


def everywhere(command: str, printed: str = "", code: int = 0, text: str | None = None) -> dict[str, Case]:
    return dict.fromkeys(SHELLS, Case(command, printed, code, text))


def syntax_error(command: str) -> dict[str, Case]:
    """A text that ends with the quote it opens: what each shell says of it, and with which code."""
    quote = command[-1]
    return {
        "bash": Case(command, f"bash: unexpected EOF while looking for matching `{quote}'\n", 2),
        "zsh": Case(command, f"zsh: unmatched {quote}\n", 1),
        "dash": Case(command, "dash: 2: eval: Syntax error: Unterminated quoted string\n", 2),
        "ksh93": Case(command, f"ksh93: eval: syntax error: `{quote}' unmatched\n", 3),
        "mksh": Case(command, "E: mksh: no closing quote\n", 1),
        "busybox": Case(command, "sh: eval: syntax error: unterminated quoted string\n", 2),
        "fish": Case(
            command,
            f"fish: Unexpected end of string, quotes are not balanced\n{command}\n{' ' * (len(command) - 1)}^\n\n",
            123,
        ),
        "tcsh": Case(command, f"Unmatched '{quote}'.\n", 1),
    }


BAR = "".join(f"\r{n:3d}% [{'#' * (n // 5):20s}]" for n in range(0, 101, 5))
TAIL = "\x1b[1;32mgreen\x1b[0m \x1b[4mline\x1b[24m\n"
# Every control byte a text can hold, but for LF (a line's end) and CR (below); tcsh, fish and od see the same ones.
CONTROLS = "".join(map(chr, [*range(1, 10), 11, 12, *range(14, 32), 127]))
WORDS = "äöü ß 日本語 \U0001f600 é̂ — «»"

CASES: dict[str, Mapping[str, Case]] = {
    "one word": everywhere("echo hello", "hello\n"),
    "exit code": {
        **posix("(exit 42)", code=42),
        "fish": Case("sh -c 'exit 42'", code=42),
        "tcsh": Case("(exit 42)", code=42),
    },
    "several lines": {
        **posix("echo one\n\necho two\n  echo three\n(exit 3)\n", "one\ntwo\nthree\n", 3),
        "fish": Case("echo one\n\necho two\n  echo three\nsh -c 'exit 3'\n", "one\ntwo\nthree\n", 3),
        "tcsh": Case("echo one\n\necho two\n  echo three\n(exit 3)\n", "one\ntwo\nthree\n", 3),
    },
    "continued line": everywhere("echo one \\\n two", "one two\n"),
    "here-document": {
        **posix("x=5\ncat <<END\n  a $x\n\t'b' \"c\" `echo d`\nEND\n(exit 4)", "  a 5\n\t'b' \"c\" d\n", 4),
        "tcsh": Case("set x=5\ncat <<END\n  a $x\nEND\n(exit 4)", "  a 5\n", 4),
    },
    "here-document, quoted, at the end": posix("cat <<'END'\n$x `y` \\z !\nEND", "$x `y` \\z !\n"),
    "here-document, tabs stripped": posix("cat <<-END\n\t\ta\n\tEND\n", "a\n"),
    "function": {
        **posix("f() {\n  echo \"f got $1\"\n  return 9\n}\nf x", "f got x\n", 9),
        "fish": Case('function f\n  echo "f got $argv[1]"\n  return 9\nend\nf x', "f got x\n", 9),
    },
    "loop": {
        **posix("for i in 1 2 3\ndo\n  echo $i\ndone; while false; do :; done", "1\n2\n3\n"),
        "fish": Case("for i in 1 2 3\n  echo $i\nend", "1\n2\n3\n"),
        "tcsh": Case("foreach i (1 2 3)\n  echo $i\nend", "1\n2\n3\n"),
    },
    "case": posix("case abc in\n a*) echo yes;;\n *) echo no;;\nesac", "yes\n"),
    "subshell": {
        **posix("x=1\n( x=2; echo in $x\n exit 6 )\ny=$?; echo out $x $y; exit_with() { return $1; }; exit_with $y",
                "in 2\nout 1 6\n", 6),
        "fish": Case("begin; echo in; end; sh -c '( exit 6 )'", "in\n", 6),
        "tcsh": Case("set x=1\n( set x=2; echo in $x; exit 6 )", "in 2\n", 6),
    },
    "pipeline": {
        **dict.fromkeys((*POSIX, "fish"), Case("printf 'b\\na\\n' | sort | cat", "a\nb\n")),
        "tcsh": Case("printf 'b\\na\\n' | sort | cat", "a\nb\n"),
    },
    "pipeline, the first fails": {
        **posix("false | true"),
        "fish": Case("false | true"),
        "tcsh": Case("false | true", code=1),  # its own rule (anyerror)
    },
    "pipeline, the last fails": everywhere("true | false", code=1),
    "pipefail": {
        **dict.fromkeys(("bash", "zsh", "ksh93", "mksh", "busybox"),
                        Case("set -o pipefail; (exit 3) | cat | true; echo $?; (exit 5) | cat", "3\n", 5)),
        "fish": Case("sh -c 'exit 3' | true; echo $pipestatus[1]; sh -c 'exit 5'", "3\n", 5),
    },
    "unbalanced '": syntax_error("echo '"),
    'unbalanced "': syntax_error('echo "'),
    "comment": {
        **posix("# nothing to see 'here"),
        "fish": Case("# nothing to see 'here"),
        "tcsh": Case("# nothing to see 'here"),
    },
    "comments between": {
        **posix("echo a # b\n# ' \" (\necho c", "a\nc\n"),
        "fish": Case("echo a # b\n# ' \" (\necho c", "a\nc\n"),
        "tcsh": Case("echo a # b\n# ' (\necho c", "a\nc\n"),
    },
    "exclamation marks": {
        **posix("echo \"wow!\" a!b !! '!x' \"!$\"", "wow! a!b !! !x !$\n"),
        "fish": Case("echo \"wow!\" a!b !! '!x'", "wow! a!b !! !x\n"),
        "tcsh": Case('echo "wow!" \'\\!x\'', "wow! !x\n"),
    },
    "negation": {**posix("! true", code=1), "fish": Case("! true", code=1)},
    "tabs": everywhere("\techo\t'a\tb'\t\tc", "a\tb c\n"),
    "control bytes arrive": everywhere(
        f"printf %s '{CONTROLS}' | od -An -v -tx1 | tr -d ' \\n'", CONTROLS.encode().hex()
    ),
    "control bytes printed": everywhere(
        "printf %s 'a\x01b\x02c\x04d\x06e\x10f\x11g\x13h\x16i\x17j\x19k\x7fl'",
        "a\x01b\x02c\x04d\x06e\x10f\x11g\x13h\x16i\x17j\x19k\x7fl",
        text="abcdefghijkl",
    ),
    "CR LF": {
        **posix("echo a\r\necho b\r\n", "a\r\nb\r\n", text="a\nb\n"),
        "fish": Case("echo a\r\necho b\r\n", "a\nb\n"),  # it drops the CR itself
        "tcsh": Case("echo a\r\necho b\r\n", "a\r\nb\r\n", text="a\nb\n"),
    },
    "unicode": everywhere(f"echo '{WORDS}'; printf %s '日本' | od -An -tx1", f"{WORDS}\n e6 97 a5 e6 9c ac\n"),
    "bytes that are no UTF-8": everywhere(
        "printf %s 'a\udcff\udc80b' | od -An -tx1; printf %s '\udce9'",
        " 61 ff 80 62\n\udce9",
        text=" 61 ff 80 62\n\ufffd",
    ),
    "no final newline": everywhere("printf 'a\\nb'", "a\nb"),
    "nothing but newlines": everywhere("printf '\\n\\n'", "\n\n"),
    "nothing at all": everywhere("true"),
    "blanks at the end of lines": everywhere("printf 'a  \\n  \\nb '", "a  \n  \nb "),
    "progress bar": everywhere(f"printf '{BAR}\\n'".replace("%", "%%"), f"{BAR}\n", text=f"100% [{'#' * 20}]\n"),
    "progress bar, erased": everywhere(
        r"printf 'step 1\rstep 22\r\033[Kdone\n'", "step 1\rstep 22\r\x1b[Kdone\n", text="done\n"
    ),
    "spinner": everywhere(r"printf '|\b/\b-\b+\bok\n'", "|\b/\b-\b+\bok\n", text="ok\n"),
    "colours": everywhere(f"printf '{TAIL}'".replace("\n", "\\n"), TAIL, text="green line\n"),
    "standard error": {
        **posix("echo out; echo err >&2; (exit 1)", "out\nerr\n", 1),
        "fish": Case("echo out; echo err >&2; false", "out\nerr\n", 1),
        "tcsh": Case("echo out; sh -c 'echo err >&2; exit 1'", "out\nerr\n", 1),
    },
}  # fmt: skip


def on_the_tty(printed: str) -> bytes:
    return printed.encode("utf-8", "surrogateescape").replace(b"\n", b"\r\n")


def shown(terminal: truetty.Terminal) -> str:
    return f"the end of the transcript: {terminal.transcript.read()[-2000:]!r}"


# What dash and busybox print when Linux refuses the terminal to a pipeline's first program, which then does not run.
# The kernel looks up the session of the first task in the program's group. That is the pipeline's last program, and
# while the shell reaps it, it has no session any more: EPERM (in a tight loop, once for every 225 programs reaped).
# truetty's output is what was printed, so it is right, and the case is run once more.
REFUSED = re.compile(rb"[Cc]an(no|')t set tty process group.*Operation not permitted")


async def check(terminal: truetty.Terminal, case: Case) -> None:
    outcome = await terminal.run(case.command, wait=PATIENCE)
    command = terminal.command
    assert command is not None
    assert outcome.state == "finished", shown(terminal)
    if REFUSED.search(command.output.raw()):
        outcome = await terminal.run(case.command, wait=PATIENCE)
        command = terminal.command
        assert command is not None
    assert bytes(command.output.raw()) == on_the_tty(case.printed), shown(terminal)
    wanted = case.printed if case.text is None else case.text
    assert (outcome.exit_code, outcome.output) == (case.code, wanted), shown(terminal)
    assert (command.output.text(), outcome.omitted, outcome.complete) == (wanted, 0, True)
    assert outcome.evidence == "mark" or (outcome.evidence == "prompt" and not sees(terminal))
    assert (outcome.signal, outcome.closed) == (None, False)
    wrong = sum(1 for char in case.printed if "\udc80" <= char <= "\udcff")
    assert outcome.notes == ((f"{wrong} bytes of the output are not UTF-8 and are shown as \ufffd",) if wrong else ())


# A comment's exit code is that of the command before it, and pipefail stays on.
ALONE = ("comment", "pipefail")


@pytest.mark.parametrize(
    ("shell", "name"),
    [
        pytest.param(shell, name, marks=[] if name in ALONE else [pytest.mark.long])
        for name, cases in CASES.items()
        for shell in SHELLS
        if shell in cases
    ],
)
async def test_as_the_first_command(shell: str, name: str, home: Path) -> None:
    async with truetty.Terminal(shell, env={"HOME": str(home)}) as terminal:
        await check(terminal, CASES[name][shell])
        await check(terminal, Case("echo still here", "still here\n"))


@pytest.mark.parametrize("shell", SHELLS)
async def test_all_in_one_terminal(shell: str, home: Path) -> None:
    """Nothing that a command leaves behind changes the next one."""
    cases = [cases[shell] for name, cases in CASES.items() if shell in cases and name not in ALONE]
    random.Random(7717).shuffle(cases)
    async with truetty.Terminal(shell, env={"HOME": str(home)}) as terminal:
        for case in cases:
            await check(terminal, case)
            await check(terminal, Case("echo still here", "still here\n"))


@pytest.mark.parametrize("shell", SHELLS)
async def test_nul_is_refused(shell: str, home: Path) -> None:
    async with truetty.Terminal(shell, env={"HOME": str(home)}) as terminal:
        before = terminal.transcript.size
        for text in ("echo a\0b", "\0", "", " \t\n"):
            with pytest.raises(truetty.BadCommand) as refused:
                await terminal.run(text, wait=PATIENCE)
            assert (refused.value.code, refused.value.facts["command"]) == ("bad_command", text)
            assert not terminal.busy
        assert terminal.transcript.size == before
        await check(terminal, Case("echo a", "a\n"))


@pytest.mark.parametrize("shell", SHELLS)
async def test_half_a_character_is_refused(shell: str, home: Path) -> None:
    """A lone surrogate has no bytes: there is nothing that could be sent."""
    async with truetty.Terminal(shell, env={"HOME": str(home)}) as terminal:
        with pytest.raises(truetty.BadCommand):
            await terminal.run("echo \ud800", wait=PATIENCE)
        await check(terminal, Case("echo a", "a\n"))


# Bytes. No argument of a program is longer than 128 KiB.
SIZES = [10_000, 200_000, pytest.param(1_000_000, marks=pytest.mark.long)]


def one_word(shell: str, size: int) -> tuple[str, str]:
    """A command of `size` bytes with one long word in it, and the word."""
    print_it = {"mksh": "print -rn -- ", "tcsh": "echo -n "}.get(shell, "printf %s ")
    around = f"{print_it}'' | sha256sum"
    word = "".join(random.Random(size).choices('abcdefghij,.;:/$`"(){}[]<>|&*?~#', k=size - len(around)))
    return f"{print_it}'{word}' | sha256sum", word


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("shell", SHELLS)
async def test_one_long_word(shell: str, size: int, home: Path) -> None:
    command, word = one_word(shell, size)
    assert len(command) == size
    async with truetty.Terminal(shell, env={"HOME": str(home)}) as terminal:
        await check(terminal, Case(command, f"{hashlib.sha256(word.encode()).hexdigest()}  -\n"))
        await check(terminal, Case("echo still here", "still here\n"))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("shell", SHELLS)
async def test_many_lines(shell: str, size: int, home: Path) -> None:
    lines: list[str] = []
    printed: list[str] = []
    total = 0
    while total < size - 100:
        number = len(lines)
        line = f": {number} {'x' * 80} 'quoted {number}'"
        if number % 97 == 0:
            line = f"echo line {number}"
            printed.append(f"line {number}\n")
        lines.append(line)
        total += len(line) + 1
    lines.append("sh -c 'exit 77'")
    async with truetty.Terminal(shell, env={"HOME": str(home)}) as terminal:
        await check(terminal, Case("\n".join(lines), "".join(printed), 77))


@pytest.mark.parametrize("shell", SHELLS)
async def test_every_byte(shell: str, home: Path) -> None:
    """Only the tty's own LF to CR LF stands between a program and the raw output."""
    data = bytes(range(256)) * 3
    (home / "bytes").write_bytes(data)
    async with truetty.Terminal(shell, cwd=home, env={"HOME": str(home)}) as terminal:
        outcome = await terminal.run("cat bytes", wait=PATIENCE)
        assert terminal.command is not None
        assert (outcome.state, outcome.exit_code) == ("finished", 0), shown(terminal)
        assert bytes(terminal.command.output.raw()) == data.replace(b"\n", b"\r\n")
        await check(terminal, Case("echo still here", "still here\n"))


@pytest.mark.parametrize("shell", SHELLS)
async def test_the_exit_code_reaches_the_next_command(shell: str, home: Path) -> None:
    status = "$status" if shell in ("fish", "tcsh") else "$?"
    async with truetty.Terminal(shell, env={"HOME": str(home)}) as terminal:
        for code in (7, 0, 255, 1):
            await check(terminal, Case(f"sh -c 'exit {code}'", code=code))
            await check(terminal, Case(f"echo {status}", f"{code}\n"))
