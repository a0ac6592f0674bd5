"""`truetty serve`: the server of terminals, started, shown and ended."""

from __future__ import annotations

import contextlib
import json as format
import os
import signal
import socket
import sys
import time
from typing import Any, Final

from truetty.cli.agreeing import agrees
from truetty.cli.terminals.standing import stray_line
from truetty.client.http import NO_ANSWER, ask
from truetty.core.errors import Busy, ChannelLost, HostError, Misuse
from truetty.server.start import launch
from truetty.server.start.place import Place, boot, identity

NONE_RUNS: Final = 1
ANSWER_SECONDS: Final = 2.0  # a server that takes longer to say how it is hangs
START_SECONDS: Final = 60.0
LARGEST_PORT: Final = 65535


def serve(
    status: bool,
    stop: bool,
    force: bool,
    upgrade: bool,
    restart: bool,
    foreground: bool,
    web: bool,
    listen: str | None,
    token: bool,
    no_web: bool,
    idle: float | None,
    json: bool,
) -> int:
    if status + stop + upgrade + restart + foreground + web + no_web > 1:
        named = "--status, --stop, --upgrade, --restart, --foreground, --web and --no-web"
        raise Misuse(f"{named} are seven things: name one of them")
    if force and not (stop or restart):
        raise Misuse("--force goes with --stop and --restart")
    if (listen is not None or token) and not web:
        raise Misuse("--listen and --token go with --web")
    place = Place.of(os.environ)
    if web:
        return _turn_on(place, {**_address(listen), "with_token": token}, idle, json)
    if foreground:
        return _run_here(place, idle)
    if not (no_web or status or stop or upgrade or restart):
        return _show(launch.reach(place, idle=idle), START_SECONDS, json)
    found = launch.find(place)
    if found is None:
        print("{}" if json else f"no server runs for {place.folder}")
        return NONE_RUNS
    try:
        return _ask(place, found, status, stop, force, restart, no_web, json)
    except ChannelLost as error:
        if error.reason != NO_ANSWER:
            raise
        if restart and force:
            return _replace(place, json)
        raise _hangs(place) from error


def _ask(
    place: Place, found: socket.socket, status: bool, stop: bool, force: bool, restart: bool, no_web: bool, json: bool
) -> int:
    """Raises ChannelLost for a server that does not answer."""
    if status:
        return _show(found, ANSWER_SECONDS, json)
    with found:
        found.settimeout(ANSWER_SECONDS if restart else START_SECONDS)
        if no_web:
            return _turn_off(found, json)
        if stop:
            return _stop(found, force, json)
        before = ask(found, "GET", "/v1/hello")["pid"]
    return _upgrade(place, before, json)


def _show(found: socket.socket, patience: float, json: bool) -> int:
    with found:
        found.settimeout(patience)
        _print(ask(found, "GET", "/v1/status"), json)
    return 0


def _stop(server: socket.socket, force: bool, json: bool) -> int:
    problems = ask(server, "GET", "/v1/status").get("problems", ())
    try:
        ask(server, "POST", "/v1/stop", {"force": force})
    except Busy as error:
        if json or not agrees(f"truetty: {error}. End what runs?"):
            raise Busy(f"{error}. --force ends what runs.", **error.facts) from None
        ask(server, "POST", "/v1/stop", {"force": True})
    for problem in problems:
        print(f"truetty: {problem}. What has no room when the server ends is lost: its log names it.", file=sys.stderr)
    print("{}" if json else "it ends, with its terminals")
    return 0


def _upgrade(place: Place, before: int, json: bool) -> int:
    """To the version of this program. `before` is the process of the server that runs."""
    with launch.reach(place, start=False) as connection:
        connection.settimeout(START_SECONDS)
        ask(connection, "POST", "/v1/upgrade", {"python": sys.executable})
    # Until the old one is gone, it may still take a connection. It answers none.
    while True:
        with launch.reach(place, start=False) as connection, contextlib.suppress(OSError, HostError):
            connection.settimeout(START_SECONDS)
            status = ask(connection, "GET", "/v1/status")
            if status["pid"] != before:
                break
    _print(status, json)
    return 0


