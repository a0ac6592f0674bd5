"""A person at the page answers programs and the policy's questions: once, the one that was asked, and no other."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.patience import PATIENCE
from tests.server.live import Live
from tests.web.browser import Login, Page

POLICY = """
[policy]
default = "ask"
allow = ["echo", "read *", "git fetch"]
deny = ["shutdown"]
"""


@pytest.fixture
def asking(home: Path, make_server: Callable[..., Live]) -> Iterator[Page]:
    """The page of a server with a policy that asks."""
    folder = home / ".config" / "truetty"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "truetty.toml").write_text(POLICY)
    server = make_server()
    server.post("/v1/web", port=0)
    page = Page(server)
    yield page
    page.close()


def open_terminal(page: Page) -> str:
    """In a directory of the test's own."""
    return str(page.server.post("/v1/terminals", shell="bash", rc=False, cwd=page.server.place.folder)["id"])


def start(page: Page, command: str) -> dict[str, Any]:
    """A command that asks something."""
    terminal = open_terminal(page)
    id = page.server.post("/v1/commands", command=command, terminal=terminal)["id"]
    page.server.get(f"/v1/commands/{id}/wait")
    return dict(page.server.get(f"/v1/commands/{id}"))


def answer(page: Page, login: Login, command: dict[str, Any], **fields: Any) -> Any:
    body = {"episode": command["episode"], **fields}
    return page.ask("POST", f"/v1/commands/{command['id']}/answer", body, login)


def test_a_card_in_two_windows_is_answered_once(page: Page) -> None:
    one, two = page.login(), page.login()
    asked = start(page, "read -p 'Sure? ' a; read -p 'Really? ' b; echo $a-$b")
    assert answer(page, one, asked, text="y").status == 200
    late = answer(page, two, asked, text="n")
    assert (late.status, late.code) == (409, "stale")
    page.server.get(f"/v1/commands/{asked['id']}/wait")
    second = page.server.get(f"/v1/commands/{asked['id']}")
    assert second["episode"] != asked["episode"]
    assert answer(page, two, second, text="z").status == 200
    done = page.server.get(f"/v1/commands/{asked['id']}/wait?until=finished")
    assert done["output"].endswith("y-z\n")


def test_a_secret_is_typed_only_while_it_is_hidden(page: Page) -> None:
    login = page.login()
    plain = start(page, "read -p 'Name: ' a; echo $a")
    refused = answer(page, login, plain, text="hunter2", secret=True)
    assert refused.code == "stale" and "hunter2" not in refused.body.decode()
    hidden = start(page, "read -s -p 'Password: ' a; echo; echo ${#a}")
    assert hidden["waiting"]["kind"] == "secret"
    assert answer(page, login, hidden, text="hunter2", secret=True).status == 200
    done = page.server.get(f"/v1/commands/{hidden['id']}/wait?until=finished")
    assert done["output"].endswith("7\n")
    for path in Path(page.server.place.folder).rglob("*"):
        assert not path.is_file() or b"hunter2" not in path.read_bytes(), path


def test_a_person_answers_under_a_policy_that_asks_before_typing(asking: Page) -> None:
    login = asking.login()
    asked = start(asking, "read -p 'Sure? ' a")
    call = Call(asking, f"/v1/commands/{asked['id']}/answer", {"episode": asked["episode"], "text": "y"})
    asked_about = question(asking, login)  # of a program a person is asked
    assert answer(asking, login, asked, text="y").status == 200
    assert asking.server.get(f"/v1/commands/{asked['id']}/wait")["exit_code"] == 0
    asking.ask("POST", f"/v1/questions/{asked_about['id']}", {"answer": "deny"}, login)
    assert call.answered().code == "denied"


