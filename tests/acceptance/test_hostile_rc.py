"""Whatever a person's start-up files do to a shell, commands in it are told right: the same small battery in each."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import truetty
from tests.acceptance.session import sees
from tests.patience import PATIENCE
from truetty.host.kernel.prompts import Prompts

# Far more than any step needs: a failure is then a hang, and not the machine's mood.
# What is ours must never be seen in what a command printed.
OURS = ("7717", "_tt", "/tt-", "builtin", "BAD")


@dataclass(frozen=True, slots=True)
class Hostile:
    """A start-up file, and what of it rightly shows: `noise` matches what it prints into every command's output."""

    rc: str
    noise: str = ""
    anywhere: bool = False  # the noise need not begin a line
    mute: bool = False  # standard output is gone
    deaf: bool = False  # standard error is gone
    fatal: bool = False  # a command that fails ends the shell, as it would if it were typed
    unmarked: bool = False  # at the first prompt comes no mark: another terminal must have shown it


NAMES = [
    "printf",
    "eval",
    "command",
    "unset",
    "history",
    "builtin",
    ".",
    "return",
    "echo_",
    "test",
    "read_",
    "source",
    "history",
    "local",
]
ALIASES = "\n".join(f"alias {name}='echo BAD {name}'" for name in NAMES)
# Without `builtin` (bash, zsh, mksh), `command` (dash, ash, ksh93) and zsh's `eval`: those are in LIMITS below.
FUNCTIONS = ["printf", "unset", "history", "return", "test", "source", "local", "set", "trap"]

