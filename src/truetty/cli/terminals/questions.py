"""`truetty questions`, `allow` and `deny`: what the policy has a person asked."""

from __future__ import annotations

import sys
from typing import Any

from truetty.cli.terminals.server import Server
from truetty.cli.terminals.standing import print_json
from truetty.client.http import quoted
from truetty.core.errors import HostError
from truetty.text.quoting import on_one_line


def questions(on: str | None, json: bool) -> int:
    found = _open_questions(Server(on, start=False))
    if json:
        print_json(found)
        return 0
    for one in found["questions"]:
        print(f"{one['id']}  {on_one_line(one['command'])}")
        where = f"in {one['terminal_id']}" if one["terminal_id"] else None
        by = f"by {on_one_line(one['client'])}" if one["client"] else None
        print(f"    {on_one_line(one['reason'])}")
        if where or by:
            print("    " + ", ".join(part for part in (where, by) if part))
        for rule in one["suggestions"]:
            print(f"    always: {on_one_line(rule)}")
    if not found["questions"]:
        more = ": no server runs" if found["seq"] is None else ""
        print(f"no questions are open{more}", file=sys.stderr)
    return 0


def _open_questions(server: Server) -> Any:
    """Where no server runs, none is asked."""
    try:
        return server.get("/v1/questions")
    except HostError as error:
        if error.facts.get("reason") != "no server":
            raise
        return {"questions": [], "seq": None}


def allow(id: str, always: bool, rule: str | None, on: str | None) -> int:
    answer = "always" if always or rule is not None else "allow"
    made = _settle(on, id, answer=answer, rule=rule)
    if made["rule"] is not None:
        print(f"allowed from now on: {on_one_line(made['rule'])}")
    return 0


def deny(id: str, word: str | None, on: str | None) -> int:
    _settle(on, id, answer="deny", word=word)
    return 0


def _settle(on: str | None, id: str, **fields: object) -> Any:
    return Server(on, start=False).post(f"/v1/questions/{quoted(id)}", **fields)