def _hangs(place: Place) -> HostError:
    pid = (place.read_info() or {}).get("pid")
    way = "truetty serve --restart --force ends it, and another one takes over its terminals and what runs in them"
    return HostError(f"the server, process {pid}, does not answer. {way}", pid=pid, reason=NO_ANSWER)


def _replace(place: Place, json: bool) -> int:
    """Kill a server that does not answer. Its keeper starts the next one, which takes everything over."""
    info = place.read_info() or {}
    pid = info.get("pid")
    if not isinstance(pid, int) or (info.get("start_time"), info.get("boot_id")) != (identity(pid), boot() or None):
        reason = f"{place.info} does not say which process it is"
        raise HostError(f"the server cannot be ended: {reason}", path=place.info, reason=reason)
    os.kill(pid, signal.SIGKILL)
    found = launch.find(place)
    if found is None:
        reason = "it had no keeper"
        raise HostError(f"the server was ended, and none follows: {reason}. Its terminals have ended", reason=reason)
    return _show(found, START_SECONDS, json)


def _turn_on(place: Place, address: dict[str, object], idle: float | None, json: bool) -> int:
    with launch.reach(place, idle=idle) as connection:
        connection.settimeout(START_SECONDS)
        found = ask(connection, "POST", "/v1/web", address)
    if json:
        print(format.dumps(found))
        return 0
    print(f"the page is at {found['url']}; truetty open --web logs you in")
    if found["token_file"] is not None:
        print(f"programs need the token in {found['token_file']}")
    return 0


def _turn_off(server: socket.socket, json: bool) -> int:
    ended = ask(server, "DELETE", "/v1/web")
    print(format.dumps(ended) if json else "the page is off")
    return 0


def _address(listen: str | None) -> dict[str, object]:
    if listen is None:
        return {}
    host, colon, port = listen.rpartition(":")
    if not colon or not (port.isascii() and port.isdigit()) or int(port) > LARGEST_PORT:
        raise Misuse(f"--listen takes HOST:PORT, such as 127.0.0.1:7717, not {listen!r}", listen=listen)
    return {"host": host.strip("[]") or None, "port": int(port)}


def _run_here(place: Place, idle: float | None) -> int:
    from truetty.server.start import starting

    with starting.lock(place) as held:
        if held is None:
            raise _already(place)
        with starting.listening(place) as (bound, path):
            starting.become(place, held, bound, path, idle)


def _already(place: Place) -> HostError:
    """A server runs, so that none is run here: systemd would take our end for that of the server."""
    with launch.reach(place, start=False) as connection:
        connection.settimeout(START_SECONDS)
        pid = ask(connection, "GET", "/v1/hello")["pid"]
    message = f"a server runs already for {place.folder}: process {pid}. truetty serve --stop ends it"
    return HostError(message, path=place.folder, pid=pid, reason="a server runs already")


def _print(status: dict[str, Any], json: bool) -> None:
    if json:
        print(format.dumps(status, ensure_ascii=False))
        return
    since = time.strftime("%Y-%m-%d %H:%M", time.localtime(status["started_at"]))
    print(f"truetty {status['truetty']}, process {status['pid']}, since {since}: {status['socket']}")
    if status.get("web") is not None:
        print(f"its page: {status['web']}")
    if not status["keeper"]:
        print("it has no keeper: its terminals end with it")
    for line in (*status.get("problems", ()), *map(stray_line, status.get("strays", ()))):
        print(line)
    running = status["running"]
    terminals = "1 terminal" if status["terminals"] == 1 else f"{status['terminals']} terminals"
    print(f"{terminals}, {'1 command runs' if len(running) == 1 else f'{len(running)} commands run'}")
    for command in running:
        print(f"  {command['id']}  {command['state']}  {' '.join(command['text'].split())[:60]}")
