"""A server that cannot start: its callers are told why, and its terminals are left to the next try.

A keeper that holds terminals starts a server again and again, with a pause of 5 seconds at most. Callers wait in the
listening socket meanwhile. Each try that fails answers those that are there.
"""

from __future__ import annotations

import json
import logging
import os
import select
import socket
import time
from typing import Final, NoReturn

from truetty.core.errors import HostError
from truetty.server.refusals import INTERNAL, refusal

LOG: Final = logging.getLogger("truetty.server")

ACCEPT_SECONDS: Final = 1.0  # for callers that are on their way
REQUEST_SECONDS: Final = 0.2  # for the request of one of them; a part of it will do
PIECE: Final = 1 << 16


def fail(listening: socket.socket, error: Exception, log: str) -> NoReturn:
    """End this process. Nothing is closed: the keeper has the terminals. `log`: its path."""
    LOG.error("the server cannot start", exc_info=error)
    found = refusal(error)
    reason = f"{log} says why" if found.code == INTERNAL else found.message
    refuse(listening, f"the server cannot start: {reason}", reason)
    logging.shutdown()
    os._exit(1)


def refuse(listening: socket.socket, message: str, reason: str) -> None:
    """Each caller that is there gets this answer, whatever it asks."""
    error = {"code": HostError.code, "message": message, "facts": {"reason": reason}}
    body = json.dumps({"error": error}).encode()
    fields = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close"
    answer = f"HTTP/1.1 503 Service Unavailable\r\n{fields}\r\n\r\n".encode() + body
    end = time.monotonic() + ACCEPT_SECONDS
    while (left := end - time.monotonic()) > 0 and select.select([listening], [], [], left)[0]:
        try:
            caller, _ = listening.accept()
            with caller:
                caller.settimeout(REQUEST_SECONDS)
                caller.recv(PIECE)
                caller.sendall(answer)
        except OSError:  # it has gone
            continue
