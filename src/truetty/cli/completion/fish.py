"""The script for fish."""

from __future__ import annotations

from typing import Final

from truetty.cli.commands import EXTRA
from truetty.cli.completion.model import Place, Source, options, places, short_help, values
from truetty.cli.table import COMMANDS

_SOURCES: Final[dict[Source, str]] = {
    "files": "-F",
    "directories": "-a '(__fish_complete_directories (commandline -ct))'",
    "commands": "-a '(__fish_complete_command)'",
    "terminals": "-a '(truetty list --names 2>/dev/null)'",
    "nothing": "",
}
_SCRIPT: Final = """\
# Completion of truetty for fish: truetty completion fish | source

# Prints the names of the command before the cursor, how many words are behind them, and whether options have ended.
function __truetty_place
    set -l path
    set -l count 0
    set -l skip ''
    set -l ended
    for word in (commandline -opc)[2..-1]
        if test -n "$skip"
            set skip ''
            continue
        end
        switch $word
            case --
                set ended ended
            case '-*'
                if test -n "$ended"
                    set count (math $count + 1)
                else if contains -- $word {taking}
                    set skip yes
                end
            case '*'
                if test $count = 0; and contains -- (string join ' ' $path $word) {paths}
                    set path $path $word
                else
                    set count (math $count + 1)
                    switch (string join ' ' $path)
                        case {command_last}
                            set ended ended
                        case {file_first}
                            test $count -gt 1; and set ended ended
                    end
                end
        end
    end
    string join ' ' -- $path $count $ended
end

# In the command $argv[1], where its options may stand.
function __truetty_options
    string match -qr "^$argv[1] [0-9]+\\$" -- (__truetty_place)
end

# In the command $argv[1], at its word $argv[2], which is a pattern.
function __truetty_word
    string match -qr "^$argv[1] $argv[2]( ended)?\\$" -- (__truetty_place)
end

complete -c truetty -e
complete -c truetty -f
complete -c truetty -n "string match -q 0 (__truetty_place)" -s h -l help -d 'show this'
complete -c truetty -n "string match -q 0 (__truetty_place)" -s V -l version -d 'print the version'
{lines}
"""


def script() -> str:
    taking = [option.name for option in options().values() if option.kind != "switch"]
    lines = [_command("", name, row.summary) for name, row in COMMANDS.items()]
    lines += [_command("", name, "") for name in EXTRA]
    lines += [_command("help", name, "") for name in COMMANDS]
    for place in places():
        lines += _lines(place)
    of_order = {
        order: [_quoted(place.path) for place in places() if place.row.order == order]
        for order in ("command-last", "file-first")
    }
    return _SCRIPT.format(
        taking=" ".join(taking),
        paths=" ".join(_quoted(path) for path in ("help", *(place.path for place in places()))),
        command_last=" ".join(of_order["command-last"]),
        file_first=" ".join(of_order["file-first"]),
        lines="\n".join(lines),
    )


def _lines(place: Place) -> list[str]:
    lines = [_command(place.path, one.name, one.summary) for one in place.row.commands]
    condition = f'-n "__truetty_options {_quoted(place.path)}"'
    lines.append(f"complete -c truetty {condition} -s h -l help -d 'show this'")
    for option in place.row.options:
        value = "" if option.kind == "switch" else f"-x {_value(values(option))}"
        value = value.replace("-x -F", "-r -F")
        lines.append(f"complete -c truetty {condition} -l {option.name[2:]} {value} -d {_quoted(short_help(option))}")
    for number, word in enumerate(place.row.words):
        lines.append(_word(place.path, str(number), _value(values(word))))
        if word.many:
            lines.append(_word(place.path, "[1-9][0-9]*" if number == 0 else "([2-9]|[1-9][0-9]+)", "-F"))
    return lines


def _command(path: str, name: str, summary: str) -> str:
    place = f"{path} 0".lstrip()
    help = f" -d {_quoted(summary)}" if summary else ""
    return f"complete -c truetty -n \"string match -q -- '{place}' (__truetty_place)\" -a {name}{help}"


def _word(path: str, number: str, value: str) -> str:
    return f'complete -c truetty -n "__truetty_word {_quoted(path)} {_quoted(number)}" {value}'


def _value(found: tuple[str, ...] | Source) -> str:
    return f"-a {_quoted(' '.join(found))}" if isinstance(found, tuple) else _SOURCES[found]


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
