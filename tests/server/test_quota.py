"""A terminal that has printed more than its transcript may have on disk."""

from __future__ import annotations

from typing import Any

from tests.server.live import Live
from tests.server.test_survival import kill

QUOTA = 1 << 20


def test_a_terminal_beyond_its_quota_goes_on(server: Live) -> None:
    server.post("/v1/terminals", shell="bash", rc=False, name="build", quota=QUOTA)

    def run(command: str) -> Any:
        return server.post("/v1/run", command=command, terminal="build")

    before = run("echo before")
    many = run("seq 500000")
    assert (many["exit_code"], many["complete"]) == (0, False)
    assert many["output"].startswith("1\n2\n") and many["output"].endswith("500000\n")
    after = run("echo after")
    assert (after["output"], after["complete"]) == ("after\n", True)
    lines = [line for line in server.get("/v1/terminals/build/screen")["lines"] if line.strip()]
    assert lines[-4] == "500000" and lines[-3].endswith("echo after") and lines[-2] == "after"
    kill(server)  # and with it what it had in memory
    again = run("echo again")
    assert (again["output"], again["complete"]) == ("again\n", True)
    assert server.get(f"/v1/commands/{before['command_id']}/text")["text"] == "before\n"
    assert server.get(f"/v1/commands/{after['command_id']}")["complete"] is False
