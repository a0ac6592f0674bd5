"""OpenHands SDK 1.58.0: the terminal tool's actions and observations."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from openhands.sdk.conversation.secret_registry import SecretRegistry
from openhands.tools.terminal.definition import TerminalAction, TerminalObservation

from tests.adapters.checks.scripts import example
from truetty.adapters.openhands import TruettyExecutor


@pytest.fixture
def executor(tmp_path) -> Iterator[TruettyExecutor]:
    made = TruettyExecutor(str(tmp_path))
    yield made
    made.close()


def act(executor: TruettyExecutor, command: str, **more) -> TerminalObservation:
    return executor(TerminalAction(command=command, **more))


def test_the_example() -> None:
    lines = example("openhands").splitlines()
    assert lines[1].startswith("read -p 'name? ' x; echo hi $x -> -1 'name?' [The command waits for input")
    assert lines[2].startswith("Ann -> 0") and lines[-1].startswith("echo after -> 0 'after'")


def test_codes_directories_and_errors(executor: TruettyExecutor) -> None:
    seen = act(executor, "cd /; echo hi; (exit 3)")
    assert (seen.text, seen.exit_code, seen.timeout, seen.is_error) == ("hi", 3, False, False)
    assert seen.metadata.working_dir == "/" and "exit code 3" in seen.metadata.suffix
    assert act(executor, "").is_error and act(executor, "x", is_input=True).is_error


def test_a_running_command_is_not_typed_over(executor: TruettyExecutor) -> None:
    assert act(executor, "sleep 600", timeout=0.5).exit_code == -1
    refused = act(executor, "echo no")
    assert refused.is_error and "NOT executed" in refused.metadata.suffix
    assert act(executor, "C-c", is_input=True).exit_code == 130
    assert act(executor, "echo yes").text == "yes"


def test_silence_where_questions_are_not_told(tmp_path) -> None:
    executor = TruettyExecutor(str(tmp_path), no_change_timeout_seconds=1, questions=False)
    seen = act(executor, "read -p 'name? ' x; echo hi $x")
    assert seen.exit_code == -1 and "no new output after 1 seconds" in seen.metadata.suffix
    assert "hi Ann" in act(executor, "Ann", is_input=True).text
    executor.close()


def test_a_reset_and_a_shell_that_ends(executor: TruettyExecutor) -> None:
    act(executor, "x=1")
    assert act(executor, "", reset=True).exit_code == 0
    assert act(executor, "echo [$x]").text == "[]"
    assert act(executor, "exit 7").exit_code == 7
    assert act(executor, "echo after").text == "after"


def test_an_interrupt_from_another_thread(executor: TruettyExecutor) -> None:
    seen: list[TerminalObservation] = []
    worker = threading.Thread(target=lambda: seen.append(act(executor, "sleep 600")))
    worker.start()
    while not executor.session.is_running():
        pass
    while worker.is_alive():
        executor.interrupt()
        worker.join(0.5)
    assert seen[0].exit_code == 130


def test_secrets_are_exported_and_masked(executor: TruettyExecutor) -> None:
    registry = SecretRegistry()
    registry.update_secrets({"API_KEY": "s3cr3t-value"})
    conversation = SimpleNamespace(state=SimpleNamespace(secret_registry=registry))
    seen = executor(TerminalAction(command="echo [$API_KEY]"), conversation)
    assert seen.exit_code == 0 and "s3cr3t-value" not in seen.text and seen.text != "[]"


def test_a_secret_is_not_typed_unless_it_is_wanted(executor: TruettyExecutor, tmp_path) -> None:
    act(executor, "read -s -p 'Password: ' p; echo got ${#p}")
    assert act(executor, "hunter2", is_input=True).is_error
    assert act(executor, "C-c", is_input=True).exit_code == 130
    typing = TruettyExecutor(str(tmp_path), types_secrets=True)
    act(typing, "read -s -p 'Password: ' p; echo got ${#p}")
    assert "got 7" in act(typing, "hunter2", is_input=True).text
    typing.close()
