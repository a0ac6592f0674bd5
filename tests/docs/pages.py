"""The pages that users read, and the blocks of code in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))

_BLOCK = re.compile(r"^(?P<indent> *)```(?P<language>[^\n`]*)\n(?P<text>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block. `line` is that of its first line of text."""

    page: Path
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(page: Path) -> Iterator[Block]:
    text = page.read_text()
    for found in _BLOCK.finditer(text):
        inside = re.sub(rf"^{found['indent']}", "", found["text"], flags=re.MULTILINE)
        yield Block(page, text.count("\n", 0, found.start("text")) + 1, found["language"].strip(), inside)


BLOCKS = tuple(block for page in PAGES for block in blocks(page))


def of(*languages: str) -> list[Block]:
    return [block for block in BLOCKS if block.language in languages]
