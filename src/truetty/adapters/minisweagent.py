"""mini-swe-agent: `environment_class: truetty.adapters.minisweagent.TruettyEnvironment` in its YAML.

Rule 1: all actions share one shell. The directory and variables stay, unless `fresh` is true: then each action begins
        in a new shell, as in their own environments.
Rule 2: a time-out ends the command, is return code -1 and keeps the output, as there. The shell stays. `extra` names
        it as theirs does: `TimeoutExpired`.
Rule 3: their actions cannot type. A command that waits for input is ended at once; `exception_info` has its question.
"""

from __future__ import annotations

import os
import platform
import shlex
from typing import Any, Final

from minisweagent.exceptions import Submitted
from pydantic import BaseModel

from truetty import Outcome, sync
from truetty.adapters.places import Place

MACHINE: Final = ("system", "node", "release", "version", "machine")  # what their templates may say of it
SUBMISSION: Final = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"


class TruettyEnvironmentConfig(BaseModel):
    cwd: str = ""
    env: dict[str, str] = {}  # pydantic copies it
    timeout: int = 30
    fresh: bool = False  # each action begins in a new shell
    on: str | list[str] | None = None  # where: what `truetty.connect` takes; None is this machine


class TruettyEnvironment:
    def __init__(self, **settings: Any) -> None:
        self.config = TruettyEnvironmentConfig(**settings)
        self._place = Place(self.config.on)
        self._terminal: sync.Terminal | None = None

    def execute(self, action: dict[str, Any], cwd: str = "", *, timeout: int | None = None) -> dict[str, Any]:
        patience = timeout or self.config.timeout
        text = action.get("command", "")
        if not text.strip():
            return {"output": "", "returncode": 0, "exception_info": ""}
        terminal = self._ready()
        if cwd and cwd != terminal.cwd:
            moved = terminal.run(f"cd -- {shlex.quote(cwd)}")
            if not moved.ok:
                return self._result(
                    moved, f"An error occurred before the command: {moved.output.strip()}. It did not run."
                )
        command = terminal.start(text)
        outcome = command.wait(patience)
        if outcome.state == "finished":
            return self._result(outcome, "")
        asked = outcome.waiting
        kind, why = "TimeoutExpired", f"timed out after {patience} seconds"
        if asked is not None:
            kind, why = "WaitedForInput", f"asked {asked.prompt!r}, and was not answered"
        info = f"An error occurred while executing the command: it {why}. It was ended."
        return {**self._result(command.stop(), info), "extra": {"exception_type": kind, "exception": info}}

    def close(self) -> None:
        if self._terminal is not None:
            self._terminal.close()
        self._place.close()

    def get_template_vars(self, **more: Any) -> dict[str, Any]:
        machine = {name: getattr(platform.uname(), name) for name in MACHINE}
        return {**self.config.model_dump(), **machine, **os.environ, **more}

    def serialize(self) -> dict[str, Any]:
        kind = f"{type(self).__module__}.{type(self).__name__}"
        return {"info": {"config": {"environment": self.config.model_dump(mode="json"), "environment_type": kind}}}

    def _ready(self) -> sync.Terminal:
        """The shell of the last action, or a new one."""
        old = self._terminal
        if old is not None and not old.closed and not self.config.fresh:
            return old
        cwd, env = self.config.cwd or None, self.config.env
        self._terminal = self._place.registry.open("bash", cwd=cwd, env=env, rc=False, budget=None)
        if old is not None:
            old.close()
        return self._terminal

    def _result(self, outcome: Outcome, why: str) -> dict[str, Any]:
        known = outcome.exit_code is not None
        info = why or ("" if known else "The exit code is unknown: " + "; ".join(outcome.notes))
        code = outcome.exit_code if known and not why else -1
        lines = outcome.output.lstrip().splitlines(keepends=True)
        if lines and lines[0].strip() == SUBMISSION and code == 0:
            rest = "".join(lines[1:])
            extra = {"exit_status": "Submitted", "submission": rest}
            raise Submitted({"role": "exit", "content": rest, "extra": extra})
        return {"output": outcome.output, "returncode": code, "exception_info": info}
