"""inspect_ai: the sandbox `truetty`, and the verbs as tools.

Rule 1: a command of `exec` has a shell of its own, and both streams apart (`machine.py`).
Rule 2: errors are those that inspect_ai names: `TimeoutError`, `PermissionError`, `UnicodeDecodeError`, its own for
        limits and users. Whatever else a command does is its result.
Rule 3: each sample has a new folder, on this machine or where `config` leads (what `truetty.connect` takes).
"""

from __future__ import annotations

import asyncio
import os
import pwd
import shlex
import shutil
import tempfile
from pathlib import PurePosixPath
from typing import Any, Final

from inspect_ai.tool import Tool, ToolDef, ToolParams
from inspect_ai.util import (
    ExecResult,
    OutputLimitExceededError,
    SandboxEnvironment,
    SandboxEnvironmentLimits,
    SandboxUserUnsupportedError,
    sandboxenv,
)

from truetty.adapters.machine import Machine, Surroundings
from truetty.adapters.places import On, Place
from truetty.functions import VERBS, Verb, call, parameters
from truetty.functions.calls import AGENT_TASK
from truetty.service import Service

CANNOT_EXECUTE: Final = 126


@sandboxenv(name="truetty")
class TruettySandbox(SandboxEnvironment):
    def __init__(self, on: On = None) -> None:
        super().__init__()
        self._place = Place(on)
        self._machine = Machine(self._place)
        if self._place.is_here:
            self._folder = tempfile.mkdtemp()
        else:
            self._folder = self._machine.run(["mktemp", "-d"], Surroundings()).stdout.decode().strip()

    @classmethod
    async def sample_init(cls, task_name: str, config: Any, metadata: dict[str, str]) -> dict[str, SandboxEnvironment]:
        on = shlex.split(config) if isinstance(config, str) and " " in config else config
        return {"default": await asyncio.to_thread(cls, on)}

    @classmethod
    async def sample_cleanup(
        cls, task_name: str, config: Any, environments: dict[str, SandboxEnvironment], interrupted: bool
    ) -> None:
        for environment in environments.values():
            await asyncio.to_thread(environment.as_type(TruettySandbox).close)

    def close(self) -> None:
        if self._place.is_here:
            shutil.rmtree(self._folder, ignore_errors=True)
        else:
            self._machine.run(["rm", "-rf", self._folder], Surroundings())
        self._place.close()

    async def exec(
        self,
        cmd: list[str],
        input: str | bytes | None = None,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        user: str | None = None,
        timeout: int | None = None,
        timeout_retry: bool = True,
        concurrency: bool = True,
    ) -> ExecResult[str]:
        words = cmd if user is None or self._is_ours(user) else ["runuser", "-u", user, "--", *cmd]
        if words is not cmd and self._place.is_here and os.geteuid() != 0:
            raise SandboxUserUnsupportedError(f"only root can run a command as {user!r}")
        data = input.encode() if isinstance(input, str) else input or b""
        around = Surroundings(data, cwd=self._path(cwd or "."), env=env)
        found = await asyncio.to_thread(self._machine.run, words, around, timeout)
        if found.timed_out:
            raise TimeoutError(f"the command was ended after {timeout} seconds")
        most = SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE
        stdout, stderr = (stream[-most:].decode("utf-8", "replace") for stream in (found.stdout, found.stderr))
        if found.exit_code == CANNOT_EXECUTE and "ermission denied" in stderr:
            raise PermissionError(stderr.strip())
        code = -1 if found.exit_code is None else found.exit_code
        return ExecResult(code == 0, code, stdout, stderr)

    async def write_file(self, file: str, contents: str | bytes) -> None:
        data = contents.encode() if isinstance(contents, str) else contents
        await asyncio.to_thread(self._machine.write, self._path(file), data)

    async def read_file(self, file: str, text: bool = True) -> str | bytes:
        data = await asyncio.to_thread(self._read, self._path(file))
        return data.decode() if text else data

    def _read(self, path: str) -> bytes:
        most = SandboxEnvironmentLimits.MAX_READ_FILE_SIZE
        is_large = self._place.is_here and os.path.isfile(path) and os.path.getsize(path) > most
        data = b"" if is_large else self._machine.read(path)
        if is_large or len(data) > most:
            raise OutputLimitExceededError(SandboxEnvironmentLimits.MAX_READ_FILE_SIZE_STR, None)
        return data

    def _path(self, path: str) -> str:
        return str(PurePosixPath(self._folder, path))

    def _is_ours(self, user: str) -> bool:
        if not self._place.is_here:
            return False
        try:
            return (int(user) if user.isdecimal() else pwd.getpwnam(user).pw_uid) == os.geteuid()
        except KeyError:
            return False


def tools(service: Service, *, task: str = AGENT_TASK) -> list[Tool]:
    """The eight verbs, for `react(tools=…)` or `use_tools`."""
    return [_tool(service, verb, task) for verb in VERBS]


def _tool(service: Service, verb: Verb, task: str) -> Tool:
    async def execute(**arguments: Any) -> str:
        return (await call(service, verb.name, arguments, task=task)).text

    schema = ToolParams.model_validate(parameters(verb))
    return ToolDef(execute, name=verb.name, description=verb.description, parameters=schema).as_tool()
