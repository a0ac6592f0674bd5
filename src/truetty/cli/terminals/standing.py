"""How a command stands: in a sentence, and as an exit status."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from truetty.cli.commands import OURS
from truetty.text.quoting import on_one_line

PATIENCE_OVER: Final = 124  # as `timeout` of coreutils has it
WAIT_OVER: Final = "--wait was over, and the command was ended"  # a note


def sentence(command: Mapping[str, Any]) -> str:
    """Of a command or of an outcome, as the server gives them."""
    id = command.get("command_id") or command["id"]
    after = f"after {duration(command['duration'])}"
    match command["state"]:
        case "finished":
            code = command["exit_code"]
            signal = f", {command['signal']}" if command["signal"] else ""
            said = f"finished, {'exit code unknown' if code is None else f'exit code {code}'}{signal}"
        case "waiting":
            return f"{id} waits for input: {asked(command['waiting'])}"
        case "lost":
            said = "was lost with its terminal"
        case state:
            said = f"is {state}"
    return f"{id} {said}, {after}"


def asked(waiting: Mapping[str, Any] | None) -> str:
    """The question, or who asks where there are no words."""
    if waiting is None:
        return "it is unknown what it asks"
    prompt = on_one_line(waiting["prompt"].strip())
    return prompt or f"{waiting['program'] or 'a program'} reads {'a key' if waiting['kind'] == 'key' else 'a line'}"


def status(command: Mapping[str, Any]) -> int:
    """Its own exit code; 124 while it has not finished; 125 where the code is unknown."""
    if command["state"] == "lost":
        return OURS
    if command["state"] != "finished":
        return PATIENCE_OVER
    code = command["exit_code"]
    return code if isinstance(code, int) else OURS


def duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def print_json(value: object, indent: int | None = None) -> None:
    import json

    print(json.dumps(value, ensure_ascii=False, indent=indent), flush=True)


def stray_line(stray: Mapping[str, Any]) -> str:
    """Of a shell that the server could not take over."""
    id, pid, why, how = (stray[name] for name in ("id", "pid", "why", "how"))
    return f"{id}: process {pid} goes on, and was not taken over: {why}. {how} ends it"