class Call(threading.Thread):
    """An agent's call, which waits for a person."""

    def __init__(self, page: Page, path: str, body: dict[str, Any]) -> None:
        super().__init__()
        self._page = page
        self._path, self._body = path, body
        self.reply: Any = None
        self.start()

    def run(self) -> None:
        self.reply = self._page.server.ask("POST", self._path, self._body, {"Truetty-Client": "agent/1"})

    def answered(self) -> Any:
        self.join(PATIENCE)
        return self.reply


def run(page: Page, command: str) -> Call:
    return Call(page, "/v1/run", {"command": command, "terminal": open_terminal(page), "wait": PATIENCE})


def question(page: Page, login: Login) -> dict[str, Any]:
    while not (found := page.ask("GET", "/v1/questions", login=login).json["questions"]):
        pass
    return dict(found[0])


def test_an_approval_shows_every_part_and_what_always_would_add(asking: Page) -> None:
    login = asking.login()
    call = run(asking, "git fetch origin && mkdir build")
    asked = question(asking, login)
    assert asked["client"] == "agent/1" and asked["cwd"]
    parts = [(one["command"], one["verdict"], one["rule"]) for one in asked["parts"]]
    assert parts == [("git fetch origin", "allow", "git fetch"), ("mkdir build", "ask", None)]
    assert asked["suggestions"] == ["mkdir build"]
    late = asking.upgrade("/v1/events", login, "truetty.events.1")  # one that comes later sees it too
    assert late.heard()["questions"] == [asked]
    settled = asking.ask("POST", f"/v1/questions/{asked['id']}", {"answer": "deny", "word": "not now"}, login)
    assert settled.json["by"] == login.answer["name"]
    assert late.until(event="settled")["question_id"] == asked["id"]
    refused = call.answered()
    assert refused.code == "denied" and "not now" in refused.json["error"]["message"]
    again = asking.ask("POST", f"/v1/questions/{asked['id']}", {"answer": "allow"}, login)
    assert (again.status, again.code) == (409, "settled")
    assert again.json["error"]["facts"]["by"] == login.answer["name"]


def test_always_allows_by_the_rules_that_were_shown(asking: Page) -> None:
    login = asking.login()
    call = run(asking, "mkdir build")
    asked = question(asking, login)
    settled = asking.ask("POST", f"/v1/questions/{asked['id']}", {"answer": "always"}, login)
    assert settled.json["rule"] == "; ".join(asked["suggestions"])
    assert call.answered().json["exit_code"] == 0
    assert run(asking, "mkdir build").answered().json["exit_code"] == 1  # it ran without a question


def test_what_cannot_be_parsed_says_so(asking: Page) -> None:
    login = asking.login()
    call = run(asking, "echo 'half")
    asked = question(asking, login)
    assert asked["parts"] == [] and asked["suggestions"] == []
    asking.ask("POST", f"/v1/questions/{asked['id']}", {"answer": "deny"}, login)
    assert call.answered().code == "denied"


def test_the_holder_is_asked_to_give_it_back(page: Page) -> None:
    ann, ben = page.login(), page.login()
    terminal = open_terminal(page)
    path = f"/v1/terminals/{terminal}/lease"
    assert page.ask("POST", f"{path}/request", {"name": "Ben"}, ben).code == "misuse"  # no one has it
    lease = page.ask("POST", path, {"holder": "Ann"}, ann).json["lease"]
    taken = page.ask("POST", path, {"holder": "Ben"}, ben)
    assert (taken.code, taken.json["error"]["facts"]["holder"]) == ("held", "Ann")
    stream = page.upgrade("/v1/events", ann, "truetty.events.1")
    assert stream.heard()["terminals"][0]["lease"]["wanted_by"] is None
    assert page.ask("POST", f"{path}/request", {"name": "Ben"}, ben).json["wanted_by"] == "Ben"
    told = stream.until(event="lease")
    assert (told["holder"], told["wanted_by"]) == ("Ann", "Ben")
    assert page.ask("DELETE", f"{path}/{lease}", {}, ann).status == 200
    assert page.ask("POST", path, {"holder": "Ben"}, ben).status == 200
