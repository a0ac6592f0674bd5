"""mini-swe-agent 2.4.6: beside its own local environment."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from minisweagent.environments.local import LocalEnvironment
from minisweagent.exceptions import Submitted

from tests.adapters.checks.scripts import example
from truetty.adapters.minisweagent import TruettyEnvironment


@pytest.fixture
def environment() -> Iterator[TruettyEnvironment]:
    made = TruettyEnvironment(timeout=60)
    yield made
    made.close()


def test_the_example() -> None:
    assert example("minisweagent").splitlines()[-1] == "Submitted | done by truetty"


@pytest.mark.parametrize("command", ["echo one; echo two >&2", "exit 3", "printf x", "no-such-program-x 2>/dev/null"])
def test_the_same_as_theirs(environment: TruettyEnvironment, command: str) -> None:
    theirs = LocalEnvironment().execute({"command": command})
    ours = environment.execute({"command": command})
    assert ours["returncode"] == theirs["returncode"] and ours["exception_info"] == theirs["exception_info"] == ""
    assert ours["output"].removesuffix("exit\n") == theirs["output"]


def test_the_shell_stays_unless_it_is_not_wanted(environment: TruettyEnvironment) -> None:
    environment.execute({"command": "cd /; x=1"})
    assert environment.execute({"command": "pwd; echo $x"})["output"] == "/\n1\n"
    fresh = TruettyEnvironment(fresh=True, cwd="/tmp")
    fresh.execute({"command": "cd /; x=1"})
    assert fresh.execute({"command": "pwd; echo $x"})["output"] == "/tmp\n\n"
    fresh.close()


def test_a_timeout_keeps_the_output_and_the_shell(environment: TruettyEnvironment) -> None:
    environment.execute({"command": "x=1"})
    seen = environment.execute({"command": "echo begun; sleep 600"}, timeout=1)
    assert seen["returncode"] == -1 and "timed out" in seen["exception_info"] and seen["output"].startswith("begun")
    assert seen["extra"]["exception_type"] == "TimeoutExpired"
    assert environment.execute({"command": "echo $x"})["output"] == "1\n"


def test_a_question_is_told(environment: TruettyEnvironment) -> None:
    seen = environment.execute({"command": "read -p 'sure? ' x"})
    assert seen["returncode"] == -1 and "sure? " in seen["exception_info"]


def test_a_directory_that_is_not_there(environment: TruettyEnvironment) -> None:
    seen = environment.execute({"command": "echo ran"}, cwd="/no/such")
    assert seen["returncode"] == -1 and "did not run" in seen["exception_info"]


def test_a_submission(environment: TruettyEnvironment) -> None:
    with pytest.raises(Submitted) as error:
        environment.execute({"command": "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT; echo it"})
    assert error.value.messages[0]["content"] == "it\n"


def test_what_a_trajectory_records(environment: TruettyEnvironment) -> None:
    config = environment.serialize()["info"]["config"]
    assert config["environment_type"].endswith("TruettyEnvironment") and config["environment"]["timeout"] == 60
    assert environment.get_template_vars(more=1)["more"] == 1
