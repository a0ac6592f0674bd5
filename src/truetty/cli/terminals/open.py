"""`truetty open`: a terminal that stays, and its id."""

from __future__ import annotations

from truetty.cli.terminals.server import Server
from truetty.cli.terminals.standing import print_json
from truetty.cli.variables import variables


def open(
    name: str | None,
    task: str | None,
    shell: str | None,
    cwd: str | None,
    env: list[str],
    no_rc: bool,
    size: tuple[int, int] | None,
    on: str | None,
    json: bool,
) -> int:
    server = Server(on)
    made = server.post(
        "/v1/terminals",
        name=name,
        task=task,
        shell=shell,
        **server.surroundings(cwd),
        env=variables(env),
        rc=False if no_rc else None,
        size=size,
    )
    if json:
        print_json(made)
    else:
        print(made["id"])
    return 0
