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
        await session.stop()
        assert not await session.is_session_alive()

    asyncio.run(main())


def test_an_agent_that_waits_sends_no_keys() -> None:
    """The next keys are a command all the same, and a command without output is told with its exit code."""

    async def main() -> None:
        session = Session()
        await session.start()
        await session.send_keys("sleep 600\n", min_timeout_sec=0.1)
        assert "[still running]" in await session.get_incremental_output()
        await session.send_keys("C-c", min_timeout_sec=60.0)
        assert (await session.get_incremental_output()).endswith("[exit code 130]")
        await session.send_keys("", min_timeout_sec=0.1)
        await session.send_keys("echo after\n", min_timeout_sec=60.0)
        assert "after\n\n[exit code 0]" in await session.get_incremental_output()
        await session.stop()

    asyncio.run(main())


def test_the_shell_exits() -> None:
    """Its exit code is read, and the next keys have a new shell."""

    async def main() -> None:
        session = Session()
        await session.start()
        await session.send_keys("x=5; exit 7\n", block=True)
        assert "[exit code 7]" in await session.get_incremental_output()
        assert await session.is_session_alive()
        await session.send_keys("", min_timeout_sec=0.1)
        await session.send_keys("echo after [$x]\n", block=True)
        assert await session.get_incremental_output() == (
            "New Terminal Output:\n$ echo after [$x]\nafter []\n\n[exit code 0]"
        )
        await session.stop()

    asyncio.run(main())


def test_a_secret_is_not_typed() -> None:
    async def main() -> None:
        for types_secrets, keys in ((False, "hunter2\n"), (False, ["C-u", "hunter2", "Enter"]), (True, "hunter2\n")):
            session = Session(types_secrets=types_secrets)
            await session.start()
            await session.send_keys("read -sp 'Password: ' p; echo got ${#p}\n", min_timeout_sec=60.0)
            assert "waits for input: 'Password: '" in await session.get_incremental_output()
            await session.send_keys(keys, min_timeout_sec=60.0)
            seen = await session.get_incremental_output()
            if types_secrets:
                assert "got 7" in seen
            else:
                assert "refused: the command asks for a secret. Nothing was typed" in seen
                await session.send_keys("C-c", min_timeout_sec=60.0)
                assert "got 7" not in await session.get_incremental_output()
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
