"""The script for bash. It needs nothing of the package bash-completion."""

from __future__ import annotations

from typing import Final

from truetty.cli.commands import EXTRA
from truetty.cli.completion.model import Source, options, places, quoted, values
from truetty.cli.table import COMMANDS

_COMPGEN: Final[dict[Source, str]] = {
    "files": 'compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur"))',
    "directories": 'compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur"))',
    "commands": 'COMPREPLY=($(compgen -c -- "$cur"))',
    "terminals": "_truetty_terminals",
    "nothing": "COMPREPLY=()",
}
# COMP_WORDBREAKS cuts `--shell=ba` into three words. Behind COMMAND, whose options are its own, files are completed.
_SCRIPT: Final = """\
# Completion of truetty for bash: eval "$(truetty completion bash)"

_truetty_row() {{
    commands='' options='-h --help' ours=''
    case $1 in
{rows}
    esac
}}

_truetty_value() {{
    case $1 in
{values}
    esac
}}

# A name is taken as it is: compgen -W would expand it.
_truetty_terminals() {{
    local name
    while IFS= read -r name; do
        [[ $name == "$cur"* ]] && printf -v name %q "$name" && COMPREPLY+=("$name")
    done < <("${{COMP_WORDS[0]}}" list --names 2>/dev/null)
}}

_truetty() {{
    local IFS=$' \\t\\n' cur=${{COMP_WORDS[COMP_CWORD]}} path='' option='' ended='' word commands options ours
    local -i i count=0
    COMPREPLY=()
    _truetty_row ''
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${{COMP_WORDS[i]}}
        if [[ $option ]]; then
            [[ $word == '=' ]] || option=''
        elif [[ ! $ended && $word == -- ]]; then
            ended=yes
        elif [[ ! $ended && $word == -* ]]; then
            [[ ' {taking} ' == *" $word "* ]] && option=$word
        elif [[ $count -eq 0 && " $commands " == *" $word "* ]]; then
            path=${{path:+$path }}$word
            _truetty_row "$path"
        else
            count+=1
            [[ $ours && $count -gt $ours ]] && ended=yes
        fi
    done
    [[ $cur == '=' ]] && cur=''
    if [[ $option ]]; then
        _truetty_value "$option"
    elif [[ ! $ended && $cur == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$cur"))
    elif [[ $count -eq 0 && $commands ]]; then
        COMPREPLY=($(compgen -W "$commands" -- "$cur"))
    else
        _truetty_value "$path $count"
    fi
}}

complete -F _truetty truetty
"""


def script() -> str:
    rows = [_row("", [*COMMANDS, *EXTRA], "-V --version"), _row("help", list(COMMANDS), "")]
    cases = []
    for place in places():
        names = " ".join(option.name for option in place.row.options)
        rows.append(_row(place.path, [one.name for one in place.row.commands], names, place.words_of_ours))
        for number, word in enumerate(place.row.words):
            cases.append(_value(f"{place.path} {number}", values(word)))
            if word.many:
                cases.append(f"    {quoted(place.path)}' '*) {_COMPGEN['files']} ;;")
    taking = [option for option in options().values() if option.kind != "switch"]
    cases += [_value(option.name, values(option)) for option in taking]
    names = " ".join(option.name for option in taking)
    return _SCRIPT.format(rows="\n".join(rows), values="\n".join(cases), taking=names)


def _row(path: str, commands: list[str], options: str, ours: int | None = None) -> str:
    parts = [f"commands={quoted(' '.join(commands))}"] if commands else []
    parts += [f"options+={quoted(f' {options}')}"] if options else []
    parts += [f"ours={ours}"] if ours is not None else []
    return f"    {quoted(path)}) {' '.join(parts)} ;;"


def _value(case: str, found: tuple[str, ...] | Source) -> str:
    if isinstance(found, tuple):
        return f'    {quoted(case)}) COMPREPLY=($(compgen -W {quoted(" ".join(found))} -- "$cur")) ;;'
    return f"    {quoted(case)}) {_COMPGEN[found]} ;;"
