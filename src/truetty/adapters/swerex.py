"""SWE-ReX: a runtime whose sessions are truetty terminals, and the deployment that SWE-agent's configuration names.

Rule 1: a time-out raises `CommandTimeoutError`, and the command goes on, as there. `BashInterruptAction` then ends it.
Rule 2: an exit code is the shell's own. Nothing is added to a command to learn it.
Rule 3: a text with a syntax error runs nothing. bash itself refuses a wrong line before it runs any of it; a text of
        several lines is asked about first, in a terminal beside the session.
Rule 4: a shell that has ended (`exit 7`) gives its exit code. The session's next action has a new one.
Rule 5: SWE-agent calls `asyncio.run` for each action. Terminals live on the loop of `truetty.sync`, and these methods
        wait for them in a thread.
"""

from __future__ import annotations

import asyncio
import logging
import re
from typing import Any, Unpack

from swerex.deployment.abstract import AbstractDeployment
from swerex.deployment.hooks.abstract import CombinedDeploymentHook, DeploymentHook
from swerex.exceptions import (
    BashIncorrectSyntaxError,
    CommandTimeoutError,
    DeploymentNotStartedError,
    NoExitCodeError,
    NonZeroExitCodeError,
    SessionDoesNotExistError,
    SessionExistsError,
)
from swerex.runtime.abstract import (
    AbstractRuntime,
    Action,
    BashAction,
    BashInterruptAction,
    BashObservation,
    CloseBashSessionResponse,
    CloseResponse,
    CloseSessionRequest,
    Command,
    CommandResponse,
    CreateBashSessionResponse,
    CreateSessionRequest,
    IsAliveResponse,
    ReadFileRequest,
    ReadFileResponse,
    UploadRequest,
    UploadResponse,
    WriteFileRequest,
    WriteFileResponse,
)
from swerex.utils.log import get_logger

from truetty import Outcome, sync
from truetty.adapters.machine import Machine, Surroundings
from truetty.adapters.places import On, Place
from truetty.terminal.options import Arguments


class TruettyRuntime(AbstractRuntime):
    """With `on=["docker", "exec", "-i", NAME, "truetty", "dial"]`, sessions and files are in that container."""

    def __init__(self, on: On = None, *, logger: logging.Logger | None = None, **making: Unpack[Arguments]) -> None:
        self.logger = logger or get_logger("rex-runtime")
        self._place = Place(on)
        self._machine = Machine(self._place)
        self._making: Arguments = {"budget": None, **making}
        self._sessions: dict[str, sync.Terminal] = {}
        self._requests: dict[str, CreateSessionRequest] = {}  # by which each session was made

    async def is_alive(self, *, timeout: float | None = None) -> IsAliveResponse:
        return IsAliveResponse(is_alive=True)

    # -- sessions

    async def create_session(self, request: CreateSessionRequest) -> CreateBashSessionResponse:
        return await asyncio.to_thread(self._create, request)

    async def run_in_session(self, action: Action) -> BashObservation:
        return await asyncio.to_thread(self._run, action)

    async def close_session(self, request: CloseSessionRequest) -> CloseBashSessionResponse:
        await asyncio.to_thread(self._session(request.session).close)
        del self._sessions[request.session]
        return CloseBashSessionResponse()

    def _create(self, request: CreateSessionRequest) -> CreateBashSessionResponse:
        if request.session in self._sessions:
            raise SessionExistsError(f"session {request.session} already exists")
        return CreateBashSessionResponse(output=self._open(request))

    def _open(self, request: CreateSessionRequest) -> str:
        """A shell for the session; what its files print."""
        terminal = self._place.registry.open("bash", **self._making)
        self._sessions[request.session], self._requests[request.session] = terminal, request
        outcomes = [terminal.run(f"source {path}", wait=request.startup_timeout) for path in request.startup_source]
        return "".join(outcome.output for outcome in outcomes)

    def _session(self, name: str) -> sync.Terminal:
        if name not in self._sessions:
            raise SessionDoesNotExistError(f"session {name!r} does not exist")
        return self._sessions[name]

    def _run(self, action: Action) -> BashObservation:
        terminal = self._session(action.session)
        if terminal.closed:
            self._open(self._requests[action.session])
            terminal = self._session(action.session)
        if isinstance(action, BashInterruptAction):
            return self._interrupt(terminal)
        if (
            terminal.busy
            and terminal.command is not None
            and (action.is_interactive_command or action.is_interactive_quit)
        ):
            return self._type(terminal.command, action)
        if not action.command.strip():
            return BashObservation(exit_code=None if action.check == "ignore" else 0)
        if "\n" in action.command.strip():
            self._check_syntax(action.command)
        command = terminal.start(action.command)
        if action.is_interactive_command or action.expect:
            return self._until(command, action)
        outcome = command.wait(action.timeout, "finished")
        if outcome.state != "finished":
            raise _late(action)
        if outcome.exit_code == 2 and "syntax error" in outcome.output:
            self._check_syntax(action.command)
        return _checked(outcome, action)

    def _check_syntax(self, text: str) -> None:
        found = self._machine.run(["bash", "-n"], Surroundings(text.encode()))
        if found.exit_code:
            streams = {
                "bash_stdout": found.stdout.decode(errors="replace"),
                "bash_stderr": found.stderr.decode(errors="replace"),
            }
            message = f"bash refuses {text!r} (exit code {found.exit_code}): {streams['bash_stderr']}"
            raise BashIncorrectSyntaxError(message, extra_info=streams)

    def _until(self, command: sync.Command, action: BashAction) -> BashObservation:
        """Until one of the texts that they name stands there, or, without any, until a program waits for input."""
        pattern = re.compile("|".join(map(re.escape, action.expect))) if action.expect else None
        outcome = command.wait(action.timeout, "settled" if pattern is None else pattern)
        if outcome.reached is None:
            raise _late(action)
        text = command.output.unread()
        found = next((one for one in action.expect if one in text), "")
        return BashObservation(output=text.removesuffix(found).strip(), exit_code=0, expect_string=found)

    def _type(self, command: sync.Command, action: BashAction) -> BashObservation:
        command.output.unread()
        command.send(action.command.rstrip("\n") + "\n")
        if not action.is_interactive_quit:
            return self._until(command, action)
        outcome = command.wait(action.timeout, "finished")
        if outcome.state != "finished":
            raise _late(action)
        return BashObservation(output=command.output.unread().strip(), exit_code=outcome.exit_code)

    def _interrupt(self, terminal: sync.Terminal) -> BashObservation:
        """With the output of a command that had no end when their caller stopped waiting for it."""
        command = terminal.command
        if command is None or command.finished:
            return BashObservation(exit_code=0)
        return BashObservation(output=command.stop().output.strip(), exit_code=0)

    # -- commands of their own, and files

    async def execute(self, command: Command) -> CommandResponse:
        words = ["sh", "-c", command.command] if isinstance(command.command, str) else command.command
        around = Surroundings(
            cwd=command.cwd, env=command.env, replaced=command.env is not None, merged=command.merge_output_streams
        )
        found = await asyncio.to_thread(self._machine.run, words, around, command.timeout)
        if found.timed_out:
            raise CommandTimeoutError(f"Timeout ({command.timeout}s) exceeded while running command")
        texts = (found.stdout.decode(errors="backslashreplace"), found.stderr.decode(errors="backslashreplace"))
        if command.check and found.exit_code != 0:
            message = f"Command {command.command!r} failed with exit code {found.exit_code}. Output: {texts!r}"
            raise NonZeroExitCodeError(f"{command.error_msg}: {message}" if command.error_msg else message)
        return CommandResponse(stdout=texts[0], stderr=texts[1], exit_code=found.exit_code)

    async def read_file(self, request: ReadFileRequest) -> ReadFileResponse:
        data = await asyncio.to_thread(self._machine.read, request.path)
        return ReadFileResponse(content=data.decode(request.encoding or "utf-8", request.errors or "strict"))

    async def write_file(self, request: WriteFileRequest) -> WriteFileResponse:
        await asyncio.to_thread(self._machine.write, request.path, request.content.encode())
        return WriteFileResponse()

    async def upload(self, request: UploadRequest) -> UploadResponse:
        await asyncio.to_thread(self._machine.upload, request.source_path, request.target_path)
        return UploadResponse()

    async def close(self) -> CloseResponse:
        await asyncio.gather(*(asyncio.to_thread(terminal.close) for terminal in self._sessions.values()))
        self._sessions.clear()
        await asyncio.to_thread(self._place.close)
        return CloseResponse()


