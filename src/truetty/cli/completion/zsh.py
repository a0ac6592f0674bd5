"""The script for zsh: functions of `_arguments`, one for each command. It works sourced and from the fpath."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from truetty.cli.commands import EXTRA
from truetty.cli.completion.model import Place, Source, places, quoted, short_help, values
from truetty.cli.table import COMMANDS
from truetty.cli.table.row import Option, Word

_ACTIONS: Final[dict[Source, str]] = {
    "files": "_files",
    "directories": "_files -/",
    "commands": "_command_names -e",
    "terminals": "_truetty_terminals",
    "nothing": " ",
}
_EXTRA: Final = {"help": "Show the help of a command", "version": "Print the version"}
_SCRIPT: Final = """\
#compdef truetty
# Completion of truetty for zsh: eval "$(truetty completion zsh)", behind compinit

_truetty() {{
    local curcontext=$curcontext state line
    typeset -A opt_args
    _arguments -C {help} '(-)'{{-V,--version}}'[print the version]' '1: :->command' '*:: :->rest'
    case $state in
    command)
        _describe command {commands}
        ;;
    rest)
        (( $+functions[_truetty_$words[1]] )) && _truetty_$words[1]
        ;;
    esac
}}

_truetty_terminals() {{
    local -a found
    found=(${{(f)"$(_call_program terminals truetty list --names 2>/dev/null)"}})
    compadd "$@" -a found
}}

{functions}

if [[ $funcstack[1] = _truetty ]]; then
    _truetty "$@"
else
    compdef _truetty truetty
fi
"""
_HELP: Final = "'(- *)'{-h,--help}'[show this]'"
_GROUP: Final = """\
_truetty_{name}() {{
    local curcontext=$curcontext state line
    typeset -A opt_args
    _arguments -C {arguments} '1: :->command' '*:: :->rest'
    case $state in
    command)
        _describe command {commands}
        ;;
    rest)
        (( $+functions[_truetty_{name}_$words[1]] )) && _truetty_{name}_$words[1]
        ;;
    esac
}}"""


def script() -> str:
    summaries = {**{name: row.summary for name, row in COMMANDS.items()}, **_EXTRA}
    assert set(EXTRA) == set(_EXTRA)
    functions = [_function(place) for place in places()]
    functions.append(f"_truetty_help() {{\n    _arguments '1:command:({' '.join(COMMANDS)})'\n}}")
    return _SCRIPT.format(help=_HELP, commands=_described(summaries), functions="\n\n".join(functions))


def _function(place: Place) -> str:
    arguments = " ".join([_HELP, *map(_option, place.row.options)])
    if place.row.commands:
        summaries = {one.name: one.summary for one in place.row.commands}
        return _GROUP.format(name=place.path, arguments=arguments, commands=_described(summaries))
    words = " ".join(_words(place.row.words))
    # -A: behind the first word that is none, an option is COMMAND's.
    strict = "" if place.words_of_ours is None else " -A '-*'" if place.words_of_ours == 0 else ""
    return f"_truetty_{place.path.replace(' ', '_')}() {{\n    _arguments -s{strict} {arguments} {words}\n}}"


def _words(words: Iterable[Word]) -> list[str]:
    found = []
    for number, word in enumerate(words, 1):
        name = word.placeholder.removeprefix("-- ").replace(":", "\\:")
        found.append(quoted(f"{number}:{name}:{_action(values(word))}"))
        if word.many:
            found.append("'*::arguments:_normal'")
    return found


def _option(option: Option) -> str:
    help = short_help(option)
    star = "*" if option.repeats else ""
    if option.kind == "switch":
        return quoted(f"{star}{option.name}[{help}]")
    placeholder = option.placeholder.replace(":", "\\:")
    return quoted(f"{star}{option.name}=[{help}]:{placeholder}:{_action(values(option))}")


def _action(found: tuple[str, ...] | Source) -> str:
    return f"({' '.join(found)})" if isinstance(found, tuple) else _ACTIONS[found]


def _described(summaries: dict[str, str]) -> str:
    """An array as `_describe` takes it in place: names with what they do."""
    words = " ".join(quoted(f"{name}:{summary}") for name, summary in summaries.items())
    return quoted(f"({words})")
