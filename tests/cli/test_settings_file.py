"""`truetty settings set`, `unset`, `init` and `edit` change the user's file and nothing else of it."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from tests import warm
from truetty.settings import FIELDS, Settings

MINE = '# my settings\nbudget = 5_000  # less\n\n# for builds\n[env]\nCI = "1"  # always\n'


def run(*words: str, **env: str) -> tuple[int, str, str]:
    done = warm.run("settings", *words, stdin=None, env={**os.environ, **env})
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture
def file(home: Path) -> Path:
    return home / ".config/truetty/truetty.toml"


@pytest.fixture
def mine(file: Path) -> Path:
    file.parent.mkdir(parents=True, mode=0o700)
    file.write_text(MINE)
    file.chmod(0o644)
    return file


def set_value(name: str, value: str) -> None:
    status, _, said = run("set", name, value)
    assert (status, said) == (0, "")


# -- set and unset


def test_a_file_is_made_for_the_first_value(file: Path) -> None:
    assert run("set", "size", "80x24") == (0, f'size = "80x24" was written to {file}\n', "")
    assert file.read_text() == 'size = "80x24"\n'
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 and stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert run("get", "size") == (0, "[80, 24]\n", "")
    assert run("set", "size", "80x24") == (0, f'size = "80x24" is already in {file}\n', "")


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        ("size", "[80, 24]", "size = [80, 24]"),
        ("quota", "1 GiB", 'quota = "1 GiB"'),
        ("quota", "false", 'quota = "off"'),
        ("rc", "no", "rc = false"),
        ("head_share", "0.5", "head_share = 0.5"),
        ("shell", "zsh", 'shell = "zsh"'),
        ("shell", '["bash", "-i"]', 'shell = ["bash", "-i"]'),
        ("audit", "~/audit.jsonl", 'audit = "~/audit.jsonl"'),
        ("env", '{ CI = "1", "a b" = false }', 'env = { CI = "1", "a b" = false }'),
    ],
)
def test_how_a_value_is_written(file: Path, name: str, value: str, line: str) -> None:
    set_value(name, value)
    assert file.read_text() == f"{line}\n"
    assert run()[0] == 0


def test_everything_else_in_the_file_stays(mine: Path) -> None:
    set_value("budget", "7")
    set_value("size", "80x24")
    set_value("env.NODE_ENV", "test")
    set_value("env.CI", "2")
    assert mine.read_text() == (
        '# my settings\nbudget = 7  # less\nsize = "80x24"\n\n'
        '# for builds\n[env]\nNODE_ENV = "test"\nCI = 2  # always\n'
    )
    assert stat.S_IMODE(mine.stat().st_mode) == 0o644
    for name in ("budget", "size", "env.NODE_ENV"):
        assert run("unset", name) == (0, f"{name} was removed from {mine}\n", "")
    assert mine.read_text() == "# my settings\n\n# for builds\n[env]\nCI = 2  # always\n"
    assert run("unset", "size") == (0, f"size is not set in {mine}\n", "")


@pytest.mark.parametrize(
    ("before", "name", "value", "after"),
    [
        ("# title\n\n# about env\n[env]\n", "rc", "false", "# title\nrc = false\n\n# about env\n[env]\n"),
        ("[env]\nsize = 'x'\n", "size", "80x24", "size = \"80x24\"\n[env]\nsize = 'x'\n"),
        ('size = [\n  80,  # wide\n  24,\n]\nrc = true', "size", "9x9", 'size = "9x9"\nrc = true'),
        ("rc = true", "warm", "1", "rc = true\nwarm = 1\n"),
        ("env = { A = 1 } # mine\n", "env.B", "2", "env = { A = 1, B = 2 } # mine\n"),
        ("env.A = 1\n", "env.B", "2", "env = { A = 1, B = 2 }\n"),
        ('policy = "off"\n', "policy.default", "deny", 'policy = { default = "deny" }\n'),
        ("[env]\nA = 1\n[policy]\n", "env", "{}", "env = {}\n[policy]\n"),
        ("[[reply]]\npattern = 'a'\nanswer = 'b'\n[env]\n", "reply", "[]", "reply = []\n[env]\n"),
        ("rc = true\r\n[env]\r\n", "warm", "1", "rc = true\r\nwarm = 1\r\n[env]\r\n"),
    ],
)  # fmt: skip
def test_where_a_value_goes(file: Path, before: str, name: str, value: str, after: str) -> None:
    file.parent.mkdir(parents=True)
    file.write_bytes(before.encode())
    set_value(name, value)
    assert file.read_bytes().decode() == after


def test_a_link_stays_a_link(mine: Path, tmp_path: Path) -> None:
    target = mine.rename(mine.with_name("dotfile.toml"))
    mine.symlink_to(target)
    set_value("budget", "9")
    assert mine.is_symlink() and "budget = 9  # less" in target.read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("set", "size", "big"), "settings set: size = 'big': it is not two whole numbers; allowed: columns and rows"),
        (("set", "sizze", "80x24"), "did you mean size"),
        (("set", "size.columns", "80"), "only env and policy have entries"),
        (("set", "env.", "1"), "only env and policy have entries"),
        (("set", "policy.typing", "maybe"), "typing is 'maybe'"),
        (("set", "policy.nope", "1"), "nothing is called 'nope'"),
        (("set", "size"), "set needs VALUE."),
        (("set", "terminals", "0"), "settings set: terminals = 0: it is less than 1; allowed: a whole number"),
        (("set", "terminals", "-4"), "settings set: terminals = -4: it is less than 1; allowed: a whole number"),
        (("set", "startup", "-0.5"), "settings set: startup = -0.5: it is no such length of time; allowed: a number"),
        (("unset", "sizze"), "did you mean size"),
        (("set", "budget", "5\nrc = false"), "it is no number"),
    ],
)
def test_what_is_refused_has_changed_nothing(mine: Path, words: tuple[str, ...], message: str) -> None:
    status, printed, said = run(*words)
    assert (status, printed) == (125, "") and message in said
    assert mine.read_text() == MINE
    assert [*mine.parent.iterdir()] == [mine]


def test_a_refused_value_makes_no_file(home: Path, file: Path) -> None:
    assert run("set", "size", "big")[0] == 125
    assert run("unset", "size") == (0, f"size is not set in {file}\n", "")
    assert not (home / ".config").exists()


def test_a_file_that_is_not_read_is_not_written(mine: Path) -> None:
    mine.write_text("a = = b\n")
    status, _, said = run("set", "size", "80x24")
    assert status == 125 and "not TOML" in said and "line 1" in said and mine.read_text() == "a = = b\n"
    mine.write_text(MINE)
    mine.chmod(0o666)
    status, _, said = run("set", "size", "80x24")
    assert status == 125 and "others may write to it" in said and mine.read_text() == MINE


def test_a_place_where_others_can_write_is_refused(home: Path) -> None:
    (home / ".config").mkdir()
    (home / ".config").chmod(0o777)
    status, _, said = run("set", "size", "80x24")
    assert status == 125 and "others may write to its folder" in said and not [*(home / ".config").iterdir()]


def test_other_wrong_values_do_not_keep_one_from_being_mended(mine: Path) -> None:
    mine.write_text('size = "big"\nrc = 7\n')
    status, printed, said = run("set", "size", "80x24")
    assert status == 0 and "was written" in printed
    assert f"still wrong: {mine}, line 2: rc = 7" in said and "size" not in said


def test_a_variable_that_overrides_the_file_is_named(file: Path) -> None:
    _, printed, _ = run("set", "size", "80x24", TRUETTY_SIZE="9x9")
    assert printed.endswith("The variable TRUETTY_SIZE is set, and overrides it.\n")
    _, printed, _ = run("unset", "size", TRUETTY_SIZE="9x9")
    assert printed.endswith("The variable TRUETTY_SIZE is set, and overrides it.\n")


def test_programs_read_json(file: Path) -> None:
    _, printed, _ = run("set", "--json", "size", "80x24", TRUETTY_SIZE="9x9")
    expected = {"file": str(file), "setting": "size", "changed": True, "overridden_by": "TRUETTY_SIZE"}
    assert json.loads(printed) == expected
    _, printed, _ = run("unset", "size", "--json")
    assert json.loads(printed) == {**expected, "overridden_by": None}
    status, printed, _ = run("set", "--json", "size", "big")
    assert status == 125 and json.loads(printed)["error"]["code"] == "misuse"


def test_a_secret_is_not_printed(file: Path) -> None:
    _, printed, _ = run("set", "env.API_KEY", "hunter2")
    assert "hunter2" not in printed and "hunter2" in file.read_text()


# -- init


def test_a_new_file_has_every_setting_with_its_default(file: Path) -> None:
    assert run("init") == (0, f"{file} was written, with every setting behind a #\n", "")
    text = file.read_text()
    assert all(row.help[1:] in text.replace("\n# ", " ") for row in FIELDS.values())
    assert max(map(len, text.splitlines())) <= 100
    environ = {"HOME": os.environ["HOME"]}
    assert Settings.load(environ, path=file) == Settings.load(environ)
    lines = [line.removeprefix("# ") for line in text.splitlines()]
    file.write_text("\n".join(line for line in lines if line.partition(" = ")[0] in FIELDS))
    loaded = Settings.load(environ, path=file)
    assert loaded == Settings.load(environ | {"HOME": "/nowhere"})
    assert set(loaded.origins.values()) == {str(file)}


def test_init_overwrites_nothing_by_itself(mine: Path) -> None:
    status, _, said = run("init")
    assert status == 125 and f"{mine} is already there" in said and "--force" in said and mine.read_text() == MINE
    status, printed, _ = run("init", "--force", "--json")
    assert (status, json.loads(printed)) == (0, {"file": str(mine)}) and mine.read_text() != MINE


def test_a_value_goes_below_the_comment_that_shows_it(file: Path) -> None:
    run("init")
    before = file.read_text()
    set_value("size", "80x24")
    assert file.read_text() == before.replace("# size = [120, 30]\n", '# size = [120, 30]\nsize = "80x24"\n')
    run("unset", "size")
    assert file.read_text() == before


# -- edit


def editor(path: Path, script: str) -> str:
    """A program that edits as `script` says."""
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return f"{path} --wait"


def test_the_editor_gets_the_file_and_what_it_wrote_is_checked(mine: Path, tmp_path: Path) -> None:
    writes = editor(tmp_path / "writes", 'test "$1" = --wait && echo \'size = "80x24"\' > "$2"')
    assert run("edit", VISUAL=writes, EDITOR="false") == (0, f"{mine} has no errors\n", "")
    assert mine.read_text() == 'size = "80x24"\n'
    breaks = editor(tmp_path / "breaks", "printf 'rc = true\\nsize = 7\\n\\nsizze = 1\\n' > \"$2\"")
    status, printed, said = run("edit", VISUAL="", EDITOR=breaks)
    assert (status, printed) == (125, "")
    assert f"{mine}, line 2: size = 7: it is not two whole numbers" in said
    assert f"{mine}, line 4: nothing is called 'sizze'" in said and "settings edit" in said
    unreadable = editor(tmp_path / "unreadable", "printf 'rc = true\\nsize\\n' > \"$2\"")
    status, _, said = run("edit", EDITOR=unreadable)
    assert status == 125 and "not TOML" in said and "line 2" in said


def test_the_editor_begins_with_every_setting_where_there_is_no_file(file: Path) -> None:
    assert run("edit", EDITOR="true") == (0, f"{file} has no errors\n", "")
    assert "# size = [120, 30]\n" in file.read_text()


def test_an_editor_that_fails_or_is_missing(mine: Path, file: Path) -> None:
    assert run("edit", EDITOR="false") == (125, "", "truetty: false has ended with exit status 1\n")
    status, _, said = run("edit", EDITOR="no-such-editor")
    assert status == 125 and "EDITOR names 'no-such-editor', which is no program here" in said
    status, _, said = run("edit", EDITOR="", VISUAL="", PATH="/nowhere")
    assert status == 125 and "no editor: set EDITOR to one" in said
    assert mine.read_text() == MINE
