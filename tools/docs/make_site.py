"""Builds the site: `docs/` with what is made when it is built, given to mkdocs.

Rule 1: `docs/` is read and never written. What is made lies in a folder that is gone when the site is there.
Rule 2: the pages of the commands are their help pages, and the API is their docstrings: neither is written twice.
Rule 3: the site loads nothing from elsewhere. The player of recordings is copied into it.

    python -m tools.docs.make_site FOLDER
"""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tools.make_sync import OWNERS
from truetty.cli.help import help_page, overview
from truetty.cli.table import COMMANDS

TOOLS = Path(__file__).resolve().parent
ROOT = TOOLS.parent.parent
PLAYER = TOOLS / "node_modules" / "asciinema-player" / "dist" / "bundle"

# Files outside docs/ that are pages of the site too, and what they are called there.
OUTSIDE = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "src/truetty/shells/README.md": "shells.md",
    "examples/agent.py": "agent.md",
}


def main(site: Path, docs: Path = ROOT / "docs") -> None:
    with tempfile.TemporaryDirectory() as folder:
        staged = Path(folder) / "docs"
        stage(docs, staged)
        options = ["--strict", "--clean", f"--config-file={TOOLS / 'mkdocs.yml'}", f"--site-dir={site}"]
        # Without --quiet: that would keep warnings from being counted, and then --strict finds nothing.
        done = subprocess.run(
            [str(TOOLS / ".venv/bin/mkdocs"), "build", *options],
            env={**os.environ, "TRUETTY_DOCS": str(staged), "NO_MKDOCS_2_WARNING": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode != 0:
        sys.exit("\n".join(line for line in done.stderr.splitlines() if not line.startswith("INFO")))


def stage(docs: Path, folder: Path) -> None:
    """Everything that mkdocs reads."""
    shutil.copytree(docs, folder)
    shutil.copytree(TOOLS / "assets", folder / "assets")
    for name in ("asciinema-player.min.js", "asciinema-player.css"):
        shutil.copy(PLAYER / name, folder / "assets")
    for source, page in OUTSIDE.items():
        text = (ROOT / source).read_text()
        if source.endswith(".py"):
            text = f"# {source}\n\n```python\n{text}```\n"
        (folder / page).write_text(text)
    for path in folder.rglob("*.md"):
        path.write_text(completed(path.read_text(), folder))


def completed(text: str, folder: Path) -> str:
    """A page with its links to files outside docs/, its help pages, the members of its classes and its recordings."""
    for source, page in OUTSIDE.items():
        text = text.replace(f"](../{source}", f"]({page}")
    text = text.replace("<!-- help pages -->", "\n".join(help_pages()))
    text = re.sub(r"^::: truetty\.(\w+)$", lambda found: f"{found[0]}\n{members(found[1])}", text, flags=re.MULTILINE)
    return re.sub(r"<!-- recording (\S+) -->", lambda found: player(folder / found[1]), text)


def help_pages() -> Iterator[str]:
    yield f"```text\n{overview()}```\n"
    for row in COMMANDS.values():
        yield f"## truetty {row.name}\n\n```text\n{help_page(f'truetty {row.name}', row)}```\n"
        for part in row.commands:
            name = f"truetty {row.name} {part.name}"
            yield f"### {name}\n\n```text\n{help_page(name, part)}```\n"


def members(name: str) -> str:
    """Options for mkdocstrings: what only the owner of an object calls is not for users."""
    hidden = [f"!^{owner.partition('.')[2]}$" for owner in sorted(OWNERS) if owner.startswith(f"{name}.")]
    return f"    options: {{ filters: {json.dumps(['!^_', *hidden])} }}\n"


def player(recording: Path) -> str:
    """The recording lies in the page itself: a browser that opens the site from a disk may not load another file."""
    data = base64.b64encode(recording.read_bytes()).decode()
    return f'<div class="recording" data-cast="data:text/plain;base64,{data}"></div>'


if __name__ == "__main__":
    os.environ["COLUMNS"] = "80"  # of the help pages
    main(Path(sys.argv[1]).resolve())
