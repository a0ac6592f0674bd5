"""A verb of the table, and the fields that several verbs have, each described once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from truetty.server.fields import (
    BASE64,
    BUDGET,
    CHANGES,
    COMMAND,
    COUNT,
    ENVIRON,
    FLAG,
    NAME,
    PATH,
    REPLY_RULES,
    SECONDS,
    SHELL,
    SIZE,
    TEXT,
    TEXTS,
    TYPED,
    UNTIL,
    Field,
)
from truetty.server.rights import Right


@dataclass(frozen=True, slots=True)
class Verb:
    name: str
    method: str
    path: str
    help: str
    fields: tuple[Field, ...]
    answer: Any  # the type of what comes back
    keyed: bool = False
    right: Right | None = None  # that its caller needs; None: to watch what GET gives, to type for the rest
    stream: bool = False  # many values, one after the other: NDJSON over HTTP

    @property
    def needs(self) -> Right:
        return self.right or ("watch" if self.method == "GET" else "type")


ONLY_IDS: Final = Field("exact", FLAG, "take ids only", default=False)
WHICH_TERMINAL: Final = (Field("terminal_id", TEXT, "id, name, or the beginning of one", required=True), ONLY_IDS)
WHICH_COMMAND: Final = (
    Field("command_id", TEXT, "id; or a terminal's, for its last command", required=True),
    ONLY_IDS,
)
MAKING: Final = (
    Field("environ", ENVIRON, "the environment of the caller, which a new terminal inherits"),
    Field("env", CHANGES, "variables over what is inherited"),
    Field("rc", FLAG, "the user's start-up files are read"),
    Field("history", FLAG, "commands go to the history's file"),
    Field("size", SIZE, "columns and rows"),
    Field("name", NAME, "a name for it"),
    Field("startup", SECONDS, "how long to wait for the first prompt"),
    Field("budget", BUDGET, "of the text in a report"),
    Field("memory", COUNT, "bytes of the transcript in memory"),
    Field("quota", COUNT, "bytes of it on disk"),
    Field("coalesce", SECONDS, "the shortest time between two output events"),
    Field("replies", REPLY_RULES, "rules that answer programs"),
    Field("sandbox", TEXT, "what it may write and reach"),
)
PLACE: Final = (
    Field("shell", SHELL, "the shell of a new terminal"),
    Field("cwd", PATH, "its directory"),
    Field("task", TEXT, "the task that holds it"),
)
STARTING: Final = (
    Field("command", COMMAND, "the command line", required=True),
    Field("terminal", TEXT, "where it runs; otherwise in one of the task's, or a new one"),
    Field("cwd", PATH, "the directory to run it in, where no terminal is named"),
    Field("task", TEXT, "the task whose terminal is used"),
    Field("shell", TEXT, "the shell, where no terminal is named"),
    Field("timeout", SECONDS, "end it after so long"),
    Field("environ", ENVIRON, "the environment of the caller, which a new terminal inherits"),
    ONLY_IDS,
)
UNTIL_WHAT: Final = Field("until", UNTIL, "what the wait is for; settled if nothing is named")
TYPING: Final = (
    Field("text", TYPED, "typed as it is"),
    Field("base64", BASE64, "bytes to type, in place of a text"),
    Field("keys", TEXTS, "names of keys, pressed after the text", default=()),
)
LEASE: Final = Field("lease", TEXT, "of the person who has the terminal: needed while a person has it")
SPAN: Final = (
    Field("offset", COUNT, "of the first byte", default=0),
    Field("limit", COUNT, "how many bytes at most"),
)
