"""What converters, other agents' tools and confused models send: each call does what is meant once, or nothing at all.

Each command writes a line into a file of its own, so it is known how often it ran. Each set for `send` goes to a
command that notes every line which is typed into it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from tests.mcp.raw import RawClient, command_id, raw_client
from tests.mcp.served import PATIENCE

LONGEST_REFUSAL = 300
LONGEST_COMMON_REFUSAL = 120
MARK = "MARK"  # in arguments: the command, or the line, that leaves a mark
READER = 'while read -r line; do echo "$line" >> "$MARKS/typed-{0}"; eval "$line"; done'


@dataclass(frozen=True, slots=True)
class Set:
    """`says`: words of the note or of the refusal."""

    verb: Literal["run", "send"]
    arguments: dict[str, object]
    says: str = ""
    runs: bool = True
    common: bool = False


def run(says: str = "", /, **arguments: object) -> Set:
    return Set("run", {"command": MARK, **arguments}, says)


def no_run(says: str, /, **arguments: object) -> Set:
    return Set("run", {"command": MARK, **arguments}, says, runs=False)


def send(says: str = "", /, **arguments: object) -> Set:
    return Set("send", arguments, says)


def no_send(says: str, /, **arguments: object) -> Set:
    return Set("send", arguments, says, runs=False)


def common(given: Set) -> Set:
    """One of the commonest mistakes."""
    return replace(given, common=True)


OPTIONAL = ("cwd", "terminal_id", "until", "task", "shell", "key")
NUMBERS = ("wait", "kill_after", "max_output_tokens")
LINE = f"{MARK}\n"

SETS = (
    run(),
    # Strict schemas make models send every name: absent is null, an empty text, or 0.
    run(**dict.fromkeys((*OPTIONAL, *NUMBERS, "background", "outside"))),
    run(**dict.fromkeys(OPTIONAL, "")),
    *(run(**{name: ""}) for name in OPTIONAL),
    run(key=""),
    run(**dict.fromkeys(("for", "wait", "background", "max_output_tokens"), "")),
    run(command=f"sleep 0.2; {MARK}", kill_after=0),
    run(max_output_tokens=0),
    run(wait=0),
    run(timeout=0),
    # Types.
    run(wait="5"),
    run('wait "5s" was read as 5 seconds', wait="5s"),
    run('timeout "20000 ms" was read as 20 seconds', timeout="20000 ms"),
    run('kill_after "2m" was read as 120 seconds', kill_after="2m"),
    run(background="true"),
    run(background="yes"),
    run(background=1),
    run(background=True, wait=5),
    run(max_output_tokens="500"),
    common(no_run("wait of run is a number", wait=-1)),
    common(no_run("wait of run is a number", wait="soon")),
    no_run("wait of run is a number", wait="5 parsecs"),
    no_run("wait of run is a number", wait=float("inf")),
    no_run("wait of run is a number", wait=[5]),
    no_run("max_output_tokens of run is a whole number", max_output_tokens=10.5),
    common(no_run("background of run is true or false", background="perhaps")),
    no_run("terminal_id of run is a text", terminal_id=1),
    # Names of other programs' tools.
    run("was read as milliseconds", timeout=120000, description="x"),
    run(timeout=30),
    Set("run", {"cmd": MARK, "workdir": "/tmp", "yield_time_ms": 9000, "max_output_tokens": 2000}),
    Set("run", {"cmd": MARK, "login": True, "tty": False}, "note: passed over: login, tty\n"),
    run("passed over: with_escalated_permissions, justification", with_escalated_permissions=True, justification="x"),
    run("command came as a list", command=["bash", "-lc", MARK]),
    run("command came as a list", command=[MARK]),
    run(directory="/tmp", is_background=False, description="x"),
    run(dir_path="/tmp"),
    run(working_directory="/tmp"),
    run(workingDirectory="/tmp"),
    run("note: passed over: wait_for_previous\n", wait_for_previous=True),
    run("passed over: dangerouslyDisableSandbox", dangerouslyDisableSandbox=True),
    run("passed over: required_permissions", explanation="x", required_permissions=["all"]),
    run("passed over: goal, mode", explanation="x", goal="y", isBackground=False, timeout=0, mode="sync"),
    run("passed over: mode", description="x", mode="sync", initial_wait=10),
    run("passed over: requires_approval", requires_approval=False),
    run("passed over: thought, reason", thought="I try this", reason="y"),
    run("passed over: security_risk", security_risk="LOW"),
    run(run_manager=None, config=None),
    run(cmd=MARK),
    no_run("command and cmd", cmd="true"),
    # Another case, and slips.
    run(terminalId="t1"),
    run(killAfter=60),
    run(KILL_AFTER=60),
    run(**{"max-output-tokens": 500}),
    common(Set("run", {"comand": MARK}, "no parameter comand: did you mean command?", runs=False)),
    common(no_run("no parameter terminalid: did you mean terminal_id?", terminalid="t1")),
    common(no_run("no parameter backgroud: did you mean background?", backgroud=True)),
    no_run("did you mean kill_after?", kill_afer=5),
    # The command itself.
    common(Set("run", {}, "run needs command", runs=False)),
    no_run("run needs command", command=None),
    no_run("run needs command", command=""),
    no_run("run needs command", command=[]),
    no_run("command of run is a text", command=5),
    no_run("command of run is a text", command=["echo", 5]),
    no_run("the command is empty", command=" "),
    Set("run", {"kwargs": {"command": MARK}}, "run needs command; it has kwargs", runs=False),
    Set("run", {"arguments": {"command": MARK}}, "run needs command", runs=False),
    Set("run", {"input": json.dumps({"command": MARK})}, "run needs command", runs=False),
    run(command=f"{MARK}\n"),
    run(command=f"true\n{MARK}"),
    # What to wait for, and where.
    common(no_run("or port:NUMBER, not 'banana'", until="banana")),
    no_run("not a regular expression", until="match:("),
    no_run("no port has the number 99999", until="port:99999"),
    no_run("or port:NUMBER, not 'idle'", **{"for": "idle"}),
    run(until="match:(a+)+$"),
    run(until="finished"),
    run(**{"for": "exit"}),
    run(**{"for": "exit", "until": "exit"}),
    no_run("until and for", **{"until": "exit", "for": "settled"}),
    run(cwd="~"),
    common(no_run("no such directory: /no/such", cwd="/no/such")),
    no_run("/no/such", shell="/no/such"),
    common(no_run("no terminal 't99'; open: t1", terminal_id="t99")),
    # Typing.
    send(text=MARK, enter=True),
    send(text=LINE),
    send(text=LINE, enter=True),
    send(text=MARK, keys=["Enter"], enter=True),
    send(text=MARK, keys="Enter"),
    send(text=MARK, keys='["Enter"]'),
    send(text=MARK, keys=[], enter=True),
    send(text=MARK, keys="", enter="true"),
    send(text=LINE, until="settled"),
    send(text=LINE, **{"for": "input"}),
    send(text=LINE, only_new=None),
    send(chars=LINE, yield_time_ms=500),
    send("passed over: delay_after", text=LINE, delay_after=3),
    send(input=LINE, text=LINE),
    common(no_send("cannot be pressed", text=LINE, keys=["Bogus"])),
    no_send("cannot be pressed", text=LINE, keys='["Enter", "Bogus"]'),
    no_send("or port:NUMBER, not 'ever'", text=LINE, until="ever"),
    no_send("wait of send is a number", text=LINE, wait="soon"),
    common(no_send("no parameter txt: did you mean text?", txt=LINE)),
    no_send("max_output_tokens of send is a whole number", text=LINE, max_output_tokens="many"),
    no_send("text of send is a text", text=[LINE]),
)


def filled(value: object, command: str) -> object:
    """With the command in the place of the mark, also inside of JSON text."""
    match value:
        case dict():
            return {name: filled(item, command) for name, item in value.items()}
        case list():
            return [filled(item, command) for item in value]
        case str() if value.startswith("{"):
            return json.dumps(filled(json.loads(value), command))
        case str():
            return value.replace(MARK, command)
    return value


def lines(file: Path) -> int:
    return len(file.read_text().splitlines()) if file.exists() else 0


class Trial:
    """One set: its call, and afterwards what it has done."""

    def __init__(self, number: int, given: Set, marks: Path) -> None:
        self.given = given
        self.mark, self.typed = marks / f"mark-{number}", marks / f"typed-{number}"
        self._reader = READER.format(number)
        self._arguments = filled(given.arguments, f'echo x >> "$MARKS/{self.mark.name}"')

    async def run(self, client: RawClient) -> None:
        assert isinstance(self._arguments, dict)
        if self.given.verb == "run":
            self.text, self.refused = await client.call("run", self._arguments)
            if not self.refused:
                await client.call("wait", {"id": command_id(self.text), "until": "exit", "wait": PATIENCE})
            return
        begun, refused = await client.call("run", {"command": self._reader, "wait": PATIENCE})
        assert not refused and "waiting" in begun, begun
        id = command_id(begun)
        self.text, self.refused = await client.call("send", {"session_id": id, **self._arguments})
        ended, _ = await client.call("send", {"id": id, "text": "break\n", "until": "exit", "wait": PATIENCE})
        assert "waiting" not in ended, ended

    def faults(self) -> list[str]:
        given, text, found = self.given, self.text, []
        times = lines(self.mark)
        if times != int(given.runs):
            found.append(f"it ran {times} times")
        if given.verb == "send" and lines(self.typed) != int(given.runs) + 1:  # and the line that ends the reader
            found.append(f"{lines(self.typed)} lines were typed")
        if self.refused == given.runs:
            found.append("it is refused" if self.refused else "it is not refused")
        if given.says not in f"{text}\n":
            found.append(f"it does not say {given.says!r}")
        if given.runs and not given.says and "note: passed over" in text:
            found.append("a note where none is needed")
        if not given.runs:
            most = LONGEST_COMMON_REFUSAL if given.common else LONGEST_REFUSAL
            if len(text) >= most:
                found.append(f"it has {len(text)} characters")
            if not re.search("Nothing ran" if given.verb == "run" else "Nothing was typed", text):
                found.append("it does not say that nothing was done")
        return [f"{given.verb} {given.arguments}: {fault}: {text}" for fault in found]


async def test_each_set_does_what_is_meant_once_or_nothing(home: Path) -> None:
    trials = [Trial(number, given, home) for number, given in enumerate(SETS, 1)]
    async with raw_client("--cwd", str(home), env={"MARKS": str(home), "HOME": str(home)}) as client:
        for trial in trials:
            await trial.run(client)
    assert [fault for trial in trials for fault in trial.faults()] == []
    assert len(SETS) >= 80 and sum(given.common for given in SETS) >= 10
