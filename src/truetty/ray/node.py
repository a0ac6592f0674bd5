"""`python -m truetty.ray.node`: the server of one node, on a socket that it has inherited, below the guard.

Rule 1: it has no keeper: its terminals end with it. What is left of them is ended by the guard.
Rule 2: the numbers of its terminals begin behind LAST, so that no two hosts of a cluster give the same id.
"""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import socket
import sys
from math import inf

from truetty.server.server import Server, Setup
from truetty.server.start.failing import fail
from truetty.server.start.place import Place
from truetty.settings import Settings
from truetty.terminal import numbers


def main() -> None:
    folder, path, descriptor, terminals, last = sys.argv[1:]
    os.set_inheritable(int(descriptor), False)
    logging.basicConfig(format="truetty: %(message)s", level=logging.WARNING)
    numbers.begin_after(int(last))
    with socket.socket(fileno=int(descriptor)) as listening:
        setup = Setup(Place(folder), path, listening, idle=inf)
        asyncio.run(_serve(setup, int(terminals)))
    shutil.rmtree(folder, ignore_errors=True)  # so does the guard, unless it was killed


async def _serve(setup: Setup, terminals: int) -> None:
    try:
        server = Server(setup, Settings.load(terminals=terminals))
    except Exception as error:  # a mistake in the settings of the node
        fail(setup.listening, error, "the log of the Ray worker")
    await server.run()


if __name__ == "__main__":
    main()
