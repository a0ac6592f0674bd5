"""Harbor 0.24.0: the agent Terminus 2 with a scripted model, and its session driven by keys."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.adapters.checks.scripts import example
from truetty.adapters.harbor import Session, TruettyTerminus


def test_the_example() -> None:
    lines = example("harbor").splitlines()
    assert "waits for input: 'name? '" in lines[1] and "hi Ann" in lines[2]
    assert "exit code 130" in lines[4] and "exit code 3" in lines[5] and lines[6].startswith("Command timed out")


def test_keys_without_enter_and_the_screen() -> None:
    async def main() -> None:
        session = Session()
        await session.start()
        await session.send_keys("echo o")
        await session.send_keys(["ne", "Enter"])
        await session.send_keys("echo two\n", block=True)
        assert "two" in await session.get_incremental_output()
        assert "\none\n" in await session.capture_pane()
        assert "two" in await session.capture_pane(capture_entire=True)
        with pytest.raises(TimeoutError):
            await session.send_keys("sleep 600\n", block=True, max_timeout_sec=0.5)
        await session.send_keys("C-c", min_timeout_sec=60.0)  # until what it ends has ended
        assert await session.is_session_alive()
        await session.send_keys("exit 3\n", block=True)
        assert not await session.is_session_alive()
        await session.stop()

    asyncio.run(main())


def test_the_agent_makes_and_uses_it(tmp_path: Path) -> None:
    async def main() -> None:
        agent = TruettyTerminus(logs_dir=tmp_path, model_name="openai/gpt-4o", record_terminal_session=False)
        await agent.setup(SimpleNamespace(default_user=None))
        command = SimpleNamespace(keystrokes="echo by the agent\n", duration_sec=60.0)
        late, seen = await agent._execute_commands([command], agent._session)
        assert not late and "by the agent" in seen and "exit code 0" in seen
        await agent._session.stop()

    asyncio.run(main())
