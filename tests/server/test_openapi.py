"""The description is true: every verb is in it, and every answer is as it says."""

from __future__ import annotations

from typing import Any

from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from tests.patience import PATIENCE
from tests.server.live import Live, Talk
from truetty.server import shapes
from truetty.server.verbs import BY_NAME, VERBS
from truetty.server.verbs.web import PAGE_ROWS
from truetty.server.wire import openapi

LONG = PATIENCE


def test_every_verb_is_described(server: Live) -> None:
    described = server.get("/v1/openapi.json")
    found = {operation["operationId"] for path in described["paths"].values() for operation in path.values()}
    assert found == {*BY_NAME, *(row.name for row in PAGE_ROWS)} and len(BY_NAME) == len(VERBS)
    assert len({(verb.method, verb.path) for verb in VERBS}) == len(VERBS)
    for verb in VERBS:
        named = {field.name for field in verb.fields}
        assert len(named) == len(verb.fields), verb.name
        assert {"id", "do", "key", "call"}.isdisjoint(named), f"{verb.name}: a name that /v1/connect uses itself"


class Checked:
    """Calls whose answers are held against the description."""

    def __init__(self, talk: Talk) -> None:
        self.talk = talk
        self.called: set[str] = set()
        self._schemas = openapi.describe()["components"]["schemas"]

    async def __call__(self, do: str, **fields: Any) -> Any:
        found = await self.talk.call(do, **fields)
        named: dict[str, Any] = {}
        schema = shapes.schema(BY_NAME[do].answer, named)
        Draft202012Validator({**schema, "components": {"schemas": {**self._schemas, **named}}}).validate(found)
        if not isinstance(BY_NAME[do].answer, type) or BY_NAME[do].answer.__module__ != "builtins":
            made = shapes.made(BY_NAME[do].answer, found)
            assert shapes.plain(made) == found  # nothing is lost on the way there and back
        self.called.add(do)
        return found


async def test_every_answer_is_as_described(server: Live) -> None:
    async with server.connect() as talk:
        call = Checked(talk)
        await call("hello")
        terminal = (await call("open", shell="bash", rc=False, name="one", size=[100, 20]))["id"]
        await call("show", terminal_id=terminal)
        await call("run", command="printf 'a\\nb\\n'; sleep 1000 &", terminal=terminal, wait=LONG)
        for name in ("list", "status", "completed"):
            await call(name)
        for name in ("screen", "shown", "transcript", "log", "gaps", "jobs"):
            await call(name, terminal_id=terminal)
        await call("screen", terminal_id=terminal, form="svg")
        for name in ("command", "report", "explain", "activity", "read", "text", "page", "unread", "lines", "slice"):
            await call(name, command_id=terminal)
        await call("output", command_id=terminal)
        await call("picture", command_id=terminal, theme="light")
        await call("raw", command_id=terminal)
        await call("history")
        await call("search", q="a")
        await call("read", command_id=terminal, grep="a", context=1)
        await call("grep", command_id=terminal, pattern={"pattern": "B", "flags": 2}, context=1)
        await call("wait", command_id=terminal)
        started = (await call("start", command="read -p '? ' x; read -p '?? ' x; read y", terminal=terminal))["id"]
        asked = await call(
            "wait", command_id=started, timeout=LONG, until={"match": [{"pattern": "zz"}, {"pattern": r"(\?)"}]}
        )
        assert (asked["match"]["index"], asked["match"]["captures"]) == (1, ["?"])
        await call("wait", command_id=started, timeout=LONG, until={"screen": "? "})
        episode = (await call("command", command_id=started))["episode"]
        while episode is None:
            await call("wait", command_id=started, timeout=LONG)
            episode = (await call("command", command_id=started))["episode"]
        await call("answer", command_id=started, episode=episode, text="x")
        await call("wait", command_id=started, timeout=LONG, until="input")
        await call("send", command_id=started, text="y", keys=["Enter"], wait=LONG)
        await call("type", command_id=started, base64="YQ==")
        await call("type_in", terminal_id=terminal, keys=["BSpace"])
        await call("activity", command_id=started)
        await call("handoff", terminal_id=terminal, reason="a look", wait=0)
        await call("interrupt", command_id=started)
        await call("stop", command_id=started)
        await call("resize", terminal_id=terminal, size=[80, 24])
        lease = (await call("lease", terminal_id=terminal, reason="a look"))["lease"]
        await call("want", terminal_id=terminal, name="Ben")
        await call("show", terminal_id=terminal)
        await call("type_in", terminal_id=terminal, text="false\r", lease=lease)
        await call("give_back", terminal_id=terminal, lease=lease)
        await call("change", terminal_id=terminal, name="two")
        await call("questions")
        await call("acquire", task="t", shell="bash", rc=False)
        await call("release", task="t")
        await call("web_on", port=0)
        await call("web")
        await call("ticket", terminal=terminal)
        share = await call("share", terminal_id=terminal, seconds=60)
        await call("shares")
        await call("revoke", share_id=share["id"])
        await call("web_off")
        await call("close", terminal_id=terminal)
        await call("shutdown", force=True)
    # Three streams, what ends the connection (test_survival.py), and what needs a question (test_questions.py)
    # or a hand-off (tests/web/test_page_agents.py).
    others = {"events", "follow", "cast", "upgrade", "settle", "decline"}
    assert call.called == set(BY_NAME) - others
    server.until_ended()
