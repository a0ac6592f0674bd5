"""SWE-ReX 1.4.0: sessions, commands with two streams, files; here, and where `on` leads."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from swerex.exceptions import (
    BashIncorrectSyntaxError,
    CommandTimeoutError,
    DeploymentNotStartedError,
    NonZeroExitCodeError,
    SessionDoesNotExistError,
    SessionExistsError,
)
from swerex.runtime.abstract import (
    BashAction,
    BashInterruptAction,
    CloseBashSessionRequest,
    Command,
    CreateBashSessionRequest,
    ReadFileRequest,
    UploadRequest,
    WriteFileRequest,
)

from tests.adapters.checks.scripts import example
from truetty.adapters.swerex import TruettyDeployment, TruettyRuntime

DIAL = [os.environ["TRUETTY_TEST_PROGRAM"], "dial"]
LONG = 60.0


@pytest.fixture(params=[None, DIAL], ids=["here", "there"])
def runtime(request: pytest.FixtureRequest) -> Iterator[TruettyRuntime]:
    made = TruettyRuntime(request.param, rc=False)
    asyncio.run(made.create_session(CreateBashSessionRequest()))
    yield made
    asyncio.run(made.close())


def run(runtime: TruettyRuntime, command: str, timeout: float = LONG, **more):
    """On an event loop of its own, as SWE-agent calls it."""
    return asyncio.run(runtime.run_in_session(BashAction(command=command, timeout=timeout, **more)))


def test_the_example() -> None:
    seen = example("swerex")
    assert "pwd -> 0 /tmp" in seen and "sleep 600 -> timed out, and ended" in seen and "echo still here -> 0" in seen


def test_a_session_keeps_its_state_on_a_new_loop_for_each_action(runtime: TruettyRuntime) -> None:
    run(runtime, "cd /; x=5")
    seen = run(runtime, "pwd; echo $x; (exit 3)", check="silent")
    assert (seen.output, seen.exit_code) == ("/\n5\n", 3)
    assert run(runtime, "true", check="ignore").exit_code is None
    with pytest.raises(NonZeroExitCodeError):
        run(runtime, "false", check="raise")


def test_all_of_a_megabyte(runtime: TruettyRuntime) -> None:
    assert run(runtime, "seq 1 200000").output == "".join(f"{number}\n" for number in range(1, 200_001))


def test_a_timeout_and_an_interrupt(runtime: TruettyRuntime) -> None:
    with pytest.raises(CommandTimeoutError):
        run(runtime, "echo begun; sleep 600", timeout=0.5)
    seen = asyncio.run(runtime.run_in_session(BashInterruptAction()))
    assert seen.exit_code == 0 and seen.output.startswith("begun")
    assert run(runtime, "echo after").output == "after\n"


def test_a_syntax_error_runs_nothing(runtime: TruettyRuntime, tmp_path: Path) -> None:
    for text in ("(a", f"touch {tmp_path}/ran\nif true; then"):
        with pytest.raises(BashIncorrectSyntaxError) as error:
            run(runtime, text)
        assert "bash_stderr" in error.value.extra_info
    assert not (tmp_path / "ran").exists()
    assert run(runtime, "awk 'BEGIN { +++ }'", check="silent").exit_code != 0


def test_a_shell_that_ends_is_replaced(runtime: TruettyRuntime) -> None:
    assert run(runtime, "exit 7", check="silent").exit_code == 7
    assert run(runtime, "echo after").output == "after\n"


def test_an_interactive_program(runtime: TruettyRuntime) -> None:
    seen = run(runtime, "read -p 'name? ' x; echo hi $x", is_interactive_command=True, expect=["name? "])
    assert seen.expect_string == "name? "
    assert "hi Ann" in run(runtime, "Ann", is_interactive_quit=True).output


def test_sessions_have_names(runtime: TruettyRuntime) -> None:
    with pytest.raises(SessionExistsError):
        asyncio.run(runtime.create_session(CreateBashSessionRequest()))
    with pytest.raises(SessionDoesNotExistError):
        asyncio.run(runtime.close_session(CloseBashSessionRequest(session="other")))


def test_two_streams(runtime: TruettyRuntime, tmp_path: Path) -> None:
    line = "echo out; echo err >&2; pwd; echo $A; exit 4"
    command = Command(command=line, shell=True, cwd=str(tmp_path), env={"A": "b c"}, timeout=LONG)
    seen = asyncio.run(runtime.execute(command))
    assert (seen.stdout, seen.stderr, seen.exit_code) == (f"out\n{tmp_path}\nb c\n", "err\n", 4)
    with pytest.raises(CommandTimeoutError):
        asyncio.run(runtime.execute(Command(command=["sleep", "600"], timeout=0.5)))


def test_files(runtime: TruettyRuntime, tmp_path: Path) -> None:
    path = str(tmp_path / "new" / "file")
    asyncio.run(runtime.write_file(WriteFileRequest(path=path, content="ü\n" * 500_000)))
    assert asyncio.run(runtime.read_file(ReadFileRequest(path=path))).content == "ü\n" * 500_000
    asyncio.run(runtime.upload(UploadRequest(source_path=str(tmp_path / "new"), target_path=str(tmp_path / "copy"))))
    assert (tmp_path / "copy" / "file").read_text() == "ü\n" * 500_000
    with pytest.raises(FileNotFoundError):
        asyncio.run(runtime.read_file(ReadFileRequest(path="/no/such/file")))


def test_a_deployment() -> None:
    deployment = TruettyDeployment(rc=False)
    with pytest.raises(DeploymentNotStartedError):
        _ = deployment.runtime
    assert not asyncio.run(deployment.is_alive())
    asyncio.run(deployment.start())
    assert asyncio.run(deployment.is_alive())
    asyncio.run(deployment.stop())
