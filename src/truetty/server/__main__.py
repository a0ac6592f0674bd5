"""`python -m truetty.server`: the server's process, on a lock and a socket that it has inherited.

Rule: with `--detach` the first process ends as soon as the second is there, so that the server is no child of its
      starter; `launch.py` waits for that.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import signal
import sys

MISSING = 3  # the exit status where the extra is not installed
NEEDED = ("starlette", "uvicorn", "websockets")


def main() -> None:
    arguments = _arguments()
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        print(f"truetty: {missing[0]} is missing: pip install 'truetty[server]' brings it", file=sys.stderr)
        sys.exit(MISSING)
    _reset_signals()
    for descriptor in (arguments.lock, arguments.socket):
        os.set_inheritable(descriptor, False)  # a shell that had the lock would keep it
    if arguments.detach and os.fork():
        os._exit(0)
    from truetty.server import process

    process.serve(arguments.state, arguments.path, arguments.socket, arguments.idle)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="truetty.server", allow_abbrev=False)
    parser.add_argument("--state", required=True)
    parser.add_argument("--path", required=True)
    parser.add_argument("--lock", type=int, required=True)
    parser.add_argument("--socket", type=int, required=True)
    parser.add_argument("--idle", type=float)
    parser.add_argument("--detach", action="store_true")
    return parser.parse_args()


def _reset_signals() -> None:
    """A starter that ignores SIGINT, as `nohup … &` does, must not pass that on."""
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # Python turns it into an error
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


if __name__ == "__main__":
    main()
