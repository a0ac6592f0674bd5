"""What a waiting program asks, described from the text it shows, for the agent or person who answers.

    yes-no       a yes or a no                              press-key    any key, or Enter, to go on
    choice       one of the answers it lists                pager        text is shown page by page
    conflict     what to do with a file that is there       editor       a text editor is open
    host-key     whether a host is the one it claims to be  screen       what else is steered with keys
    menu         a number, or an option for the arrow keys  repl         an interpreter's next statement
    text         any text                                   shell        a shell's next command
    username     a user's name                              more-input   the rest of something unfinished
    password, passphrase, code (used once), secret          stdin        nothing asks: it reads its input

Rule 1: the kernel says that a program waits, and how it reads. Text never decides that; here it is only described.
Rule 2: what is not shown is not there: no choice, no default and no prompt is made up.
Rule 3: a question that may ask for a secret is described as one, unless it lists its answers. A line that begins by
        asking for a secret lists none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from truetty.core import lazy
from truetty.core.outcome import Asks, WaitingKind
from truetty.questions import choices, dialogs, programs, words
from truetty.questions.choices import LONGEST_LINE, Choices
from truetty.questions.description import Description

# Some libraries draw their question and then as many empty rows as the screen has.
MOST_LINES: Final = 80
# What belongs to a question stands right above it.
MOST_ABOUT: Final = 24


def describe(
    kind: WaitingKind, program: str | None, lines: Sequence[str], cursor: dialogs.Cursor | None = None
) -> Description:
    """What is asked. `lines` are the last clean ones, the one with the cursor last; of a full screen, all of it.

    `cursor` is where it stands on that screen, if the lines are no more than a screen's.
    """
    name = programs.plain(program)
    kept = [line[-LONGEST_LINE:] for line in lines[-MOST_LINES:]]
    match kind:
        case "fullscreen":
            found = _on_screen(name, kept, cursor)
        case "key" if dialog := _dialog(name, kept, cursor):
            found = dialog
        case "secret":
            found = _secret(kept)
        case "shell" | "continuation":
            line = kept[-1] if kept else ""
            unfinished = kind == "continuation" or programs.is_unfinished_in_shell(line)
            found = Description("more-input" if unfinished else "shell", line)
        case "line" | "key":
            found = _question(kind, name, kept)
    return found if found.hint else replace(found, hint=_hint(found, kind, name))


# ── a line, or keys ───────────────────────────────────────────────────────────────────────────────────────────────


def _question(kind: WaitingKind, program: str, lines: list[str]) -> Description:
    line, above = _asking(kind, program, lines)
    demand = words.demand(line)
    if program in programs.SILENT and demand is None:
        return Description(programs.SILENT[program], line)
    if program in programs.WATCHED:
        return Description("screen", line)
    is_editor = program in programs.EDITORS
    if program in programs.PAGERS or (kind == "key" and not is_editor and words.PAGER_LINE.search(line)):
        return Description("pager", line)
    if demand is not None:
        return Description(words.secret(line) or demand, line)
    if programs.is_unfinished(line, program):
        return Description("more-input", line)
    if programs.is_prompt(line, program):
        return Description("repl", line)
    if kind == "key" and (drawn := _with_arrows(lines)):
        return drawn
    if not line.strip():
        return Description("stdin", line)
    if words.HOST_KEY.search(line):
        return Description("host-key", line, _block(above), ("y", "n") if "(y/n" in line else ("yes", "no"))
    if found := choices.in_line(line):
        return _listed(line, above, found)
    if hidden := words.secret(line):
        return Description(hidden, line)
    if words.PRESS.search(line) and not words.OR_TYPE.search(line) and not _POINTER.match(line):
        return Description("press-key", line)
    if is_editor:
        return Description("editor", line)
    return _numbered(line, above) or _stated_above(line, above) or _free(kind, program, line, lines[-1])


def _asking(kind: WaitingKind, program: str, lines: list[str]) -> tuple[str, list[str]]:
    """The line that asks, and those above it.

    `echo 'Sure (y/n)?'; read x` asks on the line above. A program that reads keys may have drawn blank rows below.
    """
    at = len(lines) - 1
    if at >= 0 and not lines[at].strip() and program not in programs.SILENT:
        lowest = 0 if kind == "key" else max(0, at - 2)
        filled = next((one for one in range(at - 1, lowest - 1, -1) if lines[one].strip()), None)
        if filled is not None and (kind == "key" or words.ENDS.search(lines[filled])):
            at = filled
    return (lines[at], lines[:at]) if at >= 0 else ("", [])


def _free(kind: WaitingKind, program: str, line: str, last: str) -> Description:
    if program in programs.AFFIRMS and "?" in line[-6:]:
        return Description("yes-no", line, choices=("y", "n"))
    if words.CONFIRM.search(line):
        return Description("yes-no", line)
    if words.USER.search(line):
        return Description("username", line, default=choices.default_of_text(line))
    if kind == "key" and not last.strip() and not words.ENDS.search(line) and not _ASKED.match(line):
        return Description("screen", line)  # a server that listens to keys, say: nothing there is a question
    return Description("text", line, default=choices.default_of_text(line))


def _stated_above(line: str, above: list[str]) -> Description | None:
    """`Enter a value:`, and what is asked stands in the lines above."""
    block = _block(above) if words.GENERIC.match(line) else ()
    if not block:
        return None
    stated = [found for one in block if (found := choices.in_line(one))]
    if stated:
        return replace(_listed(line, above, stated[-1]), about=block)
    return Description("text", line, block, default=choices.default_of_text(line))


def _listed(line: str, above: list[str], found: Choices) -> Description:
    if found.yes_no:
        return Description("yes-no", line, (), found.choices, found.labels, found.default)
    if found.choices[0].isdigit() and (menu := _numbered(line, above)):
        return replace(menu, default=found.default or menu.default)
    asks: Asks = "conflict" if words.FILE_THERE.search(line) else "choice"
    about: tuple[str, ...] = ()
    if not found.labels and (explained := choices.meanings(found, above[-MOST_ABOUT:])).labels:
        found, about = explained, _block(above)
    return Description(asks, line, about, found.choices, found.labels, found.default)


def _numbered(line: str, above: list[str]) -> Description | None:
    block = _block(above)
    menu = choices.menu_of_numbers(block)
    if menu is None or not choices.is_numbered(block[-1]):  # its last line is right above, or it was asked before
        return None
    shown = choices.default_of_text(line)
    default = shown if shown in menu.choices else menu.default
    return Description("menu", line, block, menu.choices, menu.labels, default)


def _block(above: list[str]) -> tuple[str, ...]:
    """The lines right above, up to an empty one; one empty line may lie between."""
    at = len(above)
    if at and not above[at - 1].strip():
        at -= 1
    start = at
    while start > max(0, at - MOST_ABOUT) and above[start - 1].strip():
        start -= 1
    return tuple(line.rstrip() for line in above[start:at])


# ── secrets ───────────────────────────────────────────────────────────────────────────────────────────────────────


def _secret(lines: list[str]) -> Description:
    """Nothing is echoed: that alone makes it a secret, whatever it is called."""
    line = lines[-1] if lines else ""
    if not line.strip() and len(lines) > 1 and words.ENDS.search(lines[-2]):
        line = lines[-2]
    return Description(words.secret(line) or "secret", line)


# ── arrow keys ────────────────────────────────────────────────────────────────────────────────────────────────────

_ASKED: Final = lazy.pattern(r"^\s{0,2}[?◆]\s+\S")
_POINTER: Final = lazy.pattern(r"^\s{0,2}[❯›▸►▶»→➤➜>*]\s*\S")
_TOGGLE: Final = lazy.pattern(r"\s›\s+(\w{1,20}) / (\w{1,20})\s*$")


def _with_arrows(lines: list[str]) -> Description | None:
    """A question with options below it, as inquirer, prompts, clack, enquirer and their like draw it."""
    filled = [line for line in lines if line.strip()]
    asked = next((at for at in range(len(filled) - 1, -1, -1) if _ASKED.match(filled[at])), None)
    if asked is None:
        return _bare_menu(filled)
    line, below = filled[asked], filled[asked + 1 :]
    if len(below) <= 2 and (hidden := words.secret(line)) and choices.in_line(line) is None:
        return Description(hidden, line)
    if toggle := _TOGGLE.search(line):
        return Description("menu", line, choices=(toggle[1], toggle[2]))
    if line.lstrip().startswith("?") and (menu := choices.menu_of_numbers(below)):
        return Description("menu", line, tuple(below), menu.choices, menu.labels, menu.default)
    options = choices.menu_of_options(below)
    if options is not None:
        asks: Asks = "yes-no" if options.yes_no else "menu"
        return Description(asks, line, tuple(below), options.choices, default=options.default)
    if not line.lstrip().startswith("◆"):
        return None
    return Description("text", line)  # what stands below it may be an example, or typed already


def _bare_menu(filled: list[str]) -> Description | None:
    """A title, then options of which one is pointed at, and nothing else below."""
    at = next((at for at, line in enumerate(filled) if _POINTER.match(line)), None)
    if at is None or len(filled) - at > choices.MOST_CHOICES or re.search(r"[:?]\s*$", filled[-1]):
        return None
    first = at
    while first > 0 and filled[first - 1].startswith("  "):
        first -= 1
    options = choices.menu_of_options(filled[first:])
    if options is None or any(not line.startswith("  ") for line in filled[at + 1 :]):
        return None
    title = filled[first - 1].rstrip() if first else ""
    return Description("menu", title, tuple(filled[first:]), options.choices, default=options.default)


# ── a whole screen ────────────────────────────────────────────────────────────────────────────────────────────────

_SAVE: Final = lazy.pattern(r"^Save modified buffer\?", re.I)  # nano
_NANO_LINE: Final = lazy.pattern(
    r"^(?:File Name to|File to insert|Search|Replace|Command to execute|Enter line number)\b.{0,200}:"
)
_BUTTONS: Final = lazy.pattern(r"<\s*([^\W\d][\w ]{0,15}?)\s*>")


def _on_screen(program: str, lines: list[str], cursor: dialogs.Cursor | None) -> Description:
    filled = [line for line in lines if line.strip()]
    line = re.sub(r"\s{3,}", "  ", filled[-1].rstrip()) if filled else ""
    hidden = next((one for one in filled if re.search(r"(?:passphrase|password|PIN):", one, re.I)), None)
    if program.startswith("pinentry") or (hidden and _BUTTONS.search(line)):
        return Description(words.secret(hidden or "") or "passphrase", (hidden or line).strip(" │|"))
    if dialog := _dialog(program, lines, cursor):
        return dialog
    if asked := next((one for one in filled[-4:] if _SAVE.match(one)), None):
        return Description("yes-no", asked.rstrip(), choices=("y", "n"))
    is_editor = program in programs.EDITORS
    if is_editor and (asked := next((one for one in filled[-4:] if _NANO_LINE.match(one)), None)):
        return Description("text", asked.rstrip(), hint="send your answer, then press Enter; C-c gives it up")
    if program in programs.PAGERS or (not is_editor and words.PAGER_LINE.search(line)):
        return Description("pager", line)
    if words.PRESS.search(line) and "continue" in line.lower():
        return Description("press-key", line)
    listed = choices.in_line(line)
    if listed is not None and (listed.labels or listed.yes_no):
        return _listed(line, [], listed)
    if is_editor:
        return Description("editor", line)
    if program in programs.WATCHED:
        return Description("screen", line)
    buttons = [match for one in filled[-4:] for match in _BUTTONS.findall(one)]
    if buttons:
        labels = Choices(tuple(buttons))
        return Description("yes-no" if labels.yes_no else "menu", filled[0].strip(), choices=labels.choices)
    return _with_arrows(lines) or Description("screen", line)


# ── a dialog in a frame ───────────────────────────────────────────────────────────────────────────────────────────


def _dialog(program: str, lines: list[str], cursor: dialogs.Cursor | None) -> Description | None:
    if program in programs.WATCHED or program in programs.EDITORS or program in programs.PAGERS:
        return None
    dialog = dialogs.find(lines, cursor)
    if dialog is None:
        return None
    line, options, buttons = dialog.question[-LONGEST_LINE:], dialog.options, Choices(dialog.buttons)
    about = tuple(one for one in (dialog.title, *dialog.text) if one and one != dialog.question)
    where = f"in the dialog '{dialog.title}': " if dialog.title and line != dialog.title else ""
    enter = "press Enter"
    if dialog.field is not None:
        if hidden := words.secret(line) or words.secret(dialog.title):
            return Description(hidden, line, about)
        there = f"; '{dialog.field}' stands there already, erase it or go on behind it" if dialog.field else ""
        hint = f"{where}send your answer, then {enter}{there}"
        asks: Asks = "username" if words.USER.search(line) else "text"
        return Description(asks, line, about, default=dialog.field or None, hint=hint)
    if options is not None:
        tick = ", tick with Space" if dialog.ticks else ""
        alone = f"; Enter alone is '{options.default}'" if options.default is not None else ""
        hint = f"{where}move with the arrow keys{tick}, then {enter}{alone}"
        return Description(
            "menu", line, about, options.choices, options.labels, options.default, hint, has_buttons=True
        )
    if len(dialog.buttons) == 1:
        return Description("press-key", line, about, hint=where + enter)
    alone = f"; Enter alone is '{dialog.focus}'" if dialog.focus is not None else ""
    hint = f"{where}move with Tab, then {enter}{alone}"
    asks = "yes-no" if buttons.yes_no else "menu"
    return Description(asks, line, about, buttons.choices, default=dialog.focus, hint=hint, has_buttons=True)


# ── what to do ────────────────────────────────────────────────────────────────────────────────────────────────────

MOST_NAMED: Final = 12


def _hint(found: Description, kind: WaitingKind, program: str) -> str:
    at_once = kind == "fullscreen" or (kind == "key" and program in programs.ONE_KEY)
    edits = kind != "key" or program in programs.CLIENTS or _ASKED.match(found.prompt)
    # A program that reads keys may edit a line, or go on after the first key: an Enter then answers the next question.
    line = "send {} and Enter" if edits else "send {}; Enter too, if it then still waits"
    sent = "press {}" if at_once else line
    if len(found.choices) > MOST_NAMED:
        named = f"one of '{found.choices[0]}' to '{found.choices[-1]}'"
    else:
        # A program that takes the first key takes no word.
        keys = at_once and found.asks == "yes-no"
        named = ", ".join(f"'{choice[:1].lower() if keys else choice}'" for choice in found.choices)
        named = " or ".join(named.rsplit(", ", 1))
    enter = f"; Enter alone is '{found.default}'" if found.default and not at_once else ""
    match found.asks:
        case "password" | "passphrase" | "code" | "secret":
            return "asks for a secret: let a person type it; no rule answers it"
        case "yes-no" if not found.choices:
            return sent.format("'y' or 'n'") + "; which words it takes is not shown"
        case "menu" | "yes-no" if found.choices and not found.labels and kind in ("key", "fullscreen") and found.about:
            tick = ", tick with Space" if found.default is None else ""
            return f"move with the arrow keys{tick}, then press Enter{enter}"
        case "menu" if found.choices and not found.choices[0].isdigit():
            return "move with the arrow keys or Tab, then press Enter"
        case "yes-no" | "choice" | "conflict" | "menu":
            return sent.format(named) + enter
        case "host-key":
            return f"{sent.format(named)}; compare the fingerprint first"
        case "text" | "username":
            answer = "your answer" if found.asks == "text" else "a user name"
            return f"send {answer}, without Enter" if at_once else line.format(answer) + enter
        case "press-key":
            return "press Enter"
        case "pager" if found.prompt.startswith("--Type"):  # gdb's own
            return "press Enter for more, or send 'q' and Enter to leave"
        case "pager":
            return "press q to leave, Space for the next page"
        case "editor":
            return f"to leave without saving, {programs.EDITORS.get(program, 'use its own keys')}"
        case "screen":
            return "look at its screen and press keys"
        case "repl":
            return f"send a statement and Enter; {programs.leaving(program)}"
        case "shell":
            return "send a command and Enter; 'exit' leaves"
        case "more-input":
            return "send the rest and Enter, or press C-c to give it up"
        case "stdin":
            return "send lines, then press C-d to end the input"
