"""inspect_ai 0.3.285: its own checks of a sandbox, and an evaluation in ours."""

from __future__ import annotations

import asyncio
import os

import inspect_ai.util._sandbox.self_check as theirs
from inspect_ai.tool import ToolDef

from tests.adapters.checks.scripts import example
from truetty.adapters.inspect_ai import TruettySandbox, tools
from truetty.functions import VERBS
from truetty.service import Registry, Service

# It adds a user to the machine, and removes it.
LEFT_OUT = "test_exec_as_user"
CHECKS = {
    name: check
    for name, check in vars(theirs).items()
    if name.startswith("test_") and callable(check) and (name != LEFT_OUT or "TRUETTY_TEST_ADD_USER" in os.environ)
}
# They want a file that this user may not read or write. Root may.
OF_ROOT = {
    "test_read_file_not_allowed",
    "test_write_text_file_without_permissions",
    "test_write_binary_file_without_permissions",
}


def test_the_example() -> None:
    lines = example("inspect_ai").splitlines()
    assert "No such file" in lines[0] and lines[1] == "'42\\n'" and lines[-1] == "success 1.0"


def test_their_own_checks() -> None:
    async def main() -> dict[str, str]:
        wrong = {}
        for name, check in CHECKS.items():
            box = (await TruettySandbox.sample_init("t", None, {}))["default"]
            try:
                await check(box)
            except BaseException as error:
                wrong[name] = f"{type(error).__name__}: {str(error)[:200]}"
            await TruettySandbox.sample_cleanup("t", None, {"default": box}, False)
        return wrong

    wrong = asyncio.run(main())
    print(f"COUNT {len(CHECKS) - len(wrong)} of {len(CHECKS)} of its own checks; not: {', '.join(wrong) or 'none'}")
    assert set(wrong) == (OF_ROOT if os.geteuid() == 0 else set()), wrong


def test_the_verbs_are_tools() -> None:
    async def main() -> None:
        async with Service(Registry(shell="bash", rc=False)) as service:
            made = [ToolDef(tool) for tool in tools(service)]
            assert [tool.name for tool in made] == [verb.name for verb in VERBS]
            assert "command" in made[0].parameters.properties
            assert (await made[0].tool(command="echo one; (exit 3)")).startswith("exit 3")

    asyncio.run(main())
