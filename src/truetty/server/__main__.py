"""`python -m truetty.server`: the server's process, on a lock and a socket that it has inherited, below a keeper."""

from __future__ import annotations

import argparse
import os
import signal


def main() -> None:
    arguments = _arguments()
    _reset_signals()
    for descriptor in (arguments.lock, arguments.socket):
        os.set_inheritable(descriptor, False)  # a shell that had the lock would keep it
    from truetty.server import process

    process.serve(
        arguments.state,
        arguments.path,
        arguments.socket,
        arguments.idle,
        keeper=arguments.keeper,
        log=not arguments.no_log,
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="truetty.server", allow_abbrev=False)
    parser.add_argument("--state", required=True)
    parser.add_argument("--path", required=True)
    parser.add_argument("--lock", type=int, required=True)
    parser.add_argument("--socket", type=int, required=True)
    parser.add_argument("--idle", type=float)
    parser.add_argument("--no-log", action="store_true", help="standard error is not the log's file")
    parser.add_argument("--keeper", help="what `keeper_program.py` hands to its server")
    return parser.parse_args()


def _reset_signals() -> None:
    """A starter that ignores SIGINT, as `nohup … &` does, must not pass that on."""
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # Python turns it into an error
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


if __name__ == "__main__":
    main()
