"""Rules of "always" in the settings file."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from truetty.core.errors import Misuse
from truetty.service.rule_book import RuleBook
from truetty.settings import Settings


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ('[policy]\n# mine\nallow = ["ls"] # and this\n', ["ls", "touch a"]),
        ('shell = "bash"\n[policy]\ndefault = "ask"\n', ["touch a"]),
        ('policy = { allow = ["ls"] }\n', ["ls", "touch a"]),
        ('[policy]\nallow = [\n  "touch a",\n]\n', ["touch a"]),
    ],
)
def test_rules_are_added_and_all_else_stays(tmp_path: Path, text: str, after: list[str]) -> None:
    file = tmp_path / "truetty.toml"
    file.write_text(text)
    book = RuleBook(Settings.load({}, path=file))
    book.add(["touch a"])
    wanted = tomllib.loads(text)
    wanted["policy"]["allow"] = after
    assert tomllib.loads(file.read_text()) == wanted
    assert ("# mine" in file.read_text()) == ("# mine" in text)
    assert [rule.text for rule in book.rules] == ["touch a"]
    assert Settings.load({}, path=file).policy is not None


def test_a_policy_from_no_file_has_no_book(tmp_path: Path) -> None:
    file = tmp_path / "truetty.toml"
    file.write_text('[policy]\nallow = ["ls"]\n')
    book = RuleBook(Settings.load({"TRUETTY_POLICY": '{ allow = ["ls"] }'}, path=file))
    assert book.path is None
    with pytest.raises(Misuse):
        book.add(["touch a"])
    assert file.read_text() == '[policy]\nallow = ["ls"]\n'


def test_what_is_no_rule_and_a_file_that_is_broken_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "truetty.toml"
    file.write_text('[policy]\nallow = ["ls"]\n')
    book = RuleBook(Settings.load({}, path=file))
    with pytest.raises(Misuse):
        book.add([""])
    file.write_text("[policy\n")
    with pytest.raises(Misuse):
        book.add(["touch a"])
    assert file.read_text() == "[policy\n" and book.rules == []
