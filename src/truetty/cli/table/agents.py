"""`truetty mcp`, `setup`, `answer` and `schema`, described."""

from __future__ import annotations

from typing import Final

from truetty.cli.table.row import CommandRow, Example, Group, Option, Word, switch
from truetty.cli.table.shared import NO_RC, ON, POLICY, SANDBOX, SHELL

MCP: Final = CommandRow(
    "mcp",
    "Serve terminals to an agent (MCP)",
    "Serve terminals to an agent by the Model Context Protocol, over standard input and output or over HTTP.",
    (
        Example("truetty setup claude-code", "let a client start this"),
        Example("truetty mcp --policy read-only", "only commands that change nothing"),
        Example("truetty mcp --shared", "terminals that outlive the client"),
        Example("truetty mcp --http --port 0", "over HTTP, on a free port"),
    ),
    (),
    "An MCP client starts it and speaks to it. When the client goes, every terminal is closed with all that runs in "
    "it; with --shared or --on nothing is closed.",
    (
        Group(
            "Whose terminals",
            (
                switch(
                    "--shared",
                    "those of your server, or of $TRUETTY_ON: the next client of the same name in this directory has "
                    "them",
                ),
                Option(
                    "--on",
                    "the same with another server: unix:PATH, its socket; ssh://HOST, the one of that machine; "
                    "http://HOST:PORT, with the token in $TRUETTY_TOKEN; or a command that ends in truetty dial",
                    "WHERE",
                ),
            ),
        ),
        Group(
            "What commands may do",
            (POLICY, SANDBOX, Option("--cwd", "start commands in this directory", "DIR"), SHELL, NO_RC),
        ),
        Group(
            "What the client sees",
            (
                switch("--structured", "results as structured content too; the tools say their schema"),
                Option("--prefix", "begin the tools' names with this, such as terminal_", "TEXT", default=""),
                Option(
                    "--wait", "how long run and wait take if a call does not say (default: 30)", "SECONDS", "seconds"
                ),
                Option(
                    "--most-wait",
                    "how long a call takes at most: less than the client's time-out",
                    "SECONDS",
                    "seconds",
                ),
            ),
        ),
        Group(
            "Over HTTP",
            (
                switch("--http", "streamable HTTP instead of standard input and output"),
                Option("--host", "the address to listen on (default: 127.0.0.1)", "ADDRESS", default="127.0.0.1"),
                Option(
                    "--port", "the port; 0 takes a free one (default: 7717)", "NUMBER", "number", 7717,
                    least=0, most=65535,
                ),
                Option("--token-file", "the file with the token, for you alone; made if it does not exist", "FILE"),
                switch("--expose", "listen where other machines can reach it; put TLS in front"),
                Option(
                    "--allow-host", "one more Host that may be asked for; may be repeated", "HOST:PORT", repeats=True
                ),
                Option(
                    "--allow-origin", "the Origin of a web page that may call; may be repeated", "URL", repeats=True
                ),
            ),
        ),
    ),
)  # fmt: skip

SETUP: Final = CommandRow(
    "setup",
    "Put truetty into an MCP client",
    "Put truetty into the configuration of an MCP client: Claude Code, VS Code, Cursor, Codex, Gemini CLI, opencode, "
    "Copilot and others.",
    (
        Example("truetty setup", "the clients, and which are set up"),
        Example("truetty setup claude-code", "set one up"),
        Example("truetty setup codex --print", "show the change, write nothing"),
        Example("truetty setup cursor --undo", "take it out again"),
    ),
    (Word("client", "CLIENT", required=False),),
    "Without CLIENT, all clients are listed.",
    (
        Group(
            "What to do",
            (
                switch("--print", "show what would be written, and where; change nothing", "show"),
                switch("--undo", "take truetty out of the configuration again"),
                switch("--check", "start the server as the client would, and say what the client would see"),
                switch("--list", "list the clients that are on this machine", "here"),
            ),
        ),
        Group(
            "How",
            (
                switch("--project", "the file of the project in this directory, not your own"),
                switch("--shared", "with terminals that outlive the client: truetty mcp --shared"),
                switch("--approve", "let the client call the tools without asking you (Codex only)"),
            ),
        ),
    ),
    module="setup.setup",
)

ANSWER: Final = CommandRow(
    "answer",
    "Answer what a command asks, passwords too",
    "Answer what a command asks, such as a password. An agent does not see what you type, and nothing keeps it.",
    (
        Example("truetty answer build", "what it asks, and your answer"),
        Example("truetty answer t3-14 yes", "without being asked"),
        Example("truetty answer http://127.0.0.1:…", "the link an agent gave you"),
    ),
    (Word("id", "ID"), Word("text", "TEXT", required=False)),
    "ID is a command's, such as t3-14, or a terminal's id or name, for its last command; or the link that an agent "
    "gave you. Without TEXT you are asked, or a line of standard input is read. A secret is never TEXT.",
    (Group("Options", (ON,)),),
    (
        "Exit status: 0 typed, or the command of a link has finished · 1 a link was given back · 125 nothing is asked, "
        "or an error of truetty's",
    ),
)

SCHEMA: Final = CommandRow(
    "schema",
    "Print the tools as function schemas",
    "Print the tools as function schemas for agent frameworks, as JSON.",
    (
        Example("truetty schema", "for OpenAI's Chat Completions"),
        Example("truetty schema anthropic", "for Anthropic's Messages"),
    ),
    (Word("form", "FORM", required=False, default="openai"),),
    "FORM is openai (the default), responses, anthropic or bash.",
)
