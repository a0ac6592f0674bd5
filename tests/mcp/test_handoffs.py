"""Who has a terminal that was handed over, and what a model reads of it: over stdio, with clients of several habits."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Literal

import httpx2
import mcp_types as types
import pytest
from mcp.client.client import Client

from tests.mcp.raw import command_id, raw_client
from tests.mcp.served import ERAS, over_stdio

ASKS = "read -p 'Name? ' a; read -p 'Sure? ' b; echo $a $b"


async def text(client: Client, name: str, /, **arguments: object) -> str:
    (content,) = (await client.call_tool(name, arguments)).content
    assert isinstance(content, types.TextContent)
    return content.text


def url_in(text: str) -> str:
    found = re.search(r"^url: (http://127\.0\.0\.1:\S+)$", text, re.MULTILINE)
    assert found is not None, text
    return found[1]


async def open_page(url: str) -> None:
    async with httpx2.AsyncClient(trust_env=False) as browser:
        assert (await browser.get(url)).status_code == 200


@pytest.mark.parametrize("action", ["decline", "cancel"])
@pytest.mark.parametrize("era", ERAS)
async def test_a_client_that_answers_no_is_not_taken_for_the_user(
    home: Path, era: str, action: Literal["decline", "cancel"]
) -> None:
    shown: list[str] = []

    async def elicit(context: object, params: types.ElicitRequestParams) -> types.ElicitResult:
        assert isinstance(params, types.ElicitRequestURLParams)
        shown.append(params.url)
        return types.ElicitResult(action=action)

    async with over_stdio("--cwd", str(home), mode=era, elicitation_callback=elicit) as client:
        id = command_id(await text(client, "run", command=ASKS))
        offered = await text(client, "handoff", id=id, reason="your name")
        assert "user declined" not in offered and "error" not in offered
        assert "note: the client did not show the page" in offered and shown == [url_in(offered)]
        again = await text(client, "handoff", id=id, reason="your name, please")
        assert url_in(again) == url_in(offered) and len(shown) == 1


@pytest.mark.parametrize("era", ERAS)
async def test_a_handoff_is_taken_when_its_page_is_opened(home: Path, era: str) -> None:
    async with over_stdio("--cwd", str(home), mode=era) as client:
        id = command_id(await text(client, "run", command=ASKS))
        url = url_in(await text(client, "handoff", id=id))
        assert "Sure?" in await text(client, "send", id=id, text="Ada", enter=True)
        assert url_in(await text(client, "handoff", id=id)) == url
        await open_page(url)
        refused = await text(client, "send", id=id, text="yes", enter=True)
        assert "a person has terminal t1 now" in refused and "Nothing was typed." in refused
        assert url_in(await text(client, "handoff", id=id)) != url


async def test_a_client_that_accepts_shows_the_same_link_again(home: Path) -> None:
    shown: list[str] = []

    async def elicit(context: object, params: types.ElicitRequestParams) -> types.ElicitResult:
        assert isinstance(params, types.ElicitRequestURLParams)
        shown.append(params.url)
        return types.ElicitResult(action="accept")

    async with over_stdio("--cwd", str(home), mode=ERAS[0], elicitation_callback=elicit) as client:
        id = command_id(await text(client, "run", command=ASKS))
        for _ in range(2):
            offered = await text(client, "handoff", id=id, wait=0)
            assert "url:" not in offered and "the user was shown a page" in offered
        assert len(shown) == 2 and len(set(shown)) == 1


async def test_a_client_that_cannot_read_input_required_gets_the_address_by_the_next_call(home: Path) -> None:
    """Copilot CLI 1.0 says that it elicits by url, and takes the answer that asks it to for a broken one."""

    def result(answer: dict[str, Any]) -> dict[str, Any]:
        assert "result" in answer, answer
        found: dict[str, Any] = answer["result"]
        return found

    async with raw_client("--cwd", str(home), elicitation={"form": {}, "url": {}}, modern=True) as client:
        begun, _ = await client.call("run", {"command": ASKS})
        arguments = {"id": command_id(begun), "reason": "your name"}
        first = result(await client.request("tools/call", {"name": "handoff", "arguments": arguments}))
        assert "content" not in first
        (asked,) = first["inputRequests"].values()
        offered, refused = await client.call("handoff", arguments)
        assert not refused and url_in(offered) == asked["params"]["url"]
        typed, refused = await client.call("send", {"id": command_id(begun), "text": "Ada\n"})
        assert not refused and "Sure?" in typed
