"""`truetty answer`: a command of the server, by its id, or the page of a handoff, by its URL."""

from __future__ import annotations

import http.cookiejar
import json
import sys
import urllib.error
import urllib.parse
import urllib.request

from truetty.cli.prompt import read_answer
from truetty.core.errors import Misuse
from truetty.text.quoting import whole

ANSWER_TIMEOUT = 30


def answer(id: str, text: str | None, on: str | None) -> int:
    if "://" not in id:
        from truetty.cli.terminals.answer import answer_command

        return answer_command(id, text, on)
    if text is not None:
        raise Misuse("behind a link there is no text: what is typed there is asked for. Nothing was typed.")
    return _answer_page(id)


def _answer_page(url: str) -> int:
    parts = urllib.parse.urlsplit(url)
    if parts.scheme != "http" or parts.hostname not in ("127.0.0.1", "localhost", "::1"):
        raise Misuse(f"{url!r} is not a truetty link. It looks like http://127.0.0.1:PORT/…", url=url)
    page = _Page(url)
    if page.state == "finished":
        print("the command has finished already")
        return 0
    _say(page)
    while (text := _read_answer(page)) is not None:
        page.post("type", {"text": text, "enter": "yes", "asked": page.asked})
        print(whole(page.message))
        if page.message == "typed":
            return 0
        if page.state != "waiting":  # nothing is asked any more, so what was typed is not sent
            break
        _say(page)
    page.post("back", {})
    print("given back")
    return 1


class _Page:
    def __init__(self, url: str) -> None:
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        # A proxy would be shown the link, and what is typed.
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), cookies)
        self._url = url
        self._take(self._ask(urllib.request.Request(url)))

    def post(self, path: str, form: dict[str, str]) -> None:
        data = urllib.parse.urlencode({**form, "key": self._key}).encode()
        self._take(self._ask(urllib.request.Request(urllib.parse.urljoin(self._url, f"/{path}"), data)))

    def _take(self, facts: dict[str, object]) -> None:
        self.facts = facts
        self.state, self.secret = str(facts["state"]), facts["secret"] is True
        self.reason, self.command = str(facts["reason"]), str(facts["command"])
        self.prompt, self._key = str(facts["prompt"] or ""), str(facts["key"])
        self.asked, self.message = str(facts["asked"]), str(facts["message"])

    def _ask(self, request: urllib.request.Request) -> dict[str, object]:
        request.add_header("Accept", "application/json")
        try:
            with self._opener.open(request, timeout=ANSWER_TIMEOUT) as answer:
                found: dict[str, object] = json.load(answer)
                return found
        except urllib.error.HTTPError as error:
            raise Misuse(_refusal(error), status=error.code) from None
        except urllib.error.URLError as error:
            gone = "This link is no longer in use: the command has gone on or truetty has ended."
            raise Misuse(gone, reason=str(error.reason)) from None


def _say(page: _Page) -> None:
    """The program that reads comes first; what the agent says is quoted."""
    red, plain = ("\x1b[1;31m", "\x1b[0m") if sys.stderr.isatty() else ("", "")
    print(whole(str(page.facts["reader"])), file=sys.stderr)
    for warning in _texts(page.facts["warnings"]):
        print(f"{red}WARNING: {whole(warning)}{plain}", file=sys.stderr)
    for moment in _texts(page.facts["opened_before"]):
        print(f"A page like this was opened before, at {whole(moment)}. Was it you?", file=sys.stderr)
    print(f"The agent says: “{whole(page.reason)}”\n$ {whole(page.command)}", file=sys.stderr)
    print(whole(str(page.facts["echo"])), file=sys.stderr)


def _texts(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []


def _refusal(error: urllib.error.HTTPError) -> str:
    try:
        return whole(str(json.load(error)["error"]))
    except (ValueError, KeyError, TypeError):
        return "this link was used already, or is no longer valid"


def _read_answer(page: _Page) -> str | None:
    """What the person types; None if they type nothing."""
    try:
        line = read_answer(f"{whole(page.prompt).rstrip()} ", is_secret=page.secret)
    except KeyboardInterrupt:
        return None
    return line.removesuffix("\n") if line else None