def _late(action: BashAction) -> CommandTimeoutError:
    return CommandTimeoutError(f"timeout after {action.timeout} seconds while running command {action.command!r}")


def _checked(outcome: Outcome, action: BashAction) -> BashObservation:
    if action.check == "raise" and outcome.exit_code is None:
        raise NoExitCodeError(f"the exit code of {action.command!r} is unknown")
    if action.check == "raise" and outcome.exit_code != 0:
        what = f"Command {action.command!r} failed with exit code {outcome.exit_code}"
        message = f"{what}. Here is the output:\n{outcome.output!r}"
        raise NonZeroExitCodeError(f"{action.error_msg}: {message}" if action.error_msg else message)
    code = None if action.check == "ignore" else outcome.exit_code
    return BashObservation(output=outcome.output, exit_code=code)


class TruettyDeployment(AbstractDeployment):
    """`TruettyDeployment()` in place of `LocalDeployment()`; with `on=`, in place of one that starts a container."""

    def __init__(self, on: On = None, *, logger: logging.Logger | None = None, **making: Unpack[Arguments]) -> None:
        self.logger = logger or get_logger("rex-deploy")
        self._on, self._making = on, making
        self._hooks = CombinedDeploymentHook()
        self._runtime: TruettyRuntime | None = None

    def add_hook(self, hook: DeploymentHook) -> None:
        self._hooks.add_hook(hook)

    async def is_alive(self, *, timeout: float | None = None) -> IsAliveResponse:
        if self._runtime is None:
            return IsAliveResponse(is_alive=False, message="the deployment was not started")
        return await self._runtime.is_alive(timeout=timeout)

    async def start(self, *_: Any, **__: Any) -> None:
        self._hooks.on_custom_step("Starting truetty")
        self._runtime = await asyncio.to_thread(TruettyRuntime, self._on, logger=self.logger, **self._making)

    async def stop(self, *_: Any, **__: Any) -> None:
        runtime, self._runtime = self._runtime, None
        if runtime is not None:
            await runtime.close()

    @property
    def runtime(self) -> TruettyRuntime:
        if self._runtime is None:
            raise DeploymentNotStartedError()
        return self._runtime
