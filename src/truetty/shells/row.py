"""The contract of a shell: what its recipe can do, and its row, which holds every other fact that is known of it.

*folder* is the terminal's private directory (0700, tmpfs, a short path). One line is typed at the prompt; everything
secret is in files that this line names, never in the line itself.

Rule 1: a fact about one shell is a field here, and in no other file. Readers get sets of names from `table`.
Rule 2: a field's default is what is true of most shells, or what does no harm where it is not.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple, Protocol

from truetty.core.signs import Mark

CTRL_C = b"\x03"
CTRL_U = b"\x15"  # line editors throw away what stands before the cursor
_LARGEST_EXIT_CODE = 255  # that a program can exit with
_SIGNALS = 64  # on Linux


@dataclass(frozen=True, slots=True)
class LaunchRequest:
    """A shell to be started: everything that a launch may depend on."""

    program: str
    arguments: tuple[str, ...]  # the user's own
    folder: str
    key: str  # the first secret of the lines of the shell
    name: str  # begins every name of ours in the shell: variables, functions
    rc: bool  # the user's start-up files are read
    env: Mapping[str, str]  # what the shell would inherit, for HOME, ZDOTDIR, ENV and their like
    history: bool = False  # commands go to the file of the shell's history


@dataclass(frozen=True, slots=True)
class Launch:
    """Arguments, variables and files with which the shell starts."""

    arguments: tuple[str, ...]
    env: Mapping[str, str | None] = field(default_factory=dict)  # None unsets
    files: Mapping[str, bytes] = field(default_factory=dict)  # name inside the folder → content


class Typed(NamedTuple):
    """Keys to type, and the files they need first.

    A file of one command is named by a letter and the serial, and removed when it was read: `d` and the serial prints
    D and stays until the command has ended, the others until it has run for a while. Other names stay, as the hook's.
    """

    line: bytes  # with its Enter, and bracketed paste where that was asked for
    files: Mapping[str, bytes] = MappingProxyType({})
    by_editor: bool = False  # the shell's own marks tell both ends, and its editor shows the text itself
    frees_keys: bool = False  # the tty acts on a byte of the line (`stty intr 7`): it is told not to, first


class Request(NamedTuple):
    """A command for a shell: everything that its keys may depend on."""

    folder: str
    name: str  # as above
    serial: int
    text: str
    start: str  # the secret of C
    end: str  # the secret of D
    last_code: int = 0  # what `$?` must be for the text
    flags: str = ""  # `$-` of the last mark, and "S" when a leading space keeps a line out of history
    paste: bool = False  # bracketed paste is on
    probe: bool = False  # print M before the text runs and read one line: the tty's modes are looked at meanwhile
    at_editor: bool = False  # its editor draws a prompt, with the hook that works with it, and has not refused the text
    options: str = ""  # what the shell's last mark said of its editor
    history: bool = False  # as above
    special: bytes = b""  # characters on which the tty itself acts while an editor reads
    shared: bool = False  # an orphan of an earlier command may read a key before the shell does


@dataclass(frozen=True, slots=True)
class HealRequest:
    """A shell whose marks have stopped: it is asked for `$?`, and gets the hook again."""

    folder: str
    name: str
    serial: int
    secret: str  # of H
    key: str  # the first of the lines from then on
    history: bool = False  # as above


class Recipe(Protocol):
    """How one family of shells is entered, given a command, and healed."""

    def launch(self, request: LaunchRequest) -> Launch | None:
        """With the hook; None when the arguments ask for no prompt (a script, `-c`)."""

    def trigger(self, request: Request) -> Typed:
        """A line that prints C, runs the text with `last_code` as its `$?`, and prints D with its code and `$-`."""

    def heal(self, request: HealRequest) -> Typed | None:
        """A line that prints H with `$?` and installs the hook again; None where that cannot be done."""


class Editor(ABC):
    """How the line editor of a shell takes a command: as if it had been typed."""

    refuses_unfinished = False  # it says so at once (mark R) when a text is not complete
    takes_several = True  # Ctrl-C in one line of a text drops the lines behind it
    loses_interrupt = False  # after Ctrl-C in a loop of the shell's own, `$?` is the last turn's, as if it never was
    prints_preface = False  # behind C it prints something of its own: `preface` tells how much
    pauses = True  # it can stop for us before the text runs, with the tty's modes as the text will get them (mark M)

    def is_off(self, options: str) -> bool:
        """Whether the shell reads its lines without its editor, by what its last mark said."""
        return False

    def announces(self, options: str) -> bool:
        """Whether hooks of the user run after P, and the editor asks for bracketed paste when it begins to read."""
        return False

    def follows(self, options: str) -> bool:
        """The same, and that no hook of the user's runs after P: so it is the editor that asks."""
        return False

    def preface(self, data: bytes) -> int | None:
        """How much of what came behind C the shell itself has printed; None: more must come to tell."""
        return 0

    def tells_end(self, mark: Mark) -> bool:
        """Whether the code that this D carries is surely the command's."""
        return True

    def is_empty(self, mark: Mark, count: int | None, *, printed: bool) -> bool:
        """Whether a D without C says that nothing was run. `count`: how many commands the D before told."""
        return False

    @abstractmethod
    def takes(self, request: Request) -> bool:
        """Whether it can take this text now, as far as this shell's own facts go."""

    @abstractmethod
    def keys(self, request: Request) -> Typed:
        """The keys that make it run the text, and the files they need."""


