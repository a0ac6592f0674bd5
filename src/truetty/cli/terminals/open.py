"""`truetty open`: a terminal that stays, and its id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from truetty.cli.terminals.server import Server
from truetty.cli.terminals.standing import print_json
from truetty.cli.variables import variables
from truetty.core.errors import Misuse


def open(
    id: str | None,
    name: str | None,
    task: str | None,
    shell: str | None,
    cwd: str | None,
    env: list[str],
    no_rc: bool,
    size: tuple[int, int] | None,
    attach: bool,
    on: str | None,
    json: bool,
    web: bool,
    share: str | None,
    shares: bool,
    revoke: str | None,
    no_browser: bool,
) -> int:
    if web:
        makes = (name, task, shell, cwd, size, *env)
        if attach or no_rc or any(one is not None for one in makes):
            raise Misuse("--web shows the page and opens no terminal: the options of a new one do not go with it")
        from truetty.cli.terminals import web as page

        if share is not None or shares or revoke is not None:
            return page.links(Server(on), id, share, shares, revoke, json=json)
        return page.show(Server(on), id, browser=not no_browser and not json, json=json)
    if id is not None or no_browser or shares or share is not None or revoke is not None:
        raise Misuse("ID, --no-browser, --share, --shares and --revoke go with --web. Nothing was opened.")
    fields = {
        "name": name,
        "task": task,
        "shell": shell,
        "env": variables(env),
        "rc": False if no_rc else None,
        "size": size,
    }
    if attach:
        return _open_and_attach(fields, cwd, on, json)
    made = _make(Server(on), cwd, fields)
    if json:
        print_json(made)
    else:
        print(made["id"])
    return 0


def _open_and_attach(fields: Mapping[str, object], cwd: str | None, on: str | None, json: bool) -> int:
    from truetty.cli.attach.attach import check_person, follow
    from truetty.cli.attach.keyboard import DetachKeys
    from truetty.cli.attach.tty import Tty

    if json:
        raise Misuse("--attach shows the terminal, and --json prints an object: give one of them. Nothing was opened.")
    check_person()
    with Tty() as tty:
        server = Server(on)
        made = _make(server, cwd, {**fields, "size": fields["size"] or tty.size})
        return follow(tty, server, made["id"], take=True, keys=DetachKeys.read(None))


def _make(server: Server, cwd: str | None, fields: Mapping[str, object]) -> Any:
    return server.post("/v1/terminals", **fields, **server.surroundings(cwd))
