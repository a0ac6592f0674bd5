"""`truetty policy` as people and scripts have it: what it prints, how it exits, and that nothing is run."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests import warm
from tests.patience import PATIENCE
from tests.rows import each_row

RULES = '{ allow = ["npm test", "touch"], ask = ["git push"], deny = ["rm -rf"] }'


@pytest.fixture(autouse=True)
def environment(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("SHELL", "/bin/bash")
    monkeypatch.setenv("TRUETTY_POLICY", RULES)


def run(*words: str, stdin: str | None = None, cwd: Path | None = None) -> tuple[int, str, str]:
    done = warm.run("policy", *words, stdin=None if stdin is None else stdin.encode(), cwd=cwd)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@each_row(
    ("words", "status", "lines"),
    [
        (("npm test",), 0, ["allow  `npm test` is allowed by the rule 'npm test'."]),
        (("npm", "test", "a b"), 0, ["allow  `npm test 'a b'` is allowed by the rule 'npm test'."]),
        (
            ("npm", "test", "--watch"),
            1,
            [
                "ask    `npm test --watch` goes beyond what is allowed: the rule 'npm test' says nothing of --watch.",
                '       To allow it, add to the allow rules: "npm test --watch".',
            ],
        ),
        (
            ("git push",),
            1,
            [
                "ask    `git push` needs a yes by the rule 'git push'.",
                "       Take 'git push' out of the ask rules. To allow it, add to the allow rules: \"git push\".",
            ],
        ),
        (("ls; rm -rf /",), 2, ["deny   `rm -rf /` is denied by the rule 'rm -rf'."]),
        (("--policy", "allow", "rm -rf /"), 0, ["allow  Everything is allowed."]),
        (("--policy", "read-only", "git status"), 0, ["allow  `git status` is allowed by the rule 'git status'."]),
        (
            ("--policy", "read-only", "--shell", "fish", "ls"),
            1,
            [
                "ask    The language of fish cannot be checked.",
                "       Run it in a shell whose language can be checked, such as a POSIX shell.",
            ],
        ),
        (
            ("--policy", "read-only", "--shell", "zsh", "x=1"),
            1,
            ["ask    No rule allows `x=1`.", "       Write out all of its words and values, and allow them by a rule."],
        ),
    ],
)
def test_check_says_it_and_exits_with_it(words: tuple[str, ...], status: int, lines: list[str]) -> None:
    assert run("check", *words) == (status, "\n".join([*lines, ""]), "")


def test_without_a_policy_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRUETTY_POLICY")
    assert run("check", "rm -rf /") == (0, "allow  Your settings have no policy: every command is allowed.\n", "")


def test_the_directory_is_the_workspace(tmp_path: Path) -> None:
    words = ("check", "--cwd", str(tmp_path))
    assert run(*words, "npm test > x")[0] == 0
    assert run(*words, f"npm test > {tmp_path}/x")[0] == 0
    status, printed, _ = run(*words, "npm test > ../x")
    assert status == 1 and "which is outside the workspace." in printed
    assert [path.name for path in tmp_path.iterdir()] == ["home"]


def test_read_only_writes_in_no_workspace(tmp_path: Path) -> None:
    status, printed, _ = run("check", "--policy", "read-only", "--cwd", str(tmp_path), "ls > x")
    assert status == 1 and "It writes x, and no workspace is set to write in." in printed


def test_check_as_json() -> None:
    status, printed, _ = run("check", "--json", "ls; npm test")
    decision = json.loads(printed)
    assert (status, decision["verdict"], decision["command"]) == (1, "ask", "ls; npm test")
    assert [part["verdict"] for part in decision["parts"]] == ["ask", "allow"]
    assert decision["suggestions"] == ["ls"]
    assert decision["advice"] == 'To allow it, add to the allow rules: "ls".'


LINES = "npm test\n\n  \nls\ngit push\n"
TABLE = """\
allow  npm test  `npm test` is allowed by the rule 'npm test'.
ask    ls        No rule allows `ls`. To allow it, add to the allow rules: "ls".
ask    git push  `git push` needs a yes by the rule 'git push'. Take 'git push' out of the ask rules. \
To allow it, add to the allow rules: "git push".
3 commands: allow 1, ask 2, deny 0
"""


@each_row(
    "text", [LINES, LINES.replace("\n", "\r\n"), '["npm test", "ls",\n"git push"]', '"npm test"\n"ls"\n"git push"']
)
def test_try_shows_a_table(text: str, tmp_path: Path) -> None:
    assert run("try", "-", stdin=text) == (1, TABLE, "")
    file = tmp_path / "commands"
    file.write_text(text, newline="")
    assert run("try", str(file)) == (1, TABLE, "")


@each_row(
    ("text", "status", "end"),
    [
        ("npm test\n", 0, "1 command: allow 1, ask 0, deny 0"),
        ("ls\nrm -rf x\n", 2, "2 commands: allow 0, ask 1, deny 1"),
        ("", 0, "0 commands: allow 0, ask 0, deny 0"),
        ('[ -f a ] && ls\n["ls"] x\n', 1, "2 commands: allow 0, ask 2, deny 0"),
        ('[1, "ls"]\n', 1, "1 command: allow 0, ask 1, deny 0"),
        ("ls\x1b[2J\u202e\n", 1, "1 command: allow 0, ask 1, deny 0"),
    ],
)
def test_try_exits_with_the_strictest(text: str, status: int, end: str) -> None:
    code, printed, said = run("try", "-", stdin=text)
    assert (code, printed.splitlines()[-1], said) == (status, end, "")
    assert printed.replace("\n", "").isprintable()


def test_try_as_json() -> None:
    status, printed, _ = run("try", "--json", "-", stdin="npm test\nrm -rf \\\n")
    document = json.loads(printed)
    assert (status, document["counts"]) == (2, {"allow": 1, "ask": 0, "deny": 1})
    assert [decision["command"] for decision in document["decisions"]] == ["npm test", "rm -rf \\"]


def test_bytes_that_are_no_text_are_asked() -> None:
    done = warm.run("policy", "try", "--json", "-", stdin=b"npm test \xff\n")
    assert (done.returncode, json.loads(done.stdout)["counts"]["ask"]) == (1, 1)


@each_row(
    ("words", "message"),
    [
        (("check",), "COMMAND"),
        (("check", "--policy", "strict", "ls"), "no policy is named 'strict': there are settings, allow, read-only"),
        (("check", "--cwd", "/no/such", "ls"), "no such directory: /no/such"),
        (("try", "/no/such"), "/no/such: No such file or directory"),
        (("try", "/"), "/: Is a directory"),
        (("nothing",), "nothing"),
        ((), "policy needs a command: check or try."),
    ],
)
def test_an_error_of_ours_is_125(words: tuple[str, ...], message: str) -> None:
    status, printed, said = run(*words)
    assert status == 125 and message in printed + said
    assert "Traceback" not in said


@pytest.mark.parametrize("words", [("check", "--json"), ("try", "--json", "/no/such"), ("nothing", "--json")])
def test_with_json_an_error_is_an_object(words: tuple[str, ...]) -> None:
    status, printed, _ = run(*words)
    assert status == 125 and json.loads(printed)["error"]["message"]


def test_nothing_is_run_and_nothing_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUETTY_AUDIT", str(tmp_path / "audit"))
    assert run("check", "touch made", cwd=tmp_path)[0] == 0
    assert run("try", "-", stdin="touch made\nrm -rf made\n", cwd=tmp_path)[0] == 2
    assert [path.name for path in tmp_path.iterdir()] == ["home"]


def test_help_has_examples() -> None:
    for name in ("check", "try"):
        status, printed, _ = run(name, "--help")
        assert status == 0 and f"truetty policy {name} --policy read-only" in printed


@pytest.mark.parametrize(("variables", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_colours_on_a_terminal(variables: dict[str, str], coloured: bool) -> None:
    ours, theirs = pty.openpty()
    env = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | variables
    words = [sys.executable, "-m", "truetty", "policy", "check", "npm test"]
    done = subprocess.run(words, stdout=theirs, stdin=subprocess.DEVNULL, env=env, timeout=PATIENCE, check=False)
    printed = os.read(ours, 4096)  # before its end is closed: what is there can be read
    os.close(theirs)
    os.close(ours)
    assert done.returncode == 0
    assert (b"\x1b[1;32m" in printed) is coloured and b"allow" in printed
