"""Limits of the settings hold for the whole server, however many clients it has."""

from __future__ import annotations

from pathlib import Path

from tests.mcp.served import Person, Tools
from truetty.mcp.session import Session, Setup
from truetty.settings import Settings


async def test_terminals_and_bytes_on_disk_are_counted_for_all_sessions_together(home: Path) -> None:
    settings = Settings.load({}, shell="bash", rc=False, terminals=2, memory=1000, total_quota=50_000)
    setup = Setup.of(settings, "allow")
    first, second = Session(setup), Session(setup)
    try:
        one, two = Tools(first, Person()), Tools(second, Person())
        assert (await one("run", command="cat", wait=30))["state"] == "waiting"
        assert (await two("run", command="cat", wait=30))["state"] == "waiting"
        for call in (one, two):
            refused = await call("run", command="cat", task="more")
            assert refused["error"]["code"] == "limit_reached" and refused["error"]["value"] == 2
        assert sum(len(session.service.terminals()) for session in (first, second)) == 2
        for call in (one, two):
            (terminal,) = call.session.service.terminals()
            await call("stop", id=terminal.id)
            ran = await call("run", command="seq 20000", terminal_id=terminal.id)
            assert ran["complete"] is False  # 50,000 bytes were left for both
        assert setup.shared.total.used <= 50_000
    finally:
        await first.close()
        await second.close()
        await setup.page.close()
