"""Which program gets what a person types after a handoff, and why not to type it.

Rule 1: the kernel says which program reads: its file and its user. The program can choose its name and its prompt, and
        the agent its reason. A script that is named sudo has the shell as its file.
Rule 2: a warning is for a secret. If a program asks for a name or a yes, the page names the program and does not warn.
Rule 3: an unknown program is warned of. A person who knows it can still type.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Final

from truetty.core import lazy
from truetty.core.outcome import Waiting
from truetty.host.base import Identity
from truetty.questions import programs, words
from truetty.service.handoffs import Secrecy
from truetty.shells import table
from truetty.terminal.command import Command
from truetty.text.quoting import whole

# Programs that ask for a secret, by the words that a prompt or a person names them with.
_OWNERS: Final[tuple[tuple[str, str, frozenset[str]], ...]] = (
    ("sudo", r"sudo", frozenset({"sudo", "sudo-rs"})),
    ("doas", r"doas", frozenset({"doas"})),
    ("polkit", r"pkexec|polkit", frozenset({"pkexec", "pkttyagent", "polkit-agent-helper-1"})),
    ("passwd", r"passwd", frozenset({"passwd", "chpasswd"})),
    ("ssh", r"\S+@\S+'s password|ssh", frozenset({"ssh", "ssh-add", "ssh-keygen", "ssh-copy-id", "ssh-askpass"})),
    (
        "gpg",
        r"gpg2?|gnupg|openpgp|pinentry",
        frozenset({"gpg", "gpg2", "gpg-agent", "pinentry", "pinentry-curses", "pinentry-tty"}),
    ),
)
_MENTIONS: Final = tuple(
    (owner, lazy.pattern(rf"(?<![\w-])(?:{pattern})(?![\w])", re.IGNORECASE), readers)
    for owner, pattern, readers in _OWNERS
)
_SECRET: Final = lazy.pattern(r"pass\s?(?:word|phrase|code)|kennwort|secret|\bpin\b|token|credential", re.IGNORECASE)

NO_READER: Final = "No program is seen to read the keyboard now."
UNKNOWN_READER: Final = "It cannot be seen which program reads the keyboard now."

HIDDEN: Final = (
    "Echo is off: the terminal does not show what you type, and the agent does not see it there. "
    "The program named above gets it."
)
OPEN: Final = "Echo is on: the terminal shows what you type, and the agent will see it."
KEYS: Final = "The program reads key by key: it may show what you type, and the agent sees what it shows."


@dataclass(frozen=True, slots=True)
class Look:
    """The program that reads a command's keyboard at one moment, and what a person should know about it."""

    reader: Identity | None
    waiting: Waiting | None
    secrecy: Secrecy
    sentence: str
    warnings: list[str]
    echo: str


def look(command: Command, reason: str, secrecy: Secrecy) -> Look:
    identity, waiting = command.reader, command.waiting
    cautions = warnings(identity, waiting, secrecy, reason)
    return Look(identity, waiting, secrecy, sentence(identity, waiting), cautions, echo(secrecy, waiting))


def sentence(reader: Identity | None, waiting: Waiting | None) -> str:
    """The program that reads what is typed now."""
    if reader is None:
        return NO_READER if waiting is None else UNKNOWN_READER
    path = "a file that only root may know" if reader.path is None else _readable(reader.path)
    who = f"{path}, process {reader.pid}, with the rights of {_readable(reader.user or 'an unknown user')}"
    return f"{_readable(name(reader))} reads what you type: {who}."


def echo(secrecy: Secrecy, waiting: Waiting | None) -> str:
    """What becomes of what is typed."""
    if secrecy == "hidden":
        return HIDDEN
    return KEYS if waiting is not None and waiting.kind in ("key", "fullscreen") else OPEN


def warnings(reader: Identity | None, waiting: Waiting | None, secrecy: Secrecy, reason: str) -> list[str]:
    prompt = waiting.prompt if waiting is not None else ""
    about_secret = secrecy != "open" or words.secret(prompt) is not None or _SECRET.search(prompt) is not None
    wanted = about_secret or _SECRET.search(reason) is not None
    found = []
    if (named := _named(prompt) or (_named(reason) if wanted else None)) is not None:
        owner, readers = named
        if not _is_one_of(reader, readers):
            found.append(f"The request names {owner}, but {_not(reader)}. Type no password here.")
    if wanted and not found and (doubt := _doubt(reader)):
        found.append(doubt)
    if wanted and secrecy != "hidden":
        found.append("A secret is asked for, and echo is on: the agent will see what you type.")
    if reader is not None and reader.tracer is not None:
        found.append(f"{_readable(reader.tracer)} traces the program that reads: it sees what you type.")
    return found


def _named(text: str) -> tuple[str, frozenset[str]] | None:
    return next(((owner, readers) for owner, mention, readers in _MENTIONS if mention.search(text)), None)


def _is_one_of(reader: Identity | None, names: frozenset[str]) -> bool:
    """Whether the reader is one of these programs, and the system's own. Of root's program only the user is known."""
    if reader is None or name(reader) not in names:
        return False
    return reader.user == "root" if reader.path is None else reader.of_system is True


def _not(reader: Identity | None) -> str:
    if reader is None:
        return "it cannot be seen that this program reads"
    if reader.path is None:
        return f"{_readable(reader.name)} reads, and which file that is cannot be seen"
    return f"{_readable(reader.path)} reads"


def _doubt(reader: Identity | None) -> str | None:
    """Why a secret should not be given to this program, whatever it asks."""
    if reader is None:
        return "A secret is asked for, and it cannot be seen which program would get it."
    if reader.path is None:
        return None if reader.user == "root" else f"It cannot be seen which file {_readable(reader.name)} is."
    plain, path = programs.plain(name(reader)), _readable(reader.path)
    if plain in table.names() or plain in programs.LANGUAGES:
        return f"{path} runs what the agent wrote: the agent can get what you type."
    if plain in programs.SILENT:
        return f"{path} copies what it reads: the agent can get what you type."
    return None if reader.of_system else f"{path} is no program of the system: the agent may have written it."


def name(reader: Identity) -> str:
    """The program, by its file where that is known: a process can choose its own name."""
    return reader.name if reader.path is None else os.path.basename(reader.path.removesuffix(" (deleted)"))


def _readable(text: str) -> str:
    return whole(text).replace("\n", "⏎")
