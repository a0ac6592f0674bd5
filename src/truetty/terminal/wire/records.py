"""What is written down of a command, and how the next process makes it a command again.

Rule 1: nothing of the scanner or the machine is written. What was printed since is read again, as if it came late.
Rule 2: a command whose record says that it is about to be typed was perhaps typed if the shell has read or printed
        anything since, or has something to read. Otherwise nothing was typed, and it is typed now.
Rule 3: a second record says that all was typed. Without it, what the shell has read may be files of its own prompt. So
        the command is typed again if the shell is back at its prompt, has read all, and no mark tells of a start.
"""

from __future__ import annotations

from math import inf

from truetty.core.life import Ending
from truetty.core.standing import Standing
from truetty.shells.row import Typed
from truetty.terminal.wire.link import Link
from truetty.terminal.wire.run import Run, ShellFacts


def asked(run: Run) -> Standing:
    limit = run.machine.limit_at
    return {
        "serial": run.serial,
        "text": run.text,
        "asked_at": run.machine.asked_at,
        "limit_at": None if limit == inf else limit,
        "drawn": run.secrets.drawn,
    }


def sent(link: Link, run: Run, typed: Typed) -> Standing:
    """Before it is typed."""
    return {
        **asked(run),
        "by_editor": typed.by_editor,
        "line": typed.line.decode("latin-1"),
        "files": list(typed.files),
        "read_before": run.read_before,
        "link": link.standing(),
    }


def ended(link: Link, run: Run) -> Standing:
    assert run.machine.ending is not None and run.shell_then is not None
    return {
        "serial": run.serial,
        "ending": run.machine.ending.standing(),
        "output_from": run.machine.testimony.output_from,
        "echoes": echoes(link),
        "downgraded": run.machine.downgraded,
        "healed": run.healed,
        "window": run.span.window.standing(),
        "notes": run.notes,
        "cwd": run.shell_then.cwd,
        "closed": run.shell_then.closed,
        "time_is_over": run.time_is_over,
        "link": link.standing(),
    }


def echoes(link: Link) -> list[Standing]:
    """Those of our own lines that were not written down before. A text in the place of one is the command's."""
    return [
        {"start": one.start, "end": one.end, "line": one.line.decode("latin-1"), "is_command": bool(one.text)}
        for one in link.timeline.new_echoes()
    ]


def make_again(link: Link, begun: Standing, end: Standing | None) -> Run:
    """`begun`, of `asked` or `sent`: as it was before anything was typed. `end`: it has ended."""
    run = _make(link, begun)
    if end is not None:
        _end(run, end)
    return run


def _make(link: Link, record: Standing) -> Run:
    limit = inf if record["limit_at"] is None else record["limit_at"] - record["asked_at"]
    run = link.make_run(record["text"], record["serial"], tuple(record["drawn"]), record["asked_at"], limit)
    run.read_before = record.get("read_before")
    return run


def typed_again(record: Standing) -> Typed:
    """Of `sent`: what was typed. Its files are there already, or read."""
    line, files = record["line"].encode("latin-1"), dict.fromkeys(record["files"], b"")
    return Typed(line, files, by_editor=record["by_editor"])


def was_typed(link: Link, record: Standing, *, printed: bool) -> bool:
    """Or perhaps so. `printed`: the terminal has, since the record."""
    if "link" not in record:
        return False
    if "typed" in record or printed or link.channel.tty.unread():
        return True
    return bool(link.channel.process.consumed() != record["read_before"])


def _end(run: Run, record: Standing) -> None:
    run.machine.end_again(
        Ending(**record["ending"]),
        output_from=record["output_from"],
        downgraded=record["downgraded"],
        healed=record["healed"],
    )
    run.span.window.stand(record["window"])
    run.notes.extend(record["notes"])
    run.time_is_over = record["time_is_over"]
    run.shell_then = ShellFacts(record["cwd"], record["closed"])
