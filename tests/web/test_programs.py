"""Programs at the page's port: with the token in its file, and never without."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

import truetty
from tests.patience import PATIENCE
from tests.server.live import Live
from tests.web.browser import Page
from truetty.web.tickets import MOST_WRONG


def let_in(page: Page) -> Path:
    """The file with the token."""
    return Path(page.server.post("/v1/web", with_token=True)["token_file"])


async def test_a_program_connects_with_the_token(page: Page) -> None:
    file = let_in(page)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    async with truetty.connect(page.url, token=file.read_text().strip()) as there:
        terminal = await there.open("bash", rc=False)
        outcome = await terminal.run("echo $((6 * 7))", wait=PATIENCE)
        assert (outcome.exit_code, outcome.output) == (0, "42\n")
    with pytest.raises(truetty.HostError, match="does not take this token"):
        await truetty.connect(page.url, token="another-one")


def test_without_the_token_no_program_gets_in(page: Page) -> None:
    def asked(token: str | None, path: str = "/v1/terminals") -> int:
        return page.ask("GET", path, headers={"Authorization": token}).status

    def upgraded(token: str | None, **more: str | None) -> int:
        return page.upgrade("/v1/connect", headers={"Origin": None, "Authorization": token, **more}).status

    assert asked("Bearer ") == asked("Bearer x") == 401  # there is none
    file = let_in(page)
    token = file.read_text().strip()
    for wrong in (
        "Bearer x",
        f"Bearer {token}x",
        f"Basic {token}",
        token,
        f"Bearer {token}\r\nAuthorization: Bearer x",
    ):
        assert asked(wrong) in (401, 429) and upgraded(wrong) in (401, 403), wrong
    assert asked(None) == asked(None, f"/v1/terminals?token={token}") == 401
    assert upgraded(None) == 403
    assert asked(f"Bearer {token}") == 200 and upgraded(f"Bearer {token}") == 101
    foreign = {"Authorization": f"Bearer {token}", "Origin": "http://evil.example"}
    assert page.ask("GET", "/v1/terminals", headers=foreign).status == 403
    assert upgraded(f"Bearer {token}", Origin="http://evil.example") == 403
    os.chmod(file, 0o644)  # others could have read it
    assert asked(f"Bearer {token}") in (401, 429)
    os.chmod(file, 0o600)
    file.unlink()
    assert asked(f"Bearer {token}") in (401, 429)
    assert page.server.get("/v1/web")["token_file"] is None


def test_wrong_tokens_are_bounded_and_the_right_one_is_taken_all_the_same(page: Page) -> None:
    token = let_in(page).read_text().strip()
    wrong = [page.ask("GET", "/v1/status", headers={"Authorization": "Bearer x"}) for _ in range(MOST_WRONG + 1)]
    assert [one.status for one in wrong] == [*[401] * MOST_WRONG, 429]
    assert 0 < int(wrong[-1].headers["retry-after"]) <= 60
    assert page.ask("GET", "/v1/status", headers={"Authorization": f"Bearer {token}"}).status == 200


def test_the_token_is_the_programs_alone(page: Page, server: Live) -> None:
    token = let_in(page).read_text().strip()
    login = page.login()
    assert page.ask("GET", "/v1/terminals", headers={"Truetty-Key": token, "Cookie": login.cookie}).status == 401
    assert token not in page.ask("GET", "/v1/status", login=login).body.decode()
