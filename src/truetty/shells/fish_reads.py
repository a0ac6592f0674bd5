"""Which `read` of a command hides what is typed: fish draws dots itself, so that the tty's modes do not show it.

Rule: the command's text says it, and the line that stands there says which `read` it is. In doubt it is a secret. A
      `read -s` inside a function or a script is not in the text, and is not known.
"""

from __future__ import annotations

from typing import NamedTuple

from truetty.core import lazy

_READ = lazy.pattern(r"""\bread\b(?P<arguments>(?:'[^']*'|"[^"]*"|[^;|&()\n'"])*)""")
_QUOTED = lazy.pattern(r"'[^']*'|\"[^\"]*\"")
_SILENT = lazy.pattern(r"\s(?:-[aglLfSxUuitz]*s[A-Za-z]*|--silent)(?=\s|$)")
_PROMPT = lazy.pattern(r"""\s(?:-[a-zA-Z]*P|--prompt-str)[\s=]*(?:'([^']*)'|"([^"$]*)"|([^\s'"$]+))""")


class Read(NamedTuple):
    silent: bool
    prompt: str | None  # None: the text does not say it


def hides_input(text: str, line: str) -> bool:
    """Whether the `read` of this text that has drawn this line hides what is typed."""
    reads = [_read(found["arguments"]) for found in _READ.finditer(text)]
    if not any(read.silent for read in reads):
        return False
    drawn = [read for read in reads if read.prompt is not None and read.prompt.strip() in line]
    others = [read for read in reads if read.prompt is None]
    return any(read.silent for read in drawn or others or reads)


def _read(arguments: str) -> Read:
    prompt = _PROMPT.search(arguments)
    silent = _SILENT.search(_QUOTED.sub("''", arguments)) is not None
    return Read(silent, next((one for one in prompt.groups() if one is not None), None) if prompt else None)
