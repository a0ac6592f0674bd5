"""A framework's own tests, with the drop-in in the place of what they test. Run by hand, on the framework's source:

    PYTHONPATH=src:MORE tests/adapters/environments/NAME/.venv/bin/python -P tests/adapters/own_suites.py NAME SOURCE

`SOURCE` is a checkout of the framework's repository. `MORE` is a folder with what its tests import beside the
framework: `uv pip install --target MORE pytest-asyncio` and what `Suite.needs` names. Arguments behind `SOURCE` are
pytest's.

Rule 1: the framework's tests are run as they are. One name of the framework is replaced before they are imported.
Rule 2: a test that does not use the drop-in says nothing about it. It is run, and counted apart.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import inspect
import os
import shlex
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

uses = 0  # of the drop-in, so far


def counted(call: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(call)
    def counting(*arguments: Any, **more: Any) -> Any:
        global uses
        uses += 1
        return call(*arguments, **more)

    return counting


def replace(module: str, name: str, by: Any) -> None:
    setattr(importlib.import_module(module), name, by)


def count_made(kind: type) -> type:
    kind.__init__ = counted(kind.__init__)  # type: ignore[misc]
    return kind


def minisweagent() -> None:
    from truetty.adapters.minisweagent import TruettyEnvironment, TruettyEnvironmentConfig

    replace("minisweagent.environments.local", "LocalEnvironment", count_made(TruettyEnvironment))
    replace("minisweagent.environments.local", "LocalEnvironmentConfig", TruettyEnvironmentConfig)


def langchain() -> None:
    from truetty.adapters.langchain import TruettyShellMiddleware

    replace("langchain.agents.middleware.shell_tool", "ShellToolMiddleware", count_made(TruettyShellMiddleware))


def swerex() -> None:
    from truetty.adapters.swerex import TruettyRuntime

    runtime = TruettyRuntime(rc=False)
    for name in ("create_session", "run_in_session", "close_session", "execute", "read_file", "write_file", "upload"):
        setattr(runtime, name, counted(getattr(runtime, name)))
    replace("swerex.server", "runtime", runtime)


def openhands() -> None:
    from truetty.adapters.openhands import TruettySession

    def create(
        work_dir: Any, username: Any = None, no_change_timeout_seconds: int | None = None, **more: Any
    ) -> TruettySession:
        return TruettySession(str(work_dir), no_change_timeout_seconds, env=more.get("env"), questions=False)

    replace("openhands.tools.terminal.terminal", "create_terminal_session", counted(create))


def openai_agents() -> None:
    """Their executors are fakes. What a fake answers is printed by commands in our shell, and our answer is taken."""
    from agents import ShellCommandOutput, ShellResult, ShellTool

    from truetty.adapters.openai_agents import Shell
    from truetty.service import Registry, Service

    def command(output: Any) -> str:
        code = output.outcome.exit_code or 0
        printed = [f"printf %s {shlex.quote(output.stdout)}", f"printf %s {shlex.quote(output.stderr)} >&2"]
        return f"{'; '.join(printed)}; (exit {code})"

    def through(fake: Callable[..., Any]) -> Callable[..., Any]:
        async def run(request: Any) -> Any:
            answer = fake(request)
            answer = await answer if inspect.isawaitable(answer) else answer
            fakes = answer.output if isinstance(answer, ShellResult) else [ShellCommandOutput(stdout=answer)]
            action = dataclasses.replace(request.data.action, commands=[command(one) for one in fakes], timeout_ms=None)
            asked = dataclasses.replace(request, data=dataclasses.replace(request.data, action=action))
            async with Service(Registry(shell="bash", rc=False)) as service:
                ours = await counted(Shell(service))(asked)
            for one, fake_one in zip(ours.output, fakes, strict=True):
                one.command = fake_one.command
            return ours

        return run

    def make(*, executor: Any = None, **more: Any) -> Any:
        return ShellTool(executor=None if executor is None else through(executor), **more)

    replace("agents", "ShellTool", make)


class ToolOfMixin:
    """Makes a test class of `ToolTesterMixin`, which holds what smolagents tests of each of its own tools."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_pycollect_makeitem(self, collector: Any, name: str, obj: Any) -> Any:
        if name != "ToolTesterMixin" or collector.path.name != "test_tools.py":
            return None
        from truetty.adapters.smolagents import TerminalTool

        def setup_method(self: Any) -> None:
            self.tool = counted(TerminalTool)()

        @pytest.fixture
        def create_inputs(self: Any) -> Callable[..., dict[str, Any]]:
            return lambda inputs: {"command": "echo Text input"}

        made = type("TestTerminalTool", (obj,), {"setup_method": setup_method, "create_inputs": create_inputs})
        setattr(collector.obj, made.__name__, made)
        return pytest.Class.from_parent(collector, name=made.__name__, obj=made)