BASH = {
    "nothing": Hostile(""),
    "starship": Hostile('s() { local c=$?; PS1="[$c] \\w \\$ "; PROMPT_COMMAND=s; }\nPROMPT_COMMAND=s'),
    "theme-resets": Hostile("s() { unset PROMPT_COMMAND; PROMPT_COMMAND=s; PS1='> '; }\nPROMPT_COMMAND=s"),
    "theme-empties": Hostile("s() { PROMPT_COMMAND=(s); PS1='> '; PS2='.. '; }\nPROMPT_COMMAND=(s)"),
    "no-hook": Hostile("s() { unset PROMPT_COMMAND; }\nPROMPT_COMMAND=s"),
    "array": Hostile("PROMPT_COMMAND=('true' 'false' '(exit 9)')"),
    "string": Hostile("PROMPT_COMMAND='history -a; false'"),
    "readonly": Hostile("readonly PROMPT_COMMAND=true"),
    "readonly-prompts": Hostile("readonly PS1='$ ' PS2='> ' PS4='+ '"),
    "printing-hook": Hostile("PROMPT_COMMAND='echo hook; printf nonewline'\nPS1='two\\nlines\\$ '"),
    "failing-hook": Hostile("PROMPT_COMMAND='nosuchprogram; false; echo \"$UNSET\"'"),
    "nounset": Hostile("set -u"),
    "errexit": Hostile("set -e", fatal=True),
    "xtrace": Hostile("set -x", noise=r"\++ .*\n"),
    "verbose": Hostile("set -v", noise=r"(echo|\(exit|for|do|done| +echo|read|/bin/sh).*\n"),
    "noclobber-noglob": Hostile("set -Cf; shopt -s nullglob failglob"),
    "allexport": Hostile("set -a; set -k"),
    "posix": Hostile("set -o posix"),
    "vi": Hostile("set -o vi"),
    "no-editing": Hostile("set +o emacs"),
    "no-history": Hostile("set +o history; unset HISTFILE"),
    "ignorespace": Hostile("HISTCONTROL=ignoreboth:erasedups; HISTIGNORE='echo*'"),
    "no-aliases": Hostile("shopt -u expand_aliases"),
    "aliases": Hostile(ALIASES),
    "functions": Hostile("\n".join(f"{name}() {{ echo BAD {name}; }}" for name in [*FUNCTIONS, "eval", "command"])),
    "function-dot": Hostile("function . { echo BAD dot; }"),
    "disabled": Hostile("enable -n printf"),
    "debug-trap": Hostile("trap 'echo debug' DEBUG", noise=r"debug\n"),
    "debug-functrace": Hostile("set -T; shopt -s extdebug; trap 'echo debug' DEBUG", noise=r"debug\n"),
    "preexec": Hostile(
        "trap '[[ $BASH_COMMAND == $PROMPT_COMMAND ]] || last=$BASH_COMMAND' DEBUG; PROMPT_COMMAND=true"
    ),
    "err-trap": Hostile("trap 'echo err' ERR", noise=r"err\n"),
    "return-trap": Hostile("set -T; trap 'echo return' RETURN", noise=r"return\n"),
    "exit-trap": Hostile("trap 'echo bye' EXIT; trap '' HUP; trap 'echo chld' CHLD", noise=r"chld\n"),
    "slow": Hostile("sleep 1"),
    "prints-a-lot": Hostile("for i in {1..3000}; do echo \"line $i of the message of the day\"; done; printf 'half'"),
    "returns": Hostile("return 3"),
    "fails": Hostile("false"),
    "not-found": Hostile("nosuchprogram --init"),
    "syntax-error": Hostile("if then fi ("),
    "open-quote": Hostile("echo 'half a word"),
    "instant-prompt": Hostile(
        "printf '\\e]133;A\\a\\e[?2004h$ \\e]133;B\\a\\e]133;C\\a\\e]133;D;0\\a'\n"
        "PS1='\\[\\e]133;A\\a\\]$ \\[\\e]133;B\\a\\]'"
    ),
    "vscode": Hostile(
        "p() { local c=$?; printf '\\e]633;D;%s\\a\\e]633;P;Cwd=%s\\a' $c \"$PWD\"; }\nPROMPT_COMMAND=p\n"
        "PS1='\\[\\e]633;A\\a\\]$ \\[\\e]633;B\\a\\]'; trap 'printf \"\\e]633;E;%s\\a\\e]633;C\\a\" x' DEBUG"
    ),
    "false-marks": Hostile(
        "PROMPT_COMMAND='printf \"\\e]133;D;0\\a\\e]633;D;0\\a\\e]7717;D;x;0;\\a\\e]7717;P;x;0;\\a\"'"
    ),
    "systemd": Hostile(
        "PS0='\\[\\e]3008;start=1234;type=command;cwd=/\\e\\\\\\]'\n"
        "PROMPT_COMMAND='printf \"\\e]3008;end=1234;exit=success\\e\\\\\"'"
    ),
    "ixon": Hostile("stty -ixon; stty ixoff"),
    "ifs": Hostile("IFS=0123456789"),
    "ifs-letters": Hostile("IFS=$'abcdefghijklmnopqrstuvwxyz;/ \\t'"),
    "locale": Hostile("export LC_ALL=C LANG=C"),
    "dumb": Hostile("export TERM=dumb"),
    "no-term": Hostile("unset TERM"),
    "no-path": Hostile("PATH=/nonexistent"),
    "exec-null": Hostile("exec >/dev/null", mute=True),
    "exec-err-null": Hostile("exec 2>/dev/null", deaf=True),
    "elsewhere": Hostile("cd /; umask 777; set -- one two; TMOUT=0"),
    "no-paste": Hostile("bind 'set enable-bracketed-paste off'; bind 'set bell-style audible'"),
    "timed-prompt": Hostile("PS1='\\D{%T} $(sleep 0.05; echo x) \\#\\$ '; PS0='start\\n'; PS0="),
}
ZSH = {
    "nothing": Hostile(""),
    "starship": Hostile('precmd() { PROMPT="[$?] %~ %# "; precmd_functions=(); }'),
    "theme": Hostile("setopt promptsubst\ns() { PS1='$(echo x)> '; PROMPT_EOL_MARK=; }\nprecmd_functions=(s)"),
    "transient": Hostile(
        "zle-line-init() { zle reset-prompt; }\nzle -N zle-line-init\n"
        "zle-line-finish() { zle -R; }\nzle -N zle-line-finish"
    ),
    "no-sp": Hostile("setopt nopromptsp nopromptcr"),
    "no-sp-precmd": Hostile("setopt nopromptsp; precmd() { precmd_functions=(); }", unmarked=True),
    "readonly-mark": Hostile("readonly PROMPT_EOL_MARK=%"),
    "readonly-prompts": Hostile("readonly PS1='%# ' PS2='> '"),
    "printing-hook": Hostile("precmd() { echo hook; echo -n nonewline; false; }"),
    "nounset": Hostile("set -u"),
    "errexit": Hostile("set -e", fatal=True),
    "errreturn": Hostile("setopt errreturn"),
    "xtrace": Hostile("set -x", noise=r"\+\S+ .*\n"),
    "options": Hostile("setopt ksharrays shwordsplit noglob noclobber cshnullglob interactivecomments nobeep"),
    "emulate-sh": Hostile("emulate sh"),
    "emulate-ksh": Hostile("emulate ksh"),
    "vi": Hostile("bindkey -v"),
    "no-editor": Hostile("unsetopt zle"),
    "aliases": Hostile(ALIASES + "\nalias -g G='| grep'\nalias -s txt=cat"),
    "functions": Hostile("\n".join(f"{name}() {{ echo BAD {name}; }}" for name in [*FUNCTIONS, "command"])),
    "preexec": Hostile("preexec() { print -n \"\\e]0;$1\\a\"; }; precmd() { print -n '\\e]0;idle\\a'; }"),
    # zsh calls it twice more, for the trigger's own end: a known limit.
    "debug-trap": Hostile("TRAPDEBUG() { echo debug; }", noise=r"debug\n", anywhere=True),
    "err-trap": Hostile("TRAPZERR() { echo err; }", noise=r"err\n"),
    "exit-trap": Hostile("TRAPEXIT() { echo bye; }; trap 'echo chld' CHLD", noise=r"chld\n|bye\n"),
    "slow": Hostile("sleep 1"),
    "prints-a-lot": Hostile('for i in {1..3000}; do echo "line $i of the message of the day"; done; echo -n half'),
    "returns": Hostile("return 3"),
    "syntax-error": Hostile("if then fi ("),
    "instant-prompt": Hostile(
        "print -n '\\e]133;A\\a%% \\e]133;B\\a\\e[?2004h'; PS1=$'%{\\e]133;A\\a%}%# %{\\e]133;B\\a%}'\n"
        "precmd() { print -n \"\\e]133;D;$?\\a\"; }; preexec() { print -n '\\e]133;C;\\a'; }"
    ),
    "false-marks": Hostile("precmd() { print -n '\\e]133;D;0\\a\\e]633;D;0\\a\\e]7717;D;x;0;\\a\\e]7717;P;x;0;\\a'; }"),
    "ixon": Hostile("stty -ixon"),
    "ifs": Hostile("IFS=0123456789"),
    "locale": Hostile("export LC_ALL=C"),
    "dumb": Hostile("export TERM=dumb"),
    "no-path": Hostile("PATH=/nonexistent"),
    "exec-null": Hostile("exec >/dev/null", mute=True),
    "elsewhere": Hostile("cd /; umask 777; set -- one two; unset HISTFILE"),
}
FISH = {
    "nothing": Hostile(""),
    "prompt": Hostile(
        "function fish_prompt; echo hook; echo -n 'two> '; false; end; function fish_right_prompt; echo r; end"
    ),
    "marks": Hostile(
        "function a --on-event fish_prompt; printf '\\e]133;A\\a'; end\n"
        "function b --on-event fish_preexec; printf '\\e]133;C\\a'; end\n"
        "function c --on-event fish_postexec; printf '\\e]133;D;%s\\a' $status; end"
    ),
    "functions": Hostile("function cd; echo BAD; end\nfunction history; echo BAD; end\nfunction ls; echo BAD; end"),
    "abbreviations": Hostile("abbr -a eval 'echo BAD'; abbr -a . 'echo BAD'; abbr -a echo 'echo BAD'"),
    "vi": Hostile("fish_vi_key_bindings"),
    "slow": Hostile("sleep 1"),
    "prints-a-lot": Hostile("for i in (seq 3000); echo line $i of the message; end; echo -n half"),
    "returns": Hostile("return 3"),
    "syntax-error": Hostile("if ("),
    "dumb": Hostile("set -gx TERM dumb"),
    "locale": Hostile("set -gx LC_ALL C"),
    "no-path": Hostile("set PATH /nonexistent"),
    "greeting": Hostile("function fish_greeting; printf '\\e[c\\e[6n'; echo hello; end"),
}
POSIX = {
    "nothing": Hostile(""),
    "prompts": Hostile("PS1='[$?] two\nlines# '; PS2='more> '; PS4='trace '"),
    "readonly-prompts": Hostile("readonly PS1; readonly PS2"),
    "nounset": Hostile("set -u"),
    "errexit": Hostile("set -e", fatal=True),
    "xtrace": Hostile("set -x", noise=r"\+ .*\n"),
    "noclobber-noglob": Hostile("set -C; set -f; set -a"),
    "aliases": Hostile("\n".join(f"alias {name}='echo BAD {name}'" for name in NAMES if name != ".")),
    "functions": Hostile("printf() { echo BAD; }\nhistory() { echo BAD; }\ntest() { echo BAD; }\ntrue() { echo BAD; }"),
    "exit-trap": Hostile("trap 'echo bye' EXIT"),
    "slow": Hostile("/bin/sleep 1"),
    "prints-a-lot": Hostile('i=0; while [ $i -lt 1000 ]; do echo "line $i of the message"; i=$((i+1)); done'),
    "returns": Hostile("return 3"),
    "syntax-error": Hostile("if then fi ("),
    "marks": Hostile("PS1=$(printf '\\033]133;D;0\\007\\033]133;A\\007$ \\033]133;B\\007')"),
    "ifs": Hostile("IFS=0123456789"),
    "dumb": Hostile("export TERM=dumb; export LC_ALL=C"),
    "no-path": Hostile("PATH=/nonexistent"),
    "exec-null": Hostile("exec >/dev/null", mute=True),
}
FILES = {"bash": ".bashrc", "zsh": ".zshrc", "fish": ".config/fish/config.fish"}
# mksh drops errexit after its start-up file by itself.
MKSH = POSIX | {"errexit": Hostile("set -e")}
TABLES = {"bash": BASH, "zsh": ZSH, "fish": FISH, "dash": POSIX, "ksh93": POSIX, "mksh": MKSH, "ash": POSIX}
PROGRAMS = {"ash": ["busybox", "ash"]}
CASES = [
    pytest.param(shell, case, id=f"{shell}-{name}") for shell, table in TABLES.items() for name, case in table.items()
]


