"""What all tests share: the long ones on demand, a fresh home, and programs that must be there."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import hypothesis
import pytest

# No deadline: how long an example takes is the machine's affair, and no test here is about time.
hypothesis.settings.register_profile("short", deadline=None, max_examples=100)
hypothesis.settings.register_profile("long", deadline=None, max_examples=5000)

HOUR = 3600  # seconds: the bound of a long test that sets none itself


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="run the tests marked `long` too, and more random cases")
    parser.addoption("--blind", action="store_true", help="run acceptance on terminals of which no kernel can be asked")
    parser.addoption("--walled", action="store_true", help="run acceptance on terminals in a sandbox")


def pytest_configure(config: pytest.Config) -> None:
    hypothesis.settings.load_profile("long" if config.getoption("--long") else "short")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """A failure is named when it happens: a run that is broken off later has still told of it."""
    if report.failed and "PYTEST_XDIST_WORKER" not in os.environ:
        print(f"\nFAILED so far: {report.nodeid}", flush=True)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What tests counted, by `record_property("report", text)`: how much was tried is part of the result."""
    for outcome in ("passed", "failed"):
        for report in terminalreporter.getreports(outcome):
            for name, text in report.user_properties:
                if name == "report":
                    terminalreporter.write_line(str(text))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    long = [item for item in items if item.get_closest_marker("long")]
    if not config.getoption("--long"):
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if item not in long]
    for item in long:
        if item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(HOUR))


@pytest.fixture(scope="session", autouse=True)
def signals() -> None:
    """What the suite ignores, the programs that it starts would ignore too. A shell has it ignore SIGINT where it was
    started with `&`, `nohup` SIGHUP."""
    for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, handler)


@pytest.fixture
def program() -> Callable[[str], str]:
    """The path of a program, by name. A missing one fails the test: what was not tried must not look tried."""

    def path(name: str) -> str:
        found = shutil.which(name) or shutil.which(name, path="/usr/local/sbin:/usr/sbin:/sbin")
        if found is None:
            pytest.fail(f"{name} is not installed; ./test --setup-only installs what the tests need", pytrace=False)
        return found

    return path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home, and nothing in the environment that leads a shell to the files of another one."""
    fresh = tmp_path / "home"
    fresh.mkdir()
    # Without this folder fish reads every manual page of the machine, once for each new home.
    (fresh / ".local/share/fish/generated_completions").mkdir(parents=True)
    (fresh / ".zshrc").touch()  # without one, zsh opens its dialog for new users for everybody but root
    monkeypatch.setenv("HOME", str(fresh))
    for name in ("BASH_ENV", "ENV", "HISTFILE", "INPUTRC", "PROMPT_COMMAND", "PS1", "ZDOTDIR"):
        monkeypatch.delenv(name, raising=False)
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    return fresh
