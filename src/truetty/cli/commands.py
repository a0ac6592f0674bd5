"""The table of commands, and how their command lines are read.

Rule 1: a command is a function that gives its exit status. Its file is imported when the command is used: the listing
        of `truetty --help` needs the table only.
Rule 2: an error of ours, also a wrong command line, is printed on standard error, and the status is 125. With `--json`
        it is also one object on standard output.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import typer
from typer.core import TyperCommand, TyperGroup
from typer.exceptions import TyperException

from truetty.core.errors import Misuse, TruettyError

if TYPE_CHECKING:
    from typer._click.core import Command, Context

OURS: Final = 125


class PlainCommand(TyperCommand):
    """Options and words in any order."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        words = list(args)
        try:
            return super().parse_args(ctx, args)
        except TyperException as error:
            known = any(parameter.name == "json" for parameter in self.params)
            raise _as_refusal(error, as_json=known and "--json" in words) from None

    def invoke(self, ctx: Context) -> object:
        raise typer.Exit(_status(lambda: super(PlainCommand, self).invoke(ctx), as_json=ctx.params.get("json") is True))


class CommandLast(PlainCommand):
    """Our options, then COMMAND, whose options are its own."""

    allow_interspersed_args = False


class FileFirst(CommandLast):
    """FILE, with our options before or behind it; then COMMAND, whose options are its own."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        try:
            before, rest = self._options(ctx, args)
            if rest:
                file, *rest = rest
                behind, rest = self._options(ctx, rest)
                args = [*before, *behind, "--", file, *rest]
        except TyperException as error:
            raise _as_refusal(error, as_json=False) from None
        return super().parse_args(ctx, args)

    def _options(self, ctx: Context, args: list[str]) -> tuple[list[str], list[str]]:
        """Our options at the beginning, and what comes after them."""
        found, _, _ = self.make_parser(ctx).parse_args(list(args))
        file, command = found.get("file"), found.get("command")
        words = [file, *(command if isinstance(command, list | tuple) else [])]
        others = [word for word in words if isinstance(word, str)]
        ours = args[: len(args) - len(others)]
        return (ours[:-1] if ours[-1:] == ["--"] else ours), args[len(args) - len(others) :]


@dataclass(frozen=True, slots=True)
class CommandRow:
    summary: str  # the first line of its docstring, for the listing
    kind: type[PlainCommand] = PlainCommand
    module: str | None = None  # inside truetty.cli, where it is not named like the command
    commands: Mapping[str, type[PlainCommand]] = field(default_factory=dict)  # it is a group of these


COMMANDS: Final = {
    "run": CommandRow(
        "Run COMMAND in a real shell on a terminal of its own, and exit with its exit code.", CommandLast
    ),
    "doctor": CommandRow(
        "Say which shells are here and how well each one works, tried and not assumed, and what the kernel lets us see."
    ),
    "record": CommandRow(
        "Record your shell, or COMMAND, to FILE; the exit status is the shell's or the command's.", FileFirst
    ),
    "replay": CommandRow(
        "Play a recording as it was. Into a pipe it goes at once, unless --speed is given. Ctrl-C stops."
    ),
    "shot": CommandRow(
        "Take a picture of what COMMAND has printed when it has finished or waits for input, or of a recording.",
        FileFirst,
    ),
    "clean": CommandRow(
        "Turn what a terminal printed into the text a person would have read: no colours, no redrawn lines."
    ),
    "mcp": CommandRow(
        "Serve terminals to an agent by the Model Context Protocol, over standard input and output or over HTTP."
    ),
    "policy": CommandRow(
        "Show what a policy says of commands: allow, ask or deny, and why. Nothing is run, nothing is recorded.",
        commands={"check": CommandLast, "try": PlainCommand},
    ),
    "answer": CommandRow(
        "Type what an agent's command asks for, a password above all. The agent does not see it, and nothing keeps it."
    ),
    "settings": CommandRow(
        "Print every setting as it is in effect, and where it came from: the default, your file, or the environment."
    ),
    "setup": CommandRow(
        "Put truetty into an MCP client: Claude Code, VS Code, Cursor, Codex, Gemini CLI, opencode, Copilot, …",
        module="setup.setup",
    ),
    "schema": CommandRow("Print the tools as function schemas for agent frameworks, as JSON."),
}


class RefusingGroup(TyperGroup):
    """A group of commands in which a wrong name is an error of ours."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except TyperException as error:
            raise _as_refusal(error, as_json=False) from None

    def resolve_command(self, ctx: Context, args: list[str]) -> tuple[str | None, Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except TyperException as error:
            raise _as_refusal(error, as_json="--json" in args) from None


class CommandGroup(RefusingGroup):
    """`truetty`: the commands of the table."""

    def list_commands(self, ctx: Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Context, cmd_name: str) -> TyperCommand | None:
        """For a listing, which shows no more than this."""
        return TyperCommand(cmd_name, help=COMMANDS[cmd_name].summary) if cmd_name in COMMANDS else None

    def resolve_command(self, ctx: Context, args: list[str]) -> tuple[str | None, Command | None, list[str]]:
        name, _, rest = super().resolve_command(ctx, args)
        return name, load(name) if name is not None else None, rest


def load(name: str) -> Command:
    """The command itself, from the function of its name in its file; of a group, those of its commands, too."""
    row = COMMANDS[name]
    module = importlib.import_module(f"truetty.cli.{row.module or name}")
    function = getattr(module, name)
    if not row.commands:
        alone = typer.Typer(add_completion=False)
        alone.command(name, cls=row.kind)(function)
        return typer.main.get_command(alone)
    group = typer.Typer(name=name, cls=RefusingGroup, add_completion=False, no_args_is_help=True)
    group.callback()(function)
    for sub, kind in row.commands.items():
        group.command(sub, cls=kind)(getattr(module, f"{name}_{sub}"))
    return typer.main.get_command(group)


def _as_refusal(error: TyperException, *, as_json: bool) -> TyperException:
    """A wrong command line, for the caller to raise again: typer shows it with the usage, and would exit with 2."""
    if as_json and error.exit_code:
        _print_error(Misuse(error.format_message()))
    error.exit_code = OURS
    return error


def _status(work: Callable[[], object], *, as_json: bool) -> int:
    """What a command gives; an error of ours is one line and status 125."""
    try:
        status = work()
        return status if isinstance(status, int) else 0
    except TruettyError as error:
        if as_json:
            _print_error(error)
        print(f"truetty: {error}", file=sys.stderr)
        return OURS
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except BrokenPipeError:  # the reader of our output is gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except OSError as error:
        print(f"truetty: {error.strerror}", file=sys.stderr)
        return OURS


def _print_error(error: TruettyError) -> None:
    facts = {name: value for name, value in error.facts.items() if isinstance(value, str | int | float | None)}
    print(json.dumps({"error": {"code": error.code, "message": str(error), **facts}}, ensure_ascii=False))
