"""OpenHands SDK: `TerminalTool.create(state, executor=TruettyExecutor(working_dir))`.

Rule 1: actions, observations and exit codes are theirs; -1 is "not over yet".
Rule 2: a command that waits for input is reported at once, with its question. `questions=False` waits for the silence
        that they wait for, and says no more than they do.
Rule 3: a shell that has ended (`exit 7`) gives its exit code. The next action has a new one.
Rule 4: secrets of the conversation are exported before a command that names them, and masked in its output.
Rule 5: no text is typed into a program that asks for a secret, unless `types_secrets` is true. Keys such as C-c are.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any, Final

from openhands.sdk.tool import ToolExecutor
from openhands.sdk.utils import maybe_truncate
from openhands.tools.terminal.constants import MAX_CMD_OUTPUT_SIZE, TIMEOUT_MESSAGE_TEMPLATE
from openhands.tools.terminal.definition import (
    _LITERAL_ARG_HINT_TEMPLATE,
    TerminalAction,
    TerminalObservation,
    looks_like_python_literal_argument,
)
from openhands.tools.terminal.metadata import CmdOutputMetadata
from openhands.tools.terminal.terminal.interface import TerminalSessionBase
from openhands.tools.terminal.terminal.terminal_session import TerminalCommandStatus

from truetty import Outcome, sync
from truetty.adapters.places import On, Place
from truetty.core import lazy

KEYS: Final = {
    "ENTER": "Enter",
    "TAB": "Tab",
    "BS": "BSpace",
    "ESC": "Escape",
    "HOME": "Home",
    "END": "End",
    "UP": "Up",
    "DOWN": "Down",
    "LEFT": "Left",
    "RIGHT": "Right",
    "PGUP": "PageUp",
    "PGDN": "PageDown",
}
CONTROL: Final = lazy.pattern(r"(?:C-|(?i:CTRL)[-+])([A-Za-z])")
CONTINUED: Final = "[Below is the output of the previous command.]\n"
LATE: Final = {
    True: TerminalCommandStatus.HARD_TIMEOUT,
    False: TerminalCommandStatus.NO_CHANGE_TIMEOUT,
}


class TruettySession(TerminalSessionBase):
    """One shell. Their own sessions have these names too."""

    prev_status: TerminalCommandStatus | None = None
    _initialized: bool
    _closed: bool

    def __init__(
        self,
        work_dir: str,
        no_change_timeout_seconds: int | None = None,
        *,
        place: Place | None = None,
        env: Mapping[str, str] | None = None,
        questions: bool = True,
        types_secrets: bool = False,
    ) -> None:
        super().__init__(work_dir, None, no_change_timeout_seconds)
        self._refuses_secrets = not types_secrets
        self._place, self._env, self._until = place or Place(), env, "settled" if questions else "finished"

    def initialize(self) -> None:
        self._terminal = self._place.registry.open("bash", cwd=self.work_dir, env=self._env, rc=False, budget=0)
        self._initialized = True

    def close(self) -> None:
        if self._initialized and not self._closed:
            self._closed = True
            self._terminal.close()

    def interrupt(self) -> bool:
        command = self._terminal.command
        return self.is_running() and command is not None and command.interrupt()

    def is_running(self) -> bool:
        return self._initialized and not self._closed and self._terminal.busy

    @property
    def closed(self) -> bool:
        """Closed by us, or its shell has ended by itself."""
        return self._closed or self._terminal.closed

    @property
    def cwd(self) -> str:
        return self._terminal.cwd or self._cwd

    def export(self, variables: Mapping[str, str]) -> None:
        """Into the shell, where nothing runs."""
        if variables and not self._terminal.busy:
            self._terminal.run("; ".join(f"export {name}={shlex.quote(value)}" for name, value in variables.items()))

    def execute(self, action: TerminalAction) -> TerminalObservation:
        if not self._initialized:
            raise RuntimeError("the session is not initialized")
        text, current = action.command.strip(), self._terminal.command
        if current is None or not self._terminal.busy:
            if text and not action.is_input:
                return self._wait(self._terminal.start(text), action, text, was_running=False)
            what = "interact with" if text else "retrieve logs from"
            refusal = f"No previous running command to {what}."
            return TerminalObservation.from_text(text=refusal, command=text, is_error=True)
        if text and not action.is_input:
            note = (
                f'\n[Your command "{text}" is NOT executed: the previous command is still running. With `is_input` you '
                f"type into it. {TIMEOUT_MESSAGE_TEMPLATE}]"
            )
            return self._observation(text, current, note, is_continued=True, is_error=True)
        if text and self._refuses_secrets and current.hides_typing and not _is_key(text):
            note = "\n[The command asks for a secret. Nothing was typed.]"
            return self._observation(text, current, note, is_continued=True, is_error=True)
        if text:
            _type(current, text)
        return self._wait(current, action, text, was_running=True)

    def _wait(
        self, current: sync.Command, action: TerminalAction, text: str, *, was_running: bool
    ) -> TerminalObservation:
        patience = float(self.no_change_timeout_seconds)
        outcome = current.wait(action.timeout or patience, self._until)
        while action.timeout is None and outcome.reached is None and current.activity.quiet_seconds < patience:
            outcome = current.wait(patience - current.activity.quiet_seconds, self._until)
        if outcome.state == "finished":
            self.prev_status = TerminalCommandStatus.COMPLETED
            sent = f" CTRL+{text[-1].upper()} was sent." if CONTROL.fullmatch(text) else ""
            note = f"\n[The command completed with exit code {outcome.exit_code}.{sent}]"
            return self._observation(text, current, note, is_continued=was_running and not text)
        self.prev_status = LATE[action.timeout is not None]
        note = f"\n[The command {self._standing(outcome, action)}. {TIMEOUT_MESSAGE_TEMPLATE}]"
        return self._observation(text, current, note, is_continued=was_running)

    def _standing(self, outcome: Outcome, action: TerminalAction) -> str:
        if outcome.waiting is not None and self._until == "settled":
            return f"waits for input: {outcome.waiting.prompt!r}"
        if action.timeout is not None:
            return f"timed out after {action.timeout} seconds"
        return f"has no new output after {self.no_change_timeout_seconds} seconds"

    def _observation(
        self, text: str, current: sync.Command, note: str, *, is_continued: bool, is_error: bool = False
    ) -> TerminalObservation:
        code = -1 if current.exit_code is None else current.exit_code
        about = CmdOutputMetadata(
            exit_code=code,
            pid=-1 if self._terminal.pid is None else self._terminal.pid,
            working_dir=self.cwd,
            suffix=note,
            prefix=CONTINUED if is_continued else "",
        )
        shown = maybe_truncate(current.output.unread().rstrip(), truncate_after=MAX_CMD_OUTPUT_SIZE)
        return TerminalObservation.from_text(
            text=shown, command=text, exit_code=code, metadata=about, timeout=code == -1, is_error=is_error
        )


def _is_key(text: str) -> bool:
    return CONTROL.fullmatch(text) is not None or text.upper() in KEYS


def _type(current: sync.Command, text: str) -> None:
    if (control := CONTROL.fullmatch(text)) is not None:
        current.press(f"C-{control[1].lower()}")
    elif text.upper() in KEYS:
        current.press(KEYS[text.upper()])
    else:
        current.send(text + "\n")


class TruettyExecutor(ToolExecutor[TerminalAction, TerminalObservation]):
    is_pooled = False

    def __init__(
        self,
        working_dir: str,
        no_change_timeout_seconds: int | None = None,
        *,
        on: On = None,
        env: Mapping[str, str] | None = None,
        questions: bool = True,
        types_secrets: bool = False,
    ) -> None:
        self._types_secrets = types_secrets
        self.working_dir = working_dir
        self.full_output_save_dir: str | None = None  # their tool sets it
        self._no_change, self._env, self._questions = no_change_timeout_seconds, env, questions
        self._place = Place(on)
        self.session = self._new_session()

    def __call__(self, action: TerminalAction, conversation: Any = None) -> TerminalObservation:
        if action.reset and action.is_input:
            raise ValueError("Cannot use reset=True with is_input=True")
        literal = None if action.is_input else looks_like_python_literal_argument(action.command)
        if literal is not None:
            hint = _LITERAL_ARG_HINT_TEMPLATE.format(literal_kind=literal, head=action.command.lstrip()[:60])
            return TerminalObservation.from_text(text=hint, is_error=True, command=action.command, exit_code=None)
        if action.reset or self.session.closed:
            done = self.reset()
            if not action.command.strip():
                return done
        secrets = None if conversation is None else conversation.state.secret_registry
        if secrets is not None and not action.is_input and action.command.strip():
            self.session.export(secrets.get_secrets_as_env_vars(action.command))
        seen = self.session.execute(action)
        masked = secrets.mask_secrets_in_output(seen.text) if secrets is not None and seen.text else None
        if not masked or masked == seen.text:
            return seen
        facts = seen.model_dump(exclude={"content", "full_output_save_dir"})
        return TerminalObservation.from_text(text=masked, full_output_save_dir=self.full_output_save_dir, **facts)

    def reset(self) -> TerminalObservation:
        self.session.close()
        self.session = self._new_session()
        text = "Terminal session has been reset. Its variables and its directory are those of a new shell."
        return TerminalObservation.from_text(text=text, command="[RESET]", exit_code=0)

    def interrupt(self) -> None:
        self.session.interrupt()

    def close(self) -> None:
        self.session.close()
        self._place.close()

    def _new_session(self) -> TruettySession:
        made = TruettySession(
            self.working_dir,
            self._no_change,
            place=self._place,
            env=self._env,
            questions=self._questions,
            types_secrets=self._types_secrets,
        )
        made.initialize()
        return made