def smolagents() -> None:
    from truetty.adapters.smolagents import TerminalTool

    validate = importlib.import_module("smolagents.tool_validation").validate_tool_attributes

    def validating(kind: Any, *more: Any) -> Any:
        return (counted(validate) if kind is TerminalTool else validate)(kind, *more)

    replace("smolagents.tool_validation", "validate_tool_attributes", validating)
    replace("smolagents.default_tools", "WebSearchTool", TerminalTool)


@dataclass(frozen=True)
class Suite:
    install: Callable[[], None]
    files: tuple[str, ...]
    folder: str = "."  # of the checkout, in which its tests stand
    needs: tuple[str, ...] = ()
    plugins: tuple[object, ...] = field(default=())


SUITES = {
    "minisweagent": Suite(minisweagent, ("tests/environments/test_local.py", "tests/agents", "tests/run/test_save.py")),
    "langchain": Suite(
        langchain, ("tests/unit_tests/agents/middleware/implementations/test_shell_tool.py",), "libs/langchain_v1"
    ),
    "swerex": Suite(swerex, ("tests/test_execution.py",), needs=("pytest-asyncio", "python-dotenv")),
    "openhands": Suite(openhands, ("tests/tools/terminal/test_terminal_session.py",)),
    "openai_agents": Suite(openai_agents, ("tests/test_shell_tool.py",), needs=("httpx", "inline-snapshot")),
    "smolagents": Suite(
        smolagents,
        ("tests/test_tools.py", "tests/test_tool_validation.py"),
        needs=("pytest-datadir", "mcp", "numpy", "pillow"),
        plugins=(ToolOfMixin(),),
    ),
}


class Counts:
    """Passed and not, of the tests that use the drop-in and of those that do not."""

    def __init__(self) -> None:
        self.using: Counter[str] = Counter()
        self.others: Counter[str] = Counter()
        self.differences: list[str] = []
        self._word = "passed"

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        before, self._word = uses, "passed"
        result = yield
        is_use = uses > before
        (self.using if is_use else self.others)[self._word] += 1
        if is_use and self._word == "failed":
            self.differences.append(item.nodeid)
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._word = "failed"
        elif report.skipped and self._word != "failed":
            self._word = "expected to fail" if hasattr(report, "wasxfail") else "skipped"

    def pytest_terminal_summary(self) -> None:
        for what, counts in (("that use the drop-in", self.using), ("that do not", self.others)):
            named = ", ".join(f"{count} {word}" for word, count in counts.items())
            print(f"COUNT tests {what}: {counts.total()}: {named or 'none'}")
        print("\n".join(f"DIFFERENCE {one}" for one in self.differences))


def main(name: str, source: str, *arguments: str) -> int:
    suite = SUITES[name]
    os.chdir(Path(source) / suite.folder)
    with tempfile.NamedTemporaryFile("w", suffix=".ini") as settings:
        settings.write("[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function\n")
        settings.flush()
        suite.install()
        options = ["-c", settings.name, "--rootdir", ".", "-q", "-p", "no:cacheprovider"]
        return pytest.main([*options, *suite.files, *arguments], plugins=[Counts(), *suite.plugins])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
