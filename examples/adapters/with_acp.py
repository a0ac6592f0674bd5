"""Agent Client Protocol on truetty: an editor's client whose `terminal/*` methods are `Terminals`."""

import asyncio

from truetty.adapters.acp import Terminals

COMMANDS = ["echo one; (exit 3)", "seq 1 200000", "sleep 600"]


class Editor(Terminals):
    """In a real client: `class Editor(Terminals, acp.Client)`, with the other methods of the protocol."""


async def main() -> None:
    editor = Editor()
    for command in COMMANDS:  # in the place of an agent
        made = await editor.create_terminal("session", command, output_byte_limit=20)
        if command.startswith("sleep"):
            await editor.kill_terminal("session", made.terminal_id)
        ended = await editor.wait_for_terminal_exit("session", made.terminal_id)
        seen = await editor.terminal_output("session", made.terminal_id)
        print(command, "->", ended.exit_code, ended.signal, seen.truncated, repr(seen.output))
        await editor.release_terminal("session", made.terminal_id)
    await editor.close_terminals()


if __name__ == "__main__":
    asyncio.run(main())