def opened(shell: str, home: Path, rc: str, startup: float = 10) -> truetty.Terminal:
    file = home / FILES.get(shell, ".rc")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(rc + "\n")
    env: dict[str, str | None] = {"HOME": str(home)}
    if shell not in FILES:
        env["ENV"] = str(file)
    return truetty.Terminal(PROGRAMS.get(shell, shell), env=env, startup=startup)


class Battery:
    """The same questions to every shell. A failure shows what the terminal has seen."""

    def __init__(self, terminal: truetty.Terminal, shell: str, hostile: Hostile, go: Path) -> None:
        self.terminal = terminal
        self.shell = shell
        self.hostile = hostile
        self.go = go

    def fail(self, what: str) -> None:
        pytest.fail(f"{what}\n{self.terminal.transcript.read().decode(errors='replace')[-3000:]}", pytrace=False)

    def same(self, outcome: truetty.Outcome, code: int | None, output: str | None, *, echoed: str = "") -> None:
        expected = None if output is None else echoed + ("" if self.hostile.mute else output)
        said = outcome.output
        if self.hostile.noise:
            start = "" if self.hostile.anywhere else "(?m)^"
            said = re.sub(rf"{start}(?:{self.hostile.noise})", "", said)
        if (outcome.state, outcome.exit_code) != ("finished", code) or expected not in (None, said):
            self.fail(f"expected {code} {expected!r}, got {outcome}")
        self.clean(outcome)

    def clean(self, outcome: truetty.Outcome) -> None:
        if any(ours in outcome.output for ours in OURS):
            self.fail(f"something of ours is in the output: {outcome}")

    async def run(self, text: str, code: int | None, output: str | None) -> None:
        self.same(await self.terminal.run(text, wait=PATIENCE), code, output)

    async def quick(self) -> None:
        await self.run("echo hello", 0, "hello\n")
        fish = self.shell == "fish"
        loop = 'for i in x y z\n  echo "line $i"\nend' if fish else 'for i in x y z\ndo\n  echo "line $i"\ndone'
        await self.run(loop, 0, "line x\nline y\nline z\n")
        await self.run("echo -n half", 0, "half")

    async def reads(self) -> None:
        reader = "/bin/sh -c 'read x; echo \"got $x\"'" if self.shell == "fish" else 'read x; echo "got $x"'
        command = await self.terminal.start(reader)
        if sees(self.terminal):
            outcome = await command.wait(PATIENCE)
            if outcome.waiting is None or outcome.waiting.kind not in ("line", "continuation"):
                self.fail(f"`read` should be waiting for a line: {outcome}")
        await command.send("ada\n")
        outcome = await command.wait(PATIENCE, "finished")
        if sees(self.terminal):
            self.same(outcome, 0, "got ada\n", echoed="ada\n")
        else:  # sent before the `read`, the line may be echoed by the tty and by the shell's editor
            self.same(outcome, 0, None)

    async def interrupted(self) -> None:
        command = await self.terminal.start(f"/bin/sh -c '/bin/touch {self.go}; exec /bin/sleep 1000'")
        deadline = asyncio.get_running_loop().time() + PATIENCE
        while not self.go.exists():
            if asyncio.get_running_loop().time() > deadline:
                self.fail("the command does not start")
            await asyncio.sleep(0.01)
        await command.interrupt()
        outcome = await command.wait(PATIENCE, "finished")
        if outcome.state != "finished" or outcome.exit_code != 130:
            self.fail(f"Ctrl-C should end it with 130: {outcome}")

    async def fails(self, text: str, code: int | None) -> None:
        outcome = await self.terminal.run(text, wait=PATIENCE)
        told = outcome.exit_code is not None and outcome.exit_code > 0 if code is None else outcome.exit_code == code
        if outcome.state != "finished" or not told or outcome.closed != self.hostile.fatal:
            self.fail(f"{text!r} should fail with {code or 'a code'}: {outcome}")
        if code is None and not outcome.output and not self.hostile.deaf:
            self.fail(f"the shell's message is missing: {outcome}")
        self.clean(outcome)


