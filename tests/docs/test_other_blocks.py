"""Every block names its language, and settings, JSON and TOML in README and docs/ can be read."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from tests.docs.pages import BLOCKS, Block, of
from truetty.settings import Settings

WIDTH = 88  # columns, on a screen of 1280 points: tools/docs/assets/extra.css
LANGUAGES = {"python", "sh", "console", "toml", "json", "text"}


def test_every_block_names_its_language() -> None:
    assert [f"{block}: {block.language!r}" for block in BLOCKS if block.language not in LANGUAGES] == []


def test_code_fits_beside_the_menus_of_the_site() -> None:
    wide = [
        f"{block.page.name}:{block.line + number}: {len(line)}"
        for block in of("python", "sh", "console")
        for number, line in enumerate(block.text.splitlines())
        if len(line) > WIDTH
    ]
    assert wide == []


@pytest.mark.parametrize("block", of("json"), ids=str)
def test_json_is_json(block: Block) -> None:
    json.loads(block.text)


@pytest.mark.parametrize("block", of("toml"), ids=str)
def test_settings_are_accepted(block: Block, home: Path) -> None:
    file = home / ".config/truetty/truetty.toml"
    file.parent.mkdir(parents=True, mode=0o700)
    file.write_text(block.text)
    settings = Settings.load()
    assert {name for name, origin in settings.origins.items() if origin == str(file)} == set(tomllib.loads(block.text))
