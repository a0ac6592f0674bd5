"""What is said to clients and their models beside the answers, which have their words from `functions/words.py`."""

from __future__ import annotations

from shlex import quote
from typing import Final

from truetty.service.guard import Guard
from truetty.service.reader import Look
from truetty.text.quoting import on_one_line, whole

INSTRUCTIONS: Final = """\
Run shell commands here: the shell stays with its directory, variables and jobs, send answers what a command asks, and \
no time-out ends a command. A result begins with how the command stands: exit N, running or waiting; exit unknown is \
not success. What programs print stands below the first empty line. Passwords are for the user to type: call handoff."""

_GUARDED: Final = """ \
Commands run in a read-only sandbox, held by the kernel. What the policy asks about, and the user allows, runs outside \
of it, in another terminal with variables of its own."""
_LASTING: Final = " Terminals outlive this session: terminals lists what runs from earlier ones."
_ALONE: Final = " The policy is read-only, and no sandbox stands behind it here."

PAGE_SHOWN: Final = "wait: the user was shown a page to type on; do not ask for the secret"
# A client may answer so by itself, where no user is.
DECLINED: Final = "the client did not show the page: it answered no, with or without the user"
SHOW_URL: Final = (
    "show the url to the user and wait: the page is on this machine, or `truetty answer URL` in a terminal here"
)

SHOW_PAGE: Final = "show the url to the user and wait: it leads to this terminal, on a page of this machine"


def not_now(word: str | None) -> str:
    """A person at the page does not take the terminal over."""
    return f"the user was asked to take over and said: not now{f', “{whole(word)}”' if word else ''}"


def untouched(holder: str) -> str:
    return f"A person ({on_one_line(holder)}) had this terminal and has typed nothing."


def instructions(guard: Guard, *, lasts: bool = False) -> str:
    """`lasts`: terminals outlive the client."""
    text = INSTRUCTIONS + _LASTING if lasts else INSTRUCTIONS
    if guard.is_behind_policy:
        return text + _GUARDED
    return text + _ALONE if guard.missing is not None else text


def answer_elsewhere(where: str, command_id: str) -> str:
    """The user has no page of the machine that the command runs on."""
    call = f"truetty answer --on {quote(where)} {command_id}"
    return f"ask the user to type it there, by `{call}` in a terminal, and wait; do not ask for the secret"


def invitation(look: Look, reason: str, command: str) -> str:
    """What the user reads beside the link: the program that reads comes first, the agent's words are quoted."""
    warnings = "".join(f"\nWARNING: {warning}" for warning in look.warnings)
    return f"{whole(look.sentence)}{warnings}\nThe agent says: “{whole(reason)}”\nIts command: {whole(command)}"