@pytest.fixture
def no_prompt_is_learnt(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a process that opens its first terminal."""
    monkeypatch.setattr("truetty.host.kernel.linux._SHARED_PROMPTS", Prompts())


@pytest.mark.usefixtures("no_prompt_is_learnt")
@pytest.mark.parametrize(("shell", "hostile"), CASES)
async def test_the_battery_is_right(
    shell: str, hostile: Hostile, home: Path, tmp_path: Path, program: Callable[[str], str]
) -> None:
    program(PROGRAMS.get(shell, [shell])[0])
    if hostile.unmarked:
        async with opened(shell, home, ""):
            pass
    async with opened(shell, home, hostile.rc) as terminal:
        battery = Battery(terminal, shell, hostile, tmp_path / "go")
        await battery.quick()
        await battery.reads()
        if not hostile.fatal:
            await battery.fails('echo "abc', None)
            await battery.interrupted()
            await battery.fails("/bin/sh -c 'exit 42'", 42)
        for number in range(5):
            await battery.run(f"echo n{number}", 0, f"n{number}\n")
        if hostile.fatal:
            await battery.fails("/bin/sh -c 'exit 42'", 42)
            assert terminal.exit_code == 42
    assert terminal.closed


# A name that the trigger itself needs, and no other way to the builtin behind it: said, never guessed.
LIMITS = [
    ("bash", "builtin"),
    ("zsh", "builtin"),
    ("zsh", "eval"),
    ("mksh", "builtin"),
    ("dash", "command"),
    ("ash", "command"),
]


@pytest.mark.parametrize(("shell", "name"), LIMITS)
async def test_what_cannot_be_got_around_is_said(
    shell: str, name: str, home: Path, program: Callable[[str], str]
) -> None:
    program(PROGRAMS.get(shell, [shell])[0])
    async with opened(shell, home, f"{name}() {{ :; }}", startup=3) as terminal:
        outcome = await terminal.run("sh -c 'exit 42'", wait=PATIENCE)
        transcript = terminal.transcript.read()
        assert outcome.state == "finished", (outcome, transcript)
        assert outcome.exit_code == 42 or (outcome.exit_code is None and outcome.notes), (outcome, transcript)
