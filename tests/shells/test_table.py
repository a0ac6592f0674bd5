"""Which recipe a name, a path or a process gets, and what is refused."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

import pytest

from truetty.core.errors import SpawnFailed
from truetty.shells import table
from truetty.shells.row import Dialect, HealRequest, LaunchRequest
from truetty.shells.table import find, recognise

ENV = {"PATH": "/usr/bin:/bin"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Programs under many names; what they are is told by where their links lead."""
    for name in (
        "bash5",
        "bash-5.2",
        "zsh-5.9",
        "ksh93",
        "mksh-static",
        "fish",
        "python3.11",
        "busybox",
        "dash",
        "nu",
        "my-sh",
    ):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    for link, target in (
        ("ash", "busybox"),
        ("sh", "busybox"),
        ("rbash", "bash5"),
        ("ksh", "mksh-static"),
        ("default", "zsh-5.9"),
        ("csh", "dash"),
    ):
        (tmp_path / link).symlink_to(target)
    (tmp_path / "plain-file").write_text("")
    (tmp_path / "a-folder").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("name", "recipe"),
    [
        ("bash5", "bash"),
        ("bash-5.2", "bash"),
        ("zsh-5.9", "zsh"),
        ("ksh93", "ksh93"),
        ("mksh-static", "mksh"),
        ("ash", "ash"),
        ("sh", "ash"),
        ("rbash", "rbash"),
        ("ksh", "mksh"),
        ("default", "zsh"),
        ("python3.11", "plain"),
        ("my-sh", "plain"),
        ("nu", "nu"),
    ],
)
def test_by_name_and_by_path(name: str, recipe: str, folder: Path) -> None:
    for given in (name, str(folder / name), [str(folder / name)]):
        found = find(given, {"PATH": str(folder)})
        assert found.row.name == recipe
        assert found.program == str(folder / name)
        assert found.arguments == ()


def test_busybox_alone_runs_its_shell(folder: Path) -> None:
    assert find("busybox", {"PATH": str(folder)}).arguments == ("sh",)
    assert find([str(folder / "busybox"), "ash", "-x"], ENV).arguments == ("ash", "-x")
    assert find([str(folder / "busybox"), "-x"], ENV).arguments == ("sh", "-x")


def test_sh_is_what_it_leads_to(tmp_path: Path, folder: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "sh").symlink_to(folder / "bash5")
    found = find(str(other / "sh"), ENV)
    assert found.row.name == "sh"
    launch = found.row.launch(LaunchRequest(found.program, found.arguments, "/f", "k", "_tt_n", True, {}))
    assert launch.env["ENV"] == "/f/rc"
    (other / "dashed").mkdir()
    (other / "dashed" / "sh").symlink_to(folder / "dash")
    assert find(str(other / "dashed" / "sh"), ENV).row.name == "dash"


def test_arguments_are_kept() -> None:
    found = find(["bash", "--noprofile", "-x"], ENV)
    assert (found.row.name, found.arguments) == ("bash", ("--noprofile", "-x"))
    assert os.path.isabs(found.program)


def test_a_relative_path_is_made_absolute(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert find("./bash5", ENV).program == str(folder / "bash5")


def test_none_is_the_users_own(folder: Path) -> None:
    assert find(None, {**ENV, "SHELL": str(folder / "fish")}).row.name == "fish"
    entry = pwd.getpwuid(os.geteuid()).pw_shell
    for broken in ("", "/nonexistent/zsh", "relative", str(folder / "plain-file")):
        assert find(None, {**ENV, "SHELL": broken}).program == entry
    assert find(None, ENV).program == entry


@pytest.mark.parametrize(
    ("shell", "reason"),
    [
        ("no-such-shell", "not found"),
        ("/nonexistent/bash", "not found"),
        ("FOLDER/plain-file", "not executable"),
        ("FOLDER/a-folder", "is a directory"),
        (["FOLDER/a-folder", "-x"], "is a directory"),
        ("", "empty"),
        ([], "empty"),
    ],
    ids=str,
)
def test_what_is_refused(shell: str | list[str], reason: str, folder: Path) -> None:
    given = (
        shell.replace("FOLDER", str(folder))
        if isinstance(shell, str)
        else [w.replace("FOLDER", str(folder)) for w in shell]
    )
    with pytest.raises(SpawnFailed) as caught:
        find(given, ENV)
    assert caught.value.facts["reason"] == reason
    assert "shell" in caught.value.facts


@pytest.mark.parametrize(
    ("program", "argv0", "name"),
    [
        ("/usr/bin/bash", None, "bash"),
        ("/usr/bin/bash", "-bash", "bash"),
        ("/usr/bin/bash", "rbash", "rbash"),
        ("/usr/bin/bash", "sh", "sh"),
        ("/usr/bin/bash (deleted)", "bash", "bash"),
        ("/usr/bin/dash", "/bin/sh", "dash"),
        ("/usr/bin/busybox", "ash", "ash"),
        ("/usr/bin/busybox", "-sh", "ash"),
        ("/usr/bin/busybox", "vi", "plain"),
        ("/usr/bin/zsh-5.9", "zsh", "zsh"),
        ("/usr/bin/ksh93", "ksh", "ksh93"),
        ("/usr/bin/python3.11", "python3", "plain"),
        ("/usr/bin/python3.11", "/usr/bin/xonsh", "xonsh"),
        ("/usr/bin/vim.basic", "vim", "plain"),
        ("/usr/bin/yash", "yash", "yash"),
        ("/usr/bin/bsd-csh", "csh", "csh"),
        ("/usr/bin/bash", "zsh", "bash"),
        ("", "", "plain"),
    ],
)
def test_a_running_process_is_recognised(program: str, argv0: str | None, name: str) -> None:
    assert recognise(program, argv0).name == name


# ── the table ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_name_means_one_shell() -> None:
    sure = [name for row in table.ROWS for name in (row.name, *row.also) if name not in row.shared_names]
    shared = [name for row in table.ROWS for name in row.shared_names]
    assert len(sure + shared) == len({*sure, *shared}) == len(table.names())


def test_names_by_what_is_true_of_them() -> None:
    assert table.where(lambda row: row.dialect is Dialect.MKSH) == {"ksh93", "ksh", "mksh", "lksh"}
    assert table.where(lambda row: row.never_answered) == {"ash", "busybox", "sh"}
    assert table.where(lambda row: not row.has_marks) >= {"csh", "bsd-csh", "elvish", "yash"}


@pytest.mark.parametrize(
    ("program", "name"),
    [("zsh", "zsh"), ("/opt/bin/zsh-5.9", "zsh"), ("sh", "sh"), ("ksh", "ksh93"), ("vi", None), ("", None)],
)
def test_what_a_name_means_by_itself(program: str, name: str | None) -> None:
    row = table.lookup(program)
    assert (row.name if row is not None else None) == name


def test_a_shell_without_a_recipe_is_typed_to() -> None:
    for row in (recognise("yash"), table.UNKNOWN):
        assert not row.has_marks and row.clears_line == b"" and row.cd is None and row.dialect is None
        assert row.recipe.heal(HealRequest("/f", "_tt_n", 1, "s", "k")) is None


def test_people_find_every_shell_in_the_readme() -> None:
    text = Path(table.__file__).with_name("README.md").read_text()
    cells = [line.split("|")[1] for line in text.splitlines() if line.startswith("| ")]
    listed = {name for cell in cells for name in cell.replace(",", " ").split()}
    assert {row.name for row in table.ROWS if row.has_marks} <= listed
