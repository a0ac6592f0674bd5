"""The audit log: one JSON line for every decision, every refusal, and everything that a person does.

    command      a command is started, or was refused         opened       a person has opened the page of a handoff
    typing       an agent types, or was refused               typed        a person types: how much, never what
    handoff      a terminal is left to a person, or not       given back   the agent may type again

Rule 1: 0600, appended, never through a link, one write per line: lines of several processes do not mix.
Rule 2: time is passed in. Nothing typed while echo was off gets here: the caller passes a decision without it.
Rule 3: if a required log cannot be written, the command is denied: what is not recorded does not run. With
        `required=False` the command runs, and `record` returns False.
"""

from __future__ import annotations

import json
import os
from typing import Final, Literal

from truetty import files
from truetty.core.errors import Denied
from truetty.policy.decision import Decision, Verdict

Event = Literal["command", "typing", "handoff", "opened", "typed", "given back"]

MOST_COMMAND: Final = 16_384  # characters of a command kept in a line; how many there were is kept too


class Audit:
    def __init__(self, path: str | os.PathLike[str], *, required: bool = True) -> None:
        self.path = os.fspath(path)
        self.required = required
        self._torn = False

    def record(
        self,
        decision: Decision,
        *,
        time: float,
        terminal: str | None = None,
        task: str | None = None,
        verdict: Verdict | None = None,
        answered_by: str | None = None,
        event: Event = "command",
        characters: int | None = None,
    ) -> bool:
        """`verdict`: what came of it when a person was asked. `answered_by`: `rule`, `asked` or `person`.

        `characters`: how many a person types.
        """
        line: dict[str, object] = {
            "time": time,
            "event": event,
            "terminal": terminal,
            "task": task,
            "command": decision.command[:MOST_COMMAND],
            "verdict": verdict or decision.verdict,
            "rule": decision.rule,
            "reason": decision.reason,
            "answered_by": answered_by,
        }
        if characters is not None:
            line["characters"] = characters
        if len(decision.command) > MOST_COMMAND:
            line["command_characters"] = len(decision.command)
        try:
            self._append(json.dumps(line).encode() + b"\n")
        except OSError as error:
            if not self.required:
                return False
            reason = f"The audit log cannot be written: {error.strerror or error}."
            raise Denied(
                f"{reason} Nothing runs without it.", command=decision.command, rule=decision.rule, reason=reason
            ) from error
        return True

    def _append(self, line: bytes) -> None:
        files.make_folder(os.path.dirname(self.path) or ".")
        descriptor = files.append(self.path)
        try:
            line = b"\n" + line if self._torn else line
            self._torn = os.write(descriptor, line) < len(line)
            if self._torn:
                raise OSError("the disk is full")
        finally:
            os.close(descriptor)
