"""The calls that a scripted model makes in every client, and what the model must read to know the truth.

Rule 1: `says` is matched with the text of a result, whatever the client has put around it.
Rule 2: a command of which it matters whether it ran adds a line to a file of its own. A call that is refused leaves
        no file, one that succeeds leaves one line.
Rule 3: no two calls are alike, so that a line on the wire is known again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

STARTED, OVER = "mark-long", "long-over"
# Longer than the client waits for a call (CUT). A test that is not about waiting makes the file OVER.
LONG = f"echo ran >> {STARTED}; for i in {{1..250}}; do [ -e {OVER} ] && break; sleep 0.1; done; echo woke"
CUT = 8  # seconds
ASK = "read -p 'Go on? [y/n] ' a; echo \"got $a\""
SECRET = "read -s -p 'Password: ' p; echo; echo \"length ${#p}\""
SPECIAL = "printf '%s\\n' 'ä \"quoted\" \\back\\ $HOME <b>&amp;</b>'"
COMMITS = 25


@dataclass(frozen=True, slots=True)
class CommandOf:
    """In arguments: the id of the command that the call of this label has started."""

    label: str


@dataclass(frozen=True, slots=True)
class TerminalOf:
    """In arguments: the terminal of that command."""

    label: str


@dataclass(frozen=True, slots=True)
class Call:
    label: str
    verb: str
    says: str
    arguments: Mapping[str, object] = field(default_factory=dict)
    lacks: str | None = None  # what may not be in the text
    ran: bool | None = None  # whether it leaves its file; None: as it says itself

    @property
    def file(self) -> str:
        return f"mark-{self.label}"

    def wrong(self, text: str, folder: Path) -> str:
        """What is not as it should be; empty when all is."""
        if re.search(self.says, text, re.DOTALL) is None:
            return f"no {self.says!r}"
        if self.lacks is not None and (found := re.search(self.lacks, text)):
            return f"{found[0]!r} in it"
        lines = (folder / self.file).read_text().count("\n") if (folder / self.file).exists() else 0
        ran = bool(re.search("exit 0", text)) if self.ran is None else self.ran
        if self.file in str(self.arguments) and lines != int(ran):
            return f"ran {lines} times"
        return ""


def run(label: str, command: str, says: str, *, lacks: str | None = None, **arguments: object) -> Call:
    return Call(label, "run", says, {"command": command, **arguments}, lacks)


def marked(label: str, says: str, *, ran: bool | None = True, **arguments: object) -> Call:
    """`run` of a command that leaves its file."""
    return Call(label, "run", says, {"command": f"echo ran >> mark-{label}", **arguments}, ran=ran)


def call(label: str, verb: str, says: str, *, lacks: str | None = None, **arguments: object) -> Call:
    return Call(label, verb, says, arguments, lacks)


# Each step is the calls that are made at once.
SCRIPT: tuple[tuple[Call, ...], ...] = (
    (run("here", "pwd", r"exit 0.*/project\b"),),
    (run("true", "true", r"exit 0, no output"),),
    (run("ls", "ls", r"exit 0.*alpha\.txt.*beta\.txt"),),
    (run("log", "git log -20", rf"exit 0.*commit {COMMITS}\b.*commit 6\b", lacks=r"commit 5\b"),),
    (run("failing", "cat /no/such", r"exit 1\b.*No such file"),),
    (run("no-program", "no-such-program-here", r"exit 127\b"),),
    (run("special", SPECIAL, r'exit 0.*ä \\?"quoted\\?" \\+back\\+ \$HOME <b>&amp;</b>'),),
    (run("two-lines", "cd sub\npwd", r"exit 0.*/sub\b"),),
    (run("back", "cd .. && pwd", r"exit 0", lacks=r"/sub$"),),
    (run("ask", ASK, r"waiting.*yes-no.*Go on\?", wait=5),),
    (call("answer", "send", r"exit 0.*got y", id=CommandOf("ask"), text="y", enter=True),),
    (run("secret", SECRET, r"waiting.*(?i:secret|password)", wait=5),),
    (call("typed-secret", "send", r"handoff", id=CommandOf("secret"), text="hunter2", enter=True, lacks="length"),),
    (call("handoff", "handoff", r"http://127\.0\.0\.1", id=CommandOf("secret"), reason="the password", wait=1),),
    (call("stop", "stop", r"exit|ended|stopped|SIG", id=CommandOf("secret"), lacks="length 7"),),
    # Cut off by most clients: then the model learns of it with the call after. It runs once: Qwen Code repeats it.
    (Call("long", "run", r"(?i)time|abort|cancel|exit 0.*woke", {"command": LONG, "wait": 60}, ran=True),),
    (run("after", "echo after", r"exit 0.*after"),),
    (call("terminals", "terminals", r"t1\b.*(mark-long|echo after)"),),
    (call("end-long", "stop", r"exit|ended|stopped|SIG", id=CommandOf("long")),),
    (run("big", "seq 1 150000", r"exit 0.*\b1\b.*\b2\b.*\b150000\b"),),
    (call("page", "read", r"\b85186\b", id=CommandOf("big"), offset=500_000, limit=1000),),
    (call("grep", "read", r"149999", id=CommandOf("big"), grep="^149999$", lacks="149998"),),
    (call("unknown-id", "read", r"t99", id="t99"),),
    (marked("as-text", r"exit 0|wait|task", ran=None, wait="5", task=None),),
    (marked("extra", r"exit 0|wait_for_previous", ran=None, wait_for_previous=False),),
    (marked("bad-until", r"banana", ran=False, until="banana"),),
    (marked("empty", r"exit 0", cwd="", terminal_id=""),),
    (Call("misspelt", "run", r"(?i)comm?and", {"comand": "echo ran >> mark-misspelt"}, ran=False),),
    (Call("missing", "run", r"(?i)command", {"wait": 1}),),
    (
        run("first", "sleep 0.5; echo first-$((6 * 7))", r"exit 0.*first-42"),
        run("second", "sleep 0.5; echo second-$((6 * 7))", r"exit 0.*second-42"),
    ),
    (run("sleeper", "sleep 100", r"running", wait=0.5),),
    (
        call(
            "bad-key", "send", r"(?i)Bogus", id=CommandOf("sleeper"), text="echo ran >> mark-bad-key\n", keys=["Bogus"]
        ),
    ),
    (call("interrupt", "send", r"exit 130|SIGINT", id=CommandOf("sleeper"), keys=["C-c"]),),
    (run("gone", "exit 3", r"exit 3\b"),),
    (marked("closed", r"(?i)closed|no terminal", ran=False, terminal_id=TerminalOf("gone")),),
)

CALLS: dict[str, Call] = {each.label: each for step in SCRIPT for each in step}


def command_of(label: str, texts: Mapping[str, str]) -> str | None:
    """The id of a call's command, in its own result or, where the client has cut the call off, in a later one."""
    if found := re.search(r"\[(t\d+-\d+)", texts.get(label, "")):
        return found[1]
    later = [texts[each] for each in list(CALLS)[list(CALLS).index(label) :] if each in texts]
    command = re.escape(str(CALLS[label].arguments.get("command", ""))[:20])
    for text in later:
        if found := re.search(rf"(t\d+-\d+)[^\n]*{command}|{command}[^\n]*?(t\d+-\d+)", text):
            return found[1] or found[2]
    return None


def filled(value: object, texts: Mapping[str, str]) -> object:
    """Arguments with the ids that the model has read."""
    match value:
        case CommandOf(label):
            return command_of(label, texts) or "no-such-id"
        case TerminalOf(label):
            return (command_of(label, texts) or "no-such-id").split("-")[0]
        case dict():
            return {name: filled(each, texts) for name, each in value.items()}
        case _:
            return value


def strings(value: object) -> Iterator[str]:
    """Every text in what a client sends to a model."""
    match value:
        case str():
            yield value
        case dict():
            for each in value.values():
                yield from strings(each)
        case list():
            for each in value:
                yield from strings(each)
        case _:
            pass
