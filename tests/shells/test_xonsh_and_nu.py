"""xonsh and nu, where they are: what their own languages need beyond what every shell must do."""

from __future__ import annotations

from pathlib import Path

from tests.shells.conftest import Open
from tests.shells.driver import visible
from tests.shells.languages import INSTALLED
from truetty.shells.row import LaunchRequest
from truetty.shells.table import recognise

HERE = {language.shell for language in INSTALLED}


def argv(name: str, arguments: list[str], *, rc: bool = True) -> tuple[str, ...]:
    request = LaunchRequest(f"/x/{name}", tuple(arguments), "/f", "k", "_tt_n", rc, {"HOME": "/nonexistent"})
    return (name, *recognise(name).launch(request).arguments)


if "xonsh" in HERE:

    def test_xonsh_runs_python_and_commands_as_its_prompt_does(open_session: Open) -> None:
        session = open_session("xonsh", files={".xonshrc": "order = 'own'\n"})
        for text, shown, code in (
            ("order", "'own'\n", 0),
            ("1 + 1", "2\n", 0),
            ("x = 5", "", 0),
            ("echo @(x) && echo two", "5\ntwo\n", 0),
            ("import os\nprint(os.path.basename('/a/b'))", "b\n", 0),
            ("sh -c 'kill -9 $$'", "", 137),
        ):
            ended = session.run(text)
            assert (visible(ended.raw), ended.code) == (shown, code)
        assert session.run("1 / 0").code == 1
        assert visible(session.run("print([name for name in globals() if '_tt' in name])").raw) == "[]\n"


if "nu" in HERE:

    def test_nu_keeps_names_environment_and_place(open_session: Open, home: Path) -> None:
        session = open_session(
            "nu", files={".config/nushell/config.nu": "$env.config.show_banner = false\n$env.ORDER = 'own'\n"}
        )
        for text, shown, code in (
            ("$env.ORDER", "own\n", 0),
            ("1 + 1", "2\n", 0),
            ("def f [] { 7 }", "", 0),
            ("f", "7\n", 0),
            ("$env.FOO = 3", "", 0),
            ("$env.FOO", "3\n", 0),
            ("cd /", "", 0),
            ("pwd", "/\n", 0),
            ("^false", "", 1),
        ):
            ended = session.run(text)
            assert (visible(ended.raw), ended.code, ended.by) == (shown, code, "D")
        assert session.run("error make {msg: boo}").code == 1
        history = session.run("history | get command | to text").output
        assert session.folder not in history


def test_command_lines_that_are_no_prompt_are_left_alone() -> None:
    for arguments in (["-c", "1"], ["script"], ["--no-rc", "script"]):
        assert argv("xonsh", arguments) == ("xonsh", *arguments)
    for arguments in (["-c", "1"], ["script.nu"], ["--config", "c", "script.nu"]):
        assert argv("nu", arguments) == ("nu", *arguments)


def test_arguments_are_kept() -> None:
    assert argv("xonsh", ["--no-rc", "-D", "A=1"]) == ("xonsh", "-D", "A=1", "-i", "--rc", "/f")
    assert argv("xonsh", ["--rc", "a", "b"]) == ("xonsh", "-i", "--rc", "a", "b", "/f")
    ours = "let a = 1; source /f/hook.nu"
    assert argv("nu", ["-e", "let a = 1", "--no-std-lib"], rc=False) == (
        "nu",
        "--no-std-lib",
        "--no-config-file",
        "--execute",
        ours,
    )
