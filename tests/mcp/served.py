"""What the tests of the MCP server share: sessions without a protocol, the official SDK's clients, and their server."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

import truetty
from tests.acceptance.session import eventually as eventually
from tests.patience import PATIENCE as PATIENCE
from truetty.mcp.caller import LinkOffer, Reply
from truetty.mcp.session import Face, Session, Setup
from truetty.mcp.tools import ClientVerbs
from truetty.policy import Decision
from truetty.settings import Settings

PACKAGE = Path(truetty.__file__).parent
ERAS = ("legacy", "2026-07-28")


@dataclass(slots=True)
class Person:
    """A caller whose answers are known: what was asked and shown stays here."""

    allows: bool | None = None
    replies: Reply = "unreachable"
    wants_progress: bool = False
    asked: list[Decision] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)  # beside the links
    live: list[str] = field(default_factory=list)
    on_live: Callable[[], object] = lambda: None

    async def progress(self, seconds: float, text: str) -> None:
        self.live.append(text)
        self.on_live()

    async def permit(self, decision: Decision) -> bool | None:
        self.asked.append(decision)
        return self.allows

    async def show_link(self, link: Callable[[], Awaitable[str]], offer: LinkOffer) -> Reply:
        if self.replies != "unreachable":
            self.links.append(await link())
        self.messages.append(offer.message)
        return self.replies


class Tools:
    """The tools of one session, called as a client would, without a protocol between."""

    def __init__(self, session: Session, person: Person) -> None:
        self.session = session
        self.person = person
        self.text = ""

    async def __call__(self, name: str, /, **given: object) -> dict[str, Any]:
        result = await ClientVerbs(self.session, self.person).call(name, given)
        self.text = result.text
        return result.data


def setup(policy: str = "allow", audit: Path | None = None, face: Face | None = None) -> Setup:
    """Without a sandbox: homes of tests are in places that are private to one."""
    return Setup.of(Settings.load({}, shell="bash", rc=False, audit=audit, sandbox="none"), policy, face)


@asynccontextmanager
async def tools(
    policy: str = "allow", person: Person | None = None, audit: Path | None = None, face: Face | None = None
) -> AsyncIterator[Tools]:
    made = setup(policy, audit, face)
    session = Session(made)
    try:
        yield Tools(session, person or Person())
    finally:
        await session.close()
        await made.page.close()


def server(*options: str, env: Mapping[str, str] | None = None) -> StdioServerParameters:
    """How to start ours, for a client over stdio."""
    arguments = ["-m", "truetty", "mcp", "--shell", "bash", "--no-rc", *options]
    return StdioServerParameters(
        command=sys.executable,
        args=arguments,
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent), **(env or {})},
    )


def over_stdio(*options: str, mode: str, **arguments: Any) -> Client:
    return Client(stdio_client(server(*options)), mode=mode, **arguments)


# Says which they are, a job and the shell, and waits: for tests that look for them afterwards.
JOB = "sleep 1003 & echo $! $$; cat"


def pids(shown: dict[str, Any]) -> list[int]:
    """Those that `JOB` has named; bash says "[1] PID" before it."""
    assert shown["state"] == "waiting", shown
    found = [int(word) for word in shown["output"].split()[-2:]]
    assert all(map(alive, found))
    return found


def once(go: Path) -> str:
    """A command that is over when this file is there."""
    return f"while [ ! -e {go} ]; do sleep 0.02; done"


def two_lines(go: Path) -> str:
    """Prints one, goes on when the file is there, prints another: for tests that make it when they have heard one."""
    return f"echo one; {once(go)}; echo two"


def alive(pid: int) -> bool:
    """Whether a process still runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False
