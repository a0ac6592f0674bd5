"""What real clients have sent, sent again: each recorded conversation is played against the server, and checked."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest

from tests.clients.plans import PLANS
from tests.clients.project import make_project
from tests.clients.recording import played
from tests.clients.script import CALLS
from tests.patience import PATIENCE

RECORDED = Path(__file__).with_name("recorded")


@pytest.mark.parametrize("name", PLANS)
async def test_a_recorded_conversation(name: str, home: Path, tmp_path: Path) -> None:
    entries = [json.loads(line) for line in (RECORDED / f"{name}.jsonl").read_text().splitlines()]
    project = tmp_path / "project"
    make_project(project)
    async with asyncio.timeout(PATIENCE):
        texts = await played(entries, [sys.executable, "-m", "truetty", "mcp"], project, home)
    assert set(texts) >= {entry["call"] for entry in entries if "call" in entry} - {"long"}
    wrong = {label: (why, text[:500]) for label, text in texts.items() if (why := CALLS[label].wrong(text, project))}
    assert not wrong
    # Some clients refuse these themselves; the server does not.
    assert all("exit 0" in texts[label] for label in ("as-text", "extra") if label in texts)