class Dialect(StrEnum):
    """Languages of shells that the policy's parser reads, by the parser's own names."""

    BASH = "bash"
    POSIX = "posix"
    MKSH = "mksh"
    ZSH = "zsh"


@dataclass(frozen=True, slots=True)
class Row:
    """One shell. A field's comment says what is true when it is set."""

    name: str
    recipe: Recipe
    _: KW_ONLY
    has_marks: bool = True  # False: the text is typed as it is, and the kernel alone shows what became of it
    editor: Editor | None = None  # the other way in, beside the recipe's trigger (`way.py`)

    # Which program is it?
    also: tuple[str, ...] = ()  # other names that mean this shell and no other
    shared_names: tuple[str, ...] = ()  # other shells have them too: this one is meant if the file says no other
    started_as: Mapping[str, Row] = field(default_factory=dict)  # what the same program becomes under another name

    # How is it talked to?
    cd: Callable[[str], str] | None = None  # the command that goes to an absolute path, past aliases and functions
    clears_line: bytes = CTRL_C  # keys that throw away what stands half-typed at the prompt; empty: no safe ones
    says: str = "echo"  # the command that prints its arguments

    # What does it say?
    signal_base: int = 128  # a signal's exit code is this and the signal's number
    signal_words: Mapping[str, int] = field(default_factory=dict)  # its own words for signals, beside strsignal's
    needs_cursor: bool = (
        False  # on a terminal that cannot move the cursor (TERM=dumb), its editor draws into the output
    )
    prompt_begins: re.Pattern[bytes] | None = None  # what it prints first at each prompt, beside P; None: nothing
    continuation: str = ">"  # a regular expression: its PS2, as it is by default

    # How does it read the tty?
    edits_lines: bool = True  # an editor of its own saves and restores the tty's modes around commands
    read_uses_editor: bool = False  # its `read` blocks where its prompt does: only a prompt that was learnt differs
    is_interactive: Callable[[Sequence[str]], bool] | None = None  # by arguments: its scripts ignore the same signals
    reads_one_key: bool = False  # it has a `read` that ends after one key, without Enter
    read_size: int | None = None  # how many bytes its `read` asks for at once; None: one
    hides_input: Callable[[str, str], bool] | None = None  # by text and line: its `read` hides what no mode hides
    varying_reads: bool = False  # at its prompt it reads into the rest of a buffer, of any size
    hooks_follow_mark: bool = False  # P comes before the user's prompt hooks, which may read what is typed then
    asks_terminal: bool = False  # its prompt asks the terminal something and waits for the answer
    never_answered: bool = False  # its prompt asks and does not wait: the next program would get the answer

    # What may its command lines do? (policy)
    dialect: Dialect | None = None  # None: its language cannot be checked
    runs_scripts: bool = True  # `NAME -c TEXT` and `NAME FILE` run a script

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((self.name, *self.also, *self.shared_names)))

    def launch(self, request: LaunchRequest) -> Launch:
        """As the recipe says; without a prompt, as the user says, with nothing of ours."""
        return self.recipe.launch(request) or Launch(request.arguments)

    def prompt_start(self, tail: bytes) -> int | None:
        """Where, in the last bytes printed, the prompt begins when no mark says so; None if that is unknown."""
        starts = [match.start() for match in self.prompt_begins.finditer(tail)] if self.prompt_begins else []
        return starts[-1] if starts else None

    def prompt_before_mark(self, tail: bytes) -> int:
        """How many of the last bytes before P the shell has drawn for its prompt."""
        found = list(self.prompt_begins.finditer(tail)) if self.prompt_begins else []
        return len(found[-1][0]) if found and found[-1].end() == len(tail) else 0

    def signal_of(self, code: int) -> int | None:
        """The signal that an exit code can only mean: 256+n of ksh93. A program may itself exit with 128+n."""
        number = code - self.signal_base
        return number if self.signal_base > _LARGEST_EXIT_CODE and 1 <= number <= _SIGNALS else None
