"""The catalogue: the eight tools with their names, parameters and words, as clients list them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from truetty.core.errors import HostError, TruettyError
from truetty.mcp import tools, words
from truetty.mcp.caller import Caller
from truetty.mcp.parameters import PATIENCE_NAMES, Parameter, read
from truetty.mcp.session import Session
from truetty.mcp.shape import Result
from truetty.mcp.tools import RUN_WAIT, SEND_WAIT, Call
from truetty.service import PAGE


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    title: str
    description: str
    parameters: Sequence[Parameter]
    act: Callable[[Call], Awaitable[Result]]
    reads_only: bool = False


async def call(session: Session, name: str, given: Mapping[str, object], caller: Caller) -> Result:
    """Refusals and failures are results too: a model can do something about them."""
    tool = TOOLS[name]
    with session.calling():
        try:
            return await tool.act(Call(session, read(name, tool.parameters, given), caller))
        except TruettyError as error:
            refusal = error
        except OSError as error:
            reason = error.strerror or str(error)
            refusal = HostError(f"the machine could not do it: {reason}", reason=reason)
        return Result(error=refusal, next=words.after_error(refusal), notices=session.service.notices.news())


_ID: Final = Parameter("id", "string", words.ID, also=("command_id", "terminal_id", "session_id"))
_TOKENS: Final = Parameter("max_output_tokens", "integer", "show about so many tokens of the output")
_ONLY_NEW: Final = Parameter("only_new", "boolean", "show only output that no call has shown before")


def _patience(default: float, help: str) -> Parameter:
    return Parameter(
        "wait", "number", help, milliseconds=PATIENCE_NAMES, either=("timeout",), also=("seconds",), default=default
    )


_ALL: Final = (
    Tool(
        "run",
        "Run a command",
        words.RUN,
        (
            Parameter("command", "string", "a shell command line, as you would type it", also=("cmd",), required=True),
            Parameter("cwd", "string", "the directory to run it in", also=("workdir",)),
            Parameter(
                "terminal_id", "string", "the terminal to run it in; default: one of yours", also=("session_id", "id")
            ),
            _patience(RUN_WAIT, "seconds to wait for it; then it goes on by itself"),
            Parameter(
                "background",
                "boolean",
                "come back at once",
                also=("run_in_background", "is_background", "isBackground"),
            ),
            Parameter("kill_after", "number", "end the command after so many seconds; default: never"),
            Parameter("shell", "string", "bash, zsh, fish, … or a path; default: the user's"),
            Parameter("key", "string", "a text of yours: a call that comes again with the same key runs nothing twice"),
            _TOKENS,
        ),
        tools.run,
    ),
    Tool(
        "read",
        "Read output",
        words.READ,
        (
            _ID,
            Parameter("offset", "integer", "where to begin, in characters; 0 is the beginning"),
            Parameter("limit", "integer", "how many characters at most", also=("length", "max_chars"), default=PAGE),
            Parameter("grep", "string", "a regular expression: only lines it is found in", also=("pattern",)),
            Parameter("context", "integer", "with grep: how many lines around each"),
            Parameter("tail", "integer", "only so many of the last lines"),
        ),
        tools.read,
        reads_only=True,
    ),
    Tool(
        "wait",
        "Wait for a command",
        words.WAIT,
        (
            _ID,
            Parameter(
                "for",
                "string",
                "settled, exit, input, match:REGEX, idle:SECONDS or port:NUMBER",
                also=("until",),
                default="settled",
            ),
            Parameter("match", "string", "the same as for=match:…", also=("pattern",)),
            Parameter("idle", "number", "the same as for=idle:…"),
            Parameter("port", "integer", "the same as for=port:…"),
            _patience(RUN_WAIT, "seconds to wait at most"),
            _TOKENS,
            _ONLY_NEW,
        ),
        tools.wait,
        reads_only=True,
    ),
    Tool(
        "send",
        "Type into a command",
        words.SEND,
        (
            _ID,
            Parameter("text", "string", "typed as it is; nothing is added", also=("chars", "input")),
            Parameter("keys", "strings", 'keys to press after the text, by name: ["Down", "Enter"], ["C-c"]'),
            Parameter("enter", "boolean", "press Enter after it all", also=("submit",)),
            _patience(SEND_WAIT, "seconds to wait for what it does"),
            _TOKENS,
            _ONLY_NEW,
        ),
        tools.send,
    ),
    Tool("screen", "Look at the screen", words.SCREEN, (_ID,), tools.screen, reads_only=True),
    Tool(
        "stop",
        "Stop a command",
        words.STOP,
        (_ID, Parameter("close", "boolean", "end its terminal too, with everything it started"), _TOKENS),
        tools.stop,
    ),
    Tool("terminals", "List terminals", words.TERMINALS, (), tools.terminals, reads_only=True),
    Tool(
        "handoff",
        "Hand over to the user",
        words.HANDOFF,
        (
            _ID,
            Parameter("reason", "string", "what the user is asked to type, and why: the user reads it"),
            _patience(RUN_WAIT, "seconds to wait for the user, where the client could show the page"),
        ),
        tools.handoff,
    ),
)
TOOLS: Final[Mapping[str, Tool]] = {tool.name: tool for tool in _ALL}
