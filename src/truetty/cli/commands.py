"""From the words of a command line to the exit status of the command they call.

Rule 1: a command is a function that gives its exit status. Its file is imported when the command is used; a help page
        needs the table only.
Rule 2: an error of ours is a line on standard error, and the status is 125. For a wrong command line a second line
        names the help page. With `--json` the error is one object on standard output, and nothing else is printed.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Mapping
from typing import Final

from truetty.cli.reading import HELP, HelpWanted, WrongWords, near, read, unknown_command
from truetty.cli.table import COMMANDS
from truetty.cli.table.row import CommandRow
from truetty.core.errors import HostError, TruettyError

OURS: Final = 125
EXTRA: Final = ("help", "version")  # commands without a row: they show what the others are
INTERRUPTED: Final = 128 + 2
NO_READER: Final = 128 + 13  # as a program that SIGPIPE has ended


def call(words: list[str]) -> int:
    """What `truetty` does with these words."""
    path: list[str] = []  # the names of the command, as far as they are known
    if sys.stdout is None:  # nothing is begun whose answer would be lost
        print("truetty: standard output is closed", file=sys.stderr)
        return OURS
    try:
        return _status(lambda: _call(words, path))
    except HelpWanted:
        return _status(lambda: _print_help(path))
    except WrongWords as error:
        as_json = "--json" in words
        _report(error, as_json=as_json)
        if not as_json:
            print(f"See {' '.join(['truetty', *path])} --help.", file=sys.stderr)
        return OURS


def _call(words: list[str], path: list[str]) -> int:
    match words:
        case [] | ["-h" | "--help", *_]:
            raise HelpWanted
        case ["help", *names]:
            _find([name for name in names if name not in HELP], path)
            raise HelpWanted
        case ["-V" | "--version" | "version", *rest]:
            if rest:
                raise WrongWords(f"{words[0]} takes no words; got {rest[0]!r}.", word=rest[0])
            from truetty import __version__

            print(f"truetty {__version__}")
            return 0
    row, rest = _find(words, path)
    assert row is not None
    if not row.alone:
        if any(word in HELP for word in rest[:1]):
            raise HelpWanted
        raise _unknown(row.name, rest, [one.name for one in row.commands])
    arguments = read(row, rest)
    return _status(lambda: load(path)(**arguments), row, arguments)


def _find(words: list[str], path: list[str]) -> tuple[CommandRow | None, list[str]]:
    """The command that these words begin with, and the words behind it. Its names are added to `path`."""
    row: CommandRow | None = None
    rows: Mapping[str, CommandRow] = COMMANDS
    rest = list(words)
    while rest and rest[0] in rows:
        row = rows[rest[0]]
        path.append(rest.pop(0))
        rows = {one.name: one for one in row.commands}
    if row is None and rest:
        raise _unknown("", rest, [*COMMANDS, *EXTRA], _run_hint(rest))
    return row, rest


def _unknown(of: str, rest: list[str], known: list[str], hint: str = "") -> WrongWords:
    if not rest:
        return WrongWords(f"{of} needs a command: {' or '.join(known)}.")
    if of and not rest[0].startswith("-"):
        return unknown_command(of, rest[0], known)
    kind = "option" if rest[0].startswith("-") else "command"
    meant = near(rest[0], ["--help", "--version"] if kind == "option" else known)
    return WrongWords(f"no {kind} {rest[0]}{meant}{hint if meant == '.' else ''}", word=rest[0])


def _run_hint(words: list[str]) -> str:
    """For a program that was given in place of a command of ours."""
    from shlex import join
    from shutil import which

    return f" To run it in a shell: truetty run {join(words)}" if which(words[0]) else ""


def load(path: list[str]) -> Callable[..., object]:
    """The function of a command, from its file: `policy_check` of `policy.py` for `truetty policy check`."""
    from importlib import import_module

    row, _ = _find(path, [])
    # What imports make lives as long as the process. Without the search for garbage among it, at the end too, a short
    # command takes an eighth less time.
    gc.disable()
    module = import_module(f"truetty.cli.{(row and row.module) or COMMANDS[path[0]].module or path[0]}")
    gc.freeze()
    gc.enable()
    function: Callable[..., object] = getattr(module, "_".join(path))
    return function


def _print_help(path: list[str]) -> int:
    from truetty.cli.help import help_page, overview

    row, _ = _find(path, [])
    sys.stdout.write(overview() if row is None else help_page(" ".join(["truetty", *path]), row))
    sys.stdout.flush()  # an error is ours to report: the interpreter's end would show a traceback
    return 0


def _status(
    work: Callable[[], object], row: CommandRow | None = None, arguments: Mapping[str, object] | None = None
) -> int:
    """What a command gives; an error of ours is one line and status 125."""
    as_json = (arguments or {}).get("json") is True
    try:
        status = work()
        return status if isinstance(status, int) else 0
    except WrongWords:
        raise
    except TruettyError as error:
        from truetty.cli.wording import Call, message

        _report(error, message(error, None if row is None else Call(row, arguments or {})), as_json=as_json)
        return OURS
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # the reader of our output is gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NO_READER
    except OSError as error:
        reason = error.strerror or str(error)
        what = f"{error.filename}: {reason}" if error.filename else reason
        _report(HostError(what, reason=reason), as_json=as_json)
        return OURS


def _report(error: TruettyError, message: str | None = None, *, as_json: bool) -> None:
    message = str(error) if message is None else message
    if as_json:
        import json

        facts = {name: value for name, value in error.facts.items() if isinstance(value, str | int | float | None)}
        print(json.dumps({"error": {"code": error.code, "message": message, **facts}}, ensure_ascii=False))
    else:
        print(f"truetty: {message}", file=sys.stderr)
